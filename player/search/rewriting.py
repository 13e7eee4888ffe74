"""A hint in other words, taken from what the first search found: pseudo-relevance feedback."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Sequence

from quarry.ingest.paragraph import Paragraph
from quarry.player.search.types import Hit, Query
from quarry.player.words import is_stop_word, words

N_HITS = 5
N_WORDS = 5
_LEAST_LETTERS = 4


class Feedback:
    """Adds to a hint the words that are frequent in the first hits and rare in the course.

    Args:
        paragraphs: the course.

    Reference:
        Abdul-Jaleel et al., UMass at TREC 2004: Novelty and HARD (RM3).
    """

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = paragraphs

    def rewrite(self, query: Query, hits: Sequence[Hit]) -> str:
        """The hint followed by five words of the first hits; "" where there are none."""
        weights: dict[str, float] = {}
        for hit in hits[:N_HITS]:
            counted = Counter(word for word in words(hit.paragraph.text) if self._tells(word))
            for word, count in counted.items():
                share = hit.relevance * count / counted.total()
                weights[word] = weights.get(word, 0.0) + share * self._rarity(word)
        said = set(words(query.hint))
        ranked = sorted(weights, key=lambda word: (-weights[word], word))
        added = [word for word in ranked if word not in said][:N_WORDS]
        return " ".join((query.hint, *added)) if added else ""

    def _rarity(self, word: str) -> float:
        return math.log(1.0 + len(self._paragraphs) / self._occurs_in[word])

    @functools.cached_property
    def _occurs_in(self) -> Counter[str]:
        return Counter(word for paragraph in self._paragraphs for word in set(words(paragraph.text)))

    @staticmethod
    def _tells(word: str) -> bool:
        return len(word) >= _LEAST_LETTERS and word.isalpha() and not is_stop_word(word)
