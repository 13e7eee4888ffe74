"""A store and settings -> an orchestrator: one that notices when the store is changed under it."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from threading import Event
from unittest.mock import Mock, create_autospec

import numpy as np
import pytest

from configs.errors import SettingsError
from configs.settings import load
from evaluate.errors import TuneError
from evaluate.tuning.prepared import search_all
from player.player import build_player
from player.round import RoundStart
from player.search.books.resolver import BookResolver
from player.search.build import build_orchestrator
from player.search.cache import CachingEmbedder
from player.search.engine import SearchOrchestrator
from player.search.late_interaction import late_interaction_of
from player.search.results import Query, ScoreArrays
from player.search.strategies.dense import Dense
from player.search.strategies.keywords import Keyword
from player.search.strategies.strategy import EmbeddingStrategy, Strategy
from quarry.embed.hint_bank import Hints, load_hints
from quarry.errors import EmbedderError, StoreError
from quarry.store import Course, Store
from quarry.store.folder import CONTENT_FILE
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import course_games, make_store, prepared
from tests.fakes import (
    HashingEmbedder,
    each,
    file_reading,
    make_reading,
)
from tests.player.fakes import course, ids_of

pytestmark = pytest.mark.usefixtures("hashing_embedder")

SHORT_S = 0.5
"""A deadline within which what does not hang is done, and one that hangs does not keep a test."""
HEAP = Query("quick heap")


@pytest.fixture
def store(tmp_path: Path) -> Course:
    return make_store(tmp_path / "store", course())


def built(store: Course, *changes: str) -> SearchOrchestrator:
    return build_orchestrator(store, load(changes=changes))


def test_a_store_that_is_ingested_into_is_noticed_by_the_next_search_and_game(
    store: Course,
) -> None:
    player = build_player(store, load())
    start = RoundStart("", "third", "eruptions of molten rock", "geology", "")
    hint = Query("Volcanoes erupt with lava", keywords="off")
    assert len(player.plan(start).places.paragraphs) == 12
    result = player.orchestrator.search(hint)
    assert ids_of(result.hits)[0] != "third:1:1"
    text = "Volcanoes erupt with lava. Later lessons mention ash."
    third = paragraph("third:1:1", text)
    make_store(store.location, [*course(), third])

    result = player.orchestrator.search(hint)
    assert not result.cached
    assert ids_of(result.hits)[0] == "third:1:1"
    plan = player.plan(start)
    assert len(plan.places.paragraphs) == 13
    assert ids_of(plan.result.hits)[0] == "third:1:1"


def test_a_store_that_is_gone_is_an_error_and_not_an_empty_answer(
    store: Course,
) -> None:
    searches = built(store)
    searches.search(Query("merge"))
    shutil.rmtree(store.location)
    with pytest.raises(StoreError, match="holds no store"):
        searches.search(HEAP)


def test_a_search_costs_one_stat_of_each_generation(
    store: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = built(store)
    searches.search(Query("merge"))
    stat = Mock(wraps=os.stat)
    monkeypatch.setattr(os, "stat", stat)
    searches.search(HEAP)
    (call,) = stat.call_args_list
    assert Path(*call.args) == Path(store.location, "course.1", CONTENT_FILE)


def test_results_are_cached_for_one_way_to_embed(store: Course) -> None:
    for threads, is_cached in ((1, False), (1, True), (2, False)):
        result = built(store, f"embed.threads={threads}").search(HEAP)
        assert result.cached == is_cached


def test_a_users_own_strategy_is_tuned_by_its_dotted_path(store: Course) -> None:
    path = "player.search.strategies.keywords.Keyword"
    settings = load(changes=[f"search.strategies=[{path}]"])
    tuned = prepared(course_games(course())[:2], store, settings)
    ranks, _ = search_all(tuned, settings.search)
    assert ranks.tolist() == [1, 1]


class Broken(Strategy):
    """Fails in the part of its work, and in the way, that a test names; its length is 0."""

    part, error = "none", BaseException()

    def __init__(self, store: Course) -> None:
        super().__init__(store.paragraphs)
        self._perhaps_fail("make")

    def __len__(self) -> int:
        return 0

    def load(self) -> None:
        self._perhaps_fail("load")

    def prepare(self, query: Query) -> None:
        self._perhaps_fail("prepare")

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        self._perhaps_fail("score")
        zeros = np.zeros(1 if self.part == "size" else 12)
        return ScoreArrays(zeros, zeros, zeros)

    def _perhaps_fail(self, part: str) -> None:
        if part == self.part:
            raise self.error


BROKEN = f"{__name__}.Broken"


@pytest.mark.parametrize(
    ("part", "error", "says"),
    [
        (
            "make",
            OSError("no model"),
            f"SettingsError: search.strategies '{BROKEN}' cannot be imported and made: OSError: no model; start Python "
            "in the folder of the module, or install it",
        ),
        ("load", ValueError("no\nwords"), "ValueError: no words"),
        ("prepare", ZeroDivisionError("p"), "ZeroDivisionError: p"),
        ("score", SystemExit(3), "SystemExit: 3"),
        (
            "size",
            None,
            "it must return ScoreArrays with a finite score for each of the 12 paragraphs, and two log-odds that are "
            "both numbers or both -inf",
        ),
    ],
)
def test_a_users_own_strategy_that_fails_ends_a_tune_in_one_line_and_no_search(
    part: str,
    error: BaseException,
    says: str,
    store: Course,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Broken, "part", part)
    monkeypatch.setattr(Broken, "error", error)
    settings = load(changes=[f"search.strategies=[{BROKEN}, dense]"])
    failure = f"{BROKEN} failed: {says}"
    with pytest.raises(
        TuneError, match=rf"^search step {failure}.*\. Correct it, or tune"
    ):
        prepared(course_games(course())[:2], store, settings)
    result = build_orchestrator(store, settings).search(HEAP)
    failures = [str(one).split(" (")[0] for one in result.failures]
    assert failures == [f"search step {failure}"]
    assert {*each(result.hits, "strategy")} == {"dense"}


def spied_on(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> Mock:
    """Let a method record its calls."""
    work = getattr(owner, name)
    spy: Mock = create_autospec(work, side_effect=work)
    monkeypatch.setattr(owner, name, spy)
    return spy


def test_each_strategy_is_made_once_and_is_used_even_if_it_is_false(
    store: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [spied_on(monkeypatch, kind, "__init__") for kind in (Dense, Keyword)]
    searches = built(store, f"search.strategies=[{BROKEN}, dense, keyword]")
    assert not searches.search(HEAP).failures
    for initialise in made:
        initialise.assert_called_once()


def test_an_ingest_keeps_the_embedder_that_is_loaded(
    store: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_embedder = Mock(return_value=HashingEmbedder())
    monkeypatch.setattr("player.search.build.store_embedder", load_embedder)
    searches = built(store)
    make_store(store.location, [*course(), paragraph("third:1:1", "Volcanoes erupt.")])
    assert ids_of(searches.search(Query("volcanoes erupt")).hits)[0] == "third:1:1"
    load_embedder.assert_called_once()


@pytest.mark.parametrize("part", ["__init__", "load"])
def test_a_users_own_strategy_that_hangs_is_named_and_the_others_answer(
    part: str,
    store: Course,
    never: Event,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("player.search.build.LOADING_S", SHORT_S)
    monkeypatch.setattr("player.search.build.SLOW_S", SHORT_S / 5)
    caplog.set_level("INFO", "player")
    monkeypatch.setattr(Broken, part, lambda *_: never.wait())
    result = built(
        store, f"search.strategies=[dense,{BROKEN}]", f"search.deadline_s={SHORT_S}"
    ).search(HEAP)
    (failure,) = result.failures
    assert failure.strategy == BROKEN
    assert "no answer by its deadline" in failure.reason
    assert result.hits
    waiting, *late = caplog.messages
    assert waiting == f"still loading {BROKEN}"

    if part == "load":
        says = f"strategy {BROKEN} is not loaded after 0.5 s"
        assert late[0].startswith(says)


class ByMeaning(EmbeddingStrategy):
    """Finds all paragraphs alike, by the length of the hint's vector."""

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        length = np.linalg.norm(self._embedder.embed(query.hint).vector)
        scores = np.full(len(self._paragraphs), 9.0 * length)
        return ScoreArrays(scores, scores, scores)


@pytest.mark.parametrize("fault", ["", "no model"])
def test_a_users_own_strategy_that_embeds_gets_the_embedder_or_says_why_not(
    store: Course, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    if fault:
        loading = Mock(side_effect=EmbedderError(fault))
        monkeypatch.setattr("player.search.build.store_embedder", loading)
    path = f"{__name__}.ByMeaning"
    result = built(store, f"search.strategies=[{path}]").search(HEAP)
    assert each(result.failures, "reason") == [fault] * bool(fault)
    assert {*each(result.hits, "strategy")} == {"keyword" if fault else path}


def test_a_path_that_leads_nowhere_is_refused(store: Course) -> None:
    with pytest.raises(
        SettingsError, match=r"search\.strategies .* cannot be imported"
    ):
        built(store, "search.strategies=[no.Thing]")


def test_a_store_that_does_not_answer_is_named_and_the_course_at_hand_is_searched(
    store: Course, never: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = built(store, "search.deadline_s=4", "search.cache_size=0")
    expected = searches.search(HEAP).hits

    for reason, generation in (
        ("connection refused", Mock(side_effect=StoreError("connection refused"))),
        ("no answer in time", lambda _: never.wait()),
    ):
        with monkeypatch.context() as patch:
            patch.setattr("player.search.build.is_url", bool)
            patch.setattr("player.search.build.current_identity", generation)
            for _ in range(12):
                result = searches.search(HEAP)
                assert list(map(str, result.failures)) == [
                    f"search step store failed: {reason}; the course is searched as it was read last"
                ]
                assert result.hits == expected

    never.set()
    assert searches.rank_course(replace(HEAP, k=5)).hits


def test_what_is_slow_when_it_is_first_used_is_used_before_any_deadline(
    store: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = [
        spied_on(monkeypatch, HashingEmbedder, "embed_queries"),
        spied_on(monkeypatch, Dense, "load"),
        spied_on(monkeypatch, BookResolver, "resolve"),
    ]
    built(store, "search.deadline_s=0.01")
    for work in used:
        work.assert_called()


def test_our_own_games_are_searched_without_hubs(tmp_path: Path) -> None:
    made = Store(str(tmp_path))
    # the bundled bank of hints is about this document
    doc_id = min(load_hints().source_doc_ids)
    file_reading(made, make_reading(doc_id, ["One says this.", "One says that."]))

    others = Hints(dict.fromkeys(("one hint", "two hints", "hint three"), ""))
    for hints, are_hubs in ((None, False), (others, True)):
        embedder = CachingEmbedder(HashingEmbedder())
        late = late_interaction_of(made.course, load(), embedder, hints)
        assert late is not None
        hubness = late.hubs.of("about what one says")
        assert (hubness != 0.0).tolist() == [are_hubs] * 2
