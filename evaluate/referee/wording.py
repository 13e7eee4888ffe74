"""Rules that answer a question from its wording and that of its options, in English and Hebrew."""

import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal

from evaluate.referee.context import (
    VisibleContext,
    fold,
    is_glued,
    normalise,
    split_words,
)
from evaluate.referee.phrases import PHRASES
from player.answer import LETTERS, NOT_RELEVANT
from quarry.languages.registry import LANGUAGES, alternatives

MIN_RUN_LETTERS = 4
"""Minimum number of letters of a word that may be found inside a run of letters, in a text without spaces."""


def _wording(key: str, frame: str = "{}") -> str:
    """Return an expression for phrases in all languages under a key; it replaces "{}" in a frame."""
    return frame.replace("{}", alternatives(PHRASES[key]))


_PREFIXES = "".join(language.prefixes for language in LANGUAGES)
_QUOTED = re.compile(rf"(?<!\w)[{_PREFIXES}]{{0,2}}-?\"(.+?)\"(?!\w)")


def quoted_terms(text: str) -> tuple[tuple[str, ...], str]:
    """Return the terms in double quotation marks, and the text with each of them replaced by "#"."""
    terms = filter(None, map(str.strip, _QUOTED.findall(text)))
    return tuple(terms), _QUOTED.sub(" # ", text)


Statement = Literal["words", "yes", "no", "none", "nothing"]
"""The statement of an option."""

_OPTION_STATEMENTS: dict[Statement, re.Pattern[str]] = {
    "nothing": re.compile(
        "-*|" + _wording("unsure", ".*{}.*|") + _wording("several", "{}.*")
    ),
    "none": re.compile(_wording("none")),
    "yes": re.compile(_wording("yes", r"{}\b.*")),
    "no": re.compile(_wording("no", r"{}\b.*")),
}
"""Statements of options that name no words."""
_NONE_AS_LAST = re.compile(_wording("none if last"))
_JOINS = _wording("joins")
_PARTED = re.compile(rf",\s*|;\s*|(?<=\S) (?:{_JOINS}|/) (?=\S)")


Option = tuple[Statement, tuple[str, ...]]
"""The statement of an option, and the words that it names; an option with the statement "nothing" never fits."""


def read_option(
    option: str,
    *,
    last: bool = False,
    repeated: bool = False,
) -> Option:
    """Read the text of an option.

    Args:
        option: text of the option.
        last: whether it is the last option, in which a single word such as "other" refers to the other options.
        repeated: whether the question repeats the option; then it names words, even if it looks like "none" or "no".
    """
    text = normalise(option).rstrip(".")
    quoted, frame = quoted_terms(text)
    folded = fold(frame if quoted else text).strip()
    if repeated and not quoted:
        return "words", tuple(_PARTED.split(folded))
    for statement, pattern in _OPTION_STATEMENTS.items():
        if pattern.fullmatch(folded):
            return statement, ()
    if last and _NONE_AS_LAST.fullmatch(folded):
        return "none", ()
    parts = [re.sub(rf"^{_JOINS} (?=\S)", "", part) for part in _PARTED.split(folded)]
    return "words", quoted or tuple(parts)


_FIRST_SENTENCE = re.compile(_wording("first sentence"))
_BEGINS = re.compile(_wording("begins"))
_ENDS = re.compile(_wording("ends"))
_OCCURS = re.compile(_wording("occurs"))
_BEYOND = re.compile(_wording("beyond"))
_FIRST_OF_SEVERAL = re.compile(_wording("first of several"))

_POSITIONS = {
    name: position
    for language in LANGUAGES
    for position, name in language.word_names.items()
}
_FIRST_LETTER = re.compile(
    _wording("initial").replace("{word}", f"({'|'.join(_POSITIONS)})")
)
"""A question about a first letter; a group is the name of the word."""
_BETWEEN = rf"[\"'\s;,/.]*(?:{_JOINS}\s)?[\"'\s]*"
"""Separators between the options that a question repeats."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A question that these rules can answer.

    Attributes:
        terms: words in quotation marks that the question itself names; () if the options name the words.
        n_repeated: number of first options that the question repeats; such options always name words.
        in_opening: whether the question is about the first sentence or about the whole text.
        edge: "begin" or "end" if the question asks with which words a text begins or ends; else "".
        first_of_several: whether the first of several fitting options counts.
        initial: position of the word of the first sentence for whose first letter the question asks; None for others.
    """

    terms: tuple[str, ...]
    n_repeated: int
    in_opening: bool
    edge: Literal["", "begin", "end"]
    first_of_several: bool
    initial: int | None = None

    def there(self, term: str, visible: VisibleContext) -> bool:
        """Return whether a term occurs where the question asks for it."""
        text = visible.opening if self.in_opening else visible.text
        if self.initial is not None:
            initials = [word[0] for word in _words(text) if word[0].isalpha()]
            is_there = -len(initials) <= self.initial < len(initials)
            return is_there and initials[self.initial] == fold(term)
        if not self.edge:
            folded = fold(term)
            in_run = len(folded) >= MIN_RUN_LETTERS and folded in fold(text)
            return (in_run and is_glued(text)) or occurs_in(term, text)
        parts, words = _words(term), _words(text)
        n = len(parts)
        here = words[:n] if self.edge == "begin" else words[-n:]
        return n > 0 and parts == here


def read_wording(question: str, options: Sequence[str]) -> Wording | None:
    """Read the text of a question; return None if these rules cannot answer it.

    Args:
        question: text of the question.
        options: the options that seem to name words, which the question may repeat.
    """
    plain, options = normalise(question), [*map(normalise, options)]
    frame, n_repeated = _without_options(plain, options)
    terms, frame = quoted_terms(frame)

    # sentences that ask, without brackets; the others are rules for choosing an option
    sentences = re.split(r"(?<=[.?!]) +", fold(frame))
    asking, rules = "", ""
    for sentence in sentences:
        if "?" in sentence or "?" not in frame:
            asking += f" {sentence}"
        else:
            rules += f" {sentence}"

    asking_text = re.sub(r"\([^()]*\)", " ", asking.strip())
    bare = _FIRST_SENTENCE.sub(" ", asking_text)
    edge: Literal["", "begin", "end"] = ""
    if _BEGINS.search(bare):
        edge = "begin"
    elif _ENDS.search(bare):
        edge = "end"
    initial = _FIRST_LETTER.search(asking_text)

    is_checked = edge or _OCCURS.search(asking_text)
    if not initial and (not is_checked or _BEYOND.search(bare)):
        return None
    return Wording(
        terms=terms,
        n_repeated=n_repeated,
        in_opening=_FIRST_SENTENCE.search(asking_text) is not None,
        edge=edge,
        first_of_several=_FIRST_OF_SEVERAL.search(rules) is not None,
        initial=_POSITIONS[initial[initial.lastindex or 0]] if initial else None,
    )


def _without_options(question: str, options: Sequence[str]) -> tuple[str, int]:
    """Replace the first options, if a question repeats two or more, by "#"; return the text and their number."""
    for n in range(len(options), 1, -1):
        bare = [option.strip(" .\"'") for option in options[:n]]
        if not all(bare):
            continue
        repeated = _BETWEEN.join(map(re.escape, bare))
        pattern = rf"(?<!\w)[\"']?{repeated}[\"']?(?!\w)"
        frame, n_found = re.subn(pattern, "#", question, count=1, flags=re.IGNORECASE)
        if n_found:
            return frame, n
    return question, 0


_LITERAL = re.compile("[+#%=<>$€£°*^\u3040-\u9fff]")
_STOPS_AND_COMMAS = frozenset(".,;:!?")
# a Latin letter or digit at an edge of a term is the edge of a word
_BEFORE = r"(?:(?<!\w)|(?![A-Za-z0-9]))"
_AFTER = r"(?:(?!\w)|(?<![A-Za-z0-9]))"


def occurs_in(term: str, text: str) -> bool:
    """Return whether a text has a word or phrase as whole words, in any case.

    The words of a phrase may be joined differently ("inverted-index", "inverted index"), but a stop or comma may
    separate them only if the phrase has one too. Signs, terms with signs ("c++") and terms in scripts without blanks
    are searched for literally.
    """
    term, text = fold(term).strip(" .,;:"), fold(text)
    parts = _words(term)
    if term and (not parts or _LITERAL.search(term)):
        return re.search(_BEFORE + re.escape(term) + _AFTER, text) is not None

    words = split_words(text)
    stops_allowed = not _STOPS_AND_COMMAS.isdisjoint(term)
    n = len(parts)
    for row in range(len(words) - n + 1 if n else 0):
        window = words[row : row + n]
        if parts == [*map(itemgetter(0), window)]:
            gaps = ""
            for one, other in itertools.pairwise(window):
                gaps += text[one[2] : other[1]]
            if stops_allowed or _STOPS_AND_COMMAS.isdisjoint(gaps):
                return True
    return False


def _words(text: str) -> list[str]:
    return [*map(itemgetter(0), split_words(fold(text)))]


@functools.lru_cache(maxsize=2**17)
def answer_by_wording(
    visible: VisibleContext, question: str, options: tuple[str, ...]
) -> str:
    """Return the letter of the option that holds, or "Not Relevant"; the answer is always the same.

    The rules understand questions about words in the text or in its first sentence, about the words with which these
    begin or end, and about first letters of words. Texts are compared after NFKC and case folding, by whole words;
    terms with signs, terms in scripts without blanks, and terms of MIN_RUN_LETTERS in texts without blanks may be
    anywhere.
    The answer is "Not Relevant" if the question cannot be parsed, if no option fits, or if several options fit and the
    question has no rule for that.
    """
    last, _ = read_option(options[-1], last=True)
    wording = read_wording(question, options if last == "words" else options[:-1])
    if wording is None:
        return NOT_RELEVANT

    statements = []
    for number, option in enumerate(options, 1):
        is_last, is_repeated = number == len(options), number <= wording.n_repeated
        statements.append(read_option(option, last=is_last, repeated=is_repeated))
    fits = _fits(wording, statements, visible)
    n_fitting = sum(fits)
    if n_fitting == 0 or (n_fitting > 1 and not wording.first_of_several):
        return NOT_RELEVANT
    return LETTERS[fits.index(True)]


def _fits(
    wording: Wording, statements: Sequence[Option], visible: VisibleContext
) -> list[bool]:
    """Return whether each option holds."""

    def any_there(terms: Sequence[str]) -> bool:
        return any(wording.there(term, visible) for term in terms)

    kinds = [*map(itemgetter(0), statements)]
    if "yes" in kinds and "no" in kinds:
        holds = "yes" if any_there(wording.terms) else "no"
        return [bool(wording.terms) and kind == holds for kind in kinds]

    fits = [kind == "words" and any_there(terms) for kind, terms in statements]
    none_fits = not (any_there(wording.terms) if wording.terms else any(fits))
    for row, kind in enumerate(kinds):
        fits[row] |= kind == "none" and none_fits
    return fits
