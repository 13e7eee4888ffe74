"""Block -> playable or rejected with its reason, by shape alone: the same rules hold in any language."""

from __future__ import annotations

import re

from quarry.configs.settings import IngestSettings
from quarry.ingest.paragraphs.split import Block

MIN_LETTER_SHARE = 0.72
"""Letters among all visible characters; prose has 0.93 to 0.98, formulas and tables far less."""

MIN_WORD_SHARE = 0.62
"""Tokens that are words of two letters or more; prose has 0.85 to 1."""

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


def rejection(block: Block, settings: IngestSettings) -> str:
    """Why a block is no playable paragraph, "" if it is one.

    Returns:
        "" or one of footnote, heading, contents, code, short, long, table, broken, formula, caption, references, list.
    """
    tokens = block.text.split()
    if block.footnote and len(tokens) < MIN_FOOTNOTE_LENGTH * settings.min_words:
        return "footnote"
    if block.in_table:
        return "table"
    if block.is_heading:
        return "heading"
    if _LEADERS.search(block.text) and _ends_in_number(tokens):
        return "contents"
    if block.mono > 0.6 or _COMMENT.match(block.text):
        return "code"
    if len(tokens) < settings.min_words:
        return "short"
    if len(tokens) > settings.max_words:
        return "long"
    if block.gap_share > 0.4:
        return "table"
    if block.unknown_share > MAX_UNKNOWN_SHARE:
        return "broken"
    return _shape(block, tokens)


def _shape(block: Block, tokens: list[str]) -> str:
    visible = block.text.replace(" ", "")
    letters = sum(char.isalpha() for char in visible) / len(visible)
    words = sum(bool(_WORDLIKE.search(token)) for token in tokens) / len(tokens)
    digits = sum(char.isdigit() for char in visible) / len(visible)
    if letters < MIN_LETTER_SHARE or words < MIN_WORD_SHARE:
        if len(_CODE_MARK.findall(block.text)) > 0.25 * len(tokens):
            return "code"
        if not _is_rich_in_symbols(block, tokens):
            return "table" if digits > 0.25 else "formula"
    n_ends = len(_SENTENCE_END.findall(block.text))
    if n_ends == 0 and not block.text.rstrip().endswith(":"):
        return "list"
    if (
        (match := _CAPTION.match(block.text))
        and match.group().rstrip().endswith((".", ":"))
        and (block.size_ratio < 0.97 or (block.set_off and _DRAWN.match(block.text)))
    ):
        return "caption"
    if _is_reference(block.text, tokens):
        return "references"
    if len(tokens) / max(1, n_ends) > 110:
        return "list"
    return ""


def _is_rich_in_symbols(block: Block, tokens: list[str]) -> bool:
    """Whether what has few words for prose is prose all the same: a sentence of them, with symbols in between."""
    words = sum(bool(_WORDLIKE.search(token)) for token in tokens)
    first = block.text.lstrip("([\"'“‘„")[:1]
    return (
        words >= max(MIN_SENTENCE_WORDS, MIN_WORDS_AMONG_SYMBOLS * len(tokens))
        and bool(_SENTENCE_END.search(block.text))
        and first.isalpha()
        and not first.islower()
    )


def _ends_in_number(tokens: list[str]) -> bool:
    return bool(tokens) and tokens[-1].strip(".").isdigit()


def _is_reference(text: str, tokens: list[str]) -> bool:
    """Whether it looks like an entry of a bibliography: initials, a year, commas, few words in lower case."""
    initials = sum(bool(re.fullmatch(r"[^\W\d_]\.,?", token)) for token in tokens)
    capitals = sum(token[0].isupper() for token in tokens if token[0].isalpha())
    cased = sum(token[0].isalpha() and token[0].lower() != token[0].upper() for token in tokens)
    if cased < 0.4 * len(tokens):
        return False
    if _YEAR_ALONE.search(text) and capitals / cased > 0.25:
        return True
    return bool(_YEAR.search(text)) and ((initials >= 3 and capitals / cased > 0.35) or capitals / cased > 0.6)
