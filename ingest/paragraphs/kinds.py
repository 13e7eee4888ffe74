"""What kind of passage a block of text is, told by its shape and label alone, or why it is left out."""

from __future__ import annotations

import re

from quarry.configs.settings import IngestSettings
from quarry.ingest.paragraph import Kind
from quarry.ingest.paragraphs.split import Block

MIN_LETTER_SHARE = 0.72
"""Letters among all visible characters; prose has 0.93 to 0.98, formulas and tables far less."""

MIN_WORD_SHARE = 0.62
"""Tokens that are words of two letters or more; prose has 0.85 to 1."""

MIN_TEXT_WORDS = 2
MIN_TEXT_SHARE = 0.4
"""Words, and their share of the tokens, from which on a block reads as text at all."""

MIN_SENTENCE_WORDS = 10
MIN_WORDS_AMONG_SYMBOLS = 0.3
"""Words, and their share of the tokens, from which on sentences full of symbols are prose."""

MIN_FOOTNOTE_LENGTH = 2
"""Times min_words from which on a footnote is a paragraph in its own right."""

MAX_UNKNOWN_SHARE = 0.12
"""Words with a character that the file does not tell."""

_LEADERS = re.compile(r"(?:\.\s?){5,}|(?:[·…]\s?){4,}")
_CAPTION = re.compile(r"[^\W\d_]{2,12}\.? ?(?:[A-Z]\.)?\d+(?:[.\-–]\d+)*[.:)]? ?")
_DRAWN = re.compile(
    r"(?:fig|tab|pic|photo|image|illustration|listing|algorithm|chart|plate|scheme|exhibit|diagram|graph|map|box|abb|איור|"
    r"תרשים|טבלה|לוח|תמונה|שרטוט|גרף|אלגוריתם|קטע)",
    re.IGNORECASE,
)
"""Begins a caption in the size of the text; a definition or a theorem is numbered and set off too."""
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
"""What a passage of each kind begins with, in English and Hebrew."""


def kind_of(block: Block, settings: IngestSettings) -> tuple[Kind, str]:
    """The kind of a block and "", or any kind and the reason why the block is left out.

    Returns:
        The reason is one of table, contents, code, references, symbols, unreadable and long.
    """
    tokens = block.text.split()
    n_words = sum(bool(_WORDLIKE.search(token)) for token in tokens)
    reads_as_text = n_words >= max(MIN_TEXT_WORDS, MIN_TEXT_SHARE * len(tokens))
    rich = _is_rich_in_symbols(block, tokens, n_words)
    if _LEADERS.search(block.text) and tokens[-1].strip(".").isdigit():
        return "other", "contents"
    if not reads_as_text and not rich:
        return "other", "symbols"
    if block.in_table:
        return "boxed", "" if n_words >= MIN_SENTENCE_WORDS and _SENTENCE_END.search(block.text) else "table"
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
    told = block.gap_share <= 0.4 and block.unknown_share <= MAX_UNKNOWN_SHARE
    if len(tokens) >= least and shaped and ends and told and len(tokens) <= 110 * max(1, n_ends):
        return "prose"
    if block.footnote:
        return "footnote"
    labelled = next((kind for kind, pattern in _LABELS.items() if pattern.match(block.text)), None)
    if labelled:
        return labelled
    return "item" if block.number else "other"


def _is_rich_in_symbols(block: Block, tokens: list[str], n_words: int) -> bool:
    """Whether a block with few words is a sentence all the same, with symbols in between."""
    first = block.text.lstrip("([\"'“‘„")[:1]
    return (
        n_words >= max(MIN_SENTENCE_WORDS, MIN_WORDS_AMONG_SYMBOLS * len(tokens))
        and bool(_SENTENCE_END.search(block.text))
        and first.isalpha()
        and not first.islower()
    )


def _is_reference(text: str, tokens: list[str]) -> bool:
    """Whether a text looks like an entry of a bibliography: initials, a year, commas, few words in lower case."""
    initials = sum(bool(re.fullmatch(r"[^\W\d_]\.,?", token)) for token in tokens)
    capitals = sum(token[0].isupper() for token in tokens if token[0].isalpha())
    cased = sum(token[0].isalpha() and token[0].lower() != token[0].upper() for token in tokens)
    if cased < 0.4 * len(tokens):
        return False
    if _YEAR_ALONE.search(text) and capitals / cased > 0.25:
        return True
    return bool(_YEAR.search(text)) and ((initials >= 3 and capitals / cased > 0.35) or capitals / cased > 0.6)
