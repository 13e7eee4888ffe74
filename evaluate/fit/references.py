"""Fit the weights by which a book's name is resolved to a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.evaluate.fit.choices import Choice, fit_choices, rounded
from quarry.ingest.arrays import Float64Array
from quarry.ingest.embed import Embedder
from quarry.ingest.store import Course
from quarry.player.search.build import build_references
from quarry.player.search.calibration import ReferenceCalibration
from quarry.player.search.references import MEANING, References

L2 = 0.3
"""Penalty on the squared weights, in nats per squared unit."""
LEFT_OUT_OF = 5
"""One in this many names also serves as a name that the course does not hold, with its document left out."""


def fit_references(
    store: Course,
    embedder: Embedder,
    pairs: Sequence[tuple[str, str]],
    search: SearchSettings,
    before: ReferenceCalibration,
) -> tuple[ReferenceCalibration, float, float]:
    """Fit the resolution of book names, and the evidence of a resolved name.

    Args:
        pairs: book names, each once for each document that it means; "" for a book that the store does not hold.

    Returns:
        The weights of features of a name and a document, with meanings and without; the log-odds that the course holds
        a paragraph of a book if its name is resolved; the same if it is not. A paragraph that the course does not hold
        is, at even odds, of a book that it does not hold, or about something else in a book that it holds.
    """
    calibration = replace(before, unrelated=_unrelated_cosine(store))
    names_of: dict[str, list[str]] = {}
    for name, doc_id in pairs:
        if doc_id:
            names_of.setdefault(doc_id, []).append(name)
    whole = build_references(store, search, embedder, calibration)
    rest = {doc_id: build_references(store, search, embedder, calibration, without=doc_id) for doc_id in names_of}
    choices = [Choice(whole.features(name), [whole.doc_ids.index(doc_id)] if doc_id else ()) for name, doc_id in pairs]
    for doc_id, names in names_of.items():
        choices += [Choice(rest[doc_id].features(name), ()) for name in names[::LEFT_OUT_OF]]
    weights, none = fit_choices(choices, with_none=True, l2=L2)
    spelt = [Choice(_without_meaning(choice.features), choice.chosen) for choice in choices]
    letters, letters_none = fit_choices(spelt, with_none=True, l2=L2)
    fitted = ReferenceCalibration(
        weights=tuple(map(rounded, weights)),
        none=rounded(none),
        letters=tuple(map(rounded, letters)),
        letters_none=rounded(letters_none),
        unrelated=calibration.unrelated,
    )
    whole = whole.calibrated(fitted)
    held = [_is_resolved(whole, name) for name, doc_id in pairs if doc_id]
    missing = [_is_resolved(whole, name) for name, doc_id in pairs if not doc_id]
    for doc_id, names in names_of.items():
        others = rest[doc_id].calibrated(fitted)
        missing += [_is_resolved(others, name) for name in names]
    # one more of each, so that nothing is ever certain
    if_held = (sum(held) + 1) / (len(held) + 2)
    if_missing = 0.5 * (sum(missing) + 1) / (len(missing) + 2) + 0.5 * if_held
    resolved, unresolved = if_held / if_missing, (1.0 - if_held) / (1.0 - if_missing)
    return fitted, rounded(float(np.log(resolved))), rounded(float(np.log(unresolved)))


def _without_meaning(features: Float64Array) -> Float64Array:
    spelt = features.copy()
    spelt[:, MEANING] = 0.0
    return spelt


def _is_resolved(references: References, name: str) -> bool:
    return any(candidate.tier != "none" for candidate in references.resolve(name)[:1])


def _unrelated_cosine(store: Course) -> float:
    """Return the mean cosine of names of different documents."""
    documents = np.array([doc_id for doc_id, _ in store.aliases])
    cosines = store.alias_vectors @ store.alias_vectors.T
    return rounded(float(cosines[documents[:, None] != documents[None, :]].mean()))
