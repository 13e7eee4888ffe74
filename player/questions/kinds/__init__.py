"""Kinds of questions: the protocol of a kind, and the table of all kinds. A new kind is one file and one line here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from quarry.ingest.paragraph import Paragraph
from quarry.player.questions.kinds import lists
from quarry.player.questions.question import FitArray, Question, QuestionPool
from quarry.player.questions.word_index import Candidates


class Kind(Protocol):
    """A kind of question; all kinds pass tests/contracts/kind.py."""

    @property
    def name(self) -> str:
        """Name of the kind in its questions."""
        ...

    @property
    def share(self) -> float:
        """Share of the pool, 0..1."""
        ...

    @property
    def wrong(self) -> float:
        """Expected share of wrong letters before any answer was logged, 0..1."""
        ...

    def make(self, candidates: Candidates, n: int, generator: np.random.Generator) -> QuestionPool:
        """Make at most n questions that tell the candidates apart, in their language; repeatable by the generator."""
        ...

    def fit(self, questions: Sequence[Question], candidates: Candidates) -> FitArray:
        """Return (n_views, n_questions, n_candidates, 4) fits, as in `QuestionPool.fits`, of questions of this kind."""
        ...

    def cite(self, question: Question, option: int, paragraph: Paragraph) -> str:
        """Return what an option says of a paragraph, as the rest of a sentence; "" if it is not true of it."""
        ...


_ALL: tuple[Kind, ...] = (lists.OPENING, lists.ANYWHERE)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}
"""All kinds by name; questions are drawn in this order."""
