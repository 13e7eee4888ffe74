"""Games as a person steps through them: the belief after each answer."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluate.games.labelled import same_text
from player.answer import LETTERS, Answer, Answers, letter_row
from player.belief.places import by_sentence
from player.player import Plan, Player
from player.round import Guess, RoundStart, Score
from quarry.arrays import Float64Array

N_SHOWN = 8
"""Opening sentences whose belief is shown."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An opening sentence with its belief before the questions and after each answer, 0..1."""

    sentence: str
    where: str
    beliefs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A question with its answer.

    Attributes:
        sent: the answer as the referee sent it.
        fitting: the letter that a careful reader of the passage gives, "" if the passage is unknown.
    """

    text: str
    options: Sequence[str]
    sent: Answer
    fitting: str

    @property
    def answer(self) -> str:
        """Return a letter, or "not relevant"."""
        return "not relevant" if letter_row(self.sent) is None else str(self.sent)

    @property
    def verdict(self) -> str:
        """Return whether the answer fits the passage: "right", "wrong", "none" or "unknown"."""
        if self.answer not in LETTERS:
            return "none"
        if not self.fitting:
            return "unknown"
        return "right" if self.answer == self.fitting else "wrong"


@dataclass(frozen=True, slots=True)
class GameView:
    """A game with the belief after each of its answers.

    Attributes:
        candidates: none if no questions were sent, or the beliefs are not known.
        steps: none before the answers have come.
        guess: None before the answers have come.
        passage: id of the secret passage, or of the guessed one; "" if no passage of the course holds it.
        secret: opening sentence of the secret passage, "" if it is unknown.
        is_secret: answers are compared with the secret passage; False: with the guess.
        word: the associative word, "" if it is unknown.
        score: None before the guess is judged.
    """

    start: RoundStart
    candidates: Sequence[Candidate] = ()
    steps: Sequence[Step] = ()
    guess: Guess | None = None
    passage: str = ""
    secret: str = ""
    is_secret: bool = False
    word: str = ""
    score: Score | None = None

    def at(self, step: int) -> list[Candidate]:
        """Return the candidates after so many answers, the likeliest first."""
        return sorted(self.candidates, key=lambda item: -item.beliefs[step])


def view_of(
    player: Player,
    plan: Plan,
    answers: Answers,
    secret: str = "",
    guess: Guess | None = None,
) -> GameView:
    """Return a game with the belief after each answer.

    Args:
        answers: () before they have come.
        secret: opening sentence of the secret passage, "" if it is unknown.
        guess: as it was sent; None: as the player guesses now.
    """
    if not answers:
        candidates = _candidates(plan, [plan.prior])
        return GameView(plan.start, candidates, guess=guess, secret=secret)
    beliefs = []
    for n_answers in range(len(answers) + 1):
        hidden = [None] * (len(answers) - n_answers)
        posterior = player.posterior(plan, [*answers[:n_answers], *hidden])
        beliefs.append(posterior.belief)

    decision = player.decide(plan, answers)
    guess = guess or decision.guess
    best: int | None = decision.best
    if not same_text(guess.opening_sentence, decision.guess.opening_sentence):
        best = plan.row_of(guess.opening_sentence)
    passage = ""
    if best is not None:
        for at in plan.places.passages_of(int(plan.rows[best]))[:1]:
            passage = plan.places.paragraphs[int(at)].paragraph_id

    row = plan.row_of(secret) if secret else None
    is_secret = row is not None
    if row is None:
        row = best
    steps = []
    pairs = zip(plan.questions, answers, strict=True)
    for number, (question, answer) in enumerate(pairs):
        fitting = ""
        if row is not None:
            fitting = LETTERS[int(plan.fits[0, number, row].argmax())]
        steps.append(Step(question.text, question.options, answer, fitting))
    return GameView(
        plan.start,
        _candidates(plan, beliefs),
        steps,
        guess,
        passage,
        secret,
        is_secret,
    )


def _candidates(plan: Plan, beliefs: Sequence[Float64Array]) -> list[Candidate]:
    """Return the opening sentences that were likeliest at some time."""
    sums = np.array([by_sentence(belief, plan.keys) for belief in beliefs])
    first_of_key = np.unique(plan.keys, return_index=True)[1]
    peaks = sums[:, first_of_key].max(axis=0)

    candidates = []
    for row in first_of_key[np.argsort(-peaks, kind="stable")[:N_SHOWN]].tolist():
        paragraph = plan.paragraph(row)
        where = f"{paragraph.doc_id}, page {paragraph.page}"
        beliefs_of_row = tuple(sums[:, row].tolist())
        candidates.append(Candidate(paragraph.opening_sentence, where, beliefs_of_row))
    return candidates
