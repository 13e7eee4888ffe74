"""Keyword search: BM25 over stemmed words of paragraphs, headings and titles."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import regex

from ingest.arrays import AnyFloatArray
from ingest.paragraph import Paragraph
from ingest.store.cache import cached
from player.answer.associations import load_associations
from player.search.calibration import (
    DEFAULT_EMBEDDER,
    KeywordCalibration,
    calibration_of,
)
from player.search.postings import Postings
from player.search.slots import NOT_FOUND
from player.search.strategies.strategy import Strategy
from player.search.types import Query, ScoreArrays, nothing_found
from player.words import has_capitals, is_stop_word, stems, words, written_words

K1, B = 1.5, 0.75
RARE = 5
"""A rare word is in at most so many paragraphs."""
COMMON_WORD, RARE_WORD, TERM, ALL_WORDS = -2.0, 0.0, 1.5, 1.7
"""Log-odds of paragraphs that hold a common word of the hint, a rare one, a term, or all words.

Of the questions of SQuAD, the best paragraph with a term is right for .83, the best with all words for .84.
"""
A_LEVEL = 1e3
"""Paragraphs are ordered by this level first; so many log-odds are more than scores, books and kinds add up to."""
MOST_WITH_TERM = 20
"""A word in more paragraphs is no term of this course."""
LEAST_PART = 3
"""A part of a word must have at least so many letters to be searched for."""
_APOSTROPHES = regex.compile(r"['’׳״\"]")
_LATIN = regex.compile(r"\p{Latin}")


@dataclass(frozen=True, slots=True)
class _Index:
    """BM25 over a course.

    Attributes:
        holders: rows of the paragraphs with a stem in text, headings or title.
        in_text: rows of the paragraphs with an unstemmed word in the text.
        above: rows of the paragraphs with an unstemmed word in a heading or the lecture's first name.
        named: rows of the paragraphs with an unstemmed word in another name of the lecture.

    Words with capitals after their first letter are also indexed as they are written.
    """

    scorer: Any
    holders: Postings
    in_text: Postings
    above: Postings
    named: Postings

    def rows(self, word: str, *, names: bool = True) -> frozenset[int]:
        """Return the rows with an unstemmed word in text, headings or names.

        Args:
            names: include names of the lecture apart from the first.
        """
        places = (self.in_text, self.above, self.named)[: 3 if names else 2]
        found = (known[word].tolist() for known in places if word in known)
        return frozenset().union(*found)

    def containing(self, part: str) -> frozenset[int]:
        """Return the rows with a word that contains `part` in text, headings or names."""
        return frozenset().union(
            *(
                self.rows(word)
                for word in {*self.in_text, *self.above, *self.named}
                if part in word
            )
        )


class Keyword(Strategy):
    """Keyword search by BM25; the words of headings and the lecture's first name count as the paragraph's.

    Args:
        paragraphs: the course.
        names: names of the lectures, by doc_id; missing if unknown.
        calibration: fitted numbers of its scores.

    Reference:
        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; Lucene's idf.
    """

    name = "keyword"

    def __init__(
        self,
        paragraphs: Sequence[Paragraph],
        names: Mapping[str, Sequence[str]] | None = None,
        calibration: KeywordCalibration | None = None,
    ) -> None:
        super().__init__(paragraphs)
        self._names = names or {}
        self._calibration = calibration or calibration_of(DEFAULT_EMBEDDER).keyword
        self._lock = threading.Lock()

    @functools.cached_property
    def _built(self) -> _Index:
        """The index, built on first use: most searches of the game do not need it."""
        return cached(
            self._paragraphs, f"keyword {sorted(self._names.items())}", self._build
        )

    def _build(self) -> _Index:
        import bm25s

        names = [
            self._names.get(paragraph.doc_id, ()) for paragraph in self._paragraphs
        ]
        above = [
            "\n".join((*_headings(paragraph), *known[:1]))
            for paragraph, known in zip(self._paragraphs, names, strict=True)
        ]
        texts = [
            _stems(f"{paragraph.text}\n{over}")
            for paragraph, over in zip(self._paragraphs, above, strict=True)
        ]
        scorer = bm25s.BM25(method="lucene", k1=K1, b=B)
        scorer.index(texts, show_progress=False)
        return _Index(
            scorer,
            Postings(texts),
            Postings(_indexed(paragraph.text) for paragraph in self._paragraphs),
            Postings(map(_indexed, above)),
            Postings(_indexed("\n".join(known[1:])) for known in names),
        )

    def load(self) -> None:
        """Build the index."""
        with self._lock:
            _ = self._built

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Score every paragraph; those that share no word with the hint are not found.

        In the mode "fallback" the hint is a list of keywords, see `_looked_up`.
        """
        self.load()
        if query.keywords == "fallback":
            return self._looked_up(query.hint)
        return self._ranked(query.hint)

    def rare(self, hint: str) -> list[frozenset[int]]:
        """Return the rows of each rare word of a hint.

        A word is rare if at most `RARE` paragraphs hold it in their text; it may be only in headings and names.
        """
        self.load()
        index = self._built
        found = (
            index.rows(word, names=False)
            for word in _spelt(hint)
            if not is_stop_word(word) and len(index.in_text.get(word, ())) <= RARE
        )
        return [rows for rows in found if rows]

    def _ranked(self, hint: str) -> ScoreArrays:
        """Score by BM25; relevance is calibrated on the share of the highest possible score."""
        index, n = self._built, len(self._paragraphs)
        said = _stems(hint)
        scores = self._bm25(said)
        found = scores > 0.0
        if not found.any():
            return nothing_found(n)

        evidence = np.zeros(n)
        content = {word for word in words(hint) if not is_stop_word(word)}
        for stem in (stem for word in content for stem in _stems(word)):
            if (rows := index.holders.get(stem)) is not None:
                evidence[rows] += _idf(n, len(rows))

        calibration = self._calibration
        highest = sum(_idf(n, len(index.holders.get(stem, ()))) for stem in said)
        relevance = calibration.bias + calibration.share * scores / highest
        is_common = evidence < _idf(n, RARE)
        relevance[is_common] = np.minimum(relevance[is_common], COMMON_WORD)
        return ScoreArrays(
            scores,
            np.where(found, calibration.nats * scores, NOT_FOUND),
            np.where(found, relevance, NOT_FOUND),
        )

    def _looked_up(self, hint: str) -> ScoreArrays:
        """Score by the words that a paragraph holds: as written, in any case, in another form, as a part of a word.

        The relevance of a paragraph depends on the words that it holds and not on their share of the hint: it is
        relevant if it holds all words, or a term. Terms are words that general language hardly uses.
        """
        n = len(self._paragraphs)
        said = dict.fromkeys(written_words(hint))
        content, terms = self._content(hint)
        scores = self._bm25(_stems(" ".join(content)))
        relevance = np.full(n, COMMON_WORD)
        n_held = np.zeros(n, dtype=np.int64)
        for word in said:
            forms = self._holders(word, parts=len(said) == 1)
            n_held[forms[-1]] += 1
            if word not in content:
                continue

            for rows in forms:  # a closer form outweighs how often a word occurs
                scores[rows] += _idf(n, len(forms[2]))
            nearest = next(filter(None, forms), [])
            if word in terms and len(nearest) <= MOST_WITH_TERM:
                relevance[nearest] = TERM
            elif len(nearest) <= RARE:
                relevance[nearest] = np.maximum(relevance[nearest], RARE_WORD)
        relevance[n_held == len(said)] = ALL_WORDS

        found = scores > 0.0
        log_odds = A_LEVEL * relevance + self._calibration.nats * scores
        return ScoreArrays(
            scores,
            np.where(found, log_odds, NOT_FOUND),
            np.where(found, relevance, NOT_FOUND),
        )

    def _content(self, hint: str) -> tuple[list[str], list[str]]:
        """Return the content words of a hint, as written, and the terms among them.

        A word in capitals that the course also writes so is a term, even if it is a stop word: "NEAR".
        """
        said = list(dict.fromkeys(written_words(hint)))
        is_shouted = hint.isupper() and len(said) > 1
        cased = [
            word
            for word in said
            if has_capitals(word) and not is_shouted and self._built.rows(word)
        ]
        content = [
            word for word in said if word in cased or not is_stop_word(word.casefold())
        ]
        terms = [word for word in content if word in cased or _is_uncommon(word)]
        is_foreign = 2 * len(terms) > len(content) + 1
        return content or said, [] if is_foreign else terms

    def _holders(self, word: str, *, parts: bool) -> list[list[int]]:
        """Return the rows with a word: as written, also in another case, in another form, as a part of a word.

        Args:
            parts: look for words that contain the word even if it occurs itself.
        """
        index, folded = self._built, word.casefold()
        stemmed = (index.holders.get(stem, ()) for stem in _stems(word))
        other_form = frozenset(int(row) for rows in stemmed for row in rows)
        found = [index.rows(word), index.rows(folded), other_form]
        if len(folded) >= LEAST_PART and (parts or not any(found)):
            found.append(index.containing(folded))
        return [sorted(frozenset().union(*found[:n])) for n in range(1, len(found) + 1)]

    def _bm25(self, said: Sequence[str]) -> AnyFloatArray:
        """Return (n_paragraphs,) the scores of stems."""
        if not said:
            return np.zeros(len(self._paragraphs))
        return np.asarray(self._built.scorer.get_scores(said), dtype=np.float64)


def _stems(text: str) -> list[str]:
    # the stemmer recognises only the straight apostrophe
    return stems(text.replace("’", "'"))


def _spelt(text: str) -> set[str]:
    """Return the unstemmed words of a text, and the parts of words with an apostrophe: "d'Amiens"."""
    found = set(words(text))
    return found | {
        part
        for word in found
        for part in _APOSTROPHES.split(word)
        if len(part) >= LEAST_PART
    }


def _indexed(text: str) -> set[str]:
    """Return the unstemmed words of a text, and those with capitals after the first letter also as written."""
    return _spelt(text) | set(filter(has_capitals, written_words(text)))


def _is_uncommon(word: str) -> bool:
    """Return whether a word with a Latin letter is not among the 26,000 common English words of the associations."""
    is_latin = len(word) > 1 and _LATIN.search(word) is not None
    return is_latin and not len(load_associations().rows_of(word))


def _headings(paragraph: Paragraph) -> Sequence[str]:
    """Return the headings above a paragraph."""
    return paragraph.section or ((paragraph.heading,) if paragraph.heading else ())


def _idf(n_paragraphs: int, n_occurs_in: int) -> float:
    return float(np.log(1.0 + (n_paragraphs - n_occurs_in + 0.5) / (n_occurs_in + 0.5)))
