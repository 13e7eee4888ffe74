"""Kinds of blocks, such as prose, item or theorem, and the reasons why some are left out, such as code.

`_Text` measures a block: its words, symbols and ends of sentences. `kind_of` asks these measures in a fixed order.
"""

import math
import re
from functools import cached_property

from configs.settings import IngestSettings
from ingest.layout.line import LEADERS, MONO_SHARE
from ingest.paragraphs.blocks import Block
from quarry.languages.captions import DRAWN, caption_label
from quarry.languages.english import ENGLISH
from quarry.languages.language import Kind
from quarry.languages.quotation import OPENING
from quarry.languages.registry import LANGUAGES, alternatives

MIN_TITLE_WORDS = 2
MIN_TITLE_SHARE = 0.4
"""Minimum number of words of a heading that is a passage, and their minimum share of its tokens."""

MIN_SENTENCE_WORDS = 10
MIN_WORDS_AFTER_WORD = 3
"""Minimum number of words of a sentence that may have symbols, and that of one that begins with a word."""

MAX_MARKS = 0.02
"""Maximum share of signs of a programming language among the tokens of prose in a font of fixed pitch."""

MAX_UNKNOWN_SHARE = 0.12
"""Maximum share of words with a character that the file does not explain."""

STOP_WEIGHT = 3
MIN_REFERENCE_SHARE = 0.7
"""Number of capitals that an inner full stop of a reference counts for, and the minimum of both per token."""

MAX_CODE_MARKS = 0.25
"""Maximum share of signs of a programming language among the tokens of text in any font."""

BIAS = -5.4
WEIGHTS = {
    "words": 0.6,
    "letters": 3.54,
    "number": 2.65,
    "colon": 2.66,
    "stop": 1.47,
    "begins_small": -1.4,
    "small_word": 1.26,
    "small_print": -1.58,
    "caption": 2.93,
}
"""Log-odds of a passage: without any feature, and for each feature, as fitted by logistic regression to 1,301 texts of
few words in 165 public lectures, of which readers said whether they are passages. Words count by the binary logarithm
of their number, letters by their share of the visible characters."""

CAPTION_SIZE = 0.97
"""Maximum font size of the caption of a box or the like, in sizes of the text."""

_SENTENCE_STOP = re.compile(r"""(?<!\. )[.!?…。](?! \.)(?=[)\]"'”’»]*(?:\s|$))""")
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d[a-z]?\b")
_CODE_LINE = re.compile(
    r"""
    ^(?:\d{1,4}\ )?(?:\#|//|/\*|%%?|--|;;)\s  # a comment, perhaps after the number of its line
    | (?<![=≔]\ )\{$ | \w\.\w+\(.*;$ | ^(?:\w+\ ){0,3}\w+\(.*\);$  # the beginning of a block, or a call
    """,
    re.VERBOSE,
)
_ADDRESS = re.compile(r"\w+://\S+")
_CODE_MARK = re.compile(r"[{}=<>]|\w\(\)|\w_\w")
_LEAD_IN = re.compile(r"(?:[^\W\d_]{2,},? ){2,}[^\W\d_]{2,}: ")
"""Three words or more and a colon, as before code."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_WORDLIKE = re.compile(r"[^\W\d_]{2,}(?:[-'’׳״\"][^\W\d_]+)*|[א-ת]+[־-](?!\W)")
"""Word of two letters or more, or a Hebrew prefix."""

_LABELS: dict[Kind, re.Pattern[str]] = {
    kind: re.compile(
        alternatives(language.labels[kind] for language in LANGUAGES) + r"\b",
        re.IGNORECASE,
    )
    for kind in ENGLISH.labels
}
"""Patterns of the first words of the passages of each kind."""


class _Text:
    """A block with the features of its text.

    Attributes:
        without_addresses: its text without addresses of pages.
        tokens: words and symbols.
        n_words: number of words of two letters or more.
        n_ends: number of ends of sentences.
        initial: its first character after opening brackets and quotation marks.
        has_end: whether it has one, or ends with a colon.
        is_begun: whether it begins like a sentence.
        is_worded_sentence: whether it is a sentence with enough words, whatever its symbols.
    """

    def __init__(self, block: Block) -> None:
        self.block = block
        self.without_addresses = _ADDRESS.sub("", block.text)
        self.tokens = block.text.split()
        self.n_words = sum(_WORDLIKE.search(token) is not None for token in self.tokens)
        self.n_ends = len(_SENTENCE_STOP.findall(block.text))

        self.initial = block.text.lstrip(OPENING)[:1]
        self.is_begun = self.initial.isalpha() and not self.initial.islower()
        self.has_end = self.n_ends > 0 or block.text.endswith(":")
        is_worded = (
            _WORDLIKE.fullmatch(self.tokens[0].strip(OPENING + ".,:")) is not None
        )
        least = MIN_WORDS_AFTER_WORD if is_worded else MIN_SENTENCE_WORDS
        is_whole = self.has_end or _LEAD_IN.match(block.text) is not None
        self.is_worded_sentence = self.is_begun and is_whole and self.n_words >= least

    @property
    def log_odds(self) -> float:
        """Log-odds that it is a passage, and no formula, name, label or cell."""
        block = self.block
        text = block.text
        words = set(_WORD.findall(text))
        letter_share = sum(map(str.isalpha, text)) / len(text.replace(" ", ""))
        features = {
            "words": math.log2(1 + len(words)),
            "letters": letter_share,
            "number": block.number != "",
            "colon": text.endswith(":"),
            "stop": text[-1] in ".!?…。",
            "begins_small": self.initial.islower(),
            "small_word": any(map(_begins_small, words)),
            "small_print": block.size_ratio < CAPTION_SIZE,
            "caption": self.is_caption,
        }

        return BIAS + sum(WEIGHTS[name] * value for name, value in features.items())

    @property
    def has_words(self) -> bool:
        """Whether it has the words of a heading, one after a number, and is no formula or label in such print."""
        least = MIN_TITLE_WORDS - (self.block.number != "")
        return self.n_words >= max(least, MIN_TITLE_SHARE * len(self.tokens))

    @property
    def is_contents(self) -> bool:
        """Whether it is an entry of a table of contents: dots, and a number at its end."""
        has_leaders = LEADERS.search(self.block.text) is not None
        return has_leaders and self.tokens[-1].strip(".").isdigit()

    @property
    def is_reference(self) -> bool:
        """Whether it is an entry of a bibliography: a year, and many capitals and full stops for its length."""
        text = self.block.text
        n_capitals = sum(token.lstrip(OPENING)[:1].isupper() for token in self.tokens)
        n_signs = n_capitals + STOP_WEIGHT * text.count(". ")
        is_dated = _YEAR.search(text) is not None
        return is_dated and n_signs > MIN_REFERENCE_SHARE * len(self.tokens)

    @property
    def is_sentence_of_cell(self) -> bool:
        """Whether it has a sentence, all of it in one cell of a table."""
        has_words = self.n_words >= MIN_SENTENCE_WORDS and self.n_ends > 0
        return has_words and not self.block.is_row

    @property
    def is_code_line(self) -> bool:
        """Whether it is a comment, or begins or ends as code does."""
        return _CODE_LINE.search(self.without_addresses) is not None

    @property
    def is_code(self) -> bool:
        """Whether it is a comment, has many signs of a programming language, or is no prose and in fixed pitch."""
        if self.is_code_line:
            return True
        text = self.without_addresses
        n_marks = len(_CODE_MARK.findall(text))
        if self.block.mono > MONO_SHARE:
            is_long = self.n_words >= MIN_SENTENCE_WORDS or text != self.block.text
            is_prose = self.is_begun and is_long
            return not is_prose or n_marks > MAX_MARKS * len(self.tokens)
        is_marked = n_marks > MAX_CODE_MARKS * len(self.tokens)
        return is_marked and not self.is_worded_sentence

    @cached_property
    def is_caption(self) -> bool:
        """Whether it begins with the label of a figure, or is small and begins with any label."""
        is_drawn = self.block.size_ratio < CAPTION_SIZE or DRAWN.match(self.block.text)
        return bool(is_drawn and caption_label(self.block.text))


def _begins_small(word: str) -> bool:
    """Return whether a word begins with a small letter or with one of a script without capitals."""
    return not word[0].isupper()


def kind_of(block: Block, settings: IngestSettings) -> tuple[Kind, str]:
    """Return the kind of a block, and the reason why it is left out; "" if it is kept.

    Returns:
        The kind of a block that is left out still decides whether a lead-in introduces it. The reason is one of table,
        contents, code, references, symbols, word, unreadable and long.
    """
    text = _Text(block)
    is_title = block.is_heading and not (block.in_table or text.is_code_line)
    if is_title and text.has_words and not text.is_contents:
        return "heading", ""

    return _kind_of_text(text, settings.min_words), _reason(text, settings.max_words)


def _reason(text: _Text, max_words: int) -> str:
    """Return the reason why a text that is no title is left out; "" if it is kept."""
    n_tokens = len(text.tokens)
    if text.is_contents:
        return "contents"
    if text.block.in_table:
        return "" if text.is_sentence_of_cell else "table"
    if text.log_odds < 0 and not text.is_worded_sentence:
        if text.block.mono > MONO_SHARE:
            return "code"
        return "word" if text.n_words == n_tokens else "symbols"

    if n_tokens > max_words:
        return "long"
    if text.block.unknown_share > MAX_UNKNOWN_SHARE:
        return "unreadable"
    if text.is_code:
        return "code"
    return "references" if text.is_reference else ""


def _kind_of_text(text: _Text, min_words: int) -> Kind:
    """Return the kind of a block by its text alone."""
    block = text.block
    if block.in_table:
        return "boxed"
    if text.is_caption:
        return "caption"

    if block.footnote:
        return "footnote"
    if text.has_end and len(text.tokens) >= min_words:
        return "prose"

    for kind, pattern in _LABELS.items():
        if pattern.match(block.text):
            return kind
    return "item" if block.number else "other"
