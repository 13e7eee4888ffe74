"""Replayer: plays one labelled game at a time against referees, in this process or in a worker."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from configs.settings import MAX_SEARCH_DEADLINE_S, Settings
from evaluate.games.labelled import LabelledGame
from evaluate.practice.server import PracticeServer, RegisteredPlayer, Repertoire
from evaluate.referee.passages import build_retriever
from evaluate.referee.protocol import Referee
from evaluate.referee.scoring import (
    Similarity,
    character_similarity,
    make_word_similarity,
)
from evaluate.referee.simulated import make_referee
from evaluate.referee.spec import SeededSpec
from evaluate.replay.batches import AskedBatch
from evaluate.replay.ideal import compute_win_ideal
from evaluate.replay.store_address import StoreAddress, open_same
from evaluate.runs.record import ReplayRecord
from evaluate.runs.recording import record_game
from player.game.game import STRICT
from player.game.loop import Loop
from player.player import Contestant, Plan, Player, build_player
from player.question import Question
from player.round import RoundStart
from player.search.results import Query
from quarry.course.paragraph import Paragraph
from quarry.embed import Models
from quarry.parallel import PerProcess


@dataclass(frozen=True, slots=True)
class Job:
    """One game to replay.

    Attributes:
        game: the labelled game.
        paragraph: the secret paragraph as ingested; None if it was not ingested or the game is unanswerable.
        batch: questions to ask, with the answers to them; None takes those of the player and the referees.
    """

    game: LabelledGame
    paragraph: Paragraph | None
    batch: AskedBatch | None


@dataclass(frozen=True)
class Replayer:
    """Replays games with one player.

    Attributes:
        player: the player.
        referees: referees against which each game is played; without referees, games are only searched.
        similarity: similarity of two words, for the score.
    """

    player: Player
    referees: Sequence[Referee]
    similarity: Similarity

    def replay(self, job: Job) -> ReplayRecord:
        """Play a game against every referee, with one search and one plan for all, and return its record.

        If there are no referees, or the store does not hold the paragraph, the game is only searched.
        """
        game, paragraph, batch = job.game, job.paragraph, job.batch
        if paragraph is None or not (batch or self.referees):
            search = self.player.orchestrator
            keywords = search.settings.keywords
            result = search.search(Query(game.hint, game.book_name, keywords=keywords))
            return record_game(game, paragraph, result, [])

        contestant = _PlansOnce(self.player, batch.questions if batch else None)
        referees = [batch] if batch else self.referees
        played_games = []
        for referee in referees:
            repertoire = Repertoire([(game, paragraph)], referee, self.similarity)
            loop = Loop(
                RegisteredPlayer(PracticeServer(repertoire)),
                contestant,
                name="replay",
                timeout_s=inf,
                timeouts=STRICT,
            )
            played_games.append(loop.play_one())

        plan = played_games[0].plan
        record = record_game(game, paragraph, plan.result, played_games)
        for play_record, referee in zip(record["plays"], referees, strict=True):
            ideal = compute_win_ideal(plan, game, paragraph, referee)
            play_record["win_ideal"] = ideal
        return record


class _PlansOnce:
    """A contestant that makes one plan for all plays of a game, which differ only in the answers.

    Args:
        player: makes the plan and the guesses.
        questions: questions of the plan; None takes those of the player.
    """

    def __init__(
        self, player: Contestant, questions: Sequence[Question] | None
    ) -> None:
        self.answer_warmup = player.answer_warmup
        self.decide = player.decide
        self._make_plan = functools.cache(lambda start: player.plan(start, questions))

    def plan(
        self, start: RoundStart, questions: Sequence[Question] | None = None
    ) -> Plan:
        """Return the plan of the game."""
        assert questions is None, "they are given when the contestant is made"
        return self._make_plan(start)


def build_replayer(
    address: StoreAddress,
    settings: Settings,
    referees: Sequence[SeededSpec],
    has_scores: bool,
) -> Replayer:
    """Build the replayer of a process.

    Args:
        address: address of the store.
        settings: settings of the player.
        referees: SPEC and seed of each referee; () only searches.
        has_scores: whether games are played and scored.

    Raises:
        WorkerError: the store has another fingerprint.
    """
    course = open_same(*address)
    # searches wait for every strategy
    search = replace(settings.search, deadline_s=MAX_SEARCH_DEADLINE_S)
    player = build_player(course, replace(settings, search=search))
    retriever = build_retriever(course, settings.embed)
    similarity: Similarity = character_similarity
    if has_scores:
        models = Models(settings.embed)
        similarity = make_word_similarity(course.embedder_spec, models)
    opponents = [make_referee(spec, seed, retriever) for spec, seed in referees]
    return Replayer(player, opponents, similarity)


def play_job(replayer: PerProcess[Replayer], job: Job) -> ReplayRecord:
    """Play a game with the replayer of this process."""
    return replayer.get().replay(job)
