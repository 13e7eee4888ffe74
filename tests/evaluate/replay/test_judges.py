"""Games against several referees: who plays, and that what was interrupted goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

import pytest

from quarry.configs.settings import Settings
from quarry.evaluate.errors import RefereeError
from quarry.evaluate.referee.simulated import SPECS, judges_of
from quarry.evaluate.referee.spec import HINT_ALONE, read_spec
from quarry.evaluate.replay import replay as replay_module
from quarry.evaluate.replay.replay import inputs_digest, replay_judges
from quarry.evaluate.runs.record import GameRecord
from quarry.ingest.store import Course
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


def timeless(records: Iterable[GameRecord]) -> str:
    """The records without what depends on the clock."""
    times = {"questions_ms": 0, "decide_ms": 0}
    search = {"embed_ms": 0, "search_ms": 0}
    return json.dumps([{**record, **times, "search": {**record["search"], **search}} for record in records])


@pytest.mark.usefixtures("fast_models")
class TestPlaying:
    def test_the_same_seed_gives_the_same_games(self, store: Course, quick: Settings) -> None:
        games = [*course_games(course())[:3], labelled_game(game_id="lost", paragraph_id="gamma:1:1")]
        judges = judges_of(["oracle", "random", "sees:passages"], 2, 3)
        one, other = (
            list(replay_judges(games, store, quick, judges, seed=3, workers=1, n_candidates=0)) for _ in range(2)
        )
        assert timeless(one) == timeless(other)
        assert [record["game_id"] for record in one] == ["g1", "g2", "g3", "lost"]
        assert [len(record["plays"]) for record in one] == [5, 5, 5, 0]
        assert all(record["plays"][1]["won"] for record in one[:3])
        assert one[0]["plays"][0]["answers"] == [None] * 20, "the hint alone is answered nothing"
        assert len(one[0]["plays"][0]["candidates"]) == 1, "the labelled one is always kept"


class TestInputs:
    def test_the_digest_changes_with_everything_a_run_depends_on(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        games, other = [labelled_game()], replace(settings, search=replace(settings.search, pdf_k=3))
        digests = [
            inputs_digest(games, "store", settings, [], 0),
            inputs_digest([labelled_game(hint="another")], "store", settings, [], 0),
            inputs_digest(games, "other store", settings, [], 0),
            inputs_digest(games, "store", other, [], 0),
            inputs_digest(games, "store", settings, [("oracle", 0)], 0),
            inputs_digest(games, "store", settings, [], 1),
        ]
        monkeypatch.setattr(replay_module, "code_digest", lambda: "other code")
        digests.append(inputs_digest(games, "store", settings, [], 0))
        assert len(set(digests)) == 7
        monkeypatch.undo()
        assert inputs_digest(games, "store", settings, [], 0) == digests[0]
