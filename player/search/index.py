"""SearchIndex: a course with its strategies, references and calibration; `ask` runs one strategy on it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.ingest.arrays import Float64Array
from quarry.ingest.paragraph import Paragraph
from quarry.player.errors import SearchError
from quarry.player.questions.start_model import search_log_odds
from quarry.player.search.calibration import DEFAULT_EMBEDDER, Calibration, calibration_of
from quarry.player.search.core import Columns, Scored, columns_of
from quarry.player.search.references import References
from quarry.player.search.strategies.strategy import Strategy
from quarry.player.search.types import BookCandidate, Query, ScoreArrays


@dataclass(frozen=True, eq=False)
class SearchIndex:
    """A course with its strategies, references and calibration.

    Attributes:
        strategies: by name.
        references: resolver of book names.
        paragraphs: the course, in the order of its strategies' arrays.
        calibration: fitted numbers that convert scores to one scale.
        calibrated: whether the relevance of hits separates nonsense from questions.
        kind_weight: weight of the log-odds of each passage's kind.
    """

    strategies: Mapping[str, Strategy]
    references: References
    paragraphs: Sequence[Paragraph]
    calibration: Calibration = field(default_factory=functools.partial(calibration_of, DEFAULT_EMBEDDER))
    calibrated: bool = True
    kind_weight: float = 1.0

    @functools.cached_property
    def columns(self) -> Columns:
        """Columns of the core's arrays."""
        return columns_of(self.paragraphs)

    @functools.cached_property
    def kind_priors(self) -> Float64Array | None:
        """(n_columns,) prior log-odds of each passage from its kind; None if all are 0."""
        priors: Float64Array = self.kind_weight * search_log_odds(self.paragraphs)[self.columns.rows]
        return priors if priors.any() else None

    @functools.cached_property
    def copies(self) -> Mapping[int, tuple[str, ...]]:
        """Ids of the duplicates of each paragraph that has any, by column."""
        ids = [self.paragraphs[row].paragraph_id for row in self.columns.rows.tolist()]
        groups = ([column for column in line if column >= 0] for line in self.columns.duplicates.tolist())
        return {column: tuple(ids[other] for other in group if other != column) for group in groups for column in group}

    def book(self, book_name: str, settings: SearchSettings, hint: str) -> BookCandidate | None:
        """Return the document that a name refers to, or without a name the document that the hint names."""
        if settings.book_match == "off":
            return None
        if settings.book_match == "stem":
            return self.references.by_stem(book_name)
        return self.references.best(book_name) if book_name.strip() else self.references.named_in(hint)


def ask(index: SearchIndex, name: str, query: Query, doc_id: str = "") -> Scored:
    """Run one strategy for one hint.

    Args:
        doc_id: the document that the book's name refers to, "" without one.

    Raises:
        SearchError: the strategy returned something else than an array of numbers for the course.
    """
    found, n = index.strategies[name].score(query, doc_id), len(index.paragraphs)
    if not isinstance(found, ScoreArrays) or not len(found.scores) == len(found.log_odds) == n:
        raise SearchError(name, f"it must return scores and log-odds of {n} paragraphs, got {str(found)[:80]}")
    if np.isnan(found.log_odds).any() or np.isposinf(found.log_odds).any() or not np.isfinite(found.scores).all():
        raise SearchError(name, "scores must be finite numbers, and log-odds finite or -inf")
    rows = index.columns.rows
    return Scored(name, found.scores[None, rows], found.log_odds[None, rows])
