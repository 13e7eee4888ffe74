"""Hits of a ranking, with their reasons in words, and the order of the whole course for a game."""

import functools
from dataclasses import dataclass

import numpy as np

from configs.settings import SearchSettings
from player.search.index import SearchIndex
from player.search.rank import FARTHEST, Ranking, probability, threshold_log_odds
from player.search.results import COURSE, NOT_FOUND, CourseOrder, Hit
from quarry.arrays import IntArray

AS_FALLBACK = ", as a fallback"
"""End of the reason of a hit that the fallback found."""
IN_BOOK = "in the resolved book"
"""Reason of a hit in a slot of the book."""
IN_COURSE = "over the whole course"
"""Reason of a hit in a slot of the course."""
NOT_FOUND_BY_SEARCH = "not found by the search, kept in the belief"
"""Reason of a hit that a game gets because it asks for every paragraph."""


@dataclass(frozen=True, eq=False)
class HitMaker:
    """Turns rows of a ranking into hits, with relevance, rank, slot and the reason in words."""

    ranking: Ranking
    index: SearchIndex
    settings: SearchSettings

    def hits(self) -> tuple[Hit, ...]:
        """Return the hits in order."""
        rows, in_book_slot = self.ranking.hits.tolist(), self.ranking.in_book_slot
        slots = zip(rows, in_book_slot, strict=True)
        return tuple(self.hit(row, is_book=is_book) for row, is_book in slots)

    def hit(self, row: int, *, is_book: bool) -> Hit:
        """Make the hit of a paragraph, in a slot of the book or of the course."""
        step = self.ranking
        names = step.found_by(row)
        if step.filler is not None and not names:
            step = step.filler  # it fills the slots that keywords leave empty
            names = step.found_by(row)

        rank_by = functools.partial(_strategy_rank, step, row, is_book=is_book)
        reasons = [f"rank {rank_by(name)} by {name}" for name in names]
        why = ", ".join([*reasons, IN_BOOK if is_book else IN_COURSE])
        if step.is_fallback:
            why += AS_FALLBACK

        log_odds = float(step.fused.relevance_log_odds[row])
        return Hit(
            paragraph=self.index.paragraphs[row],
            score=float(step.fused.scores[row]),
            relevance=probability(log_odds),
            strategy_rank=rank_by(step.strategy),
            strategy=step.strategy,
            slot="book" if is_book else "global",
            why=why,
            relevant=log_odds >= threshold_log_odds(self.settings.threshold),
            same_as=self.index.duplicates(row),
        )


def _strategy_rank(step: Ranking, row: int, name: str, *, is_book: bool) -> int:
    """Return the rank from 1 of a paragraph, in the named book or in the course, by a strategy or the fusion."""
    item = step.scored.get(name, step.fused)
    is_ranked = item.log_odds > NOT_FOUND
    if is_book:
        is_ranked = is_ranked & step.inside
    is_better = item.scores > item.scores[row]
    is_better[:row] |= item.scores[:row] == item.scores[row]
    return 1 + int(np.count_nonzero(is_better & is_ranked))


def order_course(maker: HitMaker) -> CourseOrder:
    """Order a course: hits, then other paragraphs that were found, of a book that filters first, then the rest."""
    index, ranking = maker.index, maker.ranking
    order = ranking.fused.log_odds
    is_found = order > NOT_FOUND
    in_filter = ranking.inside & (ranking.tier == "filter")
    position_of_hit = np.full(len(is_found), np.inf)
    position_of_hit[ranking.hits] = np.arange(len(ranking.hits))
    rows = np.lexsort((-order, ~(in_filter & is_found), ~is_found, position_of_hit))
    # the belief has a prior of its own for kinds
    log_odds = order - maker.settings.kind_weight * index.kind_log_odds
    log_odds = log_odds - log_odds.max(initial=-FARTHEST)
    positions = np.argsort(rows)
    is_book = in_filter.copy()
    is_book[ranking.hits] = ranking.in_book_slot

    def best_hit(paragraph_rows: IntArray) -> Hit:
        number = int(positions[paragraph_rows].min(initial=len(rows) - 1))
        row = int(rows[number])
        if is_found[row]:
            return maker.hit(row, is_book=bool(is_book[row]))

        return Hit(
            paragraph=index.paragraphs[row],
            score=0.0,
            relevance=0.0,
            strategy_rank=number + 1 - int(is_found.sum()),
            strategy=COURSE,
            why=NOT_FOUND_BY_SEARCH,
            relevant=False,
        )

    return CourseOrder(
        paragraphs=index.paragraphs,
        rows=rows,
        log_odds=np.maximum(log_odds[rows], -FARTHEST),
        best_hit=best_hit,
        pieces=index.pieces,
    )
