"""Games against referees: who plays, and that they are the games of a replay."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from quarry.configs.settings import Settings
from quarry.evaluate.errors import GamesError, RefereeError
from quarry.evaluate.referee import read_spec
from quarry.evaluate.referee.scoring import word_similarity
from quarry.evaluate.replay.replayer import Job, Replayer, here
from quarry.evaluate.replay.rounds import HINT_ALONE, SPECS, Played, Rounds, build_rounds, judges_of, play_rounds
from quarry.ingest.store import DEFAULT_COLLECTION, Course
from quarry.player.player import build_player
from tests.evaluate.fakes import course_games, labelled_game
from tests.player.fakes import course


class TestJudges:
    def test_the_hint_alone_comes_first_and_who_draws_nothing_plays_once(self) -> None:
        assert judges_of(["oracle", "random"], 2, 7) == [(HINT_ALONE, 7), ("oracle", 7), ("random", 7), ("random", 8)]

    def test_those_played_unasked_can_all_be_read(self) -> None:
        assert len({read_spec(spec) for spec in SPECS}) == len(SPECS)

    @pytest.mark.parametrize("specs", [["oracle", "oracle"], ["none"], ["oracle", "wise"]])
    def test_one_that_is_none_or_comes_twice_is_refused(self, specs: list[str]) -> None:
        with pytest.raises(RefereeError, match="--referee must"):
            judges_of(specs, 1, 0)


@pytest.mark.usefixtures("fast_models")
class TestPlaying:
    def test_outcomes_are_those_of_a_replay(self, store: Course, quick: Settings) -> None:
        games = course_games(course())[:4]
        paragraphs = {item.paragraph_id: item for item in course()}
        judges = [("noisy:0.4,0.2", 1), ("sees:opening", 0)]
        rounds = build_rounds(store.location, DEFAULT_COLLECTION, quick, judges, 0, alone=True)
        referees = rounds.referees
        similarity = word_similarity(store.embedder_spec, store.models(quick.embed))
        replayer = Replayer(build_player(store, quick), referees, similarity, 0)
        for number, game in enumerate(games):
            job = Job(number, game, paragraphs[game.paragraph_id])
            played, record = next(here(rounds)([job])), replayer.record(job)
            for found, play in zip(played.outcomes, record["plays"], strict=True):
                assert (found.won, found.private_score) == (play["won"], play["private_score"])
                assert found.sentence_exact == play["sentence_exact"]
                assert found.confidence == pytest.approx(play["guess"]["confidence"], abs=1e-6)

    def test_the_same_seed_gives_the_same_games(self, store: Course, quick: Settings) -> None:
        games = [*course_games(course())[:3], labelled_game(game_id="lost", paragraph_id="gamma:1:1")]
        games.append(labelled_game(game_id="no", answerable=False, paragraph_id=""))
        judges = judges_of(["oracle", "random", "sees:passages"], 2, 3)
        one, other = (
            play_rounds(games, store, quick, collection=DEFAULT_COLLECTION, judges=judges, seed=3, workers=1)
            for _ in range(2)
        )
        assert one == other
        assert [played.game_id for played in one] == ["g1", "g2", "g3", "lost"]
        assert [len(played.outcomes) for played in one] == [5, 5, 5, 0]
        assert all(played.outcomes[1].won for played in one[:3])

    def test_an_interrupted_run_goes_on_where_it_stopped(
        self, store: Course, quick: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        games, judges = course_games(course())[:3], judges_of(["random"], 1, 3)
        playing = functools.partial(
            play_rounds, games, store, quick, collection=DEFAULT_COLLECTION, judges=judges, seed=3, workers=1
        )
        whole, record, seen = playing(), Rounds.record, []

        def interrupted(self: Rounds, job: Job) -> Played:
            seen.append(job.game.game_id)
            if len(seen) == 2:
                raise KeyboardInterrupt
            return record(self, job)

        monkeypatch.setattr(Rounds, "record", interrupted)
        with pytest.raises(KeyboardInterrupt):
            playing(partial=tmp_path / "partial")
        assert playing(partial=tmp_path / "partial") == whole
        assert seen == ["g1", "g2", "g2", "g3"]

    def test_games_of_which_none_is_answerable_are_refused(self, store: Course, quick: Settings) -> None:
        games = [labelled_game(game_id="no", answerable=False, paragraph_id="")]
        with pytest.raises(GamesError, match="at least one answerable game, got none of 1"):
            play_rounds(games, store, quick, collection=DEFAULT_COLLECTION, judges=[("none", 0)], seed=0, workers=1)
