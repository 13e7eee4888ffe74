"""Games asked and answered once: what no error rate changes, as arrays, and the belief over all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tqdm.auto import tqdm

from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.referee import Referee, secret_of
from quarry.ingest.arrays import BoolArray, Float64Array, IntArray
from quarry.ingest.paragraph import Paragraph
from quarry.player.player import Player
from quarry.player.questions.belief import update
from quarry.player.questions.question import FitArray
from quarry.player.questions.referees import ErrorModel


@dataclass(frozen=True, slots=True)
class AnsweredGames:
    """Games with the questions that were asked and the answers of several referees, ready to be believed again.

    Attributes:
        games: those whose paragraph is in the store.
        referees: SPECs, one for each row of answers.
        priors: (n_candidates,) a game, the belief before the answers.
        fits: (n_views, n_questions, n_candidates, 4) a game, how each option fits each candidate.
        kinds: (n_questions,) a game, theirs.
        truth: (n_games,) the labelled paragraph's place among the candidates.
        answers: (n_games, n_referees, n_questions) a letter, "Not Relevant", or None where none came.
    """

    games: tuple[LabelledGame, ...]
    referees: tuple[str, ...]
    priors: tuple[Float64Array, ...]
    fits: tuple[FitArray, ...]
    kinds: tuple[tuple[str, ...], ...]
    truth: IntArray
    answers: tuple[tuple[tuple[str | None, ...], ...], ...]


def prepare_answers(
    games: Sequence[LabelledGame],
    located: Mapping[str, Paragraph | None],
    player: Player,
    referees: Mapping[str, Referee],
    *,
    progress: bool = True,
) -> AnsweredGames:
    """The player's questions for each game, and what each referee answers to them.

    Games whose paragraph was not ingested, or that the belief does not run over, are left out: no rate saves them.

    Args:
        located: the ingested paragraph of each answerable game, as `locate_games` gives it.
        player: asks; its questions stay as they are whatever is tuned.
        referees: by SPEC.
        progress: a bar on standard error.
    """
    kept: list[LabelledGame] = []
    priors, fits, kinds, truth, answers = [], [], [], [], []
    for game in tqdm(games, desc="asking", unit="game", disable=not progress):
        paragraph = located.get(game.game_id)
        if paragraph is None:
            continue
        plan = player.plan(game.told())
        row = plan.row_of(paragraph.opening_sentence)
        if row is None:
            continue
        secret = secret_of(game, paragraph)
        assert secret is not None, "an ingested paragraph has a text"
        posed = [(question.text, question.options) for question in plan.questions]
        kept.append(game)
        priors.append(plan.prior)
        fits.append(plan.fits)
        kinds.append(tuple(question.kind for question in plan.questions))
        truth.append(row)
        answers.append(tuple(tuple(referee.answers(secret, posed)) for referee in referees.values()))
    return AnsweredGames(
        games=tuple(kept),
        referees=tuple(referees),
        priors=tuple(priors),
        fits=tuple(fits),
        kinds=tuple(kinds),
        truth=np.array(truth, dtype=np.int64),
        answers=tuple(answers),
    )


def beliefs(answered: AnsweredGames, model: ErrorModel) -> tuple[Float64Array, BoolArray]:
    """What the player believes of the true paragraphs.

    Returns:
        (n_games, n_referees) natural logarithm of the belief in the labelled paragraph, and whether it is the highest.
    """
    logs = np.empty((len(answered.games), len(answered.referees)))
    first = np.empty(logs.shape, dtype=np.bool_)
    for row, truth in enumerate(answered.truth):
        for column, answers in enumerate(answered.answers[row]):
            belief = update(answered.priors[row], answered.fits[row], answered.kinds[row], answers, model).belief
            logs[row, column] = np.log(belief[truth])
            first[row, column] = belief.argmax() == truth
    return logs, first
