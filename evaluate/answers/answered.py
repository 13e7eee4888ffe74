"""Games replayed with answers that an outside referee gave to batches of questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from quarry.evaluate.answers.batches import AskedBatch
from quarry.evaluate.referee import Posed, Secret
from quarry.evaluate.referee.scoring import Similarity
from quarry.evaluate.replay.replayer import Job, play_game, searched_for
from quarry.evaluate.runs.record import GameRecord, record_game
from quarry.player.player import Contestant, Plan, Player
from quarry.player.protocol.payloads import RoundStart
from quarry.player.questions.answer import NOT_RELEVANT, Answer, Answers
from quarry.player.questions.question import Question

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


class _FixedQuestions:
    """A contestant whose questions are the ones it is given, whatever its own would be now."""

    def __init__(self, player: Contestant, batch: AskedBatch) -> None:
        self._player = player
        self._batch = batch
        self.answer_warmup = player.answer_warmup
        self.decide = player.decide

    def plan(self, start: RoundStart, questions: Sequence[Question] | None = None) -> Plan:
        """As the player plans, with the batch's questions."""
        return self._player.plan(start, self._batch.questions)


def answering(
    player: Player, batches: Mapping[str, AskedBatch], answers: AnswersByGame, similarity: Similarity, seed: int
) -> Callable[[Iterable[Job]], Iterator[GameRecord]]:
    """What plays jobs for `replay.replay_games` with the answers on file."""

    def play_all(jobs: Iterable[Job]) -> Iterator[GameRecord]:
        for job in jobs:
            yield _record(player, batches[job.game.game_id], answers[job.game.game_id], job, similarity, seed)

    return play_all


def _record(
    player: Player, batch: AskedBatch, answers: Answers, job: Job, similarity: Similarity, seed: int
) -> GameRecord:
    reports = play_game(job, _FixedQuestions(player, batch), [AnsweredReferee(batch, answers)], similarity, seed)
    return record_game(job.game, job.paragraph, searched_for(job.game, player, reports), reports)
