"""Names of documents: normalised words, loose matching of words, numbers in English and Hebrew words."""

from __future__ import annotations

import bisect
import functools
import itertools
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import regex

from quarry.player.words import is_stop_word

_SEPARATORS = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
_DIGITS_BEGIN_OR_END = regex.compile(r"(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})")
_LONGEST_RANGE = 20
_HEBREW_PREFIXES = "הבלמשכו"
_HEBREW_LETTERS = dict(zip("אבגדהוזחטיכל", (*range(1, 11), 20, 30), strict=True))
_CARDINALS = (
    "two/שתיים three/שלוש four/ארבע five/חמש six/שש seven/שבע eight/שמונה nine/תשע ten/עשר eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen twenty/עשרים"
)
"""Words for 2 to 20; those for one are pronouns too, and count only beside a word such as "lecture"."""
_ORDINALS = (
    "first/ראשון/ראשונה second/שני/שנייה/שניה/שתיים third/שלישי/שלישית/שלושה fourth/רביעי/רביעית/ארבעה "
    "fifth/חמישי/חמישית/חמישה sixth/שישי/שישית/שישה seventh/שביעי/שביעית/שבעה eighth/שמיני/שמינית/שמונה "
    "ninth/תשיעי/תשיעית/תשעה tenth/עשירי/עשירית/עשרה eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth twentieth/עשרים"
)
"""Words for 1 to 20, and what a Hebrew speaker says in their place; a Hebrew one may have the article before it."""
_ONES = {"one": 1, "אחד": 1, "אחת": 1}
_ORDINAL_ENDS = frozenset(("st", "nd", "rd", "th"))
"""What may follow a number in digits: "3rd lecture"."""
_ROMAN = regex.compile(r"\b[IVX]+\b")
_ROMAN_FORM = regex.compile(r"x{0,3}(?:ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10}
_JOINTS = regex.compile(r"\s+(?:and|as well as|&|\+)\s+|\s*[,;/&+]\s*|\s+ו[-־]?(?=\S)")
"""Between the names of two documents; a hyphen joins the words of one."""
_RANGE = regex.compile(
    r"(?P<unit>\p{L}+)\s*(?P<first>\d{1,2})\s*(?:-|–|—|to|through|until|עד)\s*(?P<last>\d{1,2})(?!\d)", regex.I
)
_LEAST_PREFIX = 3
_LEAST_TYPO = 4
"""Letters from which a word may stand for one that begins so, and from which a slip of the keys is told."""
_PREFIX = 0.85
_CUT = 0.7
_TYPO_FROM = 0.75
_TYPO_COST = 0.1


def normalise_name(name: str) -> str:
    """A name for comparison: NFKC, case-folded, without accents, words and digit runs apart by single spaces."""
    folded = unicodedata.normalize("NFKC", name).casefold().strip().removesuffix(".pdf")
    plain = "".join(char for char in unicodedata.normalize("NFD", folded) if not unicodedata.combining(char))
    apart = _DIGITS_BEGIN_OR_END.sub(" ", plain)
    tokens = [token.lstrip("0") or "0" if token.isdecimal() else token for token in _SEPARATORS.split(apart) if token]
    return " ".join(tokens)


@functools.cache
def _generic_words() -> dict[str, frozenset[str]]:
    """Normalised words by block of the file."""
    blocks: dict[str, set[str]] = {}
    found: set[str] = set()
    for line in Path(__file__).with_name("generic_words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            found = blocks.setdefault(line.strip("[]"), set())
        elif not line.startswith("#"):
            found.update(normalise_name(word) for word in line.split())
    return {block: frozenset(words) for block, words in blocks.items()}


def counts_lectures(token: str) -> bool:
    """Whether a normalised word counts lectures, as "chapter" does; in Hebrew also behind a prefix letter."""
    counting = _generic_words()["lectures"]
    return token in counting or (len(token) > 3 and token[0] in _HEBREW_PREFIXES and token[1:] in counting)


def is_unit(token: str) -> bool:
    """Whether a normalised word counts lectures, or parts of anything."""
    return counts_lectures(token) or token in _generic_words()["counted"]


def is_generic(token: str) -> bool:
    """Whether a normalised word tells nothing about which document is named, in any course."""
    return is_unit(token) or token in _generic_words()["files"] or is_stop_word(token)


def describes_file(token: str) -> bool:
    """Whether a normalised word says what kind of file is named, as "slides" does: a little, where others say more."""
    return token in _generic_words()["files"]


def lecture_numbers(text: str) -> set[int]:
    """The numbers that a text gives to lectures: "lecture 3", "chapter II", "the third lecture"; not "two lectures"."""
    words = normalise_name(text).split()
    found: set[int] = set()
    for place, word in enumerate(words):
        if not counts_lectures(word):
            continue
        for token in tokens_of(" ".join(words[place : place + 2]))[1:]:
            found |= {int(token)} if token.isdecimal() else set()
        if place and words[place - 1] in _ordinals():
            found.add(_ordinals()[words[place - 1]])
        if place > 1 and words[place - 1] in _ORDINAL_ENDS and words[place - 2].isdecimal():
            found.add(int(words[place - 2]))
    return found


def tokens_of(name: str) -> list[str]:
    """The words of a name, normalised, its numbers in digits: "Lecture II", "lecture two" and "הרצאה ב'" end in 2.

    What may be something else, such as "one", a small Roman numeral or a Hebrew letter, is a number where it stands
    beside a word that counts, or alone.
    """
    words = normalise_name(name).split()
    upright = {token.casefold() for token in _ROMAN.findall(name)}
    found: list[str] = []
    place = 0
    while place < len(words):
        word, taken = words[place], 1
        counted = (place > 0 and is_unit(words[place - 1])) or len(words) == 1
        number = _spelt_numbers().get(word)
        if word in _ORDINAL_ENDS and found and found[-1].isdecimal():
            place += 1
            continue
        if number is None and (counted or (place + 1 < len(words) and is_unit(words[place + 1]))):
            number = _ONES.get(word)
        if number is None and (counted or word in upright) and (word in upright or len(word) > 1):
            number = _roman(word) if counted or len(word) > 1 else None
        if number is None and counted:
            letters = list(itertools.takewhile(_HEBREW_LETTERS.__contains__, words[place:]))
            if set(word) <= _HEBREW_LETTERS.keys() and len(word) <= 2:
                letters = letters or [word]
                taken = len(letters)
                number = sum(_HEBREW_LETTERS[letter] for part in letters for letter in part)
        found.append(word if number is None else str(number))
        place += taken
    return found


def numbers(name: str) -> set[int]:
    """The numbers in a name, in digits, in English or Hebrew words, Roman or as Hebrew letters."""
    return {int(token) for token in tokens_of(name) if token.isdecimal() and len(token) <= 4}


def parts_of(name: str) -> list[str]:
    """What a name may be made of if it names several documents: "lectures 3 and 4", "trees, graphs and hashing"."""
    ranged = _RANGE.search(name)
    if ranged and is_unit(normalise_name(ranged["unit"])):
        first, last = int(ranged["first"]), int(ranged["last"])
        if first < last <= first + _LONGEST_RANGE:
            return [f"{ranged['unit']} {number}" for number in range(first, last + 1)]
    parts = [part.strip() for part in _JOINTS.split(name) if part and normalise_name(part)]
    if not parts or not any(is_unit(token) for token in normalise_name(parts[0]).split()):
        return parts
    unit = next(token for token in normalise_name(parts[0]).split() if is_unit(token))
    # "lectures three and four": the second number is one of lectures too
    return [parts[0], *(f"{unit} {part}" if len(part.split()) == 1 else part for part in parts[1:])]


def likeness(token: str, other: str) -> float:
    """0..1, how surely two normalised words are the same: alike, one cut short, or one mistyped.

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
    from rapidfuzz.distance import DamerauLevenshtein

    alike = DamerauLevenshtein.normalized_similarity(token, other, score_cutoff=_TYPO_FROM)
    return alike - _TYPO_COST if alike else 0.0


class Vocabulary:
    """Words of many names, to find those that a token may stand for without comparing it with each.

    Args:
        known: normalised words.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._words = sorted(set(known))
        self._known = frozenset(self._words)

    def alike(self, token: str) -> dict[str, float]:
        """The words whose `likeness` with a token is above 0, and that likeness."""
        near = {token[:end] for end in range(_LEAST_TYPO, len(token) + 1)} | {token}
        found = {word for word in near if word in self._known}
        if len(token) >= _LEAST_PREFIX:
            first = bisect.bisect_left(self._words, token)
            found.update(itertools.takewhile(lambda word: word.startswith(token), self._words[first:]))
        if len(token) >= _LEAST_TYPO:
            from rapidfuzz import process
            from rapidfuzz.distance import DamerauLevenshtein

            typos = process.extract(
                token,
                self._words,
                scorer=DamerauLevenshtein.normalized_similarity,
                score_cutoff=_TYPO_FROM,
                limit=None,
            )
            found.update(word for word, _, _ in typos)
        likely = {word: likeness(token, word) for word in found}
        return {word: alike for word, alike in likely.items() if alike}


def acronyms(tokens: list[str]) -> set[str]:
    """What two to six neighbouring words may be shortened to: their first letters."""
    plain = [token for token in tokens if not token.isdecimal()]
    return {
        "".join(token[0] for token in plain[start:end])
        for start in range(len(plain))
        for end in range(start + 2, min(len(plain), start + 6) + 1)
    }


@functools.cache
def _spelt_numbers() -> dict[str, int]:
    """Map each number word, cardinal or ordinal, to its number."""
    return {"thirty": 30, "שלושים": 30, **_numbered(_CARDINALS, 2), **_ordinals()}


@functools.cache
def _ordinals() -> dict[str, int]:
    """Map each word that puts things in order to its number."""
    found = _numbered(_ORDINALS, 1)
    return {**found, **{f"ה{word}": number for word, number in found.items() if not word.isascii()}}


def _numbered(table: str, lowest: int) -> dict[str, int]:
    return {
        normalise_name(word): number for number, words in enumerate(table.split(), lowest) for word in words.split("/")
    }


def _roman(word: str) -> int | None:
    """The value of a Roman numeral up to 39, as lectures are counted; None if it is none."""
    if not _ROMAN_FORM.fullmatch(word):
        return None
    values = [_ROMAN_VALUES[letter] for letter in word]
    return sum(-value if value < max(values[place:]) else value for place, value in enumerate(values))
