"""Kind: one way of asking, with all that is particular to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from quarry.ingest.paragraph import Paragraph
from quarry.player.questions.question import FitArray, Question, QuestionPool
from quarry.player.questions.word_index import Candidates


class Kind(Protocol):
    """A kind of question; all kinds pass tests/contracts/kind.py."""

    @property
    def name(self) -> str:
        """What its questions carry, and its rates are kept under."""
        ...

    @property
    def share(self) -> float:
        """Of the pool, 0..1."""
        ...

    @property
    def wrong(self) -> float:
        """Share of wrong letters that is believed in before any answer to it was logged, 0..1."""
        ...

    def make(self, candidates: Candidates, n: int, generator: np.random.Generator) -> QuestionPool:
        """At most n questions that tell the candidates apart, in their language; the same generator gives the same."""
        ...

    def fit(self, questions: Sequence[Question], candidates: Candidates) -> FitArray:
        """(n_views, n_questions, n_candidates, 4) as in `QuestionPool.fits`, of questions of this kind."""
        ...

    def cite(self, question: Question, option: int, paragraph: Paragraph) -> str:
        """What the option says of the paragraph, as the rest of a sentence; "" where that is not true of it."""
        ...
