"""Which words of a vocabulary tell some candidates apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from player.questions.language import Language
from player.questions.question import FitArray
from player.questions.vocabulary import Vocabulary

DOUBT = 2.0
"""What a doubtful occurrence takes off a word's worth, in shares of its probability: its own uncertainty is no
information."""


@dataclass(frozen=True, slots=True)
class TellingWords:
    """Words of one language, those first that split the belief most evenly.

    Attributes:
        vocabulary: theirs.
        rows: (n_words,) of the vocabulary.
        seen: (n_words, n_candidates) probability that a reader finds the word in the paragraph.
        worth: (n_words,) variance of the occurrence under the belief, less what is doubtful; above 0.
    """

    vocabulary: Vocabulary
    rows: NDArray[np.intp]
    seen: FitArray
    worth: NDArray[np.floating]

    def shown(self, place: int) -> str:
        """The word in that place as a reader would write it."""
        shown: str = self.vocabulary.shown[self.rows[place]]
        return shown

    def word(self, place: int) -> str:
        """The word in that place, case-folded."""
        word: str = self.vocabulary.words[self.rows[place]]
        return word


def telling_words(
    vocabulary: Vocabulary, rows: NDArray[np.intp], prior: NDArray[np.floating], language: Language, n: int
) -> TellingWords:
    """At most n words that occur in some candidates and not in others.

    Args:
        rows: (n_candidates,) of the course.
        prior: (n_candidates,) their probabilities, summing to 1.
    """
    seen = vocabulary.seen[:, rows]
    weights = prior.astype(np.float32)
    mass = seen @ weights
    doubtful = mass - np.where(seen > 0.5, seen, np.float32(0.0)) @ weights
    right = vocabulary.hebrew == (language == "he")
    worth = np.clip(mass * (1.0 - mass) - DOUBT * doubtful, 1e-6, None) * right * (mass > 1e-9)
    best = np.argsort(-worth, kind="stable")[:n]
    best = best[worth[best] > 0.0]
    return TellingWords(vocabulary, best, seen[best], worth[best])
