"""Passages of a document and their kinds, made from its blocks; lead-ins are joined to what they introduce."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quarry.configs.settings import IngestSettings
from quarry.ingest.paragraph import Kind, Paragraph, RejectedParagraph
from quarry.ingest.paragraphs.blocks import Block
from quarry.ingest.paragraphs.sentence import opening_sentence, sentences

MAX_FOLLOWING_WORDS = 250
"""Maximal number of words of the items and displays that a passage introduces."""

MAX_DISPLAY_WORDS = 40
"""Maximal number of words of a display without a number, after a colon."""

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


@dataclass(frozen=True, slots=True)
class _Judged:
    block: Block
    path: tuple[str, ...]
    kind: Kind
    left_out: str


def passages(
    doc_id: str,
    blocks: Iterable[Block],
    paths: Iterable[tuple[str, ...]],
    settings: IngestSettings,
) -> tuple[list[Paragraph], list[RejectedParagraph]]:
    """Return the passages of a document in reading order, and the blocks that are left out.

    Args:
        blocks: in reading order.
        paths: the headings of the sections of each block, outermost first.
    """
    judged = [_Judged(block, path, *kind_of(block, settings)) for block, path in zip(blocks, paths, strict=True)]
    ordinals: Counter[tuple[int, bool]] = Counter()
    kept: list[Paragraph] = []
    left_out: list[RejectedParagraph] = []
    begun = 0
    for position, item in enumerate(judged):
        block = item.block
        if item.left_out:
            left_out.append(RejectedParagraph(doc_id, block.page, block.text, item.left_out))
            continue
        is_prose = item.kind == "prose"
        ordinals[block.page, is_prose] += 1
        follows = _following(judged, position)
        leads_in = bool(follows) and not is_prose and block.text.endswith(":")
        text = f"{block.text} {follows}" if leads_in else block.text
        on_top = item.kind != "heading" and not block.footnote and block.page > begun
        if item.kind != "heading" and not block.footnote:
            begun = max(begun, _last_begun(block))
        kept.append(
            Paragraph(
                paragraph_id=f"{doc_id}:{block.page}:{'' if is_prose else 'x'}{ordinals[block.page, is_prose]}",
                doc_id=doc_id,
                page=block.page,
                heading=block.heading,
                text=text,
                opening_sentence=opening_sentence(block.text),
                section=item.path,
                kind="lead-in" if leads_in else item.kind,
                follows="" if leads_in else follows,
                own_length=len(block.text) if leads_in else 0,
                page_breaks=block.page_breaks,
                on_top=on_top,
            )
        )
    return kept, left_out


def _last_begun(block: Block) -> int:
    """Return the last page on which a sentence of a block begins."""
    begins_there = bool(block.page_breaks) and len(sentences(block.text[block.page_breaks[-1] :])) > 1
    return block.last_page if begins_there else block.page


def _following(judged: Sequence[_Judged], position: int) -> str:
    """Return the items, and after a colon the displays, that a block introduces; "" if there are none."""
    block = judged[position].block
    if block.footnote or block.is_heading:
        return ""
    after_colon = block.text.endswith(":")
    own = _style(block)
    found: list[str] = []
    n_words = 0
    for item in judged[position + 1 :]:
        other = item.block
        if other.footnote:
            continue
        style = _style(other)
        is_display = after_colon and not style and _is_display(item, found)
        if other.is_heading or (not style and not is_display) or (style and style == own):
            break
        if style and own and not after_colon and not found and style > own:
            break
        n_words += len(other.text.split())
        if n_words > MAX_FOLLOWING_WORDS:
            break
        found.append(other.text)
    return " ".join(found)


def _is_display(item: _Judged, found: Sequence[str]) -> bool:
    """Return whether a block without a number is a formula, a listing or a box, and no paragraph."""
    if item.left_out in ("symbols", "code", "table"):
        return True
    return not found and item.kind != "prose" and len(item.block.text.split()) <= MAX_DISPLAY_WORDS


def _style(block: Block) -> str:
    """Return the style of a block's bullet or number: "1." for digits, "a" for letters, else the bullet itself."""
    number = block.number
    if not number:
        return ""
    if any(char.isdigit() for char in number):
        return "1" + number.strip("0123456789")
    return "a" + number[-1] if any(char.isalpha() for char in number) else number


def kind_of(block: Block, settings: IngestSettings) -> tuple[Kind, str]:
    """Return the kind of a block, and the reason why it is left out; "" if it is kept.

    Returns:
        The kind has no meaning if there is a reason. The reason is one of table, contents, code, references,
        symbols, unreadable and long.
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
