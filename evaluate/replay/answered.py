"""Replays of games with the questions and answers of files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from configs.settings import Settings, as_dict
from evaluate.games.labelled import LabelledGame
from evaluate.referee.scoring import word_similarity
from evaluate.referee.spec import Posed, Secret
from evaluate.replay.batches import AskedBatch
from evaluate.replay.replay import Job, Replayer, player_without_deadline, replay_games
from evaluate.runs.measures import Measure
from evaluate.runs.record import ReplayRecord
from evaluate.runs.run import Run, commit
from player.answer import NOT_RELEVANT, Answer, Answers
from quarry.embed import Models
from quarry.store import Course


@dataclass(frozen=True)
class AnsweredReferee:
    """A referee that answers from a file, in order; questions without an answer get "Not Relevant"."""

    file_answers: Answers

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """Return the answers of the file."""
        return [answer or NOT_RELEVANT for answer in self.file_answers]


def replay_answered(
    batches: Mapping[str, AskedBatch],
    answers: Mapping[str, Answers],
    games: Sequence[LabelledGame],
    course: Course,
    settings: Settings,
    *,
    seed: int,
    measures: Mapping[str, Measure],
) -> Run:
    """Replay games with the questions and answers of files, by game_id, and return the run."""
    similarity = word_similarity(course.embedder_spec, Models(settings.embed))
    replayer = Replayer(
        player_without_deadline(course, settings),
        (),
        similarity,
        seed,
    )

    def play_all(jobs: Iterable[Job]) -> Iterator[ReplayRecord]:
        for job in jobs:
            game_id = job.game.game_id
            referee = AnsweredReferee(answers[game_id])
            yield replayer.record(job, [referee], batches[game_id].questions)

    return Run(
        records=replay_games(games, course, play_all),
        referee="answers",
        settings=as_dict(settings),
        store_fingerprint=course.fingerprint,
        commit=commit(),
        seed=seed,
        repeats=1,
        own_measures=measures,
    )
