"""Normalise and compare document names: fuzzy matching of words, numbers in English and Hebrew words."""

from __future__ import annotations

import bisect
import functools
import itertools
import sys
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

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
_AND = ("and", "or", "to", "und", "et", "y", "ו", "עד")
_NUMBER_SIGNS = ("no", "nr", "number", "n", "num", "מספר", "מס")
_PREPOSITIONS = ("in", "from", "of", "at", "during", "see", "for", "im", "dans", "en")
_CLAUSE_END = regex.compile(r"[,;:?!()]|\.(?!\s*\d)")
_NEGATIONS = ("not", "except", "excluding", "without", "לא", "מלבד", "למעט", "חוץ")
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
    return token in _generic_words()["files"]


def is_generic(token: str) -> bool:
    """Return whether a normalised word may be part of any document's name."""
    return is_unit(token) or describes_file(token) or is_stop_word(token)


def tokens_of(name: str) -> list[str]:
    """Return the normalised words of a name, numbers in digits: "Lecture II", "lecture two" and "הרצאה ב'" end in 2.

    An ambiguous word ("one", a small Roman numeral, a Hebrew letter) is a number if it is alone or next to a word that
    counts.
    """
    words = normalise_name(name).split()
    upright = {token.casefold() for token in _ROMAN.findall(name)}
    found: list[str] = []
    place = 0
    while place < len(words):
        word, taken = words[place], 1
        counted = (place > 0 and is_unit(words[place - 1])) or len(words) == 1
        number = _SPELT.get(word)
        if word in _ORDINAL_ENDS and found and found[-1].isdecimal():
            place += 1
            continue
        if number is None and (
            counted or (place + 1 < len(words) and is_unit(words[place + 1]))
        ):
            number = _ONES.get(word)
        is_last = 0 < place == len(words) - 1  # "Analysis I", "analysis-ii"
        if (
            number is None
            and (counted or is_last or word in upright)
            and (word in upright or len(word) > 1)
        ):
            number = _roman(word) if counted or is_last or len(word) > 1 else None
        if number is None and counted:
            letters = list(
                itertools.takewhile(_HEBREW_LETTERS.__contains__, words[place:])
            )
            if set(word) <= _HEBREW_LETTERS.keys() and len(word) <= 2:
                letters = letters or [word]
                taken = len(letters)
                number = sum(
                    _HEBREW_LETTERS[letter] for part in letters for letter in part
                )
        found.append(word if number is None else str(number))
        place += taken
    return found


def numbers(name: str, counted: Collection[str] = ()) -> set[int]:
    """Return the numbers in a name that may count lectures, in digits, in words, as Roman numerals or Hebrew letters.

    Numbers of dates, of versions and of parts of a lecture do not count ("2024-10-14", "6th of May", "slides v3",
    "2nd edition", "slide 5", "Q4"), nor do those that count from the end ("second to last").

    Args:
        counted: words that the course's own names have before a number; a number after one of them counts.
    """
    tokens = tokens_of(_DATE.sub(" ", name))
    return {
        int(token)
        for place, token in enumerate(tokens)
        if token.isdecimal()
        and len(token) <= 4
        and not _counts_something_else(tokens, place, counted)
    }


def _counts_something_else(
    tokens: Sequence[str], place: int, counted: Collection[str]
) -> bool:
    """Return whether the number at a place says something other than the number of a lecture."""
    blocks = _generic_words()
    before = tokens[place - 1] if place else ""
    after = [token for token in tokens[place + 1 :] if token not in _ORDINAL_ENDS]
    following = after[0] if after else ""

    if {before, following} & blocks["versions"]:
        return True
    if counts_lectures(before) or before in counted:
        return False
    is_date = _is_in(before, blocks["months"]) or _is_in(following, blocks["months"])
    is_date |= following in _OF and len(after) > 1 and after[1] in blocks["months"]
    from_the_end = after[:2] in _FROM_THE_END or before == "last"
    return is_date or from_the_end or before in blocks["parts"]


def is_negated(before: Sequence[str]) -> bool:
    """Return whether the words before a name say that its lecture is not meant: "not the databases lecture"."""
    return any(token in _NEGATIONS for token in before[-3:])


def lectures_in(message: str) -> dict[int, bool]:
    """Return the numbers of lectures that a message names, each with whether it surely names a lecture.

    A number names one next to a word for a lecture ("lecture 3", "the third lecture", "lectures 3 and 4"). A word that
    numbers other things too ("week 4 sales") names one, not surely, after a preposition or at the end of a clause.
    """
    numbers_of: dict[int, bool] = {}
    for clause in _CLAUSE_END.split(_DATE.sub(" ", message)):
        tokens = [token for token in tokens_of(clause) if token not in _NUMBER_SIGNS]
        for place, token in enumerate(tokens):
            if not counts_lectures(token) or is_negated(tokens[:place]):
                continue
            listed = _listed(tokens[place + 1 :])
            rest = tokens[place + 1 + 2 * len(listed) - 1 :]
            if not listed and _is_ordinal_before(clause, token):
                listed = (
                    [int(tokens[place - 1])] if tokens[place - 1].isdecimal() else []
                )
                rest = tokens[place + 1 :]
            if listed and _counts_something_else(
                [*tokens[: place + 2], *rest], place + 1, ()
            ):
                continue

            before = tokens[place - 1] if place else ""
            is_referred = not rest or before in _PREPOSITIONS or token[0] == "ב"
            if names_lecture(token) or is_referred:
                for number in listed:
                    numbers_of[number] = names_lecture(token)
    return numbers_of


def _listed(tokens: Sequence[str]) -> list[int]:
    """Return the numbers at the beginning of some words: "3", or "3 and 4"."""
    listed = []
    for place, token in enumerate(tokens):
        if place % 2 == 0:
            if not token.isdecimal():
                break
            listed.append(int(token))
        elif token not in _AND:
            break
    return listed


def _is_ordinal_before(clause: str, word: str) -> bool:
    """Return whether an ordinal stands right before a word: "the third lecture", "3rd lecture"."""
    words = normalise_name(clause).split()
    places = [place for place, token in enumerate(words) if token == word and place]
    return any(
        words[place - 1] in _IN_ORDER or words[place - 1] in _ORDINAL_ENDS
        for place in places
    )


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
