"""Hits of a ranking, with their reasons in words, and the order of the whole course for a game."""

from dataclasses import dataclass

import numpy as np

from configs.settings import SearchSettings
from player.search.index import SearchIndex
from player.search.rank import FARTHEST, Ranking, probability, threshold_log_odds
from player.search.results import (
    NOT_FOUND,
    BookCandidate,
    CourseRanking,
    Hit,
    ScoreArrays,
    StepName,
)
from quarry.arrays import BoolArray

AS_FALLBACK = ", as a fallback"
IN_BOOK, IN_COURSE = "in the resolved book", "over the whole course"
NOT_FOUND_BY_SEARCH = "not found by the search, kept in the belief"
"""Reason of a hit that a game gets because it asks for every paragraph."""


@dataclass(frozen=True, eq=False)
class HitMaker:
    """Makes the hits of a ranking.

    Attributes:
        inside: (n_paragraphs,) whether a paragraph is in the named book.
    """

    ranking: Ranking
    index: SearchIndex
    settings: SearchSettings
    inside: BoolArray

    def hits(self) -> tuple[Hit, ...]:
        """Return the hits in order."""
        ranking = self.ranking
        hits = []
        for row, is_book in zip(ranking.hits.tolist(), ranking.in_book, strict=True):
            hits.append(self.hit(row, is_book=is_book))
        return tuple(hits)

    def hit(self, row: int, *, is_book: bool) -> Hit:
        """Make the hit of a paragraph, in a slot of the book or of the course."""
        ranking = self.ranking
        ranks = {}
        for name, item in ranking.scored.items():
            if item.log_odds[row] > NOT_FOUND:
                ranks[name] = self._rank(item, row, is_book=is_book)
        reasons = [f"rank {rank} by {name}" for name, rank in ranks.items()]
        why = ", ".join([*reasons, IN_BOOK if is_book else IN_COURSE])

        strategy = ranking.strategy
        if strategy not in ranking.scored:
            ranks[strategy] = self._rank(ranking.fused, row, is_book=is_book)
        elif strategy not in ranks:
            # of the first step, in a slot that keywords left
            (strategy,) = ranks
        elif ranking.is_fallback:
            why += AS_FALLBACK

        relevance = float(ranking.fused.relevance[row])
        return Hit(
            paragraph=self.index.paragraphs[row],
            score=float(ranking.fused.scores[row]),
            relevance=probability(relevance),
            rank=ranks[strategy],
            strategy=strategy,
            slot="book" if is_book else "global",
            why=why,
            relevant=relevance >= threshold_log_odds(self.settings.threshold),
            same_as=self.index.copies(row),
        )

    def _rank(self, item: ScoreArrays, row: int, *, is_book: bool) -> int:
        """Return the rank from 1 of a paragraph, in the named book or in the course, by the scores of a strategy."""
        is_ranked = item.log_odds > NOT_FOUND
        if is_book:
            is_ranked = is_ranked & self.inside
        scores = np.where(is_ranked, item.scores, NOT_FOUND)
        n_better = (scores > scores[row]).sum() + (scores[:row] == scores[row]).sum()
        return 1 + int(n_better)

    def answered_by(self, book: BookCandidate | None) -> StepName:
        """Return the name of the step that found the relevant hits; the step of the named book goes first."""
        ranking = self.ranking
        if ranking.level != "relevant":
            return ranking.level
        if ranking.is_fallback:
            return "fallback"
        threshold = threshold_log_odds(self.settings.threshold)
        relevant = ranking.hits[ranking.fused.relevance[ranking.hits] >= threshold]
        if book is None or book.tier == "none":
            return "original"
        return book.tier if self.inside[relevant].any() else "original"


def course_ranking(
    index: SearchIndex, maker: HitMaker | None, k: int | None
) -> CourseRanking:
    """Rank the paragraphs of a course: hits, then others that were found, of a book that filters first, then the rest.

    Args:
        maker: makes the hits; None if nothing was found.
        k: maximal number of paragraphs; None takes the hits alone, or without hits all.
    """
    n = len(index.paragraphs)
    hits, log_odds = np.empty(0, dtype=np.int64), np.full(n, NOT_FOUND)
    order, in_book = log_odds, np.zeros(n, dtype=np.bool_)
    if maker is not None:
        ranking = maker.ranking
        hits, order, log_odds = ranking.hits, ranking.order, ranking.fused.log_odds
        in_book = ranking.in_filter

    is_found = order > NOT_FOUND
    n_found = int(is_found.sum())
    rank_of_hit = np.full(n, n)
    rank_of_hit[hits] = np.arange(len(hits))
    rows = np.lexsort((-order, ~(in_book & is_found), ~is_found, rank_of_hit))
    if k is None and len(hits):
        k = n_found = len(hits)
    rows = rows[:k]
    log_odds = log_odds - log_odds.max(initial=-FARTHEST)

    def hit(number: int) -> Hit:
        row = int(rows[number])
        if maker is not None and number < n_found:
            return maker.hit(row, is_book=bool(in_book[row]))
        return Hit(
            paragraph=index.paragraphs[row],
            score=0.0,
            relevance=0.0,
            rank=number - n_found + 1,
            strategy="course",
            slot="global",
            why=NOT_FOUND_BY_SEARCH,
            relevant=False,
        )

    return CourseRanking(
        course=index.paragraphs,
        rows=rows,
        log_odds=np.maximum(log_odds[rows], -FARTHEST),
        hit=hit,
        pieces=index.pieces,
    )
