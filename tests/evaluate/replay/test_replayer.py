"""Replaying here and in worker processes: the same run, and no search or plan made twice."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from configs.settings import Settings, WorkerError
from evaluate.games.labelled import LabelledGame
from evaluate.replay import replayer as replayer_module
from evaluate.replay.replay import replay_games, replay_store
from evaluate.replay.replayer import Job, PlayAll, Replayer, play_on
from evaluate.runs.record import ReplayRecord
from evaluate.runs.run import Run, make_run
from ingest.executors import executor_of
from ingest.store import Course
from player.player import Player, build_player
from player.search.orchestrator import SearchOrchestrator
from player.search.types import Query, SearchResult
from tests.evaluate.fakes import course_games, labelled_game, make_hashing_replayer
from tests.fakes import each
from tests.player.fakes import course

REFEREE = "noisy:0.3,0.2"


@pytest.fixture(scope="module")
def games() -> list[LabelledGame]:
    """Six games, one of them unanswerable and one lost at ingest."""
    return [
        *course_games(course())[:4],
        labelled_game(game_id="no", answerable=False, paragraph_id=""),
        labelled_game(game_id="lost", paragraph_id="gamma:1:1"),
    ]


def timeless(run: dict[str, Any]) -> str:
    return json.dumps({key: value for key, value in run.items() if key != "latency_ms"})


def die() -> Replayer:
    os._exit(3)


def play_in_processes(
    make: Callable[[], Replayer], jobs: Iterable[Job]
) -> Iterator[ReplayRecord]:
    with executor_of(2) as executor:
        return iter(list(play_on(executor, "key", make)(jobs)))


def test_the_run_is_the_same_whoever_plays_it(
    store: Course, quick: Settings, games: list[LabelledGame]
) -> None:
    make = functools.partial(
        make_hashing_replayer, store.location, quick, REFEREE, 3, 2
    )

    def run_by(play_all: PlayAll) -> Run:
        records = replay_games(games, store, play_all, progress=False)
        return make_run(records, store.fingerprint, quick, REFEREE, 3, 2)

    alone = run_by(functools.partial(map, make().record))
    together = run_by(functools.partial(play_in_processes, make))
    assert len(alone.per_game) == 10
    assert timeless(alone.as_json()) == timeless(together.as_json())
    game_ids = each(together.records, "game_id")
    assert game_ids == each(games, "game_id")


def test_a_worker_that_dies_is_told_with_the_remedy(games: list[LabelledGame]) -> None:
    with pytest.raises(
        WorkerError,
        match=r"The worker process died 3 times on the same task\. .*run the same command again",
    ):
        play_in_processes(die, [Job(0, games[0], None)])


def test_a_played_game_is_searched_once_and_shows_what_a_search_shows(
    store: Course,
    quick: Settings,
    games: list[LabelledGame],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    for name in ("search", "candidates"):
        search = getattr(SearchOrchestrator, name)

        def counting(
            self: SearchOrchestrator,
            query: Query,
            name: str = name,
            search: Any = search,
        ) -> SearchResult:
            asked.append(name)
            result: SearchResult = search(self, query)
            return result

        monkeypatch.setattr(SearchOrchestrator, name, counting)
    paragraphs = {item.paragraph_id: item for item in store.paragraphs}
    job = Job(0, games[0], paragraphs[games[0].paragraph_id])
    played = make_hashing_replayer(store.location, quick, "oracle", 0, 2).record(job)
    assert asked == ["candidates"]
    unplayed = make_hashing_replayer(store.location, quick, "none", 0, 1).record(job)
    assert asked == ["candidates", "search"]
    assert played["search"]["hits"] == unplayed["search"]["hits"]
    assert played["search"]["rank"] == unplayed["search"]["rank"]


@pytest.mark.usefixtures("fast_models")
def test_no_deadline_of_a_live_search_is_in_force(
    store: Course,
    quick: Settings,
    games: list[LabelledGame],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deadlines = []

    def building(store: Course, settings: Settings) -> Player:
        deadlines.append(settings.search.deadline_s)
        return build_player(store, settings)

    monkeypatch.setattr(replayer_module, "build_player", building)
    hurried = replace(quick, search=replace(quick.search, deadline_s=0.01))
    run = replay_store(games[:1], store, hurried)
    assert deadlines == [600.0]
    assert run.settings["search"]["deadline_s"] == 0.01
