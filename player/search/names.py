"""Normalise and compare document names: fuzzy matching of words, numbers in English and Hebrew words."""

import functools
import itertools
import unicodedata
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import regex
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from quarry.languages.registry import LANGUAGES, alternatives, language_of_word
from quarry.languages.words import is_stop_word

COUNTING = ("lectures", "numbered")
"""Kinds of words that may number lectures, as "chapter" does."""
UNITS = (*COUNTING, "counted")
"""Kinds of words that count lectures, or parts of anything."""
FILES = ("files", "documents")
"""Kinds of words that name a kind of file, as "slides" does."""
_SEPARATORS = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
_DIGITS_BEGIN_OR_END = regex.compile(r"(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})")
_ONES = {word for language in LANGUAGES for word in language.ones.split()}
"""Words for 1 are also pronouns, and count only next to a word such as "lecture"."""
_ORDINAL_ENDINGS = {
    ending for language in LANGUAGES for ending in language.ordinal_endings.split()
}
"""These endings may follow a number in digits: "3rd lecture"."""
_NUMERALS = {
    letter: number
    for language in LANGUAGES
    for letter, number in language.numerals.items()
}
"""Letters that number lectures, and their numbers."""
_ROMAN_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ROMANS = {
    f"{'x' * tens}{ones}": 10 * tens + number
    for tens in range(4)
    for number, ones in enumerate(_ROMAN_ONES)
}
_CAPITALS = regex.compile(r"\b[IVX]+\b")
_DATE = regex.compile(
    r"(?<!\d)(?:\d{4}[-_./ ]\d{1,2}[-_./ ]\d{1,2}|\d{1,2}[-_./ ]\d{1,2}[-_./ ]\d{4})(?!\d)"
)
_FROM_THE_END = regex.compile(
    rf"{alternatives(language.from_the_end for language in LANGUAGES)}\b"
)
_IN_PREFIXES = tuple(language.in_prefix for language in LANGUAGES if language.in_prefix)
_CLAUSE_END = regex.compile(r"[;:?!()]|[,.](?!\s*\d)")
_JOINING_SIGNS = regex.compile(r"[&+,;/]")
_NEGATION = regex.compile(
    rf"\b{alternatives(language.negation for language in LANGUAGES)}\b"
)
"""These words and phrases exclude what follows."""
_MIN_PREFIX = 3
_MIN_TYPO = 4
"""An abbreviation has at least 3 letters; typos are recognised in words of at least 4 letters."""
_PREFIX = 0.85
_CUT = 0.7
_TYPO_FROM = 0.75
_TYPO_COST = 0.1
_TYPOS = DamerauLevenshtein.normalized_similarity


def normalise_name(name: str) -> str:
    """Normalise a name: NFKC, case-folded, without accents, words and digits separated by single spaces."""
    folded = unicodedata.normalize("NFKC", name).casefold().strip().removesuffix(".pdf")
    apart = unicodedata.normalize("NFD", folded)
    plain = "".join(char for char in apart if not unicodedata.combining(char))
    tokens = []
    for token in _SEPARATORS.split(_DIGITS_BEGIN_OR_END.sub(" ", plain)):
        if token.isdecimal():
            token = token.lstrip("0") or "0"
        if token:
            tokens.append(token)
    return " ".join(tokens)


@functools.cache
def _name_words() -> dict[str, set[str]]:
    """Return the normalised words in names by kind: those of the languages, and of others in name_words.txt."""
    kinds: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for kind, words in language.name_words.items():
            kinds.setdefault(kind, set()).update(map(normalise_name, words.split()))

    others = Path(__file__).with_name("name_words.txt").read_text(encoding="utf-8")
    for line in others.splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif not line.startswith("#"):
            kinds[kind].update(map(normalise_name, line.split()))
    return kinds


def is_a(token: str, *kinds: str) -> bool:
    """Return whether a normalised word is of one of the kinds of `Language.name_words`, perhaps after a prefix."""
    forms = {token}
    if len(token) > 3 and token[0] in language_of_word(token).prefixes:
        forms.add(token[1:])
    return any(forms & _name_words()[kind] for kind in kinds)


def is_generic(token: str) -> bool:
    """Return whether a normalised word may be part of any document's name."""
    return is_stop_word(token) or is_a(token, *UNITS, *FILES)


def _numbered(table: str, lowest: int) -> dict[str, int]:
    numbers = {}
    for number, words in enumerate(table.split(), lowest):
        for word in words.split("/"):
            numbers[normalise_name(word)] = number
    return numbers


def _number_words() -> tuple[dict[str, int], set[str]]:
    """Return the numbers of all number words, and the ordinals that are before their noun."""
    spelt: dict[str, int] = {}
    first: set[str] = set()
    for language in LANGUAGES:
        ordinals = _numbered(language.ordinals, 1)
        with_article = {f"{language.article}{word}": n for word, n in ordinals.items()}
        cardinals = _numbered(language.cardinals, 2)
        spelt |= language.more_numbers | cardinals | ordinals | with_article
        if language.is_ordinal_first:
            first |= ordinals.keys()
    return spelt, first


_SPELT, _FIRST = _number_words()


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
    return [token.text for token in parse_name(name)]


def parse_name(name: str) -> list[Token]:
    """Return the normalised words of a name.

    An ambiguous word ("one", a small Roman numeral, a Hebrew letter) is a number if it is alone or next to a word that
    counts.
    """
    words = normalise_name(name).split()
    capitals = {token.casefold() for token in _CAPITALS.findall(name)}
    tokens: list[Token] = []
    position = 0

    while position < len(words):
        word = words[position]
        number, n_words = _number_at(words, position, capitals)
        if word in _ORDINAL_ENDINGS and tokens and tokens[-1].text.isdecimal():
            tokens[-1] = Token(tokens[-1].text, is_ordinal=True)
        elif number is None:
            tokens.append(Token(word))
        else:
            tokens.append(Token(str(number), word in _FIRST))
        position += n_words

    return tokens


def _number_at(
    words: Sequence[str], position: int, capitals: Collection[str]
) -> tuple[int | None, int]:
    """Return the number that begins at a position, None if it is another word, and how many words it takes.

    Args:
        capitals: words that the name has in capitals and that may be Roman numerals.
    """
    word = words[position]
    is_counted = len(words) == 1 or (position > 0 and is_a(words[position - 1], *UNITS))
    if word in _SPELT:
        return _SPELT[word], 1
    if word in _ONES:
        following = "".join(words[position + 1 : position + 2])
        return (1 if is_counted or is_a(following, *UNITS) else None), 1

    is_marked = is_counted or 0 < position == len(words) - 1  # "Analysis I"
    # a numeral of one letter needs two signs, a longer one needs one
    n_signs = is_marked + (word in capitals) + (len(word) > 1)
    if word in _ROMANS and n_signs >= 2:
        return _ROMANS[word], 1
    if is_counted and len(word) <= 2 and set(word) <= _NUMERALS.keys():
        letters = list(itertools.takewhile(_NUMERALS.__contains__, words[position:]))
        letters = letters or [word]
        return sum(map(_NUMERALS.__getitem__, "".join(letters))), len(letters)
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
    for position, token in enumerate(tokens):
        if not token.text.isdecimal() or len(token.text) > 4:
            continue
        if _counts_no_lecture(tokens, position):
            continue
        if named is None or _counts(tokens, position, named, counting):
            counting.add(position)
    return {int(tokens[position].text) for position in counting}


def _without_signs(text: str) -> list[Token]:
    """Return the words of a text without dates and number signs: "lecture no. 3" is "lecture 3"."""
    tokens = parse_name(_DATE.sub(" ", text))
    return [
        token for token in tokens if token.text not in _name_words()["number signs"]
    ]


def _around(tokens: Sequence[Token], position: int) -> tuple[list[str], list[str]]:
    """Return the words before a position, the nearest first, and those after it; each ends with ""."""
    texts = [token.text for token in tokens]
    return [*texts[:position][::-1], ""], [*texts[position + 1 :], ""]


def _counts_no_lecture(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the number at a position is that of a date or a version, or counts from the end."""
    before, after = _around(tokens, position)
    if is_a(before[0], "versions", "others") or before[0] == "last":
        return True
    if _is_from_the_end(after):
        return True
    if _is_of_several(after) and not is_a(before[0], "lectures"):
        return True
    if tokens[position].is_ordinal and is_a(after[0], "versions"):
        return True
    dated = after[after[0] in _name_words()["of"]]
    is_dated = is_a(before[0], "months") or is_a(dated, "months")
    return is_dated and not is_a(before[0], *COUNTING)


def _is_of_several(after: Sequence[str]) -> bool:
    """Return whether the words after a number say of how many: "part 2 of 5"."""
    following = itertools.dropwhile(_name_words()["of"].__contains__, after)
    return after[0] in _name_words()["of"] and next(following, "").isdecimal()


def _counts(
    tokens: Sequence[Token],
    position: int,
    named: Collection[str],
    counting: Collection[int],
) -> bool:
    """Return whether the number at a position counts lectures, by the words next to it; see `numbers`.

    Args:
        counting: positions of earlier numbers that do.
    """
    before, after = _around(tokens, position)
    is_listed = before[0] in _name_words()["and"]
    if position - 1 - is_listed in counting or is_a(before[0], *COUNTING):
        return True
    if before[0] in named and not before[0].isdecimal():
        return True
    if tokens[position].is_ordinal and is_a(after[0], *COUNTING):
        return True
    is_alone = all(map(is_stop_word, (*before[:-1], *after[:-1])))
    return is_alone or (position == 0 and after[0] in named)


def without_other_numbers(name: str, counting: Collection[int]) -> list[str]:
    """Return the words of a name, without numbers that neither count lectures nor are in a date.

    The word that such a number counts is left out with it: "page 3".
    """
    others, counts = set(), set(map(str, counting))
    before = ""
    for text, _ in _without_signs(name):
        if text.isdecimal() and text not in counts:
            others.add(text)
            if is_a(before, "others"):
                others.add(before)
        before = text
    return [token for token in tokens_of(name) if token not in others]


def joined_names(name: str) -> list[str]:
    """Return the parts of a name that words such as "and", or signs, join: of "trees & heaps" two."""
    plain = normalise_name(_JOINING_SIGNS.sub(" and ", name))
    parts: list[list[str]] = [[]]
    for word in plain.split():
        if word in _name_words()["and"]:
            parts.append([])
        else:
            parts[-1].append(word)
    return [" ".join(part) for part in parts if part]


def excludes(tokens: Sequence[str]) -> bool:
    """Return whether a name says what is not meant: generic words, then a negation."""
    before, negation, _ = _NEGATION.sub("\n", " ".join(tokens), 1).partition("\n")
    return bool(negation) and all(map(is_generic, before.split()))


def is_negated(before: Sequence[str]) -> bool:
    """Return whether the last words before a name say that it is not meant: "not the databases lecture"."""
    return _NEGATION.search(" ".join(before[-4:])) is not None


def lectures_in(
    message: str, counted: Collection[str] = ()
) -> list[tuple[str, list[int]]]:
    """Return the groups of lecture numbers that a message names, each with its word for a lecture.

    A number names one next to a word for a lecture ("lecture 3", "the third lecture", "lectures 3 and 4"). A word that
    numbers other things too ("week 4 sales") names one only after a preposition, before a verb of saying or at the end
    of a clause.

    Args:
        counted: further words that number lectures or other things.
    """
    groups = []
    for clause in _CLAUSE_END.split(_DATE.sub(" ", message)):
        tokens = _without_signs(clause)
        for position, (word, _) in enumerate(tokens):
            group = []
            if is_a(word, *COUNTING) or word in counted:
                group = _lectures_at(tokens, position)
            if group:
                groups.append((word, group))
    return groups


def _lectures_at(tokens: Sequence[Token], position: int) -> list[int]:
    """Return the numbers of the lectures that the word for a lecture at a position has next to it."""
    word = tokens[position].text
    before, after = _around(tokens, position)
    if is_negated(before[:-1][::-1]):
        return []
    group = _listed(after)
    if group:
        after = after[after.index(str(group[-1])) + 1 :]
    elif position and tokens[position - 1].is_ordinal:
        group = [int(before[0])]
    is_lecture = is_a(word, "lectures")
    if _is_from_the_end(after) or (_is_of_several(after) and not is_lecture):
        return []

    is_after = before[0] in _name_words()["prepositions"] or word.startswith(
        _IN_PREFIXES
    )
    is_sure = is_lecture or is_after or is_a(after[0], "saying") or after == [""]
    return group if is_sure else []


def _is_from_the_end(after: Sequence[str]) -> bool:
    """Return whether the words after a number say that it counts from the end."""
    return _FROM_THE_END.match(" ".join(after)) is not None


def _listed(tokens: Sequence[str]) -> list[int]:
    """Return the numbers at the beginning of some words: "3", "3 4", or "3 and 4"."""
    listed: list[int] = []
    for token in tokens:
        if token.isdecimal():
            listed.append(int(token))
        elif token not in _name_words()["and"]:
            break
    return listed


def likeness(token: str, other: str) -> float:
    """Return the similarity, 0..1, of two normalised words: equal, abbreviated or mistyped.

    Reference:
        Damerau, A Technique for Computer Detection and Correction of Spelling Errors, 1964.
    """
    if token == other:
        return 1.0
    if len(token) >= _MIN_PREFIX and other.startswith(token):
        return _PREFIX
    if len(token) < _MIN_TYPO or len(other) < _MIN_TYPO:
        return 0.0
    if token.startswith(other):
        return _CUT
    alike = _TYPOS(token, other, score_cutoff=_TYPO_FROM)
    return alike - _TYPO_COST if alike else 0.0


def words_like(token: str, words: Sequence[str]) -> dict[str, float]:
    """Return the words that a token equals, abbreviates or misspells, with their `likeness`."""
    typos = process.extract(
        token, words, scorer=_TYPOS, score_cutoff=_TYPO_FROM, limit=None
    )
    candidates = {word for word, _, _ in typos}
    for word in words:
        if word.startswith(token) or token.startswith(word):
            candidates.add(word)
    similarities = {word: likeness(token, word) for word in sorted(candidates)}
    return {word: alike for word, alike in similarities.items() if alike}
