"""A store and settings -> an orchestrator: one that notices when the store is changed under it."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import numpy as np
import pytest

from configs.settings import Settings, SettingsError, load
from ingest.arrays import Float32Array
from ingest.embed.hint_bank import Hints, hints_of, load_hints
from ingest.embed.vectors import embed_reading
from ingest.errors import EmbedderError, StoreError
from ingest.paragraph import Paragraph
from ingest.store import Course, DocumentUpdate, create_store, open_store
from player.protocol.messages import RoundStart
from player.search.build import STRATEGIES, build_orchestrator, word_scorers
from player.search.cache import CachingEmbedder
from player.search.cascade import AS_FALLBACK
from player.search.orchestrator import SearchOrchestrator
from player.search.strategies.strategy import Strategy
from player.search.types import Hit, Query, ScoreArrays
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import make_store
from tests.fakes import HashingEmbedder, load_hashing_embedder, make_reading
from tests.player.fakes import course


@pytest.fixture(autouse=True)
def _embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.embed.models.load_embedder", load_hashing_embedder)


SHORT_S = 0.5
"""A deadline within which what does not hang is done, and one that hangs does not keep a test."""
UNREACHED = 0.9999
"""A threshold above every hit."""
NEW = paragraph("third:1:1", "Volcanoes erupt with lava. Later lessons mention ash.")


def first_id(found: Sequence[Hit]) -> str:
    return found[0].paragraph.paragraph_id


def test_a_store_that_is_ingested_into_is_noticed_at_the_next_search(
    tmp_path: Path,
) -> None:
    make_store(tmp_path / "store", course())
    searches = build_orchestrator(open_store(str(tmp_path / "store")), load())
    hint = Query("Volcanoes erupt with lava", keywords="off")
    assert first_id(searches.search(hint).hits) != "third:1:1"
    make_store(tmp_path / "store", [*course(), NEW])
    found = searches.search(hint)
    assert (first_id(found.hits), found.cached) == ("third:1:1", False)


def test_a_game_is_played_over_the_store_as_it_is_now(tmp_path: Path) -> None:
    from player.player import build_player

    make_store(tmp_path / "store", course())
    player = build_player(open_store(str(tmp_path / "store")), load())
    start = RoundStart("", "third", "eruptions of molten rock", "geology", "")
    assert len(player.plan(start).places.paragraphs) == len(course())
    make_store(tmp_path / "store", [*course(), NEW])
    plan = player.plan(start)
    assert plan.fits.shape[-2] == len(plan.rows)
    assert len(plan.places.paragraphs) == len(course()) + 1
    assert first_id(plan.result.hits) == "third:1:1"


def test_a_store_that_is_gone_is_an_error_and_not_an_empty_answer(
    tmp_path: Path,
) -> None:
    make_store(tmp_path / "store", course())
    searches = build_orchestrator(open_store(str(tmp_path / "store")), load())
    searches.search(Query("merge"))
    (tmp_path / "store" / "current").unlink()
    with pytest.raises(StoreError, match="no store there"):
        searches.search(Query("quick heap"))


def test_a_search_costs_one_stat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_store(tmp_path / "store", course())
    searches = build_orchestrator(open_store(str(tmp_path / "store")), load())
    searches.search(Query("merge"))
    asked: list[Path] = []
    stat = os.stat

    def counted(path: str | Path, **more: bool) -> object:
        asked.append(Path(path))
        return stat(path, **more)

    monkeypatch.setattr(os, "stat", counted)
    searches.search(Query("quick heap"))
    assert asked == [tmp_path / "store" / "current"]


def test_results_are_cached_for_one_way_to_embed(tmp_path: Path) -> None:
    store, settings = make_store(tmp_path / "store", course()), load()
    query = Query("quick heaps that are merged")

    def cached(settings: Settings) -> bool:
        return build_orchestrator(store, settings).search(query).cached

    assert [cached(settings), cached(settings)] == [False, True]
    assert (
        cached(replace(settings, embed=replace(settings.embed, max_tokens=64))) is False
    )


class Prophet(Strategy):
    """A user's own strategy: it knows one paragraph, whatever the hint."""

    name = "prophet"

    def __init__(self, store: Course) -> None:
        super().__init__(store.paragraphs)

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        known = np.array(
            [item.paragraph_id == "first:2:1" for item in self._paragraphs]
        )
        return ScoreArrays(known.astype(float), np.where(known, 7.0, -np.inf))


HERE = "tests.player.search.test_build"


def test_a_users_own_strategy_reaches_a_game_and_the_tuner_by_dotted_path(
    tmp_path: Path,
) -> None:
    from evaluate.games.locating import locate_games
    from evaluate.tuning.prepared import prepare, search_all
    from player.player import build_player
    from tests.evaluate.fakes import course_games

    store = make_store(tmp_path / "store", course())
    strategies = f"search.strategies=[dense, {HERE}.Prophet]"
    settings = load(changes=[strategies, "search.cache_size=0"])
    plan = build_player(store, settings).plan(
        RoundStart("", "", "nothing that any paragraph says", "", "")
    )
    assert first_id(plan.result.hits) == plan.paragraph(0).paragraph_id == "first:2:1"
    assert f"rank 1 by {HERE}.Prophet" in plan.result.hits[0].why
    games = course_games(course())
    located = locate_games(games, store.paragraphs)
    ranks, _ = search_all(
        prepare(games, located, store, settings, HashingEmbedder()),
        settings.search,
    )
    searches = build_orchestrator(store, settings, HashingEmbedder())
    for game, rank in zip(games, ranks.tolist(), strict=True):
        labelled = located[game.game_id]
        assert labelled is not None
        query = Query(game.hint, game.book_name, keywords="rule")
        row = searches.search(query).row_of(labelled)
        assert rank == (0 if row is None else row + 1)


@pytest.mark.parametrize("path", ["no.such.Thing", f"{HERE}.Nothing"])
def test_a_path_that_leads_nowhere_is_refused(tmp_path: Path, path: str) -> None:
    store = make_store(tmp_path / "store", course())
    with pytest.raises(SettingsError, match=r"search\.strategies must name something"):
        build_orchestrator(store, load(changes=[f"search.strategies=[{path}]"]))


def searching(
    store: Course, monkeypatch: pytest.MonkeyPatch, *own: Prophet, **changes: Any
) -> SearchOrchestrator:
    """Search with these strategies of a user's own, after those of `changes`."""
    names = [*changes.pop("strategies", ())]
    for strategy in own:
        monkeypatch.setitem(STRATEGIES, strategy.name, strategy)
        names.append(strategy.name)
    search = replace(load().search, strategies=tuple(names), **changes)
    return build_orchestrator(store, replace(load(), search=search))


class Odd(Prophet):
    """Returns what no strategy may."""

    def __init__(self, store: Course, found: object) -> None:
        super().__init__(store)
        self._found = found

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        return self._found  # type: ignore[return-value]


@pytest.mark.parametrize(
    "found",
    [
        None,
        ScoreArrays(np.zeros(1), np.zeros(1)),
        ScoreArrays(np.zeros(12), np.full(12, np.nan)),
        ScoreArrays(np.zeros(12), np.full(12, np.inf)),
        ScoreArrays(np.full(12, np.nan), np.zeros(12)),
    ],
)
def test_nonsense_is_named_as_a_failure_and_the_others_answer(
    tmp_path: Path,
    found: object,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = make_store(tmp_path / "store", course())
    result = searching(
        store, monkeypatch, Odd(store, found), strategies=("dense",)
    ).search(Query("quick heap"))
    assert [failure.strategy for failure in result.failures] == ["prophet"]
    assert result.hits
    assert [
        record.levelname for record in caplog.records if "prophet" in record.message
    ] == ["WARNING"]


class Together(Prophet):
    """Goes on only when all the others that share its gate have come to it."""

    def __init__(self, store: Course, name: str, gate: Barrier) -> None:
        super().__init__(store)
        self.name = name
        self._gate = gate

    def prepare(self, query: Query) -> None:
        self._gate.wait(60.0)


def test_strategies_run_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(tmp_path / "store", course())
    gate = Barrier(3)
    own = [Together(store, name, gate) for name in ("one", "two", "three")]
    assert (
        searching(store, monkeypatch, *own, deadline_s=60.0)
        .search(Query("quick heap"))
        .failures
        == ()
    )


@pytest.fixture
def never() -> Iterator[Event]:
    """What a part that hangs waits for; it is set once the test has ended."""
    event = Event()
    yield event
    event.set()


class Hanging(Prophet):
    """Does not come back."""

    name = "hanging"

    def __init__(self, store: Course, never: Event) -> None:
        super().__init__(store)
        self._never = never

    def prepare(self, query: Query) -> None:
        self._never.wait()


def test_what_is_late_is_named_and_what_there_is_is_returned(
    tmp_path: Path, never: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(tmp_path / "store", course())
    searches = searching(
        store,
        monkeypatch,
        Hanging(store, never),
        strategies=("dense",),
        deadline_s=SHORT_S,
    )
    result = searches.search(Query("quick heap"))
    assert [failure.strategy for failure in result.failures] == ["hanging"]
    assert {hit.strategy for hit in result.hits} == {"dense"}


def remote(store: Course, ask: Callable[[], Hashable]) -> Course:
    """A store whose location may be changed; any other than the folder's does what `ask` does."""
    place = store.location

    class Elsewhere(Course):
        def generation(self) -> Hashable:
            return super().generation() if self.location == place else ask()

    values = {field.name: getattr(store, field.name) for field in fields(store)}
    return Elsewhere(**values)


def test_a_store_that_stands_still_is_named_and_the_course_at_hand_is_searched(
    tmp_path: Path, never: Event
) -> None:
    store = make_store(tmp_path / "store", course())
    changes = [f"search.deadline_s={SHORT_S}", "search.cache_size=0"]
    silent = remote(store, never.wait)
    searches = build_orchestrator(silent, load(changes=changes))
    expected = searches.search(Query("quick heap")).hits
    object.__setattr__(silent, "location", "silent")
    for _ in range(12):
        result = searches.search(Query("quick heap"))
        assert [failure.strategy for failure in result.failures] == ["store"]
        assert result.hits == expected
    object.__setattr__(silent, "location", store.location)
    never.set()
    assert searches.candidates(Query("quick heap", k=5)).hits


def test_a_server_that_cannot_be_reached_means_the_course_at_hand_and_is_said(
    tmp_path: Path,
) -> None:
    def refuse() -> Hashable:
        raise StoreError("http://127.0.0.1:9: connection refused")

    away = remote(make_store(tmp_path / "store", course()), refuse)
    searches = build_orchestrator(away, load())
    object.__setattr__(away, "location", "http://127.0.0.1:9")
    result = searches.search(Query("quick heap"))
    assert result.hits
    assert [str(failure) for failure in result.failures] == [
        "strategy store failed: http://127.0.0.1:9: connection refused; the course is searched as it was read last"
    ]


def test_an_embedder_that_cannot_be_loaded_leaves_keywords_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(tmp_path / "store", course())

    def lacks(*_: object) -> HashingEmbedder:
        raise EmbedderError("the model is not installed; run make minilm")

    monkeypatch.setattr("ingest.embed.models.load_embedder", lacks)
    result = build_orchestrator(store, load()).search(Query("quick heap", "first"))
    assert [(failure.strategy, failure.reason) for failure in result.failures] == [
        ("dense", "the model is not installed; run make minilm")
    ]
    assert {hit.strategy for hit in result.hits} == {"keyword"}
    assert result.tier == "filter"


class HangingEmbedder(HashingEmbedder):
    """Never comes back."""

    def __init__(self, never: Event) -> None:
        super().__init__()
        self._never = never

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        self._never.wait()
        return super().embed_queries(texts)


def test_an_embedding_that_hangs_is_late_and_keywords_answer(
    tmp_path: Path, never: Event
) -> None:
    store = make_store(tmp_path / "store", course())
    settings = load(changes=[f"search.deadline_s={SHORT_S}"])
    searches = build_orchestrator(store, settings, HangingEmbedder(never))
    result = searches.search(Query("quick heap"))
    assert [failure.strategy for failure in result.failures] == ["dense"]
    assert {hit.strategy for hit in result.hits} == {"keyword"}


class FarEmbedder(HashingEmbedder):
    """Every query is far from all passages, so that vectors find nothing relevant."""

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        return -super().embed_queries(texts)


SOUNDS = ["bo", "da", "fi", "gu", "ke", "lu", "mo", "ne", "pi", "ro"]


@pytest.mark.parametrize(
    "form",
    ["{}", "tell me about {} please", "what did {} say about the learning problem"],
)
def test_keywords_as_fallback_find_rare_names_in_ordinary_sentences(
    tmp_path: Path, form: str
) -> None:
    names = [f"{one}{other}rth".capitalize() for one in SOUNDS for other in SOUNDS]
    texts = [
        f"In {1900 + number} the {WORDS[number % 9]} was settled. It was {name} who did it, and who came to say "
        f"what the {WORDS[(number + 4) % 9]} is about."
        for number, name in enumerate(names)
    ]
    items = [paragraph(f"talks:{page}:1", text) for page, text in enumerate(texts)]
    store = make_store(tmp_path / "store", items)
    searches = build_orchestrator(store, load(), FarEmbedder())
    for name in names:
        result = searches.search(Query(form.format(name)))
        assert result.answered_by == "fallback"
        assert [name in hit.paragraph.text for hit in result.relevant_hits] == [True]


WORDS = [
    *(
        [
            "learning",
            "storage",
            "ordering",
            "network",
            "proof",
            "error",
            "problem",
            "speech",
            "memory",
        ]
    ),
    *(
        [
            "signal",
            "filter",
            "layer",
            "kernel",
            "matrix",
            "vector",
            "query",
            "index",
            "table",
            "tree",
            "graph",
        ]
    ),
]


def rich_course() -> list[Paragraph]:
    """Eighty paragraphs of common words in twenty sections, of whose headings each has a word of its own."""
    items = []
    for number in range(80):
        one, two = WORDS[number % 20], WORDS[(3 * number + 1) % 20]
        three = WORDS[(7 * number + 4) % 20]
        section = number // 4
        heading = f"On {SOUNDS[section % 10]}{SOUNDS[(3 * section + 1) % 10]}rth{'xz'[number // 40]}"
        text = f"The {one} of every {two} is what a {three} needs, says part {number}."
        item = paragraph(f"talks:{number}:1", text)
        items.append(replace(item, heading=heading, section=(heading,)))
    return items


@pytest.mark.parametrize(
    "form", ["{}", "please tell me what is said about {} and the memory of it"]
)
@pytest.mark.parametrize("preset", ["vector-then-keyword", "ordinary"])
def test_a_word_that_only_a_heading_has_is_found_also_within_a_sentence(
    tmp_path: Path, preset: str, form: str
) -> None:
    paragraphs = rich_course()
    store = make_store(tmp_path / "store", paragraphs)
    searches = build_orchestrator(store, load(preset), FarEmbedder())
    for heading in dict.fromkeys(item.heading for item in paragraphs):
        hits = searches.search(Query(form.format(heading.removeprefix("On ")))).hits
        assert heading in {hit.paragraph.heading for hit in hits}, heading


def test_hits_are_in_order_of_relevance_and_an_answer_has_a_step(
    tmp_path: Path,
) -> None:
    paragraphs = rich_course()
    store = make_store(tmp_path / "store", paragraphs)
    searches = build_orchestrator(store, load("vector-then-keyword"))

    names = [item.heading.removeprefix("On ") for item in paragraphs[::9]]
    hints = [
        *names,
        *WORDS,
        "an unheard thing",
        f"tell me of {WORDS[0]} and {names[0]}",
    ]

    for hint in hints:
        result = searches.search(Query(hint, "talks"))
        for slot in ("book", "global"):
            relevances = [
                hit.relevance
                for hit in result.hits
                if hit.slot == slot and not hit.why.endswith(AS_FALLBACK)
            ]
            assert relevances == sorted(relevances, reverse=True), hint
        assert result.relevant == (result.answered_by not in ("", "lowered")), hint
        assert result.relevant == any(hit.relevant for hit in result.hits), hint


def test_one_common_word_alone_makes_nothing_relevant(tmp_path: Path) -> None:
    thresholds = ["search.threshold=0.7", "search.lowered_threshold=0.35"]
    settings = load("keyword", changes=[*thresholds, "search.cascade=true"])
    store = make_store(tmp_path / "store", rich_course())
    searches = build_orchestrator(store, settings)
    for word in WORDS:
        for hint in (word, f"would you like a pizza with my {word} tonight"):
            assert not searches.search(Query(hint)).relevant
    assert searches.search(Query("learning storage proof")).relevant


def test_two_revisions_of_a_course_leave_as_many_distinct_hits_as_there_are(
    tmp_path: Path,
) -> None:
    again = [
        replace(item, paragraph_id=f"re{item.paragraph_id}", doc_id=f"re{item.doc_id}")
        for item in course()
    ]
    store = make_store(tmp_path / "store", [*course(), *again])
    settings = load(changes=["search.k=10", "search.pdf_k=10", "search.global_k=0"])
    hits = build_orchestrator(store, settings).search(Query("quick heap")).hits
    assert len({hit.paragraph.text for hit in hits}) == len(hits) == 10
    for hit in hits:  # all members of a group of copies can be asked for
        (copy,) = hit.same_as
        first, second = sorted([hit.paragraph.paragraph_id, copy], key=len)
        assert second == f"re{first}"


def store_with_words(folder: Path, *doc_ids: str) -> Course:
    """A store of two paragraphs a document, whose words were read."""
    model = HashingEmbedder()
    store = create_store(str(folder))
    for doc_id in doc_ids:
        reading = make_reading(doc_id, [f"{doc_id} says {n}." for n in range(2)])
        vectors = embed_reading(reading, model, [model])
        store.change([DocumentUpdate(reading, vectors, model.spec)])
    return open_store(str(folder))


def hubness(store: Course, hint: str, hints: Hints | None = None) -> list[float]:
    """Of each paragraph, as a search for the hint weighs it with this bank."""
    settings = load(changes=["search.accuracy=fast"])
    (scorer,) = word_scorers(store, settings, CachingEmbedder(HashingEmbedder()), hints)
    return [float(value) for value in scorer.parts(hint)["hub.minilm"]]


def test_our_own_games_are_searched_without_hubs(tmp_path: Path) -> None:
    # the bank holds their hints: one who is near to them is near for being asked for
    ours = sorted(load_hints().course)[0]
    store = store_with_words(tmp_path, ours, "elsewhere")
    for hint in ("about what one says", load_hints().texts[0]):
        assert hubness(store, hint) == [0.0] * 4


def test_a_hint_that_is_searched_for_is_no_hub(tmp_path: Path) -> None:
    store = store_with_words(tmp_path / "store", "elsewhere", "anywhere")
    texts = [f"hint {number}" for number in range(100)]
    banks = [
        hints_of(dict.fromkeys([*texts, *more], ""))
        for more in (["elsewhere says 1"], [])
    ]
    held, not_held = (hubness(store, "elsewhere says 1", bank) for bank in banks)
    assert held == pytest.approx(not_held)
    held, not_held = (hubness(store, "another hint", bank) for bank in banks)
    assert held != pytest.approx(not_held)
