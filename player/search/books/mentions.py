"""Documents that a message names: by a title, a stem, a word that only one document has, or an author."""

import numpy as np
import regex

from player.search.books.course_names import CourseNames
from player.search.books.lecture_numbers import words_of_name
from player.search.books.name_words import (
    NEGATED_WORDS,
    NUMBER_KINDS,
    has_negation,
    is_of_kind,
    is_subject,
)
from quarry.languages.words import is_common, is_stop_word

SURELY_NAMED = 0.95
"""Confidence of a document whose stem or title a message holds, or a word of it next to a word for a document."""
PROBABLY_NAMED = 0.85
"""Confidence of a document that a message names by a single word that no text of the course holds."""
MIN_LETTERS_OF_NAME = 4
"""Minimum number of letters of a word that names a document because no text of the course holds it."""


def documents_by_name(message: str, names: CourseNames) -> set[int]:
    """Return the documents with a whole name in a message; see `CourseNames.phrases`."""
    rows = set()
    for normalise, phrases in names.phrases.items():
        text = normalise(message)
        rows |= {row for row, phrase in phrases if _is_mentioned(phrase, text)}
    return rows


def _is_mentioned(name: str, text: str) -> bool:
    """Return whether a text holds a name as whole words, and says nothing before it that excludes it."""
    if name not in text:
        return False
    match = regex.search(rf"(?<![^\W_]){regex.escape(name)}(?![^\W_])", text)
    if match is None:
        return False
    before = words_of_name(text[: match.start()])
    return not has_negation(before[-NEGATED_WORDS:])


def documents_by_word(message: str, names: CourseNames) -> dict[int, float]:
    """Return the documents that a single word of a message names, with confidences.

    Such a word is next to a word for a document ("the hummel paper", "slides on hashing"), or no text of the course
    holds it.
    """
    words = words_of_name(message)
    content = []
    for position, word in enumerate(words):
        if not is_stop_word(word) and not is_of_kind(word, "naming"):
            content.append((position, word))

    confidences: dict[int, float] = {}
    for n, (position, word) in enumerate(content):
        rows = names.owners.get(word, ())
        is_usual = is_of_kind(word, "sections") or not names.distinctive([word])
        before = words[max(0, position - NEGATED_WORDS) : position]
        if len(rows) != 1 or is_usual or not is_subject(word) or has_negation(before):
            continue

        (row,) = rows
        neighbours = content[max(0, n - 1) : n + 2]
        if any(is_of_kind(near, *NUMBER_KINDS, "documents") for _, near in neighbours):
            confidence = SURELY_NAMED
        elif len(word) >= MIN_LETTERS_OF_NAME and _is_only_a_name(word, row, names):
            confidence = PROBABLY_NAMED
        else:
            continue
        confidences[row] = max(confidence, confidences.get(row, 0.0))
    return confidences


def _is_only_a_name(word: str, row: int, names: CourseNames) -> bool:
    """Return whether no text of the course holds a word; an author's may be in the author's document."""
    shares = names.text_shares(word)
    if not shares.any():
        return bool(names.paragraphs)
    authors = [name for name in names.names if name.source == "author"]
    is_author = any(word in author.words for author in authors)
    return is_author and not np.delete(shares, row).any() and not is_common(word)
