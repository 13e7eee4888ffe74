"""The simulated referee: a view, a manner, and answers that are replaced or left out."""

from __future__ import annotations

from collections.abc import Sequence

from quarry.evaluate.referee.answering_policies import Manner, drawn
from quarry.evaluate.referee.types import N_QUESTIONS, Posed, Secret
from quarry.evaluate.referee.views import VIEWS, Retriever, View, no_passages
from quarry.player.questions.answer import LETTERS, NOT_RELEVANT, Answer


class SimulatedReferee:
    """Answers what its manner makes of what it sees, with some answers replaced, and only the first few sent.

    The same answers are replaced whenever the same question is asked about the same paragraph.

    Args:
        manner: how it answers.
        view: what it sees.
        retrieve: the passages of the course, for a view that has them.
        wrong: share of the answers that become another letter, each one equally likely; 0..1.
        declined: share that become "Not Relevant"; 0..1, and at most 1 together with `wrong`.
        n_answers: questions that are answered, the first ones.
        seed: another seed replaces other answers.
    """

    def __init__(
        self,
        manner: Manner,
        view: View = VIEWS["paragraph"],
        retrieve: Retriever = no_passages,
        *,
        wrong: float = 0.0,
        declined: float = 0.0,
        n_answers: int = N_QUESTIONS,
        seed: int = 0,
    ) -> None:
        self._manner = manner
        self._view = view
        self._retrieve = retrieve
        self._wrong = wrong
        self._declined = declined
        self._n_answers = n_answers
        self._seed = seed

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """The manner's answers, or what the draw of (seed, paragraph, question, options) puts in their place."""
        return [
            self._answer(secret, number, *asked) if number <= self._n_answers else None
            for number, asked in enumerate(questions, 1)
        ]

    def _answer(self, secret: Secret, number: int, question: str, options: Sequence[str]) -> str:
        seen = self._view.look(secret, question, self._retrieve)
        answer = self._manner.answer(seen, number, question, options)
        draws = drawn(self._seed, secret.paragraph, question, tuple(options))
        draw = int.from_bytes(draws[:8], "big") / 2**64
        if draw < self._wrong:
            others = [letter for letter in LETTERS[: len(options)] if letter != answer]
            return others[int.from_bytes(draws[8:16], "big") % len(others)] if others else answer
        return NOT_RELEVANT if draw < self._wrong + self._declined else answer
