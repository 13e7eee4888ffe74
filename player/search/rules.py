"""Evidence from the rule of the game: no word of the hint occurs in the paragraph."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from player.search.course_words import InvertedIndex
from quarry.arrays import Float32Array, RowArray
from quarry.course.paragraph import Paragraph
from quarry.languages.registry import language_of_word
from quarry.languages.words import is_stop_word, stems, words

MIN_LETTERS_OF_REST = 3
"""Minimum number of letters of a word that remain after a prefix is removed."""
FORMS_KEPT = 65_536
"""Maximum number of words whose base forms are cached."""


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
        counts = np.arange(shared.max(initial=0) + 1)
        by_count = np.log(self.keep * self.slip**counts + 1.0 - self.keep)
        log_odds: Float32Array = by_count.astype(np.float32)[shared]
        return log_odds


CONTENT = Likelihood(keep=0.99, slip=0.02)
"""Likelihood of shared content words. No hint of people broke the rule in 600 games, too few to exclude 1 in 100."""
FUNCTION = Likelihood(keep=0.7, slip=0.05)
"""Likelihood of shared function words like "the", to which many referees do not apply the rule."""
RELATED = Likelihood(keep=0.85, slip=0.2)
"""Likelihood of words shared in another form only: the rule allows them, but many writers avoid them."""


class RuleEvidence:
    """Evidence of a hint's words against the paragraphs that contain them.

    Args:
        paragraphs: the course; its words are indexed at the first search.
    """

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = paragraphs

    @functools.cached_property
    def _index(self) -> tuple[InvertedIndex, InvertedIndex]:
        """Paragraphs by the words and by the base forms of words that they hold."""
        by_word, by_form = [], []
        for paragraph in self._paragraphs:
            distinct = dict.fromkeys(words(paragraph.text))
            by_word.append(distinct)
            by_form.append([form for word in distinct for form in base_forms(word)])
        return InvertedIndex(by_word), InvertedIndex(by_form)

    def load(self) -> None:
        """Index the words of the course, unless they are indexed."""
        _ = self._index

    def log_odds(self, hint: str) -> Float32Array:
        """Return (n_paragraphs,) the log-odds of each paragraph from the words it shares with a hint, at most 0."""
        by_word, by_form = self._index
        content, function, related = np.zeros((3, len(self._paragraphs)), np.intp)
        for word in dict.fromkeys(words(hint)):
            rows = by_word.rows(word)
            if is_stop_word(word):
                function[rows] += 1
                continue
            content[rows] += 1
            related[rows] -= 1  # every word is among its own relatives
            rows = by_form.rows_of_any(base_forms(word))
            related[rows] += 1  # indexing counts a row once

        return (
            CONTENT.log_odds(content)
            + FUNCTION.log_odds(function)
            + RELATED.log_odds(related)
        )


@functools.lru_cache(FORMS_KEPT)
def base_forms(word: str) -> tuple[str, ...]:
    """Return the base forms of a word: its stems; in Hebrew, the word without 0, 1 or 2 prefix letters."""
    prefixes = language_of_word(word).prefixes
    if not prefixes or not word.isalpha():
        return tuple(dict.fromkeys(stems(word)))
    forms = [word]
    for n_letters in (1, 2):
        rest = word[n_letters:]
        if len(rest) < MIN_LETTERS_OF_REST or word[n_letters - 1] not in prefixes:
            break
        forms.append(rest)
    return tuple(forms)
