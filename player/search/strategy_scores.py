"""StrategyScores: ask one strategy for one hint, and bring its answer to the columns of the core."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np

from quarry.ingest.paragraph import Paragraph
from quarry.player.deadlines import Call
from quarry.player.errors import SearchError
from quarry.player.search.core import NOT_FOUND, Columns, Scored, log_odds_of
from quarry.player.search.index import SearchIndex
from quarry.player.search.strategies.ranking import Ranked
from quarry.player.search.types import Hit, Query, ScoreArrays, Stage


@dataclass(frozen=True, slots=True, eq=False)
class StrategyScores:
    """What a strategy has made of one hint.

    Attributes:
        strategy: whose marks these are: another's, where one could not finish what it makes of them.
        foreign: paragraphs that the course does not hold, at the rows that follow its last.
    """

    strategy: str
    marks: ScoreArrays
    foreign: tuple[Paragraph, ...] = ()
    embed_ms: float = 0.0


def marks_of(
    searched: SearchIndex,
    name: str,
    query: Query,
    k: int,
    doc_ids: Sequence[str] = (),
    *,
    deadline: float | None = None,
    call: Call[StrategyScores] | None = None,
) -> StrategyScores:
    """What one strategy makes of the course for one hint.

    Args:
        k: paragraphs wanted.
        doc_ids: of these documents as many again, where a strategy makes hits or looks at some paragraphs alone.
        call: is left what the strategy looks at again, in case that it is late.

    Raises:
        SearchError: what came is nonsense.
    """
    strategy = searched.strategies[name]
    if isinstance(strategy, Ranked):
        marks = strategy.score(query, k, doc_ids)
        if np.isnan(marks.log_odds).any() or not np.isfinite(marks.scores).all():
            raise SearchError(name, "scores must be numbers, got some that are none")
        return StrategyScores(name, marks)
    wanted = k + searched.columns.n_twins  # with room for those that will be folded
    scopes = [*doc_ids, ""]
    if isinstance(strategy, Stage) and call is not None:
        pool = max(wanted, strategy.pool)
        call.partial = _from_hits(
            searched, strategy.first.name, [strategy.first.search(query, pool, doc_id) for doc_id in scopes]
        )
    return _from_hits(searched, name, [strategy.search(query, wanted, doc_id, deadline=deadline) for doc_id in scopes])


def _from_hits(searched: SearchIndex, name: str, found: Sequence[Sequence[Hit]]) -> StrategyScores:
    """The hits of several scopes as marks; a paragraph of several counts where it is most relevant."""
    best: dict[str, Hit] = {}
    for hit in (hit for hits in found for hit in _sound(name, hits)):
        paragraph_id = hit.paragraph.paragraph_id
        if paragraph_id not in best or hit.relevance > best[paragraph_id].relevance:
            best[paragraph_id] = hit
    foreign = tuple(hit.paragraph for paragraph_id, hit in best.items() if paragraph_id not in searched.rows)
    row_of = {paragraph.paragraph_id: len(searched.paragraphs) + place for place, paragraph in enumerate(foreign)}
    marks = ScoreArrays(
        np.array([row_of.get(key, searched.rows.get(key, -1)) for key in best], dtype=np.int64),
        np.array([hit.score for hit in best.values()], dtype=np.float64),
        np.array([log_odds_of(hit.relevance) for hit in best.values()], dtype=np.float64),
    )
    return StrategyScores(name, marks, foreign)


def scored_of(marked: StrategyScores, columns: Columns, marks: ScoreArrays | None = None) -> Scored:
    """The marks of a strategy in the order of the columns, which hold all that it found of their paragraphs.

    Args:
        marks: its own, where their rows count in other paragraphs.
    """
    marks = marks or marked.marks
    if marks.rows is None:
        return Scored(marked.strategy, marks.scores[None, columns.rows], marks.log_odds[None, columns.rows])
    ours = np.flatnonzero(marks.rows < len(columns.column_of))  # the others are paragraphs that the course lacks
    ours = ours[columns.column_of[marks.rows[ours]] >= 0]
    at = columns.column_of[marks.rows[ours]]
    scores = np.full((1, len(columns.rows)), marks.scores.min(initial=0.0))
    log_odds = np.full((1, len(columns.rows)), NOT_FOUND)
    scores[0, at], log_odds[0, at] = marks.scores[ours], marks.log_odds[ours]
    return Scored(marked.strategy, scores, log_odds)


def _sound(name: str, hits: object) -> Sequence[Hit]:
    """The hits of somebody's strategy, if that is what they are.

    Raises:
        SearchError: they are not.
    """
    if not isinstance(hits, Sequence) or not all(isinstance(hit, Hit) for hit in hits):
        raise SearchError(name, f"it must return a sequence of hits, got {str(hits)[:80]}")
    for hit in hits:
        numbers = hit.relevance, hit.score
        if not all(isinstance(number, Real) and math.isfinite(number) for number in numbers):
            raise SearchError(name, f"relevance and score must be numbers, got {numbers[0]!r} and {numbers[1]!r}")
        if not 0.0 <= hit.relevance <= 1.0:
            raise SearchError(name, f"relevance must be within 0..1, got {hit.relevance}")
    return hits
