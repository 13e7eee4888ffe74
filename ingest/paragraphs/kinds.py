"""Kinds of blocks, and the reasons why some are left out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from configs.settings import IngestSettings
from ingest.layout.placed import LEADERS, OPENING
from ingest.paragraph import Kind
from ingest.paragraphs.blocks import Block

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
_INITIAL = re.compile(r"[^\W\d_]\.,?")
_MARK = re.compile(r"[.,:;]")
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
    "exercise": re.compile(
        r"(?:exercise|problem|question|task|תרגיל|שאלה|בעיה|משימה)\b", re.IGNORECASE
    ),
    "example": re.compile(r"(?:example|דוגמה|דוגמא)\b", re.IGNORECASE),
    "remark": re.compile(
        r"(?:remark|note|hint|tip|warning|observation|הערה|רמז|שימו לב|אזהרה)\b",
        re.IGNORECASE,
    ),
}
"""First words of the passages of each kind, in English and Hebrew."""


@dataclass(frozen=True)
class _Text:
    """A block with the features of its text."""

    block: Block
    settings: IngestSettings

    @cached_property
    def tokens(self) -> list[str]:
        """Words and symbols."""
        return self.block.text.split()

    @cached_property
    def n_words(self) -> int:
        """Number of words of two letters or more."""
        return len([*filter(_WORDLIKE.search, self.tokens)])

    @cached_property
    def n_ends(self) -> int:
        """Number of ends of sentences."""
        return len(_SENTENCE_END.findall(self.block.text))

    @cached_property
    def is_rich_in_symbols(self) -> bool:
        """Whether it is a sentence with few words and many symbols."""
        first = self.block.text.lstrip(OPENING)[:1]
        least = max(MIN_SENTENCE_WORDS, MIN_WORDS_AMONG_SYMBOLS * len(self.tokens))
        is_begun = first.isalpha() and not first.islower()
        return self.n_words >= least and self.n_ends > 0 and is_begun

    @property
    def is_contents(self) -> bool:
        """Whether it is a line of a table of contents."""
        has_leaders = LEADERS.search(self.block.text) is not None
        return has_leaders and self.tokens[-1].strip(".").isdigit()

    @property
    def is_symbols(self) -> bool:
        """Whether it has too few words to be text."""
        least = max(MIN_TEXT_WORDS, MIN_TEXT_SHARE * len(self.tokens))
        return self.n_words < least and not self.is_rich_in_symbols

    @property
    def is_reference(self) -> bool:
        """Whether it looks like an entry of a bibliography: initials, a year, few words in lower case, and marks."""
        if not _MARK.search(self.block.text):
            return False
        firsts = [token[0] for token in self.tokens if token[0].isalpha()]
        n_cased = sum(char.lower() != char.upper() for char in firsts)
        if n_cased < 0.4 * len(self.tokens):
            return False
        share = sum(map(str.isupper, firsts)) / n_cased
        if _YEAR_ALONE.search(self.block.text) and share > 0.25:
            return True
        n_initials = len([*filter(_INITIAL.fullmatch, self.tokens)])
        least = 0.35 if n_initials >= 3 else 0.6
        return share > least and _YEAR.search(self.block.text) is not None

    @property
    def has_code(self) -> bool:
        """Whether it has many signs of a programming language."""
        n_marks = len(_CODE_MARK.findall(self.block.text))
        return not self.is_rich_in_symbols and n_marks > 0.25 * len(self.tokens)

    @property
    def reason(self) -> str:
        """The reason why it is left out, "" if it is kept."""
        block, n_tokens = self.block, len(self.tokens)
        is_short = n_tokens < self.settings.min_words
        if block.mono > 0.6 or _COMMENT.match(block.text):
            return "code"
        if n_tokens > self.settings.max_words:
            return "long"
        if is_short and block.unknown_share > MAX_UNKNOWN_SHARE:
            return "unreadable"
        if self.is_reference:
            return "references"
        return "code" if self.has_code else ""

    @property
    def is_caption(self) -> bool:
        """Whether it begins with the label of a figure, and is small or set off."""
        block = self.block
        is_drawn = block.set_off and _DRAWN.match(block.text) is not None
        return bool(_label_of(block.text)) and (block.size_ratio < 0.97 or is_drawn)

    @property
    def is_prose(self) -> bool:
        """Whether it has the length of a paragraph, whole sentences, and few symbols."""
        block, n_tokens = self.block, len(self.tokens)
        visible = block.text.replace(" ", "")
        letters = sum(map(str.isalpha, visible)) / len(visible)
        has_shape = self.is_rich_in_symbols or (
            letters >= MIN_LETTER_SHARE and self.n_words >= MIN_WORD_SHARE * n_tokens
        )
        has_end = self.n_ends > 0 or block.text.endswith(":")
        factor = MIN_FOOTNOTE_LENGTH if block.footnote else 1
        is_readable = block.unknown_share <= MAX_UNKNOWN_SHARE

        return (
            factor * self.settings.min_words <= n_tokens <= 110 * max(1, self.n_ends)
            and has_shape
            and has_end
            and is_readable
            and block.gap_share <= 0.4
        )


def kind_of(block: Block, settings: IngestSettings) -> tuple[Kind, str]:
    """Return the kind of a block, and the reason why it is left out; "" if it is kept.

    Returns:
        The kind has no meaning if there is a reason. The reason is one of table, contents, code, references,
        symbols, word, unreadable and long.
    """
    text = _Text(block, settings)
    if text.is_contents:
        return "other", "contents"
    if text.is_symbols:
        is_word = text.n_words == len(text.tokens)
        return "other", "word" if is_word else "symbols"
    if block.in_table:
        is_sentence = text.n_words >= MIN_SENTENCE_WORDS and text.n_ends > 0
        return "boxed", "" if is_sentence else "table"
    if block.is_heading:
        return "heading", ""

    reason = text.reason
    return ("other", reason) if reason else (_kind_of_text(text), "")


def _label_of(text: str) -> str:
    """Return the label that a text begins with if a full stop or a colon ends it, else ""."""
    label = _CAPTION.match(text)
    if label is None or not label.group().rstrip().endswith((".", ":")):
        return ""
    return label.group()


def without_label(text: str) -> str:
    """Return a caption without its label, such as "Figure 3:"; another text unchanged."""
    return text.removeprefix(_label_of(text)) if _DRAWN.match(text) else text


def _kind_of_text(text: _Text) -> Kind:
    block = text.block
    if text.is_caption:
        return "caption"
    if text.is_prose:
        return "prose"
    if block.footnote:
        return "footnote"
    for kind, pattern in _LABELS.items():
        if pattern.match(block.text):
            return kind
    return "item" if block.number else "other"
