"""Views of games through which a person steps, with the belief after each answer."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluate.runs.recording import find_answers_against
from player.answer import LETTERS, Answer, letter_row
from player.belief.places import sum_by_sentence
from player.game.record import GameRecord
from player.player import Plan, Player
from player.question import Question
from quarry.arrays import Float64Array

N_SENTENCES = 8
"""Number of opening sentences whose belief is shown."""


@dataclass(frozen=True, slots=True)
class SentenceBelief:
    """An opening sentence with its belief before the questions and after each answer, 0..1."""

    sentence: str
    where: str
    beliefs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A question with its answer.

    Attributes:
        sent: the answer as the referee sent it.
        fitting: the letter that a careful reader of the secret gives; "" if the secret is unknown.
        misled: whether the answer favoured the guess over the secret.
    """

    question: Question
    sent: Answer
    fitting: str
    misled: bool = False

    @property
    def answer(self) -> str:
        """A letter, or "not relevant"."""
        return "not relevant" if letter_row(self.sent) is None else str(self.sent)

    @property
    def verdict(self) -> str:
        """Whether the answer fits the paragraph: "right", "wrong", "none" or "unknown"."""
        if self.answer not in LETTERS:
            return "none"
        if not self.fitting:
            return "unknown"
        return "right" if self.answer == self.fitting else "wrong"


@dataclass(frozen=True, slots=True)
class GameView:
    """A game with the belief after each of its answers.

    Attributes:
        game: the game.
        sentences: the likeliest opening sentences; () if no questions were sent, or the beliefs are unknown.
        steps: the questions with their answers; () before the answers.
        paragraph_id: that of the secret paragraph; "" if it is unknown.
    """

    game: GameRecord
    sentences: Sequence[SentenceBelief] = ()
    steps: Sequence[Step] = ()
    paragraph_id: str = ""

    def at(self, step: int) -> list[SentenceBelief]:
        """Return the sentences after the first `step` answers, the likeliest first."""
        return sorted(self.sentences, key=lambda item: -item.beliefs[step])


def build_view(player: Player, plan: Plan, game: GameRecord) -> GameView:
    """Build the view of a game, with the belief after each of its answers."""
    answers = game.answers or ()
    beliefs = []
    for n_answers in range(len(answers) + 1):
        hidden = [None] * (len(plan.questions) - n_answers)
        posterior = player.posterior(plan, [*answers[:n_answers], *hidden])
        beliefs.append(posterior.belief)

    secret = plan.find_candidate(game.secret_opening) if game.secret_opening else None
    paragraph_id = game.label.paragraph_id if game.label else ""
    misled: list[int] = []
    if secret is not None:
        rows = plan.places.held_rows(int(plan.candidate_places[secret]))
        secret_paragraph = plan.places.paragraphs[int(rows[0])]
        paragraph_id = paragraph_id or secret_paragraph.paragraph_id
        guess = plan.find_candidate(game.guess.opening_sentence) if game.guess else None
        if guess is not None:
            misled, _ = find_answers_against(plan, answers, secret, guess)

    steps = []
    for row, answer in enumerate(answers):
        fitting = ""
        if secret is not None:
            fitting = LETTERS[int(plan.fits[0, row, secret].argmax())]
        steps.append(Step(plan.questions[row], answer, fitting, row + 1 in misled))
    return GameView(game, _likeliest_sentences(plan, beliefs), steps, paragraph_id)


def _likeliest_sentences(
    plan: Plan, beliefs: Sequence[Float64Array]
) -> list[SentenceBelief]:
    """Return the opening sentences with the highest belief after any number of answers."""
    sums = np.array([sum_by_sentence(belief, plan.sentence_ids) for belief in beliefs])
    first_of_sentence = np.unique(plan.sentence_ids, return_index=True)[1]
    peaks = sums[:, first_of_sentence].max(axis=0)

    sentences = []
    for row in first_of_sentence[
        np.argsort(-peaks, kind="stable")[:N_SENTENCES]
    ].tolist():
        paragraph = plan.as_paragraph(row)
        where = f"{paragraph.doc_id}, page {paragraph.page}"
        beliefs_of_row = tuple(sums[:, row].tolist())
        sentences.append(
            SentenceBelief(paragraph.opening_sentence, where, beliefs_of_row)
        )
    return sentences
