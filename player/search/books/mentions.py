"""Documents that a message names: by a title, a stem, a word that only one document has, or an author."""

from collections import Counter

import numpy as np
import regex

from player.search.books.course_names import (
    WORDS_OF_A_NAME,
    CourseNames,
    fold_stem,
)
from player.search.books.lecture_numbers import words_of_name
from player.search.books.name_words import (
    COUNTING,
    NEAR,
    has_negation,
    is_a,
    is_subject,
    normalise_name,
)
from quarry.languages.words import is_common, is_stop_word

SURELY_NAMED = 0.95
"""Confidence of a document whose stem or title a message holds, or a word of it next to a word for a document."""
PROBABLY_NAMED = 0.85
"""Confidence of a document that a message names by a single word that no text of the course holds."""
_JOINING = ("s", "called", "titled", "named", "written", "entitled")
"""These words may come between a word for a document and its name."""
_MIN_NAMING = 4
"""Minimum number of letters of a word that names a document because no text of the course holds it."""


def names_in(message: str, names: CourseNames) -> set[int]:
    """Return the documents with a whole name in a message.

    That is a name of several distinctive words, the first part of a title in its capitals, or a stem with letters and
    digits.
    """
    normalised, folded = normalise_name(message), fold_stem(message)
    n_bearers = Counter(stem for stem, _ in {(n.stem, n.row) for n in names.whole})
    rows = set()
    for name in names.whole:
        n_words = sum(map(is_subject, names.distinctive(name.words)))
        n_capitals = sum(word[:1].isupper() for word in name.short.split())
        has_both = any(map(str.isdigit, name.stem)) and any(map(str.isalpha, name.stem))
        is_stem = has_both and n_bearers[name.stem] == 1
        if (
            (n_words >= WORDS_OF_A_NAME and _is_mentioned(name.normalised, normalised))
            or (n_capitals >= WORDS_OF_A_NAME and _is_mentioned(name.short, message))
            or (is_stem and _is_mentioned(name.stem, folded))
        ):
            rows.add(name.row)
    return rows


def _is_mentioned(name: str, text: str) -> bool:
    """Return whether a text holds a name as whole words, and says nothing before it that excludes it."""
    if name not in text:
        return False
    match = regex.search(rf"(?<![^\W_]){regex.escape(name)}(?![^\W_])", text)
    if match is None:
        return False
    before = words_of_name(text[: match.start()])
    return not has_negation(before[-NEAR:])


def words_in(message: str, names: CourseNames) -> dict[int, float]:
    """Return the documents that a single word of a message names, with confidences.

    Such a word is next to a word for a document ("the hummel paper", "slides on hashing"), or no text of the course
    holds it.
    """
    words = words_of_name(message)
    content = []
    for position, word in enumerate(words):
        if not is_stop_word(word) and word not in _JOINING:
            is_denied = has_negation(words[max(0, position - NEAR) : position])
            content.append((word, is_denied))

    confidences: dict[int, float] = {}
    for n, (word, is_denied) in enumerate(content):
        rows = names.owners.get(word, [])
        is_usual = is_a(word, "sections") or not names.distinctive([word])
        if len(rows) != 1 or is_denied or is_usual or not is_subject(word):
            continue

        (row,) = rows
        neighbours = content[max(0, n - 1) : n + 2]
        if any(is_a(near, *COUNTING, "documents") for near, _ in neighbours):
            confidences.setdefault(row, SURELY_NAMED)
        elif len(word) >= _MIN_NAMING and _is_unheard(word, row, names):
            confidences.setdefault(row, PROBABLY_NAMED)
    return confidences


def _is_unheard(word: str, row: int, names: CourseNames) -> bool:
    """Return whether no text of the course holds a word; an author's may be in the author's document."""
    rates = names.rates(word)
    if not rates.any():
        return bool(names.paragraphs)
    authors = [name for name in names.names if name.source == "author"]
    is_author = any(word in author.words for author in authors)
    return is_author and not np.delete(rates, row).any() and not is_common(word)
