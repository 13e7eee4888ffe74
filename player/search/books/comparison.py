"""Comparison of a book name with each document: features, and the probability that each document is meant.

Reference:
    McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974: a logit with a "none of these".
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process

from player.search.books.course_names import CourseNames
from player.search.books.lecture_numbers import (
    counted_in,
    counts_lectures,
    words_of_name,
)
from player.search.books.name_words import (
    FILES,
    is_a,
    is_generic,
    is_subject,
    normalise_name,
    words_like,
)
from player.search.calibration import ReferenceCalibration
from quarry.arrays import Float64Array

FEATURES = ("string", "words", "content", "meaning", "number", "clash", "exact")
"""These features of a name and a document, each 0..1, are weighted by `ReferenceCalibration`.

string: mean of rapidfuzz's WRatio and token-set ratio with the best name, 0 below `_MIN_SIMILAR`; words: share of the
name's words, by rarity, that match the document's names, authors and headings; content: the same for its text;
meaning: cosine with the best name, above that of unrelated names; number: the name has a number of the document; clash:
each has a number that the other lacks; exact: the name is one of the document's names. Where numbers clash, string and
meaning lose `OTHER_NUMBER`.
"""
Features = dict[str, Float64Array]
"""(n_documents,) values of each of the `FEATURES`."""
_OF_FILE = 0.5
"""Weight of a word such as "slides"; a word that names a subject has weight 1."""
_MIN_SIMILAR = 40.0
"""Minimum similarity, 0..100, of related names."""
OTHER_NUMBER = 0.75
"""Share of the similarities that a document loses if name and document each have a number that the other lacks:
"lecture 3" is not "lecture 13"."""
_UNKNOWN = 0.7
"""Minimum number of documents that a word is counted in, for its rarity."""
NAMED_BY_PART = 0.95
"""Confidence of a document named by the first part of its title, or by a title of function words alone."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A book name as somebody wrote it.

    Attributes:
        normalised: the name normalised.
        words: its words, without those that most documents share, numbers that do not count lectures, and words such as
            "page" before them.
        numbers: its lecture numbers.
        has_word: whether it has a word that may tell documents apart.
    """

    normalised: str
    words: Sequence[str]
    numbers: set[int]
    has_word: bool


def spoken(text: str, names: CourseNames) -> Spoken:
    """Read a book name."""
    numbers: set[int] = set()
    others: set[str] = set()
    for counted in counted_in(text):
        if counts_lectures(counted, names.owners):
            numbers |= counted.numbers
            continue
        others |= set(map(str, counted.numbers))
        if is_a(counted.noun, "others"):
            others.add(counted.noun)

    others -= set(map(str, numbers))
    others |= names.shared
    words = [word for word in words_of_name(text) if word not in others]
    has_word = any(map(is_subject, words))
    return Spoken(normalise_name(text), words, numbers, has_word)


def compare(name: Spoken, names: CourseNames) -> Features:
    """Return the features of a name and each document, "meaning" 0."""
    number, clash = _by_number(name, names)
    exact = _exact(name, names)
    string = np.maximum(_by_string(name, names), exact)
    if not name.has_word:
        string = np.maximum(string, number)  # the number is the name of the lecture
    words, content = _by_words(name, names)
    same_number = 1.0 - OTHER_NUMBER * clash
    return {
        "string": string * same_number,
        "words": words * same_number,
        "content": content * same_number,
        "meaning": np.zeros(len(clash)),
        "number": number,
        "clash": clash,
        "exact": exact,
    }


def _exact(name: Spoken, names: CourseNames) -> Float64Array:
    """Return the feature "exact": the trust in the name of a document that is this name."""
    exact = np.zeros(len(names.doc_ids))
    for other in names.whole:
        trust = 0.0
        if other.normalised == name.normalised:
            trust = other.trust
        elif other.short:
            short = f" {normalise_name(other.short)} "
            before, match, after = f" {name.normalised} ".partition(short)
            if match and all(map(is_generic, f"{before} {after}".split())):
                trust = NAMED_BY_PART
        exact[other.row] = max(exact[other.row], trust)
    return exact


def _by_string(name: Spoken, names: CourseNames) -> Float64Array:
    """Return the feature "string"."""
    string = np.zeros(len(names.doc_ids))
    if not name.has_word:
        return string

    text = " ".join(names.distinctive(name.words))
    texts = [" ".join(names.distinctive(other.words)) for other in names.whole]
    scores = np.zeros(len(texts))
    for scorer in (fuzz.WRatio, fuzz.token_set_ratio):
        scores += process.cdist([text], texts, scorer=scorer)[0] / 2.0
    similarities = np.maximum(0.0, scores - _MIN_SIMILAR) / (100.0 - _MIN_SIMILAR)
    for other, similarity in zip(names.whole, similarities.tolist(), strict=True):
        string[other.row] = max(string[other.row], other.trust * similarity)
    return string


def _by_words(name: Spoken, names: CourseNames) -> tuple[Float64Array, Float64Array]:
    """Return the features "words" and "content"."""
    n_documents = len(names.doc_ids)
    words, content = np.zeros((2, n_documents))
    total = 0.0
    for word in dict.fromkeys(name.words):
        is_file = is_a(word, *FILES)
        likenesses = words_like(word, names.trust)
        if not (likenesses and name.has_word if is_file else is_subject(word)):
            continue

        matches = np.zeros(n_documents)
        for other, alike in likenesses.items():
            matches = np.maximum(matches, alike * names.trust[other])
        rarity = np.log1p(n_documents / max(_UNKNOWN, matches.sum()))
        weight = rarity * (_OF_FILE if is_file else 1.0)
        rates = names.rates(word)
        total += weight
        words += weight * matches
        content += weight * rates / (rates.sum() or 1.0)
    return words / (total or 1.0), content / (total or 1.0)


def _by_number(name: Spoken, names: CourseNames) -> tuple[Float64Array, Float64Array]:
    """Return the features "number" and "clash"; a clash is half of one if the document has no number."""
    number, clash = np.zeros((2, len(names.doc_ids)))
    for row, numbers in enumerate(names.numbers):
        unmatched = name.numbers - names.mentioned[row]
        if unmatched and numbers - name.numbers:
            clash[row] = 1.0
        elif name.numbers & numbers:
            number[row] = 1.0
        elif unmatched:
            clash[row] = 0.5
    return number, clash


def probabilities(
    features: Features, fit: ReferenceCalibration, *, meanings: bool = False
) -> Float64Array:
    """Return (n_documents,) the probability that each is meant; the remainder is that of "none of these".

    Args:
        fit: the weights of the features.
        meanings: whether the feature "meaning" is known.
    """
    columns = np.stack([features[feature] for feature in FEATURES], axis=1)
    weights, none = (
        (fit.weights, fit.none) if meanings else (fit.letters, fit.letters_none)
    )
    utilities = np.append(columns @ weights, none)
    shares = np.exp(utilities - utilities.max())
    confidences: Float64Array = shares[:-1] / shares.sum()

    exact = features["exact"]
    bearers = np.flatnonzero(exact)
    if len(bearers) == 1:  # the exact name of one document only
        (row,) = bearers
        others = max(1e-12, 1.0 - confidences[row])
        confidences *= (1.0 - exact[row]) / others
        confidences[row] = exact[row]
    return confidences
