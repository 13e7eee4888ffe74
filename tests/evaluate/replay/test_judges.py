"""Games against several referees: who plays, and that what was interrupted goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from configs.settings import Settings
from evaluate.referee.simulated import judges_of
from evaluate.referee.spec import HINT_ALONE
from evaluate.replay import replay as replay_module
from evaluate.replay.replay import inputs_digest, replay_judges
from ingest.store import Course
from tests.evaluate.fakes import course_games, labelled_game
from tests.fakes import each
from tests.player.fakes import course


def test_the_hint_alone_comes_first_and_who_draws_nothing_plays_once() -> None:
    assert judges_of(["oracle", "random"], 2, 7) == [
        (HINT_ALONE, 7),
        ("oracle", 7),
        ("random", 7),
        ("random", 8),
    ]


@pytest.mark.usefixtures("fast_models")
def test_each_game_is_played_against_every_referee(
    store: Course, quick: Settings
) -> None:
    lost = labelled_game(game_id="lost", paragraph_id="gamma:1:1")
    games = [*course_games(course())[:2], lost]
    judges = judges_of(["oracle", "random", "sees:passages"], 2, 3)
    records = replay_judges(
        games, store, quick, judges, seed=3, workers=1, n_candidates=0
    )
    first, second, third = records
    assert each(records, "game_id") == ["g1", "g2", "lost"]
    assert len(first["plays"]) == len(second["plays"]) == 5
    assert third["plays"] == []
    assert first["plays"][1]["won"]

    hint_alone = first["plays"][0]
    assert hint_alone["answers"] == [None] * 20
    assert len(hint_alone["candidates"]) == 1, "the labelled one is always kept"


def test_the_digest_changes_with_everything_a_run_depends_on(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = replace(settings.search, pdf_k=3)
    inputs: list[Any] = [[labelled_game()], "store", settings, [], 0]
    others = [
        [labelled_game(hint="another")],
        "other store",
        replace(settings, search=search),
        [("oracle", 0)],
        1,
    ]
    digests = {inputs_digest(*inputs)}
    for place, other in enumerate(others):
        changed = inputs.copy()
        changed[place] = other
        digests.add(inputs_digest(*changed))
    assert len(digests) == 6
    assert inputs_digest(*inputs) in digests
    monkeypatch.setattr(replay_module, "code_digest", lambda: "other code")
    assert inputs_digest(*inputs) not in digests
