"""CascadeStep: what one step of the cascade found for one query, and the hits that it returns."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quarry.ingest.arrays import AnyFloatArray, BoolArray, IntArray
from quarry.ingest.paragraph import Paragraph
from quarry.player.search.core import NOT_FOUND, Columns, Scored, probabilities
from quarry.player.search.types import Hit, Step

_IN_BOOK, _IN_COURSE = "in the resolved book", "over the whole course"


@dataclass(frozen=True, eq=False)
class CascadeStep:
    """One step of the cascade, for one query.

    Attributes:
        hint: that was searched for.
        paragraphs: that `columns.rows` counts in.
        log_odds: (n_columns,) at last, twins folded.
        chosen: (n_chosen,) columns that are returned, in order.
        of_book: (n_chosen,) whether each stands in a book's slot.
        inside: (n_columns,) whether each stands in a named book.
        filters: whether the slots are shared out between those and the rest.
        fused: what the strategies found, as one.
        scored: each strategy's.
        why: what is said of every hit.
    """

    name: Step
    hint: str
    paragraphs: Sequence[Paragraph]
    columns: Columns
    log_odds: AnyFloatArray
    chosen: IntArray
    of_book: BoolArray
    inside: BoolArray
    filters: bool
    fused: Scored
    scored: Sequence[Scored]
    lift: float
    why: str = ""

    @property
    def best(self) -> float:
        """Log-odds of the best paragraph that is returned."""
        return float(self.log_odds[self.chosen].max(initial=NOT_FOUND))

    def hits(self, level: float, places: range | None = None) -> tuple[Hit, ...]:
        """The hits at some places, or at all of them.

        Args:
            level: log-odds from which one counts as relevant.
        """
        chosen = slice(None) if places is None else np.array(places, dtype=np.int64)
        columns, of_book = self.chosen[chosen], self.of_book[chosen]
        log_odds = self.log_odds[columns]
        found = [
            [f"rank {rank} by {item.strategy}" if there else "" for rank, there in zip(ranks, known, strict=True)]
            for item, places_of in zip(self.scored, self._ranks, strict=True)
            for ranks in [np.where(of_book, places_of[1][columns], places_of[0][columns]).tolist()]
            for known in [(item.log_odds[0, columns] > NOT_FOUND).tolist()]
        ]
        course, book = self._fused_ranks
        return tuple(
            Hit(
                self.paragraphs[row],
                score,
                relevance,
                rank,
                self.fused.strategy,
                "book" if in_book else "global",
                f"{', '.join(filter(None, who))}, {_IN_BOOK if in_book else _IN_COURSE}{self.why}",
                relevant,
            )
            for row, score, relevance, rank, in_book, relevant, *who in zip(
                self.columns.rows[columns].tolist(),
                self.fused.scores[0, columns].tolist(),
                probabilities(log_odds).tolist(),
                np.where(of_book, book[columns], course[columns]).tolist(),
                of_book.tolist(),
                (log_odds >= level).tolist(),
                *found,
                strict=True,
            )
        )

    @functools.cached_property
    def _ranks(self) -> list[tuple[IntArray, IntArray]]:
        return [self._ranks_of(item) for item in self.scored]

    @functools.cached_property
    def _fused_ranks(self) -> tuple[IntArray, IntArray]:
        return self._ranks[0] if len(self.scored) == 1 else self._ranks_of(self.fused)

    def _ranks_of(self, item: Scored) -> tuple[IntArray, IntArray]:
        """(n_columns,) places from 1 in a strategy's own order, over the course and among the named books."""
        order = np.argsort(np.where(item.log_odds[0] > NOT_FOUND, -item.scores[0], np.inf), kind="stable")
        course, book = np.empty((2, len(order)), dtype=np.int64)
        course[order] = np.arange(1, len(order) + 1)
        book[order] = np.cumsum(self.inside[order])
        return course, book
