"""Normalise and compare document names: fuzzy matching of words, numbers in English and Hebrew words."""

from __future__ import annotations

import bisect
import functools
import itertools
import sys
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import regex
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from player.words import HEBREW_PREFIXES, is_stop_word

_SEPARATORS = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
_DIGITS_BEGIN_OR_END = regex.compile(r"(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})")
_HEBREW_LETTERS = dict(zip("אבגדהוזחטיכל", (*range(1, 11), 20, 30), strict=True))
_CARDINALS = (
    "two/שתיים three/שלוש four/ארבע five/חמש six/שש seven/שבע eight/שמונה nine/תשע ten/עשר eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen twenty/עשרים"
)
"""These are words for 2 to 20. Words for 1 are also pronouns, and count only next to a word such as "lecture"."""
_ORDINALS = (
    "first/ראשון/ראשונה second/שני/שנייה/שניה/שתיים third/שלישי/שלישית/שלושה fourth/רביעי/רביעית/ארבעה "
    "fifth/חמישי/חמישית/חמישה sixth/שישי/שישית/שישה seventh/שביעי/שביעית/שבעה eighth/שמיני/שמינית/שמונה "
    "ninth/תשיעי/תשיעית/תשעה tenth/עשירי/עשירית/עשרה eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth twentieth/עשרים"
)
"""These are ordinals for 1 to 20, with Hebrew variants; a Hebrew ordinal may have the article before it."""
_ONES = {"one": 1, "אחד": 1, "אחת": 1}
_ORDINAL_ENDS = frozenset(("st", "nd", "rd", "th"))
"""These endings may follow a number in digits: "3rd lecture"."""
_ROMAN = regex.compile(r"\b[IVX]+\b")
_ROMAN_FORM = regex.compile(r"x{0,3}(?:ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10}
_DATE = regex.compile(
    r"(?<!\d)(?:\d{4}[-_./ ]\d{1,2}[-_./ ]\d{1,2}|\d{1,2}[-_./ ]\d{1,2}[-_./ ]\d{4})(?!\d)"
)
_OF = ("of", "ב", "de")
_FROM_THE_END = (["to", "last"], ["from", "last"], ["from", "the"])
_AND = ("and", "or", "to", "through", "und", "et", "y", "ו", "או", "עד")
_NUMBER_SIGNS = ("no", "nr", "number", "n", "num", "מספר", "מס")
_PREPOSITIONS = ("in", "from", "of", "at", "during", "see", "for", "im", "dans", "en")
_CLAUSE_END = regex.compile(r"[;:?!()]|[,.](?!\s*\d)")
_NEGATIONS = (
    *(
        "not",
        "except",
        "excluding",
        "without",
        "besides",
        "all but",
        "anything but",
        "everything but",
        "other than",
    ),
    *(
        "rather than",
        "instead of",
        "apart from",
        "לא",
        "אינה",
        "מלבד",
        "למעט",
        "חוץ",
        "במקום",
        "פרט ל",
    ),
)
"""These words and phrases exclude what follows."""
_LEAST_PREFIX = 3
_LEAST_TYPO = 4
"""An abbreviation has at least 3 letters; typos are recognised in words of at least 4 letters."""
_LAST_LETTER = chr(sys.maxunicode)
"""All words with a certain beginning are sorted before the beginning with this letter."""
_PREFIX = 0.85
_CUT = 0.7
_TYPO_FROM = 0.75
_TYPO_COST = 0.1
_TYPOS = DamerauLevenshtein.normalized_similarity


def normalise_name(name: str) -> str:
    """Normalise a name: NFKC, case-folded, without accents, words and digits separated by single spaces."""
    folded = unicodedata.normalize("NFKC", name).casefold().strip().removesuffix(".pdf")
    plain = "".join(
        char
        for char in unicodedata.normalize("NFD", folded)
        if not unicodedata.combining(char)
    )
    apart = _DIGITS_BEGIN_OR_END.sub(" ", plain)
    tokens = [
        token.lstrip("0") or "0" if token.isdecimal() else token
        for token in _SEPARATORS.split(apart)
        if token
    ]
    return " ".join(tokens)


@functools.cache
def _generic_words() -> dict[str, frozenset[str]]:
    """Read generic_words.txt; return the normalised words of each block."""
    blocks: dict[str, set[str]] = {}
    found: set[str] = set()
    for line in (
        Path(__file__)
        .with_name("generic_words.txt")
        .read_text(encoding="utf-8")
        .splitlines()
    ):
        if line.startswith("["):
            found = blocks.setdefault(line.strip("[]"), set())
        elif not line.startswith("#"):
            found.update(normalise_name(word) for word in line.split())
    return {block: frozenset(words) for block, words in blocks.items()}


def names_lecture(token: str) -> bool:
    """Return whether a normalised word means a lecture; in Hebrew also after a prefix letter."""
    return _is_in(token, _generic_words()["lectures"])


def counts_lectures(token: str) -> bool:
    """Return whether a normalised word may number lectures, as "chapter" does; in Hebrew also after a prefix letter."""
    return names_lecture(token) or _is_in(token, _generic_words()["numbered"])


def _is_in(token: str, words: frozenset[str]) -> bool:
    if token in words:
        return True
    return len(token) > 3 and token[0] in HEBREW_PREFIXES and token[1:] in words


def is_unit(token: str) -> bool:
    """Return whether a normalised word counts lectures, or parts of anything."""
    return counts_lectures(token) or token in _generic_words()["counted"]


def heads_section(token: str) -> bool:
    """Return whether a normalised word may be in headings or metadata of any document, as "agenda" and "untitled"."""
    return token in _generic_words()["sections"]


def describes_file(token: str) -> bool:
    """Return whether a normalised word names a kind of file, as "slides" does."""
    blocks = _generic_words()
    return token in blocks["files"] or token in blocks["documents"]


def means_document(token: str) -> bool:
    """Return whether a normalised word is a noun for a document: "paper", "slides"."""
    return counts_lectures(token) or _is_in(token, _generic_words()["documents"])


def is_generic(token: str) -> bool:
    """Return whether a normalised word may be part of any document's name."""
    return is_unit(token) or describes_file(token) or is_stop_word(token)


class Token(NamedTuple):
    """A word of a name.

    Attributes:
        text: normalised; a number in digits.
        is_ordinal: whether it was written as an ordinal that stands before its noun: "third", "3rd".
    """

    text: str
    is_ordinal: bool = False


def tokens_of(name: str) -> list[str]:
    """Return the normalised words of a name, numbers in digits: "Lecture II", "lecture two" and "הרצאה ב'" end in 2."""
    return [token.text for token in parsed(name)]


def parsed(name: str) -> list[Token]:
    """Return the normalised words of a name.

    An ambiguous word ("one", a small Roman numeral, a Hebrew letter) is a number if it is alone or next to a word that
    counts.
    """
    words = normalise_name(name).split()
    upright = {token.casefold() for token in _ROMAN.findall(name)}
    tokens: list[Token] = []
    place = 0
    while place < len(words):
        word = words[place]
        number, n_words = _number_at(words, place, upright)
        if word in _ORDINAL_ENDS and tokens and tokens[-1].text.isdecimal():
            tokens[-1] = Token(tokens[-1].text, is_ordinal=True)
        elif number is None:
            tokens.append(Token(word))
        else:
            tokens.append(Token(str(number), word.isascii() and word in _IN_ORDER))
        place += n_words
    return tokens


def _number_at(
    words: Sequence[str], place: int, upright: Collection[str]
) -> tuple[int | None, int]:
    """Return the number that begins at a place, None if it is another word, and how many words it takes.

    Args:
        upright: words that the name has in capitals and that may be Roman numerals.
    """
    word = words[place]
    if word in _SPELT:
        return _SPELT[word], 1

    is_counted = len(words) == 1 or (place > 0 and is_unit(words[place - 1]))
    if word in _ONES:
        is_next_counted = is_unit(words[min(place + 1, len(words) - 1)])
        return (_ONES[word] if is_counted or is_next_counted else None), 1

    is_marked = is_counted or 0 < place == len(words) - 1  # "Analysis I", "analysis-ii"
    is_upright = word in upright
    if (is_marked or is_upright) if len(word) > 1 else (is_marked and is_upright):
        roman = _roman(word)
        if roman is not None:
            return roman, 1

    if is_counted and len(word) <= 2 and set(word) <= _HEBREW_LETTERS.keys():
        letters = list(itertools.takewhile(_HEBREW_LETTERS.__contains__, words[place:]))
        letters = letters or [word]
        return sum(_HEBREW_LETTERS[letter] for letter in "".join(letters)), len(letters)
    return None, 1


def numbers(name: str, named: Collection[str] | None = None) -> set[int]:
    """Return the numbers in a name that may count lectures, in digits, in words, as Roman numerals or Hebrew letters.

    A number counts if a word for a lecture or a word of the course's names is before it ("week 3", "hashing 3"), if it
    is an ordinal before a word for a lecture, if it follows such a number ("lectures 3 and 4"), or if it is alone
    ("no. 3"). Numbers of dates and versions and those that count from the end do not count.

    Args:
        named: words of the course's names; None counts all numbers but those of dates and versions.
    """
    counting: set[int] = set()
    tokens = _without_signs(name)
    for place, token in enumerate(tokens):
        if not token.text.isdecimal() or len(token.text) > 4:
            continue
        if not _says_otherwise(tokens, place) and (
            named is None or _counts(tokens, place, named, counting)
        ):
            counting.add(place)
    return {int(tokens[place].text) for place in counting}


def _without_signs(text: str) -> list[Token]:
    """Return the words of a text without dates and number signs: "lecture no. 3" is "lecture 3"."""
    tokens = parsed(_DATE.sub(" ", text))
    return [token for token in tokens if token.text not in _NUMBER_SIGNS]


def _texts(tokens: Sequence[Token], place: int) -> tuple[list[str], list[str]]:
    """Return the words before and after a place."""
    texts = [token.text for token in tokens]
    return texts[:place], texts[place + 1 :]


def _says_otherwise(tokens: Sequence[Token], place: int) -> bool:
    """Return whether the number at a place is that of a date or a version, or counts from the end."""
    before, after = _texts(tokens, place)
    previous, following = before[-1] if before else "", after[0] if after else ""
    versions, months = (_generic_words()[name] for name in ("versions", "months"))
    if previous in versions or (tokens[place].is_ordinal and following in versions):
        return True
    if previous == "last" or _is_from_the_end(after):
        return True
    if counts_lectures(previous):
        return False
    dated = after[1] if following in _OF and len(after) > 1 else following
    return _is_in(previous, months) or _is_in(dated, months)


def _counts(
    tokens: Sequence[Token],
    place: int,
    named: Collection[str],
    counting: Collection[int],
) -> bool:
    """Return whether the number at a place counts lectures, by the words next to it; see `numbers`.

    Args:
        counting: places of earlier numbers that do.
    """
    before, after = _texts(tokens, place)
    is_joined = bool(before) and before[-1] in _AND
    if place - 1 - is_joined in counting:
        return True
    previous = before[-1] if before else ""
    if counts_lectures(previous) or (previous in named and not previous.isdecimal()):
        return True
    following = after[0] if after else ""
    if tokens[place].is_ordinal and counts_lectures(following):
        return True
    is_alone = all(map(is_stop_word, (*before, *after)))
    return is_alone or (not before and following in named)


def without_other_numbers(name: str, said: Collection[int]) -> list[str]:
    """Return the words of a name, without numbers that are neither in `said` nor in a date."""
    others = {token.text for token in _without_signs(name)} - set(map(str, said))
    return [
        token
        for token in tokens_of(name)
        if not (token.isdecimal() and token in others)
    ]


def excludes(tokens: Sequence[str]) -> bool:
    """Return whether a name says what is not meant: generic words, then a negation."""
    negating = set(" ".join(_NEGATIONS).split())
    beginning = itertools.takewhile(
        lambda token: is_generic(token) or token in negating, tokens
    )
    return is_negated(list(beginning))


def is_negated(before: Sequence[str]) -> bool:
    """Return whether the last words before a name say that it is not meant: "not the databases lecture"."""
    text = f" {' '.join(before[-4:])} "
    return any(f" {negation} " in text for negation in _NEGATIONS)


def lectures_in(
    message: str, counted: Collection[str] = ()
) -> list[tuple[str, list[int]]]:
    """Return the groups of lecture numbers that a message names, each with its word for a lecture.

    A number names one next to a word for a lecture ("lecture 3", "the third lecture", "lectures 3 and 4"). A word that
    numbers other things too ("week 4 sales") names one only after a preposition or at the end of a clause.

    Args:
        counted: further words that number lectures or other things.
    """
    groups: list[tuple[str, list[int]]] = []
    for clause in _CLAUSE_END.split(_DATE.sub(" ", message)):
        tokens = _without_signs(clause)
        for place, (word, _) in enumerate(tokens):
            before, after = _texts(tokens, place)
            is_counting = counts_lectures(word) or word in counted
            if not is_counting or is_negated(before):
                continue
            group = _listed(after)
            rest = after[after.index(str(group[-1])) + 1 :] if group else after
            if not group and before and tokens[place - 1].is_ordinal:
                group = [int(before[-1])]
            if not group or _is_from_the_end(rest):
                continue

            is_after = bool(before) and before[-1] in _PREPOSITIONS
            if names_lecture(word) or not rest or is_after or word[0] == "ב":
                groups.append((word, group))
    return groups


def _is_from_the_end(after: Sequence[str]) -> bool:
    """Return whether the words after a number say that it counts from the end."""
    return list(after[:2]) in _FROM_THE_END or list(after[:1]) == ["מהסוף"]


def _listed(tokens: Sequence[str]) -> list[int]:
    """Return the numbers at the beginning of some words: "3", "3 4", or "3 and 4"."""
    listed: list[int] = []
    for token in tokens:
        if token.isdecimal():
            listed.append(int(token))
        elif token not in _AND:
            break
    return listed


def likeness(token: str, other: str) -> float:
    """Return the similarity, 0..1, of two normalised words: equal, abbreviated or mistyped.

    Reference:
        Damerau, A Technique for Computer Detection and Correction of Spelling Errors, 1964.
    """
    if token == other:
        return 1.0
    if len(token) >= _LEAST_PREFIX and other.startswith(token):
        return _PREFIX
    if len(token) < _LEAST_TYPO or len(other) < _LEAST_TYPO:
        return 0.0
    if token.startswith(other):
        return _CUT
    alike = _TYPOS(token, other, score_cutoff=_TYPO_FROM)
    return alike - _TYPO_COST if alike else 0.0


class Vocabulary:
    """Words of many names; find the words that a token may abbreviate or misspell.

    Args:
        known: normalised words.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = frozenset(known)
        self._words = sorted(self._known)

    def alike(self, token: str) -> dict[str, float]:
        """Return the words whose `likeness` with a token is above 0, with that likeness."""
        begin = bisect.bisect_left(self._words, token)
        end = bisect.bisect_left(self._words, f"{token}{_LAST_LETTER}")
        beginnings = (token[:n] for n in range(1, len(token)))
        found = {*self._words[begin:end], *self._known.intersection(beginnings)}
        if len(token) >= _LEAST_TYPO:
            typos = process.extract(
                token, self._words, scorer=_TYPOS, score_cutoff=_TYPO_FROM, limit=None
            )
            found.update(word for word, _, _ in typos)
        likely = {word: likeness(token, word) for word in found}
        return {word: alike for word, alike in likely.items() if alike}


def _numbered(table: str, lowest: int) -> dict[str, int]:
    return {
        normalise_name(word): number
        for number, words in enumerate(table.split(), lowest)
        for word in words.split("/")
    }


_IN_ORDER = _numbered(_ORDINALS, 1)
_IN_ORDER |= {
    f"ה{word}": number for word, number in _IN_ORDER.items() if not word.isascii()
}
"""This maps ordinal words to numbers."""
_SPELT = {"thirty": 30, "שלושים": 30, **_numbered(_CARDINALS, 2), **_IN_ORDER}
"""This maps all number words to numbers."""


def _roman(word: str) -> int | None:
    """Return the value of a Roman numeral up to 39, None for any other word."""
    if not _ROMAN_FORM.fullmatch(word):
        return None
    values = [_ROMAN_VALUES[letter] for letter in word]
    return sum(
        -value if value < max(values[place:]) else value
        for place, value in enumerate(values)
    )
