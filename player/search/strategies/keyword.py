"""Keyword search: BM25 over stemmed words of paragraphs, headings and titles."""

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
from quarry.ingest.store.course import cached
from quarry.player.search.calibration import DEFAULT_EMBEDDER, KeywordCalibration, calibration_of
from quarry.player.search.core import NOT_FOUND
from quarry.player.search.postings import Postings
from quarry.player.search.strategies.strategy import Strategy
from quarry.player.search.types import Query, ScoreArrays, nothing_found
from quarry.player.words import is_stop_word, stems, words

K1, B = 1.5, 0.75
RARE = 5
"""A rare word is in at most so many paragraphs; a single common word makes no paragraph relevant."""
MOST_FOR_COMMON_WORD = -2.0
"""Log-odds are at most this if the words shared by hint and best paragraph have less idf than one rare word."""
LEAST_PART = 3
"""A part of a word must have at least so many letters to be searched for."""
_APOSTROPHES = regex.compile(r"['’׳״\"]")
_WITHIN = regex.compile(r"(?<=[^.!?:;\s][\s]+[\p{Pi}\p{Ps}\"']?)\p{L}[\p{L}\p{M}\p{N}'’-]*")
"""This matches words that do not begin a sentence."""


@dataclass(frozen=True, slots=True)
class _Index:
    """BM25 over a course.

    Attributes:
        idf: idf of each stem; `unknown_idf` is that of stems that do not occur.
        holders: rows of the paragraphs with a stem in text, headings or title.
        in_text: rows of the paragraphs with an unstemmed word in the text.
        above: rows of the paragraphs with an unstemmed word in a heading or the title.
    """

    scorer: Any
    idf: Mapping[str, float]
    unknown_idf: float
    holders: Postings
    in_text: Postings
    above: Postings

    def rows(self, word: str) -> frozenset[int]:
        """Return the rows with an unstemmed word in text, headings or title."""
        return frozenset().union(*(known[word].tolist() for known in (self.in_text, self.above) if word in known))

    def containing(self, part: str) -> frozenset[int]:
        """Return the rows with a word that contains `part` in text, headings or title."""
        return frozenset().union(*(self.rows(word) for word in {*self.in_text, *self.above} if part in word))


class Keyword(Strategy):
    """Keyword search by BM25; the words of headings and the lecture's title count as the paragraph's.

    Args:
        paragraphs: the course.
        titles: titles of the lectures, by doc_id; "" or missing if unknown.
        calibration: fitted numbers of its scores.

    Reference:
        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; Lucene's idf.
    """

    name = "keyword"

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
        """The index, built on first use: most searches of the game do not need it."""
        return cached(self._paragraphs, f"keyword {sorted(self._titles.items())}", self._build)

    def _build(self) -> _Index:
        import bm25s

        above = ["\n".join(_above(paragraph, self._titles)) for paragraph in self._paragraphs]
        texts = [_stems(f"{paragraph.text}\n{over}") for paragraph, over in zip(self._paragraphs, above, strict=True)]
        scorer = bm25s.BM25(method="lucene", k1=K1, b=B)
        scorer.index(texts, show_progress=False)
        holders = Postings(texts)
        return _Index(
            scorer,
            {stem: _idf(len(texts), len(rows)) for stem, rows in holders.items()},
            _idf(len(texts), 0),
            holders,
            Postings(_spelt(paragraph.text) for paragraph in self._paragraphs),
            Postings(map(_spelt, above)),
        )

    def load(self) -> None:
        """Build the index."""
        with self._lock:
            _ = self._built

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Score every paragraph; those that share no word with the hint are not found.

        In the mode "fallback", a word that occurs nowhere also matches words that contain it, as ILIKE does.
        """
        share, scores, evidence = self._scored(query.hint, parts=query.keywords == "fallback")
        found = scores > 0.0
        if not found.any():
            return nothing_found(len(scores))
        best = self._calibration.bias + self._calibration.share * share
        if evidence[scores.argmax()] < _idf(len(scores), RARE):
            best = min(best, MOST_FOR_COMMON_WORD)
        log_odds = best + self._calibration.nats * (scores - scores.max())
        return ScoreArrays(scores, np.where(found, log_odds, NOT_FOUND))

    def rare(self, hint: str, *, parts: bool = True) -> dict[str, frozenset[int]]:
        """Return the rows of each rare word of a hint, by word.

        A word is rare if at most `RARE` paragraphs hold it in their text; it may be only in headings and titles.

        Args:
            parts: include words that occur nowhere, but are parts of other words.
        """
        self.load()
        index = self._built
        found = {}
        for word in _spelt(hint):
            if is_stop_word(word):
                continue
            n_texts, rows = len(index.in_text.get(word, ())), index.rows(word)
            if parts and not rows and len(word) >= LEAST_PART:
                rows = index.containing(word)
            if n_texts <= RARE and rows:
                found[word] = rows
        return found

    def is_name(self, word: str, rows: Iterable[int]) -> bool:
        """Return whether a word has a capital in these paragraphs wherever it does not begin a sentence."""
        inside = [
            match.group()[0].isupper()
            for row in rows
            for match in _WITHIN.finditer(self._paragraphs[row].text)
            if word in _spelt(match.group())
        ]
        return bool(inside) and all(inside)

    def scores(self, hint: str) -> tuple[float, AnyFloatArray]:
        """Return the highest score as a share of the highest possible score, and (n_paragraphs,) the scores."""
        return self._scored(hint)[:2]

    def _scored(self, hint: str, *, parts: bool = False) -> tuple[float, AnyFloatArray, AnyFloatArray]:
        """Return `scores`, and (n_paragraphs,) the summed idf of the hint's content words in each paragraph."""
        said = _stems(hint)
        self.load()
        index, n = self._built, len(self._paragraphs)
        evidence = np.zeros(n)
        if not said:
            return 0.0, np.zeros(n), evidence
        scores: AnyFloatArray = np.asarray(index.scorer.get_scores(said), dtype=np.float64)
        highest = sum(index.idf.get(stem, index.unknown_idf) for stem in said)
        for word in set(words(hint)):
            for stem in () if is_stop_word(word) else _stems(word):
                if stem in index.holders:
                    evidence[index.holders[stem]] += index.idf[stem]
                elif parts and len(word) >= LEAST_PART and (rows := sorted(index.containing(word))):
                    rarity = _idf(n, len(rows))
                    evidence[rows] += rarity
                    scores[rows] += rarity / (1.0 + K1)  # as a word that occurs once in a paragraph of usual length
                    highest += rarity - index.unknown_idf
        return float(scores.max()) / highest, scores, evidence


def _stems(text: str) -> list[str]:
    # the stemmer recognises only the straight apostrophe
    return stems(text.replace("’", "'"))


def _spelt(text: str) -> set[str]:
    """Return the unstemmed words of a text, and the parts of words with an apostrophe: "d'Amiens"."""
    found = set(words(text))
    return found | {part for word in found for part in _APOSTROPHES.split(word) if len(part) >= LEAST_PART}


def _above(paragraph: Paragraph, titles: Mapping[str, str]) -> Sequence[str]:
    """Return the headings above a paragraph, and its lecture's title."""
    headings = paragraph.section or ((paragraph.heading,) if paragraph.heading else ())
    return *headings, titles.get(paragraph.doc_id, "")


def _idf(n_paragraphs: int, n_occurs_in: int) -> float:
    return float(np.log(1.0 + (n_paragraphs - n_occurs_in + 0.5) / (n_occurs_in + 0.5)))
