"""Evidence from the rule of the game: no word of the hint occurs in the paragraph."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import regex

from ingest.arrays import Float32Array, RowArray
from ingest.paragraph import Paragraph
from ingest.store.cache import cached
from player.search.postings import Postings
from player.words import HEBREW_PREFIXES, is_stop_word, stems, words

_HEBREW = regex.compile(r"\p{Hebrew}{3,}")
_LEAST_LETTERS = 3
"""At least so many letters of a Hebrew word remain after a prefix is removed."""
WORDS_KEPT = 65_536
"""The cache holds the base forms of at most so many words."""
MOST_SHARED = 32
"""The table of likelihoods holds so many counts of shared words; larger counts are clipped."""


class Likelihood(NamedTuple):
    """Likelihood of a number of shared words: a mixture of referees who keep the rule, with slips, and who ignore it.

    A paragraph that shares n words with the hint has the likelihood keep * slip**n + (1 - keep), relative to one that
    shares none. The first shared word counts most, and the likelihood is never below 1 - keep.

    Attributes:
        keep: share of the referees who keep the rule.
        slip: likelihood ratio of a shared word to a word that is not shared, for a referee who keeps the rule.
    """

    keep: float
    slip: float

    def log_odds(self, shared: RowArray) -> Float32Array:
        """Return (n_paragraphs,) the log-odds of counts of shared words; a count of 0 has log-odds 0."""
        found: Float32Array = np.log(
            self.keep * self.slip**shared + (1.0 - self.keep)
        ).astype(np.float32)
        return found


CONTENT = Likelihood(keep=0.99, slip=0.02)
"""This applies to content words. No hint of people broke the rule in 600 games, too few to exclude 1 in 100."""
FUNCTION = Likelihood(keep=0.7, slip=0.05)
"""This applies to function words like "the", to which many referees do not apply the rule."""
RELATED = Likelihood(keep=0.85, slip=0.2)
"""This applies to words that occur in another form only: the rule allows them, but many writers avoid them."""


class RuleEvidence:
    """Evidence of a hint's words against the paragraphs that contain them.

    Args:
        paragraphs: the course; its words are indexed at the first search.
        weight: factor of the evidence; 1 is the fitted value.
    """

    def __init__(self, paragraphs: Sequence[Paragraph], weight: float = 1.0) -> None:
        self._paragraphs = paragraphs
        self._weight = weight

    @functools.cached_property
    def _index(self) -> tuple[Postings, Postings]:
        """Paragraphs by the words and by the base forms of words that they hold."""
        return cached(self._paragraphs, "rule", lambda: _index_of(self._paragraphs))

    @functools.cached_property
    def _evidence(self) -> Float32Array:
        """(MOST_SHARED,) * 3 log-odds by the counts of content words, function words and related words."""
        content, function, related = (
            kind.log_odds(np.arange(MOST_SHARED))
            for kind in (CONTENT, FUNCTION, RELATED)
        )
        evidence: Float32Array = (
            content[:, None, None] + function[None, :, None] + related[None, None, :]
        )
        return self._weight * evidence

    def log_odds(self, hint: str) -> Float32Array:
        """Return (n_paragraphs,) the log-odds of each paragraph from the words it shares with a hint, at most 0."""
        by_word, by_form = self._index
        said = dict.fromkeys(words(hint))
        content: list[RowArray] = []
        function: list[RowArray] = []
        related: list[RowArray] = []
        for word in said:
            holders = by_word.get(word)
            if is_stop_word(word):
                if holders is not None:
                    function.append(holders)
                continue
            kin = [by_form[form] for form in base_forms(word) if form in by_form]
            if kin:
                related.append(
                    kin[0] if len(kin) == 1 else np.unique(np.concatenate(kin))
                )
            if holders is not None:
                content.append(holders)
        n_content, n_function = self._count(content), self._count(function)
        n_related = (
            self._count(related) - n_content
        )  # every word is among its own relatives
        most = MOST_SHARED - 1
        evidence: Float32Array = self._evidence[
            np.minimum(n_content, most),
            np.minimum(n_function, most),
            np.minimum(n_related, most),
        ]
        return evidence

    def _count(self, found: Sequence[RowArray]) -> RowArray:
        """Return (n_paragraphs,) the number of words that each paragraph holds."""
        rows = np.concatenate([*found, np.empty(0, dtype=np.intp)])
        counts: RowArray = np.bincount(rows, minlength=len(self._paragraphs))
        return counts


def _index_of(paragraphs: Sequence[Paragraph]) -> tuple[Postings, Postings]:
    texts = [set(words(paragraph.text)) for paragraph in paragraphs]
    return Postings(texts), Postings(
        {form for word in text for form in base_forms(word)} for text in texts
    )


@functools.lru_cache(WORDS_KEPT)
def base_forms(word: str) -> tuple[str, ...]:
    """Return the base forms of a word: its stems; for a Hebrew word, the word without 0, 1 or 2 prefix letters."""
    if not _HEBREW.fullmatch(word):
        return tuple(dict.fromkeys(stems(word)))
    found = [word]
    for cut in (1, 2):
        rest = word[cut:]
        if len(rest) < _LEAST_LETTERS or word[cut - 1] not in HEBREW_PREFIXES:
            break
        found.append(rest)
    return tuple(found)
