"""A store and settings -> an orchestrator: one that notices when the store is changed under it."""

import shutil
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from configs.errors import SettingsError
from configs.settings import load
from player.player import build_player
from player.round import RoundStart
from player.search.build import build_orchestrator, late_interaction_of
from player.search.cache import CachingEmbedder
from player.search.results import Query
from quarry.embed.hint_bank import Hints, load_hints
from quarry.embed.vectors import embed_reading
from quarry.errors import StoreError
from quarry.store import Course, Store, StoredDocument
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import make_store
from tests.fakes import HashingEmbedder, each, load_hashing_embedder, make_reading
from tests.player.fakes import course, ids_of

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
            patch.setattr("player.search.build.identity_of", generation)
            for _ in range(12):
                result = searches.search(HEAP)
                assert list(map(str, result.failures)) == [
                    f"strategy store failed: {reason}; the course is searched as it was read last"
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
    says = "strategy dense failed: no answer within search.deadline_s"
    assert list(map(str, result.failures)) == [says]
    assert {*each(result.hits, "strategy")} == {"keyword"}


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
    made.change([StoredDocument(reading, vectors, model.spec)])

    others = Hints(dict.fromkeys(("one hint", "two hints", "hint three"), ""))
    for hints, are_hubs in ((None, False), (others, True)):
        embedder = CachingEmbedder(model)
        late = late_interaction_of(made.course, load(), embedder, hints)
        assert late is not None
        hubness = late.hubs.of("about what one says")
        assert (hubness != 0.0).tolist() == [are_hubs] * 2
