"""Comparison of a book name with each document: features, and the probability that each document is meant.

Reference:
    McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974: a logit with a "none of these".
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from rapidfuzz import fuzz, process

from player.search.books.course_names import CourseNames
from player.search.books.lecture_numbers import (
    is_lecture_group,
    number_groups,
    words_of_name,
)
from player.search.books.name_words import (
    FILE_KINDS,
    is_generic,
    is_of_kind,
    is_subject,
    normalise_name,
)
from player.search.calibration import BookCalibration
from quarry.arrays import Float64Array

_FILE_WEIGHT = 0.5
"""Weight of a word such as "slides"; a word that names a subject has weight 1."""
_MIN_SIMILARITY = 40.0
"""Minimum similarity, 0..100, of related names."""
_CLASH_LOSS = 0.75
"""Share of the similarities that a document loses if name and document each have a number that the other lacks:
"lecture 3" is not "lecture 13"."""
_HALF_CLASH = 0.5
"""Clash of the numbers of a name with a document that has no number."""
_MIN_REMAINDER = 1e-12
"""Minimum probability of all other documents together, by which theirs are divided."""
_MIN_DOCUMENTS = 0.7
"""Minimum number of documents that a word is counted in, for its rarity."""
SHORT_TITLE_TRUST = 0.95
"""Confidence of a document named by the first part of its title, or by a title of function words alone."""


@dataclass(frozen=True, eq=False)
class NameComparison:
    """A book name compared with every document of a course. A feature is an array (n_documents,) of values 0..1.

    Attributes:
        text: the book name as somebody wrote it.
        names: the names of the documents.
        similarity: (n_documents,) similarity of meaning, 0 for unrelated names; None if it is unknown.
    """

    text: str
    names: CourseNames
    similarity: Float64Array | None = None

    @property
    def string(self) -> Float64Array:
        """Mean of rapidfuzz's WRatio and token-set ratio with the best name, 0 below `_MIN_SIMILARITY`."""
        if not self.has_subject:  # the number is the name of the lecture
            return np.maximum(self.exact, self.number) * self._clash_factor
        text = " ".join(self.names.distinctive(self.name_words))
        texts = self.names.distinctive_texts
        scores = np.zeros(len(texts))
        for scorer in (fuzz.WRatio, fuzz.token_set_ratio):
            scores += process.cdist([text], texts, scorer=scorer)[0] / 2.0

        string = self.exact.copy()
        above = np.maximum(0.0, scores - _MIN_SIMILARITY) / (100.0 - _MIN_SIMILARITY)
        for name, similarity in zip(self.names.document_names, above, strict=True):
            row = name.document_row
            string[row] = max(string[row], name.source_trust * similarity)
        return string * self._clash_factor

    @property
    def words(self) -> Float64Array:
        """Share of the name's words, by rarity, that match the document's names, authors and headings."""
        return self._mean(self.names.matches) * self._clash_factor

    @property
    def content(self) -> Float64Array:
        """Share of the name's words, by rarity, in the document's text."""
        return self._mean(self.names.text_shares) * self._clash_factor

    @property
    def meaning(self) -> Float64Array:
        """Similarity of meaning."""
        if self.similarity is None:
            return np.zeros(len(self.names.doc_ids))
        return self.similarity * self._clash_factor

    @cached_property
    def number(self) -> Float64Array:
        """Whether the name has a number of the document, and their numbers do not clash."""
        has_number = [bool(self.numbers & numbers) for numbers in self.names.numbers]
        return np.where(self.clash < 1.0, has_number, 0.0)

    @cached_property
    def clash(self) -> Float64Array:
        """Whether name and document each have a number that the other lacks; `_HALF_CLASH` if the document has none."""
        clash = np.zeros(len(self.names.doc_ids))
        for row, numbers in enumerate(self.names.numbers):
            if self.numbers - self.names.all_numbers[row]:
                if numbers - self.numbers:
                    clash[row] = 1.0
                elif not numbers:
                    clash[row] = _HALF_CLASH
        return clash

    @cached_property
    def exact(self) -> Float64Array:
        """Trust in the document's name that equals this name, `SHORT_TITLE_TRUST` for a short title; 0 if none does."""
        normalised = normalise_name(self.text)
        exact = np.zeros(len(self.names.doc_ids))
        for other in self.names.document_names:
            trust = 0.0
            if other.normalised == normalised:
                trust = other.source_trust
            elif other.short_title:
                short = f" {normalise_name(other.short_title)} "
                before, match, after = f" {normalised} ".partition(short)
                if match and all(map(is_generic, f"{before} {after}".split())):
                    trust = SHORT_TITLE_TRUST
            exact[other.document_row] = max(exact[other.document_row], trust)
        return exact

    @cached_property
    def numbers(self) -> set[int]:
        """The lecture numbers of the name."""
        numbers: set[int] = set()
        for group in number_groups(self.text):
            if is_lecture_group(group, self.names.owners):
                numbers |= group.numbers
        return numbers

    @cached_property
    def name_words(self) -> list[str]:
        """The words of the name, without those that most documents share, other numbers, and "page" before them."""
        others = set(self.names.shared_words)
        for group in number_groups(self.text):
            if not is_lecture_group(group, self.names.owners):
                others.update(map(str, group.numbers - self.numbers))
                if is_of_kind(group.noun, "others"):
                    others.add(group.noun)
        return [word for word in words_of_name(self.text) if word not in others]

    @cached_property
    def has_subject(self) -> bool:
        """Whether the name has a word that may say what a document is about."""
        return any(map(is_subject, self.name_words))

    @cached_property
    def _clash_factor(self) -> Float64Array:
        """(n_documents,) factor of all similarities: 1, less where numbers clash."""
        return 1.0 - _CLASH_LOSS * self.clash

    @cached_property
    def _weights(self) -> dict[str, float]:
        """Weight, by rarity, of each word of the name that may tell documents apart."""
        weights = {}
        for word in self.name_words:
            factor, matches = float(is_subject(word)), self.names.matches(word)
            if is_of_kind(word, *FILE_KINDS):
                is_informative = self.has_subject and matches.any()
                factor = _FILE_WEIGHT * is_informative
            if factor:
                n_documents = max(_MIN_DOCUMENTS, matches.sum())
                weights[word] = factor * np.log1p(len(matches) / n_documents)
        return weights

    def _mean(self, values: Callable[[str], Float64Array]) -> Float64Array:
        """Return (n_documents,) the weighted mean over the words of the name."""
        total = np.zeros(len(self.names.doc_ids))
        for word, weight in self._weights.items():
            total += weight * values(word)
        return total / (sum(self._weights.values()) or 1.0)


def probabilities(
    comparison: NameComparison, calibration: BookCalibration
) -> Float64Array:
    """Return (n_documents,) the probability that each is meant; the remainder is that of "none of these"."""
    weights, none = calibration.weights, calibration.none
    if comparison.similarity is None:
        weights, none = calibration.letters, calibration.letters_none
    features = (  # in the order of their weights
        comparison.string,
        comparison.words,
        comparison.content,
        comparison.meaning,
        comparison.number,
        comparison.clash,
        comparison.exact,
    )
    utilities = np.append(np.stack(features, axis=1) @ weights, none)
    shares = np.exp(utilities - utilities.max())
    confidences: Float64Array = shares[:-1] / shares.sum()

    exact = comparison.exact
    rows = np.flatnonzero(exact)
    if len(rows) == 1:  # the exact name of one document only
        (row,) = rows
        others = max(_MIN_REMAINDER, 1.0 - confidences[row])
        confidences *= (1.0 - exact[row]) / others
        confidences[row] = exact[row]
    return confidences
