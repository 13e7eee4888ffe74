"""Keyword search: BM25 over stemmed words of paragraphs, headings and titles."""

import functools
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import regex
from numpy.typing import NDArray

from player.search.course_words import InvertedIndex, paragraph_stems
from player.search.results import Query, ScoreArrays, nothing_found, scores_where
from player.search.strategies.strategy import Strategy, StrategyInputs
from quarry.arrays import AnyFloatArray
from quarry.languages.registry import language_of_word
from quarry.languages.words import (
    has_capitals,
    is_common,
    is_stop_word,
    stems,
    words,
    written_words,
)
from quarry.store import Course

K1 = 1.5
"""BM25's saturation of counts."""
B = 0.75
"""BM25's weight of a paragraph's length."""
RARE = 5
"""Maximum number of paragraphs that hold a rare word."""
COMMON_WORD_LOG_ODDS = -2.0
"""Log-odds of relevance of a paragraph that holds a common word of the hint."""
RARE_WORD_LOG_ODDS = 0.0
"""Log-odds of relevance of a paragraph that holds a rare word."""
TERM_LOG_ODDS = 1.5
"""Log-odds of relevance of a paragraph with a term. Of SQuAD's questions, the best such paragraph is right for .83."""
ALL_WORDS_LOG_ODDS = 1.7
"""Log-odds of relevance of a paragraph with all words. Of SQuAD's questions, the best one is right for .84."""
LOG_ODDS_FACTOR = 1e3
"""Factor of the log-odds of relevance in the order: more than scores, books and kinds add up to."""
MAX_WITH_TERM = 20
"""Maximum number of paragraphs that hold a term; a word in more paragraphs is no term of this course."""
MIN_LETTERS_OF_PART = 3
"""Minimum number of letters of a part of a word that is searched for."""
PART = 1
"""Closeness of a longer word that contains a word of the hint; forms of the word itself are closer."""
_APOSTROPHES = regex.compile(r"['’׳״\"]")
"""An apostrophe within a word."""
_KNOWN_SCRIPT = regex.compile(r"[\p{Latin}\p{Hebrew}]")
"""A letter of the scripts whose common words are known."""


@dataclass(frozen=True, slots=True)
class _Index:
    """BM25 over a course.

    Attributes:
        stems: the stems in text, headings or the lecture's first name of each paragraph.
        words: the unstemmed words in text, headings or any name of the lecture. Words with capitals after their first
            letter are also indexed as they are written.
    """

    scorer: Any
    stems: InvertedIndex
    words: InvertedIndex


class Keyword(Strategy):
    """Keyword search by BM25; the words of headings and the lecture's first name count as the paragraph's.

    Reference:
        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; Lucene's idf.
    """

    def __init__(self, course: Course, inputs: StrategyInputs) -> None:
        super().__init__(course.paragraphs)
        self._names: dict[str, list[str]] = {}
        for document in course.documents:
            names = self._names.setdefault(document.same_as or document.doc_id, [])
            names += [alias.text for alias in document.aliases]
        self._calibration = inputs.calibration.keyword
        self._lock = threading.Lock()

    @functools.cached_property
    def _index(self) -> _Index:
        """The index, built on first use: most searches of the game do not need it."""
        import bm25s

        stemmed, written = [], []
        by_paragraph = paragraph_stems(tuple(self._paragraphs))
        for paragraph, in_text in zip(self._paragraphs, by_paragraph, strict=True):
            names = self._names.get(paragraph.doc_id, ())
            headings = paragraph.section or (paragraph.heading,)
            stemmed.append([*in_text, *stems("\n".join((*headings, *names[:1])))])
            written.append(_indexed("\n".join((paragraph.text, *headings, *names))))

        scorer = bm25s.BM25(method="lucene", k1=K1, b=B)
        scorer.index(stemmed, show_progress=False)
        return _Index(scorer, InvertedIndex(stemmed), InvertedIndex(written))

    def load(self) -> None:
        """Build the index."""
        with self._lock:
            _ = self._index

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Score every paragraph; those that share no word with the hint are not found.

        In the mode "fallback" the hint is a list of keywords, see `_looked_up`. In the mode "fused" paragraphs are
        marked by the words of the hint that at most `RARE` paragraphs hold.
        """
        self.load()
        if query.keywords == "fallback":
            return self._looked_up(query.hint)
        arrays = self._ranked(query.hint)
        if query.keywords != "fused":
            return arrays

        spelt = _spelt(query.hint)
        rare = np.zeros((len(spelt), len(self._paragraphs)), dtype=np.bool_)
        for is_holder, word in zip(rare, spelt, strict=True):
            rows = self._index.words.rows(word)
            if len(rows) <= RARE and not is_stop_word(word):
                is_holder[rows] = True
        return replace(arrays, rare=rare)

    def _ranked(self, hint: str) -> ScoreArrays:
        """Score by BM25; relevance is calibrated on the share of the highest possible score."""
        n = len(self._paragraphs)
        in_hint = stems(hint)
        scores = self._bm25(in_hint)
        is_found = scores > 0.0
        if not is_found.any():
            return nothing_found(n)

        content = [word for word in words(hint) if not is_stop_word(word)]
        evidence = np.zeros(n)
        for stem in dict.fromkeys(stems(" ".join(content))):
            evidence[self._index.stems.rows(stem)] += self._rarity(stem)

        calibration = self._calibration
        highest = sum(map(self._rarity, in_hint))
        relevance_log_odds = calibration.bias + calibration.share * scores / highest
        is_common = evidence < _idf(n, RARE)
        relevance_log_odds[is_common] = np.minimum(
            relevance_log_odds[is_common], COMMON_WORD_LOG_ODDS
        )
        return scores_where(
            is_found, scores, calibration.log_odds_per_bm25 * scores, relevance_log_odds
        )

    def _looked_up(self, hint: str) -> ScoreArrays:
        """Score by the words that a paragraph holds: as written, in any case, in another form, as a part of a word.

        The relevance of a paragraph depends on the words that it holds and not on their share of the hint: it is
        relevant if it holds all words, or a term. Terms are words that general language hardly uses.
        """
        n = len(self._paragraphs)
        written = dict.fromkeys(written_words(hint))
        content, terms = self._content(list(written), hint)
        scores = self._bm25(stems(" ".join(content)))
        relevance_log_odds = np.full(n, COMMON_WORD_LOG_ODDS)
        n_words = np.zeros(n, dtype=np.int64)
        for word in written:
            forms = self._rows_by_form(word, parts=len(written) == 1)
            closeness = np.zeros(n)
            for level, rows in enumerate(forms, start=PART):
                closeness[rows] = level
            is_whole = closeness > PART
            n_words += is_whole

            highest = closeness.max(initial=0.0)
            if word not in content or not highest:
                continue

            rarity = _idf(n, int(np.count_nonzero(is_whole)))
            # a closer form outweighs how often a word occurs
            scores += rarity * closeness
            nearest = np.flatnonzero(closeness == highest)
            if word in terms and len(nearest) <= MAX_WITH_TERM:
                relevance_log_odds[nearest] = TERM_LOG_ODDS
            elif len(nearest) <= RARE:
                relevance_log_odds[nearest] = np.maximum(
                    relevance_log_odds[nearest], RARE_WORD_LOG_ODDS
                )
        relevance_log_odds[n_words == len(written)] = ALL_WORDS_LOG_ODDS

        log_odds = (
            LOG_ODDS_FACTOR * relevance_log_odds
            + self._calibration.log_odds_per_bm25 * scores
        )
        return scores_where(scores > 0.0, scores, log_odds, relevance_log_odds)

    def _content(
        self, written: Sequence[str], hint: str
    ) -> tuple[list[str], list[str]]:
        """Return the content words of a hint, as written, and the terms among them.

        A word in capitals that the course also writes so is a term, even if it is a stop word: "NEAR".
        """
        is_shouted = hint.isupper() and len(written) > 1
        content, terms = [], []
        for word in written:
            is_cased = has_capitals(word) and word in self._index.words
            if is_cased and not is_shouted:
                terms.append(word)
            elif is_stop_word(word.casefold()):
                continue
            else:
                is_known = len(word) > 1 and _KNOWN_SCRIPT.search(word)
                if is_known and not is_common(word.casefold()):
                    terms.append(word)
            content.append(word)

        is_foreign = 2 * len(terms) > len(content) + 1
        return content or [*written], [] if is_foreign else terms

    def _rows_by_form(self, word: str, *, parts: bool) -> list[NDArray[np.int32]]:
        """Return the rows of the paragraphs that hold each form of a word, the farthest form first.

        The forms are a part of a longer word, another inflection, another case, and the word as written. Parts are
        looked for if no paragraph holds another form.

        Args:
            parts: look for parts in any case.
        """
        by_word, by_stem = self._index.words, self._index.stems
        folded = word.casefold()
        longer: list[str] = []
        inflections = by_stem.rows_of_any(stems(word))
        forms = [inflections, by_word.rows(folded), by_word.rows(word)]
        if len(folded) >= MIN_LETTERS_OF_PART and (parts or not any(map(len, forms))):
            longer += by_word.containing(folded)
            is_form = language_of_word(folded).forms_of(folded).fullmatch
            inflected = by_word.rows_of_any(filter(is_form, longer))
            forms[0] = np.concatenate([inflections, inflected])
        return [by_word.rows_of_any(longer), *forms]

    def _rarity(self, stem: str) -> float:
        """Return the inverse document frequency of a stem."""
        n_holders = len(self._index.stems.rows(stem))
        return _idf(len(self._paragraphs), n_holders)

    def _bm25(self, stemmed: Sequence[str]) -> AnyFloatArray:
        """Return (n_paragraphs,) the scores of stems."""
        if not stemmed:
            return np.zeros(len(self._paragraphs))
        return np.asarray(self._index.scorer.get_scores(stemmed), dtype=np.float64)


def _spelt(text: str) -> set[str]:
    """Return the unstemmed words of a text, and the parts of words with an apostrophe: "d'Amiens"."""
    spelt = set(words(text))
    for word in words(text):
        for part in _APOSTROPHES.split(word):
            if len(part) >= MIN_LETTERS_OF_PART:
                spelt.add(part)
    return spelt


def _indexed(text: str) -> set[str]:
    """Return the unstemmed words of a text, and those with capitals after the first letter also as written."""
    return _spelt(text) | set(filter(has_capitals, written_words(text)))


def _idf(n_paragraphs: int, n_occurs_in: int) -> float:
    return float(np.log(1.0 + (n_paragraphs - n_occurs_in + 0.5) / (n_occurs_in + 0.5)))
