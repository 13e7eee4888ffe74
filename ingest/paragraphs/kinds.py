"""Kinds of passages, found by the shape and label of a block, and reasons for leaving blocks out."""

from __future__ import annotations

import re

from quarry.configs.settings import IngestSettings
from quarry.ingest.paragraph import Kind
from quarry.ingest.paragraphs.blocks import Block

MIN_LETTER_SHARE = 0.72
"""Minimal share of letters among the visible characters; prose has 0.93 to 0.98, formulas and tables far less."""

MIN_WORD_SHARE = 0.62
"""Minimal share of tokens that are words of two letters or more; prose has 0.85 to 1."""

MIN_TEXT_WORDS = 2
MIN_TEXT_SHARE = 0.4
"""Minimal number of words of a text, and their minimal share of the tokens."""

MIN_SENTENCE_WORDS = 10
MIN_WORDS_AMONG_SYMBOLS = 0.3
"""Minimal number of words of a sentence full of symbols, and their minimal share of the tokens."""

MIN_FOOTNOTE_LENGTH = 2
"""Minimal length of a footnote that counts as prose, as a multiple of min_words."""

MAX_UNKNOWN_SHARE = 0.12
"""Maximal share of words with a character that the file does not explain."""

_LEADERS = re.compile(r"(?:\.\s?){5,}|(?:[·…]\s?){4,}")
_CAPTION = re.compile(r"[^\W\d_]{2,12}\.? ?(?:[A-Z]\.)?\d+(?:[.\-–]\d+)*[.:)]? ?")
_DRAWN = re.compile(
    r"(?:fig|tab|pic|photo|image|illustration|listing|algorithm|chart|plate|scheme|exhibit|diagram|graph|map|box|abb|איור|"
    r"תרשים|טבלה|לוח|תמונה|שרטוט|גרף|אלגוריתם|קטע)",
    re.IGNORECASE,
)
"""First word of a caption in the size of the text; a definition or a theorem is numbered and set off too."""
_SENTENCE_END = re.compile(r"""[.!?…。](?=[)\]"'”’»]*(?:\s|$))""")
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
_YEAR_ALONE = re.compile(r"[.,)] \(?(?:1[89]|20)\d\d[a-z]?\)?\. ")
_COMMENT = re.compile(r"(?:#|//|/\*|%%?|--|;;)\s")
_CODE_MARK = re.compile(r"[{};=<>]|\w\(\)|\w_\w|==|->|::")
_WORDLIKE = re.compile(r"[^\W\d_]{2,}(?:[-'’׳״\"][^\W\d_]+)*")

_LABELS: dict[Kind, re.Pattern[str]] = {
    "theorem": re.compile(
        r"(?:definition|theorem|lemma|corollary|proposition|claim|fact|axiom|conjecture|assumption|property|"
        r"הגדרה|משפט|למה|מסקנה|טענה|עובדה|אקסיומה|השערה|הנחה|תכונה)\b",
        re.IGNORECASE,
    ),
    "proof": re.compile(r"(?:proof|הוכחה)\b", re.IGNORECASE),
    "exercise": re.compile(r"(?:exercise|problem|question|task|תרגיל|שאלה|בעיה|משימה)\b", re.IGNORECASE),
    "example": re.compile(r"(?:example|דוגמה|דוגמא)\b", re.IGNORECASE),
    "remark": re.compile(r"(?:remark|note|hint|tip|warning|observation|הערה|רמז|שימו לב|אזהרה)\b", re.IGNORECASE),
}
"""First words of the passages of each kind, in English and Hebrew."""


def kind_of(block: Block, settings: IngestSettings) -> tuple[Kind, str]:
    """Return the kind of a block, and the reason why it is left out; "" if it is kept.

    Returns:
        The kind has no meaning if there is a reason. The reason is one of contents, code, references, symbols,
        unreadable and long.
    """
    tokens = block.text.split()
    n_words = sum(bool(_WORDLIKE.search(token)) for token in tokens)
    reads_as_text = n_words >= max(MIN_TEXT_WORDS, MIN_TEXT_SHARE * len(tokens))
    rich = _is_rich_in_symbols(block, tokens, n_words)
    if _LEADERS.search(block.text) and tokens[-1].strip(".").isdigit():
        return "other", "contents"
    if not reads_as_text and not rich:
        return "other", "symbols"
    if block.is_heading:
        return "heading", ""
    if block.mono > 0.6 or _COMMENT.match(block.text):
        return "other", "code"
    if len(tokens) > settings.max_words:
        return "other", "long"
    if block.unknown_share > MAX_UNKNOWN_SHARE and len(tokens) < settings.min_words:
        return "other", "unreadable"
    if _is_reference(block.text, tokens):
        return "other", "references"
    if not rich and len(_CODE_MARK.findall(block.text)) > 0.25 * len(tokens):
        return "other", "code"
    return _kind_of_text(block, tokens, n_words, settings, rich=rich), ""


def _kind_of_text(block: Block, tokens: list[str], n_words: int, settings: IngestSettings, *, rich: bool) -> Kind:
    n_ends = len(_SENTENCE_END.findall(block.text))
    label = _CAPTION.match(block.text)
    if (
        label
        and label.group().rstrip().endswith((".", ":"))
        and (block.size_ratio < 0.97 or (block.set_off and _DRAWN.match(block.text)))
    ):
        return "caption"
    visible = block.text.replace(" ", "")
    letters = sum(char.isalpha() for char in visible) / len(visible)
    shaped = rich or (letters >= MIN_LETTER_SHARE and n_words >= MIN_WORD_SHARE * len(tokens))
    ends = n_ends > 0 or block.text.rstrip().endswith(":")
    least = settings.min_words * (MIN_FOOTNOTE_LENGTH if block.footnote else 1)
    is_readable = block.gap_share <= 0.4 and block.unknown_share <= MAX_UNKNOWN_SHARE
    if len(tokens) >= least and shaped and ends and is_readable and len(tokens) <= 110 * max(1, n_ends):
        return "prose"
    if block.footnote:
        return "footnote"
    labelled = next((kind for kind, pattern in _LABELS.items() if pattern.match(block.text)), None)
    if labelled:
        return labelled
    return "item" if block.number else "other"


def _is_rich_in_symbols(block: Block, tokens: list[str], n_words: int) -> bool:
    """Return whether a block with few words is a sentence with many symbols."""
    first = block.text.lstrip("([\"'“‘„")[:1]
    return (
        n_words >= max(MIN_SENTENCE_WORDS, MIN_WORDS_AMONG_SYMBOLS * len(tokens))
        and bool(_SENTENCE_END.search(block.text))
        and first.isalpha()
        and not first.islower()
    )


def _is_reference(text: str, tokens: list[str]) -> bool:
    """Return whether a text looks like an entry of a bibliography: initials, a year, few words in lower case."""
    initials = sum(bool(re.fullmatch(r"[^\W\d_]\.,?", token)) for token in tokens)
    capitals = sum(token[0].isupper() for token in tokens if token[0].isalpha())
    cased = sum(token[0].isalpha() and token[0].lower() != token[0].upper() for token in tokens)
    if cased < 0.4 * len(tokens):
        return False
    if _YEAR_ALONE.search(text) and capitals / cased > 0.25:
        return True
    return bool(_YEAR.search(text)) and ((initials >= 3 and capitals / cased > 0.35) or capitals / cased > 0.6)
