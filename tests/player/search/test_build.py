"""A store and settings -> an orchestrator: one that notices when the store is changed under it."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from configs.errors import SettingsError
from configs.settings import load
from evaluate.errors import TuneError
from evaluate.games.locating import locate_games
from evaluate.tuning.prepared import prepare, search_all
from player.player import build_player
from player.round import RoundStart
from player.search.available import STRATEGIES
from player.search.books.resolver import BookResolver
from player.search.build import build_orchestrator
from player.search.cache import CachingEmbedder
from player.search.late_interaction import late_interaction_of
from player.search.results import Query, ScoreArrays
from player.search.strategies.dense import Dense
from player.search.strategies.keywords import Keyword
from player.search.strategies.strategy import Strategy
from quarry.arrays import Float32Array
from quarry.embed.hint_bank import Hints, load_hints
from quarry.embed.vectors import embed_reading
from quarry.errors import StoreError
from quarry.store import Course, Store, StoredDocument
from quarry.store.folder import CONTENT
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import course_games, make_store
from tests.fakes import HashingEmbedder, each, load_hashing_embedder, make_reading
from tests.player.fakes import WordsEmbedder, course, ids_of, strategy_inputs

SHORT_S = 0.5
"""A deadline within which what does not hang is done, and one that hangs does not keep a test."""
HEAP = Query("quick heap")


@pytest.fixture(autouse=True)
def _embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quarry.embed.models.load_embedder", load_hashing_embedder)


@pytest.fixture
def store(tmp_path: Path) -> Course:
    return make_store(tmp_path / "store", course())


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
    searches = build_orchestrator(store, load())
    searches.search(Query("merge"))
    shutil.rmtree(store.location)
    with pytest.raises(StoreError, match="holds no store"):
        searches.search(HEAP)


def test_a_search_costs_one_stat_of_each_generation(
    store: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = build_orchestrator(store, load())
    searches.search(Query("merge"))
    asked: list[Path] = []
    stat = os.stat

    def counted(path: str | Path, **more: bool) -> object:
        asked.append(Path(path))
        return stat(path, **more)

    monkeypatch.setattr(os, "stat", counted)
    searches.search(HEAP)
    assert asked == [Path(store.location, "course.1", CONTENT)]


def test_results_are_cached_for_one_way_to_embed(store: Course) -> None:
    for threads, is_cached in ((1, False), (1, True), (2, False)):
        settings = load(changes=[f"embed.threads={threads}"])
        result = build_orchestrator(store, settings).search(HEAP)
        assert result.cached == is_cached


def users_own(store: Course) -> Strategy:
    return Keyword(store, strategy_inputs())


def test_a_users_own_strategy_is_tuned_by_its_dotted_path(store: Course) -> None:
    settings = load(changes=[f"search.strategies=[{__name__}.users_own]"])
    games = course_games(course())[:2]
    located = locate_games(games, store.paragraphs)
    tuned = prepare(games, located, store, settings)
    ranks, _ = search_all(tuned, settings.search)
    assert ranks.tolist() == [1, 1]


class Broken(Strategy):
    """Fails in the part of its work, and in the way, that a test names."""

    part, error = "score", BaseException()

    def __init__(self, store: Course) -> None:
        super().__init__(store.paragraphs)

    def load(self) -> None:
        self._fail("load")

    def prepare(self, query: Query) -> None:
        self._fail("prepare")

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        self._fail("score")
        return ScoreArrays(np.zeros(1), np.zeros(1), np.zeros(1))

    def _fail(self, part: str) -> None:
        if part == self.part:
            raise self.error


@pytest.mark.parametrize(
    ("part", "error", "says"),
    [
        ("load", ValueError("no\nwords"), "ValueError: no words"),
        ("prepare", ZeroDivisionError("p"), "ZeroDivisionError: p"),
        ("score", SystemExit(3), "SystemExit: 3"),
        (
            "",
            None,
            "it must return ScoreArrays with a finite score, and log-odds or -inf, for each of the 12 paragraphs",
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
    settings = load(changes=[f"search.strategies=[{__name__}.Broken, dense]"])
    games = course_games(course())[:2]
    located = locate_games(games, store.paragraphs)
    failure = f"{__name__}.Broken failed: {says}"
    with pytest.raises(
        TuneError, match=rf"^search step {failure}.*\. Correct it, or tune"
    ):
        prepare(games, located, store, settings)
    result = build_orchestrator(store, settings).search(HEAP)
    failures = [str(one).split(" (")[0] for one in result.failures]
    assert failures == [f"search step {failure}"]
    assert {*each(result.hits, "strategy")} == {"dense"}


class Empty(Broken):
    """A working strategy whose length is 0."""

    part = "none"

    def __len__(self) -> int:
        return 0

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        zeros = np.zeros(12)
        return ScoreArrays(zeros, zeros, zeros)


def test_each_strategy_is_made_once_and_is_used_even_if_it_is_false(
    store: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    for name, kind in (("dense", Dense), ("keyword", Keyword)):

        def make(*arguments: Any, name: str = name, kind: Any = kind) -> Strategy:
            made.append(name)
            strategy: Strategy = kind(*arguments)
            return strategy

        monkeypatch.setitem(STRATEGIES, name, make)
    names = f"{__name__}.Empty, dense, keyword"
    settings = load(changes=[f"search.strategies=[{names}]"])
    assert not build_orchestrator(store, settings).search(HEAP).failures
    assert sorted(made) == ["dense", "keyword"]


def test_an_ingest_keeps_the_embedder_that_is_loaded(
    store: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[HashingEmbedder] = []

    def load_embedder(*_: object) -> HashingEmbedder:
        loaded.append(HashingEmbedder())
        return loaded[-1]

    monkeypatch.setattr("player.search.build.store_embedder", load_embedder)
    searches = build_orchestrator(store, load())
    make_store(store.location, [*course(), paragraph("third:1:1", "Volcanoes erupt.")])
    assert ids_of(searches.search(Query("volcanoes erupt")).hits)[0] == "third:1:1"
    assert len(loaded) == 1


NEVER = Event()


def that_fails(_: Course) -> Strategy:
    raise OSError("no model")


def that_hangs(_: Course) -> Strategy:
    NEVER.wait()
    raise AssertionError


@pytest.mark.parametrize(
    ("name", "reason"),
    [("that_fails", "no model"), ("that_hangs", "no answer within search.deadline_s")],
)
def test_a_users_own_strategy_that_cannot_be_made_fails_and_the_others_answer(
    name: str, reason: str, store: Course
) -> None:
    NEVER.clear()
    path = f"{__name__}.{name}"
    changes = [f"search.strategies=[dense,{path}]", f"search.deadline_s={SHORT_S}"]
    result = build_orchestrator(store, load(changes=changes)).search(HEAP)
    NEVER.set()
    (failure,) = result.failures
    assert failure.strategy == path
    assert reason in failure.reason
    assert result.hits


class NeverLoaded(Broken):
    """Hangs while it is loaded."""

    def load(self) -> None:
        NEVER.wait()


def test_a_strategy_that_hangs_while_it_is_loaded_is_named(
    store: Course, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    NEVER.clear()
    monkeypatch.setattr("player.search.course_index.LOADING_S", SHORT_S)
    monkeypatch.setattr("player.search.build.SLOW_S", SHORT_S / 5)
    caplog.set_level("INFO", "player")
    path = f"{__name__}.NeverLoaded"
    build_orchestrator(store, load(changes=[f"search.strategies=[dense,{path}]"]))
    NEVER.set()
    waiting, late = each(caplog.records, "message")
    assert waiting == f"still loading {path}"
    assert late.startswith(f"strategy {path} is not loaded after 0.5 s")


def test_a_path_that_leads_nowhere_is_refused(store: Course) -> None:
    message = r"search\.strategies .* cannot be imported"
    with pytest.raises(SettingsError, match=message):
        build_orchestrator(store, load(changes=["search.strategies=[no.Thing]"]))


def test_a_store_that_does_not_answer_is_named_and_the_course_at_hand_is_searched(
    store: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Course) -> None:
        raise StoreError("connection refused")

    never = Event()
    changes = [f"search.deadline_s={SHORT_S}", "search.cache_size=0"]
    searches = build_orchestrator(store, load(changes=changes))
    expected = searches.search(HEAP).hits
    for reason, generation in (
        ("connection refused", refuse),
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


def test_an_embedding_that_hangs_is_late_and_keywords_answer(
    store: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = Event()
    settings = load(changes=[f"search.deadline_s={SHORT_S}"])
    searches = build_orchestrator(store, settings)
    monkeypatch.setattr(HashingEmbedder, "embed_queries", lambda *_: never.wait())
    result = searches.search(HEAP)
    never.set()
    says = "search step dense failed: no answer within search.deadline_s"
    assert list(map(str, result.failures)) == [says]
    assert {*each(result.hits, "strategy")} == {"keyword"}


def test_what_is_slow_when_it_is_first_used_is_used_before_any_deadline(
    store: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = []
    for owner, name in (
        (HashingEmbedder, "embed_queries"),
        (Dense, "load"),
        (BookResolver, "resolve"),
    ):
        work = getattr(owner, name)

        def noted(*given: Any, work: Any = work) -> Any:
            used.append(work)
            return work(*given)

        monkeypatch.setattr(owner, name, noted)
    build_orchestrator(store, load(changes=["search.deadline_s=0.01"]))
    assert len({*used}) == 3


def test_the_hits_of_each_slot_are_in_the_order_of_their_relevance(
    tmp_path: Path,
) -> None:
    hint = "amber birch cedar delta easel fjord grove heron inlet jetty knoll lagoon"
    # a paragraph whose number is n has the first n of these words: its cosine is sqrt(n / 12)
    items = []
    for doc_id, numbers in {
        "first": (5, 12, 1, 8, 10, 3),
        "second": (9, 2, 4, 7, 6),
    }.items():
        for page, n in enumerate(numbers, 1):
            text = " ".join(hint.split()[:n])
            items.append(paragraph(f"{doc_id}:{page}:{n}", text))
    store = make_store(tmp_path, items, WordsEmbedder())
    # without a boost, by which the book's paragraphs are likelier than their relevance says
    changes = ["search.pdf_k=3", "search.global_k=6", "search.boost=0"]
    searches = build_orchestrator(store, load(changes=changes), WordsEmbedder())
    hits = searches.search(Query(hint, "first")).hits

    assert [f"{hit.slot} {hit.paragraph.paragraph_id}" for hit in hits] == [
        "book first:2:12",
        "book first:5:10",
        "book first:4:8",
        "global second:1:9",
        "global second:4:7",
        "global second:5:6",
        "global first:1:5",
        "global second:3:4",
        "global first:6:3",
    ]
    for of_slot in (hits[:3], hits[3:]):
        relevance = each(of_slot, "relevance")
        assert relevance == sorted(set(relevance), reverse=True)


class FarEmbedder(HashingEmbedder):
    """Every query is far from all passages, so that vectors find nothing relevant."""

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        return -super().embed_queries(texts)


COMMON = (
    "learning storage ordering network proof error problem speech memory signal filter layer kernel matrix vector "
    "query index table tree graph"
)
WORDS = COMMON.split()
LETTERS = "BDFGKLMNPR"
NAMES = [f"{one}o{other}arth".title() for one in LETTERS for other in LETTERS]


@pytest.fixture
def rich(tmp_path: Path) -> Course:
    """Eighty paragraphs of common words and a name each, in twenty sections with a name each in the heading."""
    items = []
    for number in range(80):
        one = WORDS[number % 20]
        two = WORDS[(3 * number + 1) % 20]
        three = WORDS[(7 * number + 4) % 20]
        name = NAMES[20 + number]
        text = f"The {one} of every {two} is what a {three} needs, says {name}."
        item = paragraph(f"talks:{number}:1", text)
        heading = f"On {NAMES[number // 4]}"
        items.append(replace(item, heading=heading, section=(heading,)))
    return make_store(tmp_path / "rich", items)


def test_rare_names_of_text_or_heading_are_found_in_ordinary_sentences(
    rich: Course,
) -> None:
    falling_back = build_orchestrator(rich, load(), FarEmbedder())
    ordinary = build_orchestrator(rich, load("ordinary"), FarEmbedder())
    for place, name in enumerate(NAMES):
        for hint in (
            name,
            f"please tell me what is said about {name} and the memory of it",
            f"what did {name} say about the learning problem",
        ):
            result = falling_back.search(Query(hint))
            assert result.answered_by == "fallback"
            assert len(result.relevant_hits) == (4 if place < 20 else 1)
            for hit in result.relevant_hits:
                assert name in str(hit.paragraph)
            hits = ordinary.search(Query(hint)).hits
            assert name in str(each(hits, "paragraph"))


def test_two_revisions_of_a_course_leave_as_many_distinct_hits_as_there_are(
    tmp_path: Path,
) -> None:
    again = [paragraph(f"re{item.paragraph_id}", item.text) for item in course()]
    store = make_store(tmp_path, [*course(), *again])
    settings = load(changes=["search.k=10", "search.pdf_k=10", "search.global_k=0"])
    hits = build_orchestrator(store, settings).search(HEAP).hits
    texts = each(each(hits, "paragraph"), "text")
    assert len(set(texts)) == len(hits) == 10
    for hit in hits:  # all members of a group of copies can be asked for
        paragraph_id = hit.paragraph.paragraph_id
        assert f"re{paragraph_id}" in hit.same_as or paragraph_id[2:] in hit.same_as


def test_our_own_games_are_searched_without_hubs(tmp_path: Path) -> None:
    model = HashingEmbedder()
    made = Store(str(tmp_path))
    # the bundled bank of hints is about this document
    doc_id = min(load_hints().course)
    reading = make_reading(doc_id, ["One says this.", "One says that."])
    vectors = embed_reading(reading, model)
    made.change([StoredDocument(reading, vectors)], embedder_spec=model.spec)

    others = Hints(dict.fromkeys(("one hint", "two hints", "hint three"), ""))
    for hints, are_hubs in ((None, False), (others, True)):
        embedder = CachingEmbedder(model)
        late = late_interaction_of(made.course, load(), embedder, hints)
        assert late is not None
        hubness = late.hubs.of("about what one says")
        assert (hubness != 0.0).tolist() == [are_hubs] * 2
