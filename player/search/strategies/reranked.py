"""Re-ranking: the first hits of another strategy, in the order of a model that reads hint and paragraph together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from cachetools import LRUCache

from quarry.ingest.arrays import Float64Array
from quarry.ingest.paragraph import Paragraph
from quarry.player.errors import LateStrategyError
from quarry.player.search.core import log_odds_of as log_odds
from quarry.player.search.core import probability
from quarry.player.search.cross_encoder import Pair
from quarry.player.search.types import Hit, Query, Strategy

Scorer = Callable[[Sequence[Pair]], Float64Array]
"""Pairs -> their logits, higher is better."""

BATCH = 8
"""Pairs that are scored between two looks at the clock."""
KEPT_SCORES = 4096
"""Scores kept, since one search asks for a book's hits and for the course's, which overlap."""


class Reranked:
    """The hits of a first strategy, the best of them re-ranked.

    A hit's score is its logit, and its relevance the probability that the model gives it, which is not fitted on games
    as that of other strategies is. Hits beyond the pool follow in their first order, behind by as many log-odds as they
    were.

    Args:
        first: finds the hits.
        scorer: re-ranks them.
        pool: hits that are re-ranked.
    """

    def __init__(self, first: Strategy, scorer: Scorer, pool: int) -> None:
        self.first = first
        self._scorer = scorer
        self.pool = pool
        self._scores: LRUCache[tuple[str, str], float] = LRUCache(KEPT_SCORES)
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Always "reranked"."""
        return "reranked"

    def prepare(self, query: Query) -> None:
        """As the first strategy does."""
        self.first.prepare(query)

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> Sequence[Hit]:
        """At most k hits, highest logit first; only paragraphs of `doc_id` if one is given.

        Raises:
            LateStrategyError: the deadline came before all of the pool was scored.
        """
        found = self.first.search(query, max(k, self.pool), doc_id, deadline=deadline)
        pool, rest = found[: self.pool], found[self.pool :]
        if not pool:
            return []
        scores = self._scored(query.hint, [hit.paragraph for hit in pool], deadline)
        lowest, last = min(scores), log_odds(pool[-1].relevance)
        scores += [lowest + log_odds(hit.relevance) - last for hit in rest]
        order = sorted(range(len(found)), key=lambda row: (-scores[row], found[row].paragraph.paragraph_id))
        return [
            replace(
                found[row],
                score=scores[row],
                relevance=probability(scores[row]),
                rank=rank,
                strategy=self.name,
                why=f"rank {rank} by {self.name}, rank {found[row].rank} by {found[row].strategy}",
            )
            for rank, row in enumerate(order[:k], 1)
        ]

    def _scored(self, hint: str, paragraphs: Sequence[Paragraph], deadline: float | None) -> list[float]:
        """The logit of each paragraph; what was scored lately is not scored again."""
        texts = {item.paragraph_id: item.text for item in paragraphs}
        with self._lock:
            known = {key: self._scores[hint, key] for key in texts if (hint, key) in self._scores}
        missing = [key for key in texts if key not in known]
        for start in range(0, len(missing), BATCH):
            if deadline is not None and time.monotonic() > deadline:
                done = len(texts) - len(missing) + start
                raise LateStrategyError(self.name, f"{done} of {len(texts)} pairs scored by search.deadline_s")
            batch = missing[start : start + BATCH]
            known |= zip(batch, self._scorer([(hint, texts[key]) for key in batch]).tolist(), strict=True)
        with self._lock:
            self._scores.update({(hint, key): known[key] for key in missing})
        return [known[item.paragraph_id] for item in paragraphs]
