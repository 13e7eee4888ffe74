"""Resolve book names to documents, with calibrated confidences (entity linking)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import regex

from player.search.books.comparison import NameComparison, probabilities
from player.search.books.course_names import CourseNames, fold_stem, is_name
from player.search.books.lecture_numbers import lecture_groups_in, words_of_name
from player.search.books.mentions import (
    PROBABLY_NAMED,
    SURELY_NAMED,
    documents_by_name,
    documents_by_word,
)
from player.search.books.name_words import (
    has_negation,
    is_of_kind,
    normalise_name,
    words_by_kind,
)
from player.search.cache import CachingEmbedder
from player.search.calibration import BookCalibration, embedder_calibration
from player.search.results import BookCandidate
from quarry.arrays import Float64Array
from quarry.languages.registry import alternatives
from quarry.store import Course

SETTLED = 0.9
"""Minimum confidence from letters and words at which meanings are not compared, since embedding the name is slow."""
HAS_ALL_WORDS = 0.9
"""Minimum value of the features "words" and "exact" at which a document has all words of a name."""
LIKELY = 0.6
"""Minimum confidence at which a part of a name, or a lecture's number within a message, means a document."""
_PDF_SUFFIX = regex.compile(r"(?i)\.pdf\Z")
_SIGNS_FOR_AND = regex.compile(r"[&+,;/]")


class BookResolver:
    """Resolver of loosely written book names to the documents of a store.

    Args:
        course: the course; the names of a copy belong to the document that holds the paragraphs.
        embedder: the store's embedder, for names that letters and words leave in doubt; None compares no meanings.
        calibration: calibration of that embedder.
    """

    def __init__(
        self,
        course: Course,
        embedder: CachingEmbedder | None = None,
        calibration: BookCalibration | None = None,
    ) -> None:
        self.names = CourseNames(course.documents, course.paragraphs)
        self.calibration = calibration or embedder_calibration().books
        self._embedder = embedder

        rows = [row for row, (_, alias) in enumerate(course.aliases) if is_name(alias)]
        self._alias_rows = [self.names.row_of[course.aliases[row][0]] for row in rows]
        self._alias_vectors = course.alias_vectors[rows]

    def by_stem(self, book_name: str) -> BookCandidate | None:
        """Return the document whose file stem is `book_name`, at confidence 1, or None.

        Case, spaces and ".pdf" are ignored, unless two documents differ only in these. None if several have this stem.
        """
        same = self.names.by_stem.get(fold_stem(book_name), [])
        stem = _PDF_SUFFIX.sub("", book_name)
        written = [name for name in same if name.text == stem]
        rows = {name.document_row for name in written or same}
        if len(rows) != 1:
            return None
        return BookCandidate(self.names.doc_ids[rows.pop()], 1.0)

    def resolve(self, book_name: str) -> Sequence[BookCandidate]:
        """Return the documents that `book_name` may mean, the likeliest first; ties go to the smaller doc_id.

        The confidences and that of "none of these" sum to 1, so a name that fits two documents equally, or that joins
        the names of several, filters on none. A name that is a file's stem has confidence 1.
        """
        by_stem = self.by_stem(book_name)
        if by_stem is not None:
            return (by_stem,)
        if self._means_none(book_name):
            return ()

        comparison = NameComparison(book_name, self.names)
        several = self._several(comparison)
        if several:
            # evidence for each, filter on none
            confidences = np.zeros(len(self.names.doc_ids))
            confidences[several] = 1.0 / len(several)
        else:
            confidences = self._confidences(comparison)
        books = map(BookCandidate, self.names.doc_ids, confidences.round(4).tolist())
        possible = filter(lambda book: book.confidence > 0.0, books)
        return tuple(sorted(possible, key=lambda book: -book.confidence))

    def best(self, book_name: str) -> BookCandidate | None:
        """Return the document that `book_name` likeliest means, however unlikely; see `resolve`."""
        return next(iter(self.resolve(book_name)), None)

    def named_in(self, message: str) -> BookCandidate | None:
        """Return the document whose name a message holds; None if it holds no name, or the names of several documents.

        The subject of a lecture is not a name. A name is a number next to a word for a lecture, or as
        `documents_by_name` and `documents_by_word` say. What follows "not" or "except" is not meant.
        """
        groups = lecture_groups_in(message, self.names.number_nouns)
        numbers = {number for group in groups for number in group.numbers}
        if len(numbers) > 1:
            return None

        confidences = documents_by_word(message, self.names)
        surely_named = documents_by_name(message, self.names)
        confidences |= dict.fromkeys(surely_named, SURELY_NAMED)
        if len(confidences) == 1:
            ((row, confidence),) = confidences.items()
            return BookCandidate(self.names.doc_ids[row], confidence)

        book = None
        if groups and not confidences:
            book = self.best(f"{groups[0].noun} {numbers.pop()}")
        if book is None or book.confidence < LIKELY:
            return None
        is_sure = any(is_of_kind(group.noun, "lectures") for group in groups)
        highest = 1.0 if is_sure else PROBABLY_NAMED
        return BookCandidate(book.doc_id, min(book.confidence, highest))

    def _means_none(self, book_name: str) -> bool:
        """Return whether a name means no document: it has no word, denies one, or says several lectures."""
        words = words_of_name(book_name)
        unnamed = [word for word in words if word not in self.names.owners]
        is_several = False
        for group in lecture_groups_in(book_name):
            is_of_one = any(map(group.numbers.issubset, self.names.all_numbers))
            is_several |= len(group.numbers) > 1 and not is_of_one
        return not words or is_several or has_negation(unnamed)

    def _several(self, whole: NameComparison) -> list[int]:
        """Return the documents that the parts of a name mean, joined by "and"; none if they mean one document or none.

        A name means one document if it holds a title or the number of that one, or if that one has all its words.
        """
        parts = _joined_names(whole.text)
        if len(parts) == 1:
            return []
        named = documents_by_name(whole.text, self.names)
        n_named = len(named) or np.count_nonzero(whole.number)
        has_all = np.maximum(whole.exact, whole.words) >= HAS_ALL_WORDS
        if n_named == 1 or has_all.any():
            return []

        rows = set()
        for part in parts:
            comparison = NameComparison(part, self.names)
            confidences = probabilities(comparison, self.calibration)
            if comparison.has_subject and confidences.max(initial=0.0) >= LIKELY:
                rows.add(int(confidences.argmax()))
        return sorted(rows) if len(rows) > 1 else []

    def _confidences(self, comparison: NameComparison) -> Float64Array:
        """Return (n_documents,) the probability that each document is meant."""
        fit = self.calibration
        confidences = probabilities(comparison, fit)
        if not comparison.has_subject:
            # a number alone names the document with that number; generic words name no document
            is_named = (comparison.number > 0.0) | (comparison.exact > 0.0)
            return confidences * is_named
        is_settled = confidences.max(initial=0.0) >= SETTLED
        if is_settled or self._embedder is None or not self._alias_rows:
            return confidences

        highest_cosines = np.full(len(confidences), fit.unrelated)
        cosines = self._alias_vectors @ self._embedder.embed(comparison.text).vector
        np.maximum.at(highest_cosines, self._alias_rows, cosines)
        similarity = (highest_cosines - fit.unrelated) / (1.0 - fit.unrelated)
        return probabilities(replace(comparison, similarity=similarity), fit)


def _joined_names(name: str) -> list[str]:
    """Return the parts of a name that words such as "and", or signs, join: of "trees & heaps" two."""
    plain = normalise_name(_SIGNS_FOR_AND.sub(" and ", name))
    parts = regex.split(rf"\b{alternatives(words_by_kind()['and'])}\b", plain)
    return list(filter(None, map(str.strip, parts)))
