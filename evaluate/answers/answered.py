"""Games replayed with answers that an outside referee gave to batches of questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from quarry.evaluate.answers.batches import AskedBatch
from quarry.evaluate.referee import Posed, Secret
from quarry.evaluate.referee.scoring import Similarity
from quarry.evaluate.replay.replayer import Job, PlayAll, play_game, searched_for
from quarry.evaluate.runs.record import GameRecord, record_game
from quarry.player.player import Player
from quarry.player.questions.answer import NOT_RELEVANT, Answer, Answers

AnswersByGame = Mapping[str, Answers]
"""game_id -> the answers to its questions, in order."""


class AnsweredReferee:
    """A referee that gives the answers of a file; a question that has none there is not relevant.

    Args:
        batch: the questions.
        answers: theirs, in order.
    """

    def __init__(self, batch: AskedBatch, answers: Answers) -> None:
        self._answers: dict[tuple[str, tuple[str, ...]], Answer] = {
            (question.text, question.options): answer for question, answer in zip(batch.questions, answers, strict=True)
        }

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """The answers on file."""
        return [self._answers.get((text, tuple(options))) or NOT_RELEVANT for text, options in questions]


def answering(
    player: Player, batches: Mapping[str, AskedBatch], answers: AnswersByGame, similarity: Similarity, seed: int
) -> PlayAll:
    """Return a function that plays jobs with the answers of a file, for `replay.replay_games`."""

    def play_all(jobs: Iterable[Job]) -> Iterator[GameRecord]:
        for job in jobs:
            batch = batches[job.game.game_id]
            referee = AnsweredReferee(batch, answers[job.game.game_id])
            reports = play_game(job, player, [referee], similarity, seed, batch.questions)
            yield record_game(job.game, job.paragraph, searched_for(job.game, player, reports), reports)

    return play_all
