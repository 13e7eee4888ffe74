"""Numbers in names and messages, and their nouns: "lectures 3 and 4", "the third lecture"."""

import functools
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import regex

from player.search.books.name_words import (
    NEGATED_WORDS,
    NUMBER_KINDS,
    WORDS_KEPT,
    has_negation,
    is_of_kind,
    normalise_name,
    words_by_kind,
)
from quarry.languages.registry import LANGUAGES, alternatives
from quarry.languages.words import is_stop_word

MIN_OTHER_NUMBER = 100
"""Minimum number that is no lecture's: a year or the code of a course."""
_DATE = regex.compile(r"\b(?:\d{4} \d\d? \d\d?|\d\d? \d\d? \d{4})\b")
"""A date in digits."""
_CLAUSE_END = regex.compile(r"[;:?!()]|[,.](?!\s*\d)")
"""The end of a clause."""
_FROM_THE_END = regex.compile(
    rf"{alternatives(language.from_the_end for language in LANGUAGES)}\b"
)
"""Words that make a number count from the end."""
_IN_PREFIXES = tuple(language.in_prefix for language in LANGUAGES if language.in_prefix)
"""Prefixes that are prepositions."""
_ENDINGS = {word for item in LANGUAGES for word in item.ordinal_endings.split()}
"""Endings of ordinals in digits."""
_ENDING = rf"(?<=\d) {alternatives(sorted(_ENDINGS))}\b"
"""A number in digits is an ordinal before its noun if an ending follows it: "3 rd"; "third" is read as "3 th"."""
_ONES = {word for language in LANGUAGES for word in language.ones.split()}
"""Words for 1 are also pronouns, and are numbers only next to a word such as "lecture"."""
_TENS = {str(number) for number in range(20, 100, 10)}
"""Tens in digits, of which ones may follow: "twenty one"."""
_TEENS = {word for language in LANGUAGES for word in language.teens.split()}
"""Words after ones that make numbers from 11 to 19."""
_ROMAN_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
"""Roman digits of one place."""
_ROMANS = [f"{'x' * tens}{ones}" for tens in range(4) for ones in _ROMAN_ONES]
"""Roman numerals by number, the first one empty."""


class NumberGroup(NamedTuple):
    """Numbers in a text with their noun.

    Attributes:
        noun: the word before the numbers, or after ordinals; "" without one.
        numbers: the numbers.
        before, after: words before and after the noun and its numbers.
    """

    noun: str
    numbers: set[int]
    before: Sequence[str]
    after: Sequence[str]


def words_of_name(name: str) -> list[str]:
    """Return the normalised words of a name, numbers in digits: "Lecture II", "lecture two" and "הרצאה ב'" end in 2."""
    return regex.sub(_ENDING, "", _with_digits(name)).split()


@functools.lru_cache(WORDS_KEPT)
def _with_digits(name: str) -> str:
    """Return the normalised words of a name, numbers in digits, ordinals that precede their noun with an ending."""
    words = normalise_name(name).split()
    digits, position = [], 0
    while position < len(words):
        word, compound = words[position], _compound(*words[position : position + 2])
        number = compound or _number_words().get(word) or _numeral_at(words, position)
        digits.append(number or word)
        position += 2 if compound else 1
    return " ".join(digits)


@functools.cache
def _number_words() -> dict[str, str]:
    """Return the digits of number words."""
    digits: dict[str, str] = {}
    for language in LANGUAGES:
        ordinal = " th" if language.is_ordinal_first else ""
        tables = (
            (2, 1, "", language.cardinals),
            (1, 1, ordinal, language.ordinals),
            (20, 10, "", language.tens),
        )

        for lowest, step, ending, table in tables:
            for row, variants in enumerate(table.split()):
                for word in variants.split("/"):
                    number = f"{lowest + step * row}{ending}"
                    for prefix in ("", language.article, language.and_prefix):
                        digits[prefix + word] = number
    return digits


def _compound(first: str, second: str = "") -> str:
    """Return the digits of the one number that two words name, "" if they name none: "twenty one", "twenty first"."""
    digits = _number_words()
    tens, ones = digits.get(first, ""), second
    if second in _TEENS:
        tens, ones = "10", first
    elif tens not in _TENS:
        return ""
    number = "1" if ones in _ONES else digits.get(ones, "")
    return tens[0] + number if len(number.partition(" ")[0]) == 1 else ""


def _numeral_at(words: Sequence[str], position: int) -> str:
    """Return the digits of an ambiguous word, "" if it is no number: "one", a Roman numeral, or a Hebrew letter.

    It is a number if it is alone or next to a word that may have a number. A Roman numeral is one also if it is the
    last word, or has several letters.
    """
    word, *after = words[position : position + 2]
    before = words[max(0, position - 1) : position]
    if word in _ONES:
        is_one = len(words) == 1 or any(map(_may_be_numbered, (*before, *after)))
        return "1" if is_one else ""

    is_numbered = len(words) == 1 or any(map(_may_be_numbered, before))
    if word in _ROMANS:
        is_version = any(map(str.isdecimal, after))  # "notes v2"
        if (is_numbered and not is_version) or not after or len(word) > 1:
            return str(_ROMANS.index(word))

    for language in LANGUAGES:
        if is_numbered and len(word) <= 2 and set(word) <= language.numerals.keys():
            return str(sum(map(language.numerals.__getitem__, word)))
    return ""


def _may_be_numbered(word: str) -> bool:
    return is_of_kind(word, *NUMBER_KINDS, "counted")


@functools.lru_cache
def _groups(nouns: frozenset[str]) -> regex.Pattern[str]:
    """Return an expression for numbers and their noun in the words of `_with_digits`.

    Args:
        nouns: further words that may follow an ordinal.
    """
    kinds = words_by_kind()
    and_ = alternatives(kinds["and"])
    known = map(kinds.__getitem__, (*NUMBER_KINDS, "versions", "others"))
    after_ordinal = alternatives(set(nouns).union(*known))
    ordinals = rf"(?P<numbers>\d+{_ENDING}(?: (?:{and_} )?\d+{_ENDING})*)"
    number = rf"\d{{1,4}}(?:{_ENDING}(?! {after_ordinal}\b))?"

    return regex.compile(
        rf"\b(?:{ordinals} (?P<noun>{after_ordinal})|"
        rf"(?:(?P<noun>[^\W\d]+) )?(?P<numbers>{number}(?: (?:{and_} )*{number})*))"
        rf"\b(?!{_ENDING})"
    )


def number_groups(
    text: str, nouns: frozenset[str] = frozenset()
) -> Iterator[NumberGroup]:
    """Find the numbers of a text that may be those of lectures, none of dates, with their nouns.

    Args:
        nouns: further words that may follow an ordinal.
    """
    signs = alternatives(words_by_kind()["number signs"])
    plain = regex.sub(rf"\b{signs} (?=\d)", "", _with_digits(text))
    plain = _DATE.sub("", plain)

    for match in _groups(nouns).finditer(plain):
        digits = map(int, regex.findall(r"\d+", match["numbers"]))
        numbers = {number for number in digits if number < MIN_OTHER_NUMBER}
        before, after = plain[: match.start()], plain[match.end() :]
        yield NumberGroup(match["noun"] or "", numbers, before.split(), after.split())


def lecture_numbers(name: str) -> set[int]:
    """Return the numbers of a name, but for those of dates, versions and other things than lectures."""
    groups = filter(_may_number_lectures, number_groups(name))
    return {number for group in groups for number in group.numbers}


def _may_number_lectures(group: NumberGroup) -> bool:
    """Return whether numbers are not those of dates, versions or pages, nor count from the end or parts of several."""
    noun, _, _, after = group
    tail = " ".join(after)
    if _FROM_THE_END.match(tail) or _FROM_THE_END.match(f"{noun} {tail}"):
        return False
    if is_of_kind(noun, "lectures"):
        return True

    following = next((word for word in after if not is_of_kind(word, "of")), "")
    is_dated = is_of_kind(noun, "months") or is_of_kind(following, "months")
    if is_dated and not is_of_kind(noun, "numbered"):
        return False
    # "part 2 of 5"
    return not following.isdecimal() and not is_of_kind(noun, "versions", "others")


def is_lecture_group(group: NumberGroup, words: Collection[str]) -> bool:
    """Return whether the numbers in a book name are those of lectures.

    They are after a word for a lecture or a word of the course's names ("week 3", "hashing 3"), as ordinals before a
    word for a lecture, at the beginning ("03 indexes"), or alone ("no. 3").

    Args:
        words: words of the course's names.
    """
    noun, _, before, after = group
    if not _may_number_lectures(group):
        return False
    if is_of_kind(noun, *NUMBER_KINDS) or noun in words:
        return True
    if all(map(is_stop_word, (*before, *noun.split(), *after))):
        return True
    # "03 indexes"; `after` is not empty, or the line above would have returned
    return not before and not noun and after[0] in words


def lecture_groups_in(
    message: str, nouns: frozenset[str] = frozenset()
) -> list[NumberGroup]:
    """Return the lecture numbers that a message names, each group with its word for a lecture.

    A number names one next to a word for a lecture ("lecture 3", "the third lecture"). A word that numbers other things
    too ("week 4 sales") names one only after a preposition, before a verb of saying or at the end of a clause.

    Args:
        nouns: further words that number lectures or other things.
    """
    groups = []
    for clause in _CLAUSE_END.split(message):
        for group in number_groups(clause, nouns):
            noun, numbers, before, after = group
            is_numbering = is_of_kind(noun, *NUMBER_KINDS) or noun in nouns
            if not numbers or not is_numbering:
                continue

            is_sure = is_of_kind(noun, "lectures") or noun.startswith(_IN_PREFIXES)
            is_sure |= any(is_of_kind(word, "prepositions") for word in before[-1:])
            is_sure |= not after or is_of_kind(after[0], "saying")
            is_meant = is_sure and not has_negation(before[-NEGATED_WORDS:])
            if is_meant and _may_number_lectures(group):
                groups.append(group)
    return groups
