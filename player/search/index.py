"""SearchIndex: a course with its strategies, references and calibration; `ask` runs one strategy on it."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.ingest.arrays import Float64Array
from quarry.ingest.paragraph import Paragraph
from quarry.player.deadlines import Call, Runner
from quarry.player.errors import SearchError
from quarry.player.passage_kinds import search_log_odds
from quarry.player.search.calibration import DEFAULT_EMBEDDER, Calibration, calibration_of
from quarry.player.search.core import NOT_FOUND, Columns, Scored, columns_of, log_odds_of
from quarry.player.search.references import References
from quarry.player.search.strategies.ranking import Ranked
from quarry.player.search.types import BookCandidate, Hit, Query, Rewriter, Strategy


@dataclass(frozen=True, eq=False)
class SearchIndex:
    """A course with its strategies, references and calibration.

    Attributes:
        strategies: by name.
        references: resolver of book names.
        paragraphs: the course, in the order of its strategies' arrays.
        calibration: fitted numbers that convert scores to one scale.
        priors: prior log-odds of each document's paragraphs, by doc_id; 0 if missing.
        rewriter: rewriter of hints; None skips that step.
        calibrated: whether the relevance of hits separates nonsense from questions.
        kind_weight: weight of the log-odds of each passage's kind.
    """

    strategies: Mapping[str, Strategy]
    references: References
    paragraphs: Sequence[Paragraph]
    calibration: Calibration = field(default_factory=functools.partial(calibration_of, DEFAULT_EMBEDDER))
    priors: Mapping[str, float] = field(default_factory=dict)
    rewriter: Rewriter | None = None
    calibrated: bool = True
    kind_weight: float = 1.0

    @functools.cached_property
    def columns(self) -> Columns:
        """Columns of the core's arrays."""
        return columns_of(self.paragraphs)

    @functools.cached_property
    def column_priors(self) -> Float64Array | None:
        """(n_columns,) prior log-odds of each passage, from its kind and its document; None if all are 0."""
        columns = self.columns
        of_documents = np.array([self.priors.get(doc_id, 0.0) for doc_id in columns.doc_ids])
        of_kinds = self.kind_weight * search_log_odds(self.paragraphs)
        priors: Float64Array = of_documents[columns.document] + of_kinds[columns.rows]
        return priors if priors.any() else None

    @functools.cached_property
    def n_paragraphs(self) -> Mapping[str, int]:
        """Number of paragraphs of each document, by doc_id."""
        counts = np.bincount(self.columns.document, minlength=len(self.columns.doc_ids)).tolist()
        return dict(zip(self.columns.doc_ids, counts, strict=True))

    @functools.cached_property
    def column_of(self) -> Mapping[str, int]:
        """Column of each paragraph, by paragraph_id."""
        columns = self.columns.column_of.tolist()
        return {item.paragraph_id: column for item, column in zip(self.paragraphs, columns, strict=True)}

    @functools.cached_property
    def copies(self) -> Mapping[int, tuple[str, ...]]:
        """Ids of the duplicates of each paragraph that has any, by column."""
        ids = [self.paragraphs[row].paragraph_id for row in self.columns.rows.tolist()]
        groups = ([column for column in line if column >= 0] for line in self.columns.twins.tolist())
        return {column: tuple(ids[other] for other in group if other != column) for group in groups for column in group}

    def books(self, book_name: str, settings: SearchSettings, hint: str = "") -> tuple[BookCandidate, ...]:
        """Return the documents that a name refers to, as in `SearchResult.books`.

        Args:
            hint: searched for a name if no name is given; else embedded in the same call as the name.
        """
        if settings.book_match == "off":
            return ()
        if settings.book_match == "stem":
            found = self.references.by_stem(book_name)
            return (found,) if found else ()
        return self.references.books(book_name, hint) if book_name.strip() else self.references.books_in(hint)


def ask(
    index: SearchIndex,
    name: str,
    query: Query,
    k: int,
    doc_ids: Callable[[], Sequence[str]] = tuple,
    *,
    deadline: float = math.inf,
    runner: Runner | None = None,
) -> Scored:
    """Run one strategy for one hint.

    A strategy that makes hits searches the course and each named document in parallel.

    Args:
        k: number of hits to ask for in each of these searches.
        doc_ids: returns the named documents; called after the search of the course starts.
        deadline: on the clock of `time.monotonic()`.
        runner: starts threads; None makes a new runner.

    Raises:
        SearchError: the strategy was late, or returned invalid hits or scores.
    """
    strategy, columns = index.strategies[name], index.columns
    if isinstance(strategy, Ranked):
        found = strategy.score(query, doc_ids())
        if np.isnan(found.log_odds).any() or not np.isfinite(found.scores).all():
            raise SearchError(name, "scores must be finite numbers, and log-odds must not be NaN")
        return Scored(name, found.scores[None, columns.rows], found.log_odds[None, columns.rows])
    runner = runner or Runner()
    wanted = k + columns.n_twins  # duplicates are merged later

    def start(doc_id: str) -> Call[Sequence[Hit]]:
        return runner.start(name, lambda: strategy.search(query, wanted, doc_id, deadline=deadline), deadline)

    calls = [start("")]
    calls += [start(doc_id) for doc_id in doc_ids()]
    best: dict[int, Hit] = {}  # keep the most relevant hit of each paragraph
    for call in reversed(calls):
        hits = call.value()
        if call.failure is not None:
            raise call.failure
        for hit in _checked(index, name, hits):
            column = index.column_of[hit.paragraph.paragraph_id]
            if column not in best or hit.relevance > best[column].relevance:
                best[column] = hit
    scores = np.full((1, len(columns.rows)), min((hit.score for hit in best.values()), default=0.0))
    log_odds = np.full((1, len(columns.rows)), NOT_FOUND)
    for column, hit in best.items():
        scores[0, column], log_odds[0, column] = hit.score, log_odds_of(hit.relevance)
    return Scored(name, scores, log_odds)


def _checked(index: SearchIndex, name: str, hits: object) -> Sequence[Hit]:
    """Check and return the hits of a user's strategy.

    Raises:
        SearchError: the hits are invalid.
    """
    if not isinstance(hits, Sequence) or not all(isinstance(hit, Hit) for hit in hits):
        raise SearchError(name, f"it must return a sequence of hits, got {str(hits)[:80]}")
    for hit in hits:
        if hit.paragraph.paragraph_id not in index.column_of:
            raise SearchError(name, f"it must return paragraphs of the course, got {hit.paragraph.paragraph_id!r}")
        if not all(isinstance(number, Real) and math.isfinite(number) for number in (hit.relevance, hit.score)):
            raise SearchError(name, f"relevance and score must be numbers, got {hit.relevance!r} and {hit.score!r}")
        if not 0.0 <= hit.relevance <= 1.0:
            raise SearchError(name, f"relevance must be within 0..1, got {hit.relevance}")
    return hits
