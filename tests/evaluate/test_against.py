"""The table of the player against referees: what it counts, worked by hand on three games."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from configs.settings import Settings, load
from evaluate.against import (
    HINT_ALONE,
    SPECS,
    Outcome,
    Played,
    build_rounds,
    judges_of,
    play_against,
    read_table,
    table_of,
)
from evaluate.errors import RefereeError, RunError
from evaluate.referee import read_spec
from evaluate.replayer import Job, Replayer, here
from evaluate.scoring import word_similarity
from ingest.store import DEFAULT_COLLECTION, ParagraphStore, models_dir_of
from player.player import build_player
from tests.evaluate.fakes import course_games, labelled_game, make_store
from tests.player.fakes import course

JUDGES = [(HINT_ALONE, 0), ("oracle", 0), ("random", 0), ("random", 1)]


def outcome(won: bool, confidence: float, private_score: float = 50.0) -> Outcome:
    return Outcome(won, won, private_score, confidence)


PLAYED = (
    Played("g1", (outcome(True, 0.5), outcome(True, 0.9, 80.0), outcome(True, 0.5), outcome(False, 0.5))),
    Played("g2", (outcome(False, 0.5), outcome(True, 0.8, 70.0), outcome(False, 0.5), outcome(False, 0.5))),
    Played("lost", ()),
)
BY_GAME = {played.game_id: played for played in PLAYED}


def as_by_hand(jobs: Iterable[Job]) -> Iterator[Played]:
    """The games above, the last one first."""
    return (BY_GAME[job.game.game_id] for job in reversed(list(jobs)))


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    jobs = [Job(row, labelled_game(game_id=game_id), None) for row, game_id in enumerate(BY_GAME)]
    return table_of(jobs, as_by_hand, JUDGES, "f", load(), 0)


class TestTable:
    def test_a_game_lost_at_ingest_counts_as_lost_with_score_0(self, table: dict[str, Any]) -> None:
        assert (table["games"], table["lost_at_ingest"]) == (3, 1)
        oracle = table["referees"][0]
        assert (oracle["won"], oracle["private_score"]) == pytest.approx((2 / 3, (80 + 70) / 3), abs=1e-6)
        assert oracle["won_interval"][0] < 2 / 3 < oracle["won_interval"][1]

    def test_repeats_of_a_game_are_no_games_of_their_own(self, table: dict[str, Any]) -> None:
        random = table["referees"][1]
        assert (random["referee"], random["plays"]) == ("random", 2)
        assert random["won"] == pytest.approx((0.5 + 0 + 0) / 3, abs=1e-6)

    def test_it_stands_next_to_the_hint_alone(self, table: dict[str, Any]) -> None:
        assert table["hint_alone"]["won"] == pytest.approx(1 / 3, abs=1e-6)
        gains = [line["won_more_than_hint"] for line in table["referees"]]
        assert gains == pytest.approx([1 / 3, -1 / 6], abs=1e-6)
        assert table["per_game"][0] == {"game_id": "g1", "won": {HINT_ALONE: 1.0, "oracle": 1.0, "random": 0.5}}

    def test_confidence_is_judged_by_the_games_that_were_played(self, table: dict[str, Any]) -> None:
        oracle, random = table["referees"]
        assert oracle["brier"] == pytest.approx((0.1**2 + 0.2**2) / 2)
        assert oracle["log_score"] == pytest.approx(-(math.log(0.9) + math.log(0.8)) / 2)
        assert (random["brier"], random["log_score"]) == pytest.approx((0.25, math.log(2.0)))
        assert oracle["confidence"] == pytest.approx(0.85)

    def test_it_is_read_back_as_it_was_written(self, table: dict[str, Any], tmp_path: Path) -> None:
        file = tmp_path / "table.json"
        file.write_text(json.dumps(table), encoding="utf-8")
        assert read_table(file) == json.loads(json.dumps(table))

    @pytest.mark.parametrize(("text", "says"), [("", "as JSON"), ("[]", "has no games"), ('{"games": 1}', "no hint")])
    def test_a_file_that_is_none_is_refused(self, tmp_path: Path, text: str, says: str) -> None:
        file = tmp_path / "table.json"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(RunError, match=says):
            read_table(file)


class TestJudges:
    def test_the_hint_alone_comes_first_and_who_draws_nothing_plays_once(self) -> None:
        assert judges_of(["oracle", "random"], 2, 7) == [(HINT_ALONE, 7), ("oracle", 7), ("random", 7), ("random", 8)]

    def test_those_played_unasked_can_all_be_read(self) -> None:
        assert len({read_spec(spec) for spec in SPECS}) == len(SPECS)

    @pytest.mark.parametrize("specs", [["oracle", "oracle"], ["none"], ["oracle", "wise"]])
    def test_one_that_is_none_or_comes_twice_is_refused(self, specs: list[str]) -> None:
        with pytest.raises(RefereeError, match="--referee must"):
            judges_of(specs, 1, 0)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ParagraphStore:
    return make_store(tmp_path_factory.mktemp("store"), course())


@pytest.fixture(scope="module")
def quick() -> Settings:
    settings = load()
    return replace(settings, game=replace(settings.game, questions_pool=60))


@pytest.mark.usefixtures("fast_models")
class TestPlaying:
    def test_outcomes_are_those_of_a_replay(self, store: ParagraphStore, quick: Settings) -> None:
        games = course_games(course())[:4]
        paragraphs = {item.paragraph_id: item for item in course()}
        judges = [("noisy:0.4,0.2", 1), ("sees:opening", 0)]
        rounds = build_rounds(store.location, DEFAULT_COLLECTION, quick, judges, 0)
        referees = rounds.referees
        similarity = word_similarity(store.embedder_spec, models_dir_of(store, quick.embed), quick.embed)
        replayer = Replayer(build_player(store, quick), referees, similarity, 0)
        for number, game in enumerate(games):
            job = Job(number, game, paragraphs[game.paragraph_id])
            played, record = next(here(rounds)([job])), replayer.record(job)
            for found, play in zip(played.outcomes, record["plays"], strict=True):
                assert (found.won, found.private_score) == (play["won"], play["private_score"])
                assert found.sentence_exact == play["sentence_exact"]
                assert found.confidence == pytest.approx(play["guess"]["confidence"], abs=1e-6)

    def test_the_same_seed_gives_the_same_table_whoever_plays(self, store: ParagraphStore, quick: Settings) -> None:
        games = [*course_games(course())[:3], labelled_game(game_id="lost", paragraph_id="gamma:1:1")]
        games.append(labelled_game(game_id="no", answerable=False, paragraph_id=""))
        tables = [
            play_against(
                games,
                store,
                quick,
                collection=DEFAULT_COLLECTION,
                specs=["oracle", "random", "sees:passages"],
                repeats=2,
                seed=3,
                workers=1,
            )
            for _ in range(2)
        ]
        assert tables[0] == tables[1]
        assert (tables[0]["games"], tables[0]["lost_at_ingest"]) == (4, 1)
        oracle = tables[0]["referees"][0]
        assert oracle["won"] == 0.75
        assert np.isfinite(oracle["log_score"])
