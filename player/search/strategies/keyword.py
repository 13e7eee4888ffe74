"""Keyword search: BM25 over stemmed words of paragraph, headings and title."""

from __future__ import annotations

import functools
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ingest.paragraph import Paragraph
from player.search.core import NOT_FOUND, Floats
from player.search.strategies.ranking import Ranked
from player.search.threshold import DEFAULT_EMBEDDER, KeywordCalibration, calibration_of
from player.search.types import Marks, Query, nothing_found
from player.words import stems

K1, B = 1.5, 0.75


@dataclass(frozen=True, slots=True)
class _Index:
    """BM25 over a course.

    Attributes:
        idf: of each stem; `unknown_idf` of those that do not occur.
    """

    scorer: Any
    idf: Mapping[str, float]
    unknown_idf: float

    def highest(self, words: Sequence[str]) -> float:
        """The score that a paragraph would come near if it held every word many times, above 0."""
        return sum(self.idf.get(word, self.unknown_idf) for word in words)


class Keyword(Ranked):
    """Paragraphs by BM25 with the hint's words, those of the headings and the lecture's title counting as their own.

    Args:
        paragraphs: what is searched.
        titles: of the lectures, by doc_id; "" or none where it is not known.
        calibration: of its scores.

    Reference:
        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; Lucene's idf.
    """

    def __init__(
        self,
        paragraphs: Sequence[Paragraph],
        titles: Mapping[str, str] | None = None,
        calibration: KeywordCalibration | None = None,
    ) -> None:
        super().__init__(paragraphs)
        self._titles = titles or {}
        self._calibration = calibration or calibration_of(DEFAULT_EMBEDDER).keyword
        self._lock = threading.Lock()

    @functools.cached_property
    def _built(self) -> _Index:
        """The index, built when first needed: most searches of the game never ask for it."""
        import bm25s

        texts = [stems(_searched_text(paragraph, self._titles)) for paragraph in self._paragraphs]
        scorer = bm25s.BM25(method="lucene", k1=K1, b=B)
        scorer.index(texts, show_progress=False)
        occurs_in = Counter(stem for text in texts for stem in set(text))
        idf = {stem: _idf(len(texts), count) for stem, count in occurs_in.items()}
        return _Index(scorer, idf, _idf(len(texts), 0))

    @property
    def name(self) -> str:
        """Always "keyword"."""
        return "keyword"

    def prepare(self, query: Query) -> None:
        """Nothing: stemming a hint costs less than looking it up."""

    def load(self) -> None:
        """Build the index."""
        with self._lock:
            _ = self._built

    def score(self, query: Query, k: int, doc_ids: Sequence[str] = ()) -> Marks:
        """What it makes of every paragraph; those that share no word with the hint are not found."""
        share, scores = self.scores(query.hint)
        found = scores > 0.0
        if not found.any():
            return nothing_found(len(scores))
        best = self._calibration.bias + self._calibration.share * share
        log_odds = best + self._calibration.nats * (scores - scores.max())
        return Marks(None, scores, np.where(found, log_odds, NOT_FOUND))

    def scores(self, hint: str) -> tuple[float, Floats]:
        """The highest score as a share of the highest that there could be, and (n_paragraphs,) the score of each."""
        words = stems(hint)
        self.load()
        index = self._built
        if not words:
            return 0.0, np.zeros(len(self._paragraphs))
        scores: Floats = np.asarray(index.scorer.get_scores(words), dtype=np.float64)
        return float(scores.max()) / index.highest(words), scores


def _searched_text(paragraph: Paragraph, titles: Mapping[str, str]) -> str:
    """The paragraph with the headings that it stands under and its lecture's title."""
    above = paragraph.section or ((paragraph.heading,) if paragraph.heading else ())
    return "\n".join((paragraph.text, *above, titles.get(paragraph.doc_id, "")))


def _idf(n_paragraphs: int, n_occurs_in: int) -> float:
    return float(np.log(1.0 + (n_paragraphs - n_occurs_in + 0.5) / (n_occurs_in + 0.5)))
