"""Fitting how surely a book's name means a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.evaluate.fit.calibration.choices import Choice, fit_choices, rounded
from quarry.evaluate.fit.calibration.course import LabelledCourse
from quarry.ingest.arrays import Float64Array
from quarry.ingest.store import Course
from quarry.player.search.build import build_references
from quarry.player.search.calibration import Calibration, ReferenceCalibration
from quarry.player.search.references import MEANING, References

L2 = 0.3
"""Strength of the pull of reference weights towards 0, in nats per squared unit."""
LEFT_OUT_OF = 5
"""One in this many names also serves as a name that the course does not hold, with its document left out."""


@dataclass(frozen=True, slots=True)
class NamedBooks:
    """The book names of a course's games, and what resolves them.

    Attributes:
        whole: over all documents.
        pairs: names, each once for each document it means; "" for a book that the store does not hold.
        without: by document, what resolves names where it is left out, and its names.
    """

    whole: References
    pairs: Sequence[tuple[str, str]]
    without: Mapping[str, tuple[References, Sequence[str]]]


def named_books(course: LabelledCourse, search: SearchSettings, before: Calibration) -> NamedBooks:
    """The names of a course's books, with the similarity that unrelated ones have in this store."""
    calibration = replace(before.references, unrelated=_unrelated_cosine(course.store))

    def references(without: str = "") -> References:
        return build_references(course.store, search, course.embedder, calibration, without=without)

    pairs = tuple(_names(course))
    by_document: dict[str, list[str]] = {}
    for name, doc_id in pairs:
        if doc_id:
            by_document.setdefault(doc_id, []).append(name)
    without = {doc_id: (references(doc_id), names) for doc_id, names in by_document.items()}
    return NamedBooks(references(), pairs, without)


def fit_references(names: NamedBooks) -> ReferenceCalibration:
    """Weights of what is compared of a book name and a document, with meanings and without."""
    whole = names.whole
    choices = [
        Choice(whole.features(name), whole.doc_ids.index(doc_id) if doc_id else None) for name, doc_id in names.pairs
    ]
    for rest, left_out in names.without.values():
        choices += [Choice(rest.features(name), None) for name in left_out[::LEFT_OUT_OF]]
    weights, none = fit_choices(choices, with_none=True, l2=L2)
    spelt = [Choice(_without_meaning(choice.features), choice.chosen) for choice in choices]
    letters, letters_none = fit_choices(spelt, with_none=True, l2=L2)
    return ReferenceCalibration(
        weights=tuple(rounded(weight) for weight in weights),
        none=rounded(none),
        letters=tuple(rounded(weight) for weight in letters),
        letters_none=rounded(letters_none),
        unrelated=whole.calibration.unrelated,
    )


def _without_meaning(features: Float64Array) -> Float64Array:
    spelt = features.copy()
    spelt[:, MEANING] = 0.0
    return spelt


def fit_names(names: NamedBooks, fitted: ReferenceCalibration) -> tuple[float, float]:
    """Log-odds that the course holds a paragraph whose book's name is resolved, and of one whose name is not.

    What it does not hold is, at even odds, from a book that it has not, or about something else in a book that it has.
    """
    whole = names.whole.calibrated(fitted)
    held = [_resolved(whole, name) for name, doc_id in names.pairs if doc_id]
    missing = [_resolved(whole, name) for name, doc_id in names.pairs if not doc_id]
    for rest, left_out in names.without.values():
        calibrated = rest.calibrated(fitted)
        missing += [_resolved(calibrated, name) for name in left_out]
    # one more of each, so that nothing is ever certain
    if_held = (sum(held) + 1) / (len(held) + 2)
    if_missing = 0.5 * (sum(missing) + 1) / (len(missing) + 2) + 0.5 * if_held
    return (
        rounded(float(np.log(if_held / if_missing))),
        rounded(float(np.log((1.0 - if_held) / (1.0 - if_missing)))),
    )


def _names(course: LabelledCourse) -> Iterator[tuple[str, str]]:
    """The book names of the games, each once for each document it means; "" for a book that the store does not hold."""
    paragraphs = course.store.paragraphs
    pairs = {
        (game.book_name, paragraphs[row].doc_id if row is not None else "")
        for game, row in zip(course.games, course.rows, strict=True)
        if row is not None or not game.answerable
    }
    return iter(sorted(pairs))


def _resolved(references: References, name: str) -> bool:
    return any(candidate.tier != "none" for candidate in references.resolve(name)[:1])


def _unrelated_cosine(store: Course) -> float:
    """Mean cosine of names of different documents."""
    documents = np.array([doc_id for doc_id, _ in store.aliases])
    cosines = store.alias_vectors @ store.alias_vectors.T
    return rounded(float(cosines[documents[:, None] != documents[None, :]].mean()))
