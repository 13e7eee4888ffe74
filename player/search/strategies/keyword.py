"""Keyword search: BM25 over stemmed words of paragraph, headings and title."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import regex

from quarry.ingest.arrays import AnyFloatArray
from quarry.ingest.paragraph import Paragraph
from quarry.player.search.calibration import DEFAULT_EMBEDDER, KeywordCalibration, calibration_of
from quarry.player.search.core import NOT_FOUND
from quarry.player.search.strategies.ranking import Ranked
from quarry.player.search.types import Query, ScoreArrays, nothing_found
from quarry.player.words import is_stop_word, stems, words

K1, B = 1.5, 0.75
RARE = 5
"""Paragraphs that hold a word at most for it to be looked for by itself."""
LEAST_PART = 3
"""Letters of a part of a word from which it may be a name by itself."""
_APOSTROPHES = regex.compile(r"['’׳״\"]")
_WITHIN = regex.compile(r"(?<=[^.!?:;\s][\s]+[\p{Pi}\p{Ps}\"']?)\p{L}[\p{L}\p{M}\p{N}'’-]*")
"""Words that do not begin a sentence."""


@dataclass(frozen=True, slots=True)
class _Index:
    """BM25 over a course.

    Attributes:
        idf: of each stem; `unknown_idf` of those that do not occur.
        rare: rows of the paragraphs that hold a word, for words that at most `RARE` of them do.
    """

    scorer: Any
    idf: Mapping[str, float]
    unknown_idf: float
    rare: Mapping[str, frozenset[int]]

    def highest(self, said: Sequence[str]) -> float:
        """The score that a paragraph would come near if it held every word many times, above 0."""
        return sum(self.idf.get(word, self.unknown_idf) for word in said)


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

        texts = [_stems(_searched_text(paragraph, self._titles)) for paragraph in self._paragraphs]
        scorer = bm25s.BM25(method="lucene", k1=K1, b=B)
        scorer.index(texts, show_progress=False)
        holders: dict[str, list[int]] = {}
        for row, text in enumerate(texts):
            for stem in set(text):
                holders.setdefault(stem, []).append(row)
        occurs_in = {stem: len(rows) for stem, rows in holders.items()}
        spelt: dict[str, list[int]] = {}
        for row, paragraph in enumerate(self._paragraphs):
            for word in _spelt(paragraph.text):
                spelt.setdefault(word, []).append(row)
        rare = {word: frozenset(rows) for word, rows in spelt.items() if len(rows) <= RARE}
        idf = {stem: _idf(len(texts), count) for stem, count in occurs_in.items()}
        return _Index(scorer, idf, _idf(len(texts), 0), rare)

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

    def score(self, query: Query, k: int, doc_ids: Sequence[str] = ()) -> ScoreArrays:
        """What it makes of every paragraph; those that share no word with the hint are not found."""
        share, scores = self.scores(query.hint)
        found = scores > 0.0
        if not found.any():
            return nothing_found(len(scores))
        best = self._calibration.bias + self._calibration.share * share
        log_odds = best + self._calibration.nats * (scores - scores.max())
        return ScoreArrays(None, scores, np.where(found, log_odds, NOT_FOUND))

    def rare(self, hint: str) -> dict[str, frozenset[int]]:
        """The rows that hold each of a hint's words which hardly any paragraph of the course has, by word."""
        self.load()
        rare = self._built.rare
        return {word: rare[word] for word in _spelt(hint) if word in rare and not is_stop_word(word)}

    def is_name(self, word: str, rows: Iterable[int]) -> bool:
        """Whether these paragraphs write a word with a capital wherever it does not begin a sentence."""
        inside = [
            match.group()[0].isupper()
            for row in rows
            for match in _WITHIN.finditer(self._paragraphs[row].text)
            if word in _spelt(match.group())
        ]
        return bool(inside) and all(inside)

    def scores(self, hint: str) -> tuple[float, AnyFloatArray]:
        """The highest score as a share of the highest that there could be, and (n_paragraphs,) the score of each."""
        said = _stems(hint)
        self.load()
        index = self._built
        if not said:
            return 0.0, np.zeros(len(self._paragraphs))
        scores: AnyFloatArray = np.asarray(index.scorer.get_scores(said), dtype=np.float64)
        return float(scores.max()) / index.highest(said), scores


def _stems(text: str) -> list[str]:
    # the stemmer knows the straight apostrophe of a genitive alone
    return stems(text.replace("’", "'"))


def _spelt(text: str) -> set[str]:
    """The words of a text as they are spelt, and the parts of those with an apostrophe: "d'Amiens", "Codd's"."""
    found = set(words(text))
    return found | {part for word in found for part in _APOSTROPHES.split(word) if len(part) >= LEAST_PART}


def _searched_text(paragraph: Paragraph, titles: Mapping[str, str]) -> str:
    """The paragraph with the headings that it stands under and its lecture's title."""
    above = paragraph.section or ((paragraph.heading,) if paragraph.heading else ())
    return "\n".join((paragraph.text, *above, titles.get(paragraph.doc_id, "")))


def _idf(n_paragraphs: int, n_occurs_in: int) -> float:
    return float(np.log(1.0 + (n_paragraphs - n_occurs_in + 0.5) / (n_occurs_in + 0.5)))
