"""Kinds of blocks, such as prose, item or theorem, and the reasons why some are left out, such as code.

`_Text` measures a block: its words, symbols and ends of sentences. `kind_of` asks these measures in a fixed order.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Self

from configs.settings import IngestSettings
from ingest.layout.bidi import YEAR
from ingest.layout.line import ENDS_SENTENCE, LEADERS, MONO_SHARE
from ingest.paragraphs.blocks import Block, is_bibliography
from ingest.paragraphs.continuations import RELATIONS
from quarry.course.sentences import begins_sentence
from quarry.languages.english import ENGLISH
from quarry.languages.labels import DRAWN, after_statement_label, caption_label
from quarry.languages.language import ParagraphKind
from quarry.languages.quotation import CLOSING_MARKS, OPENING_MARKS
from quarry.languages.registry import LANGUAGES, UNSPACED, alternatives

MIN_TITLE_WORDS = 2
"""Minimum number of words of a heading that is a paragraph."""

MIN_TITLE_SHARE = 0.4
"""Minimum share of words among the tokens of a heading that is a paragraph."""

MAX_UNKNOWN_SHARE = 0.12
"""Maximum share of words with a character that the file does not explain."""

STOP_WEIGHT = 3
"""Number of capitals that an inner full stop of a reference counts for."""

MIN_REFERENCE_SHARE = 0.7
"""Minimum number of capitals and weighted stops of a reference for each token."""

MAX_REFERENCE_WORDS = 32
"""Maximum number of words of a reference with few capitals; a longer one has a remark on the book."""

MAX_DATED_WORDS = 60
"""Maximum number of words of a reference with a year, many capitals and no initial; longer ones are notes in short
sentences, as in German."""

BIAS = -8.76
"""Log-odds of a paragraph without any feature, fitted together with the weights."""

FEATURE_WEIGHTS = {
    "words": 1.43,
    "letters": 1.75,
    "lines": -0.95,
    "size": 4.54,
    "indent": -0.27,
    "stop": 1.97,
    "colon": 2.34,
    "label": 1.06,
    "caption": 3.16,
    "code": -6.26,
    "mono": -2.61,
    "listing": -1.76,
    "heading": -2.08,
    "table": -1.96,
    "gaps": -0.99,
    "list": 2.82,
    "introduces": 0.76,
    "first": -1.43,
    "opener": 1.02,
    "display": 2.0,
}
"""Log-odds of a paragraph for each feature, as fitted by logistic regression to 3,419 blocks of all lengths in 384
public lectures, of which readers of the printed pages said whether they are paragraphs. Words and lines count by the
binary logarithm of their number, letters by their share of the visible characters, the font size in sizes of the text,
the indent in font sizes; any other feature is 0 or 1. The weight of a word that opens sentences was fitted later, to
2,063 blocks of 137 other pages; that of a displayed formula below the text was set by hand."""

MIN_SIZE, MAX_SIZE = 0.7, 1.3
"""Range of the font sizes that a weight is multiplied by, in sizes of the text."""

LOWEST_INDENT, HIGHEST_INDENT = -1.0, 6.0
"""Range of the indents that a weight is multiplied by, in font sizes."""

MIN_STATEMENT_TOKENS = 4
"""Minimum number of words and signs of a statement after its numbered label."""

MAX_FORMULA_WORDS = 0.25
"""Maximum share of words among the tokens of formulas."""

MIN_LEAD_WORDS = 4
"""Minimum number of words of a beginning before formulas; fewer are a label."""

LABEL_LENGTH = 40
"""Maximum number of characters up to the colon of a label at the beginning of a text."""

CAPTION_SIZE = 0.97
"""Maximum font size of the caption of a box or the like, in sizes of the text."""

_SENTENCE_STOP = re.compile(
    r"""(?<!\. )[.!?؟…](?! \.)(?=[)\]"'”’»]*(?:\s|$))|[。！？．]"""
)
"""Stop at the end of a sentence inside a text."""

_CAPITAL = "[A-ZÀ-ÞА-Яא-ת]"
"""Expression for a letter that may begin a name."""
_YEAR = re.compile(
    rf"[(\[,.:;/–-] ?{YEAR}\b|\b{YEAR}(?=[)\],.:;/–-]|$)",
)
"""Year after or before a sign, as in references; in "In 1987 the council" it has none."""

_ANY_YEAR = re.compile(rf"\b{YEAR}\b")
"""Year with or without a sign next to it."""

_INITIAL = re.compile(rf"(?<![\w.]){_CAPITAL}\.")
"""Initial of a name."""

_AUTHOR = re.compile(
    rf"""
    (?:\[?\w{{1,6}}\]?\.?\ )?  # the number of an entry
    (?: {_CAPITAL}[\w'’-]+,\ {_CAPITAL}\.  # Jones, K.
      | (?:{_CAPITAL}\.[\ -]?)+\ ?{_CAPITAL}[\w'’-]+(?:,|\ et\ al)  # K. Jones,
      | (?:[A-ZÀ-ÞА-Я][\w'’.-]*,?\ (?:and\ |&\ )?){{2,9}}(?:et\ al\.\ )?
        [“”"„«][^“”"»]{{9,}}(?:[.,?]”|”[.,]|[.,?]"|"[.,]|[.,?]»|»[.,])  # Kim Jones “Title,”
    )
    """,
    re.VERBOSE,
)
"""Authors at the beginning of a reference: with initials, or before a title in quotation marks."""

_CODE_LINE = re.compile(
    r"""
    ^(?:\d{1,4}\ |(?:In\ )?\[\d{1,4}\]:\ )?(?:\#+|//|/\*|%%?|--|;;)\s  # a comment, perhaps after a number or prompt
    | [\];]\ (?:\#|//)\ \w  # a comment after a statement
    | (?<![=≔]\ )\{$ | \w\.\w+\(.*;$  # the beginning of a block, or a call
    | ^(?:[\w:<>]+[*&]*\ (?:[*&]+\ ?)?){0,3}(?:operator\ ?\S{1,3}|[\w:~]+)\(.*\)(?:\ (?:const|override|noexcept))*;$
    | ^>+\ \w+[$(=\[]  # a call or an assignment after a prompt
    | ^(?:c?def|print|return)\b.*[=(\[\#] | ^(?:import\ \S+\ as|from\ \S+\ import)\b  # a statement
    | ^(?:if|elif|while)\ .*[=!<>]=.*: | ^(?:for|if|while)\ .*[\])]: | ^(?:for\ \w+\ in|if|while)\ \w+:
    | ^(?:\}\ ?)?(?:else|elif)\b.*[;:{]$
    | ^(?:(?:public|private|protected|static|final|abstract|virtual|override)\ )+[\w<>\[\],\ ]+\ ?\(  # a method
    | ^(?:\d+\ )?(?:for|if|while)\ ?\(.*[;:{)]$  # a condition or a loop
    | ^(?:int|double|float|char|bool|var|auto)\ \w+\ ?[=;]  # a declaration
    | ^class\ \w+\(.*\):  # a class
    | ^(?:newtype|data|type)\ [A-Z]\w*(?:\ \w+)*\ =\ | ^(?:class|instance)\ [A-Z].*\ where\b  # of Haskell
    | ^(?:SELECT\ .*\bFROM|INSERT\ INTO|UPDATE\ \S+\ SET)\b[^;]*(?:;|[^;.:?])$  # a statement of SQL
    | ^(?:CREATE|ALTER|DROP)\ (?:TABLE|VIEW)\b[^;]*(?:;|[^;.:?])$
    | ^\w\S*\ ?(?:[+*/-]=\ |<-\ ?[a-zA-Z]|=\ ?\w+\.\w[\w.]*\()  # an assignment
    """,
    re.VERBOSE,
)
"""Comment, statement or part of a statement of a program."""

_SPACED_NAME = re.compile(r"(?<!\S)(?:[a-z] ){3,}[a-z](?!\S)")
"""Name of a listing that sets the letters of proportional print apart."""

SPACED_NAMES_SHARE = 0.15
"""Minimum share of the characters of a listing in such names."""

_FEW_LEADERS = re.compile(r"(?:[^\W\d_]{2}|\)) ?(?:\. ?){3,}\d+$")
"""Dots between a long title and the number of its page."""

_COLON = re.compile(r"(?<!:): ")
"""Colon between words, and not the sign of types."""

_ADDRESS = re.compile(r"\w+://\S+")
"""Address such as a URL."""

_WORD = re.compile(r"(?:[^\W\d_]['’׳])?[^\W\d_]{2,}(?:[-'’׳״\"][^\W\d_]+)*")
"""Word without signs or numbers."""

_UNSPACED_WORD = re.compile(f"[{UNSPACED}]{{2}}")
"""Two characters of a script without spaces between words."""

_LABELS: dict[ParagraphKind, re.Pattern[str]] = {
    kind: re.compile(
        alternatives(language.labels[kind] for language in LANGUAGES) + r"\b",
        re.IGNORECASE,
    )
    for kind in ENGLISH.labels
}
"""Patterns of the first words of the paragraphs of each kind."""


class _Text:
    """A block with the features of its text.

    Attributes:
        tokens: words and symbols.
        n_words: number of tokens with a word in them.
        words: the different words that are tokens without signs and numbers.
        has_end: whether it has the end of a sentence, or ends with a colon.
    """

    def __init__(self, block: Block) -> None:
        self.block = block
        self.tokens = block.text.split()
        self.n_words = _n_words(self.tokens)
        self.words = set(_UNSPACED_WORD.findall(block.text))
        for token in self.tokens:
            word = token.strip(OPENING_MARKS + CLOSING_MARKS + ".,:;?!")
            if _WORD.fullmatch(word):
                self.words.add(word)
        has_stop = _SENTENCE_STOP.search(block.text) is not None
        self.has_end = has_stop or block.text.endswith(":")

    @property
    def log_odds(self) -> float:
        """Log-odds that it is a paragraph, and no formula, name, label, cell or code."""
        features = self.features
        return BIAS + sum(
            weight * features[name] for name, weight in FEATURE_WEIGHTS.items()
        )

    @property
    def before_formulas(self) -> Self | None:
        """Its beginning up to a colon, as a text of its own, if the rest is little else than formulas."""
        text = self.block.text
        for colon in _COLON.finditer(text):
            if _is_formula(text[colon.end() :]):
                start = text[: colon.end() - 1]
                n_lines = math.ceil(len(start) / len(text) * self.block.n_lines)
                return type(self)(replace(self.block, text=start, n_lines=n_lines))
        return None

    @property
    def features(self) -> dict[str, float]:
        """Features on which the log-odds depend."""
        block = self.block
        text = block.text
        letter_share = sum(map(str.isalpha, text)) / len(text.replace(" ", ""))
        is_mono = block.mono_share > MONO_SHARE and not _ADDRESS.search(text)

        return {
            "words": math.log2(1 + len(self.words)),
            "letters": letter_share,
            "lines": math.log2(block.n_lines),
            "size": min(MAX_SIZE, max(MIN_SIZE, block.size_ratio)),
            "indent": min(HIGHEST_INDENT, max(LOWEST_INDENT, block.indent)),
            "stop": ENDS_SENTENCE.search(text) is not None,
            "colon": text[-1] in ":：",
            "label": ": " in text[:LABEL_LENGTH],
            "caption": self.is_caption,
            "code": self.is_code_line,
            "mono": is_mono,
            "listing": is_mono and block.in_listing,
            "heading": block.is_heading,
            "table": block.in_table,
            "gaps": block.has_gaps,
            "list": block.in_list,
            "introduces": block.introduces,
            "first": block.is_first,
            "opener": len(self.tokens) > 2 and begins_sentence(text),
            "display": block.display != "" and not block.in_table,
        }

    @property
    def has_words(self) -> bool:
        """Whether the text has the words of a heading, one after a number, and is no formula or label in such print."""
        least = MIN_TITLE_WORDS - (self.block.number != "")
        return self.n_words >= max(least, MIN_TITLE_SHARE * len(self.tokens))

    @property
    def is_contents(self) -> bool:
        """Whether the text is an entry of a table of contents: dots, and a number at its end."""
        text = self.block.text
        if _FEW_LEADERS.search(text):
            return True
        has_leaders = LEADERS.search(text) is not None
        return has_leaders and self.tokens[-1].strip(".").isdigit()

    @property
    def is_reference(self) -> bool:
        """Whether the text is an entry of a bibliography.

        An entry has a year at a sign, and many capitals and full stops. A short one is enough with the year and an
        author at its beginning, or with any year, initial or address below the heading of a bibliography. Any item is
        one below the name alone, unlike "Sources of Conflict".
        """
        text = self.block.text
        n_capitals = sum(
            token.lstrip(OPENING_MARKS)[:1].isupper() for token in self.tokens
        )
        n_signs = n_capitals + STOP_WEIGHT * text.count(". ")
        is_dated = _YEAR.search(text) is not None
        is_short = len(self.tokens) <= MAX_DATED_WORDS
        may_be_entry = is_dated and (is_short or _INITIAL.search(text) is not None)
        if may_be_entry and n_signs > MIN_REFERENCE_SHARE * len(self.tokens):
            return True
        if len(self.tokens) > MAX_REFERENCE_WORDS:
            return False

        if is_bibliography(self.block.heading):
            signs = (_ANY_YEAR, _INITIAL, _ADDRESS)
            is_named = any(sign.search(text) for sign in signs)
            is_sure = is_bibliography(self.block.heading, alone=True)
            return is_named or (self.block.style != "" and is_sure)
        return is_dated and _AUTHOR.match(text) is not None

    @property
    def is_unlikely(self) -> bool:
        """Whether the text is likely no paragraph, nor is what it says before formulas."""
        if self.n_words and (self.log_odds >= 0 or self.is_statement):
            return False
        start = self.before_formulas
        return start is None or start.n_words < MIN_LEAD_WORDS or start.log_odds < 0

    @property
    def is_statement(self) -> bool:
        """Whether the text is a labelled statement with a word or a full stop: some hold little else than a formula."""
        statement = after_statement_label(self.block.text)
        is_whole = _WORD.search(statement) or ENDS_SENTENCE.search(statement)
        return bool(is_whole) and len(statement.split()) >= MIN_STATEMENT_TOKENS

    @cached_property
    def is_code_line(self) -> bool:
        """Whether the text is a comment, begins or ends as code does, or has the letters of names set apart."""
        text = _ADDRESS.sub("", self.block.text)
        n_spaced = sum(len(name) for name in _SPACED_NAME.findall(text))
        is_spaced = n_spaced > SPACED_NAMES_SHARE * len(text)
        return is_spaced or _CODE_LINE.search(text) is not None

    @cached_property
    def is_caption(self) -> bool:
        """Whether the text begins with the label of a figure, or is small and begins with any label."""
        is_drawn = self.block.size_ratio < CAPTION_SIZE or DRAWN.match(self.block.text)
        return bool(is_drawn and caption_label(self.block.text))


def _is_formula(text: str) -> bool:
    """Return whether a text has a relation, such as an equals sign, and few words."""
    tokens = text.split()
    is_formula = _n_words(tokens) <= MAX_FORMULA_WORDS * len(tokens)
    return is_formula and not RELATIONS.isdisjoint(text)


def _n_words(tokens: Iterable[str]) -> int:
    """Return the number of tokens with a word in them."""
    return sum(_WORD.search(token) is not None for token in tokens)


def kind_of(block: Block, settings: IngestSettings) -> tuple[ParagraphKind, str]:
    """Return the kind of a block, and the reason why it is left out; "" if it is kept.

    Returns:
        The kind of a block that is left out still decides whether a lead-in introduces it. The reason is one of table,
        contents, code, references, symbols, word, unreadable and long.
    """
    text = _Text(block)
    is_other = block.in_table or text.is_code_line or text.is_caption
    is_title = block.is_heading and not is_other
    if is_title and text.has_words and not text.is_contents:
        return "heading", ""

    return _kind_of_text(text, settings.min_words), _reason(text, settings.max_words)


def _reason(text: _Text, max_words: int) -> str:
    """Return the reason why a text that is no title is left out; "" if it is kept."""
    n_tokens = len(text.tokens)
    if text.is_contents:
        return "contents"
    if text.block.in_data:
        return "table"
    if text.is_unlikely:
        if text.block.in_table:
            return "table"
        if text.block.mono_share > MONO_SHARE or text.is_code_line:
            return "code"
        return "word" if text.n_words == n_tokens else "symbols"

    if n_tokens > max_words:
        return "long"
    if text.block.unknown_share > MAX_UNKNOWN_SHARE:
        return "unreadable"
    is_reference = text.is_reference and not text.is_caption
    return "references" if is_reference else ""


def _kind_of_text(text: _Text, min_words: int) -> ParagraphKind:
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
