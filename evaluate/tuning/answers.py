"""Games asked and answered once: what no error rate changes, as arrays, and the belief over all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from evaluate.games import LabelledGame
from evaluate.referee import Referee, secret_of
from evaluate.tuning.course import Doubles, Ints
from ingest.paragraph import Paragraph
from player.player import Player
from player.questions.belief import answer_row
from player.questions.referees import ErrorModel

NO_ANSWER = -1

F = TypeVar("F", bound=Callable[..., Any])


def _compiled(function: F) -> F:
    # fastmath lets sums of a row be reordered, so that they are worked out side by side
    return cast(F, numba.njit(cache=True, nogil=True, fastmath=True)(function))


@dataclass(frozen=True, slots=True)
class Answered:
    """Games with the questions that were asked and the answers of several referees, ready to be believed again.

    Attributes:
        games: those whose paragraph is in the store.
        referees: SPECs, one for each row of answers.
        kinds: of questions, each once.
        priors: (n_candidates,) a game, the belief before the answers.
        fits: (n_questions, 4, n_candidates) a game, how each option fits each candidate.
        kind: (n_games, n_questions) place in `kinds`.
        truth: (n_games,) the labelled paragraph's place among the candidates.
        answers: (n_games, n_referees, n_questions) the answer's row in a channel, -1 where none came.
    """

    games: tuple[LabelledGame, ...]
    referees: tuple[str, ...]
    kinds: tuple[str, ...]
    priors: tuple[Doubles, ...]
    fits: tuple[NDArray[np.float32], ...]
    kind: Ints
    truth: Ints
    answers: Ints


def prepare_answers(
    games: Sequence[LabelledGame],
    matched: Mapping[str, Paragraph | None],
    player: Player,
    referees: Mapping[str, Referee],
    *,
    progress: bool = True,
) -> Answered:
    """The player's questions for each game, and what each referee answers to them.

    Games whose paragraph was not ingested, or that the belief does not run over, are left out: no rate saves them.

    Args:
        matched: the ingested paragraph of each answerable game, as `match_games` gives it.
        player: asks; its questions stay as they are whatever is tuned.
        referees: by SPEC.
        progress: a bar on standard error.
    """
    kept: list[LabelledGame] = []
    kinds: dict[str, int] = {}
    priors, fits, kind, truth, answers = [], [], [], [], []
    for game in tqdm(games, desc="asking", unit="game", disable=not progress):
        paragraph = matched.get(game.game_id)
        if paragraph is None:
            continue
        plan = player.plan(game.told())
        row = plan.result.row_of(paragraph)
        if row is None:
            continue
        secret = secret_of(game, paragraph)
        assert secret is not None, "an ingested paragraph has a text"
        posed = [(question.text, question.options) for question in plan.questions]
        kept.append(game)
        priors.append(plan.prior)
        fits.append(np.ascontiguousarray(plan.fits.transpose(0, 2, 1)))
        kind.append([kinds.setdefault(question.kind, len(kinds)) for question in plan.questions])
        truth.append(row)
        answers.append(
            [
                [
                    NO_ANSWER if (given := answer_row(answer)) is None else given
                    for answer in referee.answers(secret, posed)
                ]
                for referee in referees.values()
            ]
        )
    return Answered(
        games=tuple(kept),
        referees=tuple(referees),
        kinds=tuple(kinds),
        priors=tuple(priors),
        fits=tuple(fits),
        kind=np.array(kind, dtype=np.int64),
        truth=np.array(truth, dtype=np.int64),
        answers=np.array(answers, dtype=np.int64),
    )


def beliefs(answered: Answered, model: ErrorModel) -> tuple[Doubles, NDArray[np.bool_]]:
    """What `player.questions.belief.update` believes of the true paragraphs.

    Returns:
        (n_games, n_referees) natural logarithm of the belief in the labelled paragraph, and whether it is the highest.
    """
    weights = np.array([referee.weight for referee in model.referees])
    weights /= weights.sum()
    channels = np.array([[model.channel(referee, kind) for kind in answered.kinds] for referee in model.referees])
    logs = np.empty(answered.answers.shape[:2])
    first = np.empty(answered.answers.shape[:2], dtype=np.bool_)
    for row, (prior, fits) in enumerate(zip(answered.priors, answered.fits, strict=True)):
        _believe(prior, fits, channels, answered.kind[row], answered.answers[row], weights, answered.truth[row],
                 logs[row], first[row])  # fmt: skip
    return logs, first


@_compiled
def _believe(
    prior: Doubles,
    fits: NDArray[np.float32],
    channels: Doubles,
    kind: Ints,
    answers: Ints,
    weights: Doubles,
    truth: int,
    logs: Doubles,
    first: NDArray[np.bool_],
) -> None:
    """One game: for each row of answers the log of the belief in `truth`, and whether it comes first."""
    n = len(prior)
    belief, joint = np.empty(n), np.empty(n)
    for row in range(len(answers)):
        belief[:] = 0.0
        for referee in range(len(weights)):
            joint[:] = weights[referee] * prior
            for number in range(len(kind)):
                answer = answers[row, number]
                if answer < 0:
                    continue
                given = channels[referee, kind[number], answer]
                a, b, c, d = given[0], given[1], given[2], given[3]
                fit = fits[number]
                for place in range(n):
                    joint[place] *= a * fit[0, place] + b * fit[1, place] + c * fit[2, place] + d * fit[3, place]
            belief += joint
        logs[row] = np.log(belief[truth] / belief.sum())
        first[row] = belief.argmax() == truth
