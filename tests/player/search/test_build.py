"""A store and settings -> an orchestrator: one that notices when the store is changed under it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from threading import Barrier, Event

import pytest

from quarry.configs.settings import KeywordMode, Settings, SettingsError, load
from quarry.ingest.arrays import Float32Array
from quarry.ingest.embed.hint_bank import LEAST_HINTS, load_hints
from quarry.ingest.embed.vectors import embed_reading
from quarry.ingest.errors import EmbedderError, StoreError
from quarry.ingest.paragraph import Alias, Document, Paragraph, Reading
from quarry.ingest.store import Course, DocumentUpdate, create_store, open_store
from quarry.player.protocol.messages import RoundStart
from quarry.player.search.build import build_orchestrator, word_scorers
from quarry.player.search.cache import CachingEmbedder
from quarry.player.search.types import Hit, Query
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import make_store
from tests.fakes import HashingEmbedder, load_hashing_embedder
from tests.player.fakes import course


@pytest.fixture(autouse=True)
def _embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quarry.ingest.embed.models.load_embedder", load_hashing_embedder)


SHORT_S = 0.5
"""A deadline within which what does not hang is done, and one that hangs does not keep a test."""
UNREACHED = 0.9999
"""A threshold above every hit."""
NEW = paragraph("third:1:1", "Volcanoes erupt with lava. Later lessons mention ash.")


def first_id(found: Sequence[Hit]) -> str:
    return found[0].paragraph.paragraph_id


def test_a_store_that_is_ingested_into_is_noticed_at_the_next_search(tmp_path: Path) -> None:
    make_store(tmp_path / "store", course())
    searches = build_orchestrator(open_store(str(tmp_path / "store")), load())
    hint = Query("Volcanoes erupt with lava", keywords="off")
    assert first_id(searches.search(hint).hits) != "third:1:1"
    make_store(tmp_path / "store", [*course(), NEW])
    found = searches.search(hint)
    assert (first_id(found.hits), found.cached) == ("third:1:1", False)
    assert len(searches.paragraphs) == len(course()) + 1


def test_a_game_is_played_over_the_store_as_it_is_now(tmp_path: Path) -> None:
    from quarry.player.player import build_player

    make_store(tmp_path / "store", course())
    player = build_player(open_store(str(tmp_path / "store")), load())
    start = RoundStart("", "third", "eruptions of molten rock", "geology", "")
    assert len(player.plan(start).result.hits) == len(course())
    make_store(tmp_path / "store", [*course(), NEW])
    plan = player.plan(start)
    assert plan.fits.shape[-2] == len(plan.rows)
    assert len(plan.result.hits) == len(course()) + 1
    assert first_id(plan.result.hits) == "third:1:1"


def test_a_store_that_is_gone_is_an_error_and_not_an_empty_answer(tmp_path: Path) -> None:
    make_store(tmp_path / "store", course())
    searches = build_orchestrator(open_store(str(tmp_path / "store")), load())
    searches.search(Query("merge"))
    (tmp_path / "store" / "current").unlink()
    with pytest.raises(StoreError, match="no store there"):
        searches.search(Query("quick heap"))


def test_a_search_costs_one_stat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.server
def test_a_change_on_a_server_is_noticed_too(chroma_url: str) -> None:
    def fill(paragraphs: Sequence[Paragraph]) -> Course:
        return make_store(chroma_url, paragraphs)

    searches = build_orchestrator(fill(course()), load())
    hint = Query("Volcanoes erupt with lava", keywords="off")
    assert first_id(searches.search(hint).hits) != "third:1:1"
    fill([*course(), NEW])
    assert first_id(searches.search(hint).hits) == "third:1:1"


class Says:
    """A rewriter that says one thing."""

    def __init__(self, text: str) -> None:
        self._text = text

    def rewrite(self, query: Query, hits: Sequence[Hit]) -> str:
        return self._text


def test_what_one_rewriter_led_to_is_not_given_to_another(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", course())
    weak = replace(load().search, threshold=0.9999, lowered_threshold=0.0)
    settings: Settings = replace(load(), search=weak)
    query = Query("zzz")
    rewritten = [
        build_orchestrator(store, settings, rewriter=Says(text)).search(query)
        for text in ("merge quick", "vertex edge")
    ]
    assert [result.cached for result in rewritten] == [False, False]
    assert build_orchestrator(store, settings).search(query).cached is False
    assert build_orchestrator(store, settings).search(query).cached is True


def test_results_are_cached_for_one_bank_of_hints_and_one_way_to_embed(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", course())
    bank = tmp_path / "hints.jsonl"
    bank.write_text('{"hint": "first words"}\n', encoding="utf-8")
    settings = load(changes=[f"search.hints={bank}"])
    query = Query("quick heaps that are merged")

    def cached(settings: Settings) -> bool:
        return build_orchestrator(store, settings).search(query).cached

    assert [cached(settings), cached(settings)] == [False, True]
    assert cached(replace(settings, embed=replace(settings.embed, max_tokens=64))) is False
    bank.write_text('{"hint": "other words"}\n', encoding="utf-8")
    assert [cached(settings), cached(settings)] == [False, True]


class Prophet:
    """A user's own strategy: it knows one paragraph, whatever the hint."""

    name = "prophet"

    def prepare(self, query: Query) -> None:
        """Nothing."""

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> Sequence[Hit]:
        found = next(item for item in course() if item.paragraph_id == "first:2:1")
        return [] if doc_id not in ("", "first") else [Hit(found, 1.0, 0.999, 1, self.name)]


def whisper(store: Course) -> Says:
    """A user's own rewriter, made for a store."""
    return Says(store.paragraphs[0].text)


START = RoundStart("", "", "nothing that any paragraph says", "", "")


def test_a_users_own_parts_reach_a_game_from_python(tmp_path: Path) -> None:
    from quarry.player.player import build_player

    store = make_store(tmp_path / "store", course())
    plain = build_player(store, load()).plan(START)
    plan = build_player(store, load(), strategies=[Prophet()]).plan(START)
    assert first_id(plan.result.hits) == "first:2:1"
    assert "rank 1 by prophet" in plan.result.hits[0].why
    row = plain.row_of(plan.paragraph(0).opening_sentence)
    assert row is not None
    assert plan.prior[0] > plain.prior[row]


def test_a_users_own_parts_reach_everything_from_a_file_by_dotted_path(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", course())
    config = tmp_path / "mine.yaml"
    here = "tests.player.search.test_build"
    config.write_text(
        f"search: {{strategies: [{here}.Prophet], rewrite: {here}.whisper, threshold: 0.9999}}\n", encoding="utf-8"
    )
    result = build_orchestrator(store, load(config=config)).search(Query("hint"))
    assert [hit.paragraph.paragraph_id for hit in result.hits] == ["first:2:1"]
    assert build_orchestrator(store, load(config=config))._state[0].rewriter is not None


@pytest.mark.parametrize("path", ["no.such.Thing", "tests.player.search.test_build.Nothing"])
def test_a_path_that_leads_nowhere_is_refused(tmp_path: Path, path: str) -> None:
    store = make_store(tmp_path / "store", course())
    config = tmp_path / "mine.yaml"
    config.write_text(f"search: {{strategies: [{path}]}}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"search\.strategies must name something that can be imported"):
        build_orchestrator(store, load(config=config))


def test_a_users_own_strategy_can_be_tuned_around(tmp_path: Path) -> None:
    from quarry.evaluate.games.locating import locate_games
    from quarry.evaluate.tuning.prepared import prepare, search_all
    from tests.evaluate.fakes import course_games

    store = make_store(tmp_path / "store", course())
    own = replace(load().search, strategies=("dense", "tests.player.search.test_build.Prophet"), cache_size=0)
    settings = replace(load(), search=own)
    games = course_games(course())
    located = locate_games(games, store.paragraphs)
    prepared = prepare(games, located, store, settings, HashingEmbedder(), progress=False)
    ranks, _ = search_all(prepared, own)
    searches = build_orchestrator(store, settings, HashingEmbedder())
    for game, rank in zip(games, ranks.tolist(), strict=True):
        labelled = located[game.game_id]
        assert labelled is not None
        row = searches.search(Query(game.hint, game.book_name)).row_of(labelled)
        assert rank == (0 if row is None else row + 1)


class Odd(Prophet):
    """Returns what no strategy may."""

    def __init__(self, found: object) -> None:
        self._found = found

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> Sequence[Hit]:
        return self._found  # type: ignore[return-value]


@pytest.mark.parametrize(
    "found",
    [
        None,
        7.5,
        [None],
        [Hit(NEW, 1.0, float("nan"), 1, "odd")],
        [Hit(NEW, 1.0, 7.5, 1, "odd")],
        [Hit(NEW, float("nan"), 0.5, 1, "odd")],
    ],
)
def test_nonsense_is_named_as_a_failure_and_the_others_answer(
    tmp_path: Path, found: object, caplog: pytest.LogCaptureFixture
) -> None:
    store = make_store(tmp_path / "store", course())
    settings = replace(load(), search=replace(load().search, strategies=("dense", "prophet")))
    result = build_orchestrator(store, settings, more=[Odd(found)]).search(Query("quick heap"))
    assert [failure.strategy for failure in result.failures] == ["prophet"]
    assert result.hits
    assert [record.levelname for record in caplog.records if "prophet" in record.message] == ["WARNING"]


class Together(Prophet):
    """Goes on only when all the others that share its gate have come to it."""

    def __init__(self, name: str, gate: Barrier) -> None:
        self.name = name
        self._gate = gate

    def prepare(self, query: Query) -> None:
        self._gate.wait(60.0)


class Scopes(Prophet):
    """Goes on only when it is asked for the course and for the book at once."""

    def __init__(self) -> None:
        self._gate = Barrier(2)

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> Sequence[Hit]:
        self._gate.wait(60.0)
        return super().search(query, k, doc_id)


def test_a_strategy_is_asked_for_the_course_and_for_the_book_side_by_side(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", course())
    search = replace(load().search, strategies=("prophet",), deadline_s=60.0)
    result = build_orchestrator(store, replace(load(), search=search), more=[Scopes()]).search(Query("any", "first"))
    assert (result.failures, first_id(result.hits)) == ((), "first:2:1")


def test_strategies_run_side_by_side(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", course())
    gate = Barrier(3)
    names = ("one", "two", "three")
    search = replace(load().search, strategies=names, deadline_s=60.0)
    searches = build_orchestrator(store, replace(load(), search=search), more=[Together(name, gate) for name in names])
    assert searches.search(Query("quick heap")).failures == ()


class Waits(Prophet):
    """Waits in its search for another strategy's, and keeps the deadline that it is handed."""

    def __init__(self, name: str, waits: Event, comes: Event) -> None:
        self.name = name
        self._waits = waits
        self._comes = comes
        self.deadline: float | None = None

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> Sequence[Hit]:
        self.deadline = deadline
        self._waits.wait(60.0)
        self._comes.set()
        return super().search(query, k, doc_id)


def test_the_declared_order_counts_and_not_that_of_coming_and_each_is_handed_the_deadline(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", course())
    at_once, last = Event(), Event()
    at_once.set()
    own = [Waits("slow", last, Event()), Waits("quick", at_once, last)]
    search = replace(load().search, strategies=("slow", "quick"), fusion="first", deadline_s=60.0)
    started = time.monotonic()
    result = build_orchestrator(store, replace(load(), search=search), more=own).search(Query("any"))
    assert (result.failures, [hit.strategy for hit in result.hits]) == ((), ["slow"])
    assert all(asked.deadline is not None and asked.deadline > started for asked in own)


@pytest.fixture
def never() -> Iterator[Event]:
    """What a part that hangs waits for; it is set once the test has ended."""
    event = Event()
    yield event
    event.set()


class Hanging(Prophet):
    """Does not come back."""

    name = "hanging"

    def __init__(self, never: Event) -> None:
        self._never = never

    def prepare(self, query: Query) -> None:
        self._never.wait()


def test_what_is_late_is_named_and_what_there_is_is_returned(tmp_path: Path, never: Event) -> None:
    store = make_store(tmp_path / "store", course())
    search = replace(load().search, strategies=("dense", "hanging"), deadline_s=SHORT_S)
    result = build_orchestrator(store, replace(load(), search=search), more=[Hanging(never)]).search(
        Query("quick heap")
    )
    assert [failure.strategy for failure in result.failures] == ["hanging"]
    assert {hit.strategy for hit in result.hits} == {"dense"}


def test_a_late_rewriter_is_named_and_the_hint_as_it_was_is_searched(tmp_path: Path, never: Event) -> None:
    store = make_store(tmp_path / "store", course())

    class Thinks:
        def rewrite(self, query: Query, found: Sequence[Hit]) -> str:
            never.wait()
            raise AssertionError

    search = replace(load().search, deadline_s=SHORT_S, threshold=UNREACHED)
    settings = replace(load(), search=search)
    result = build_orchestrator(store, settings, rewriter=Thinks()).search(Query("quick heap"))
    assert [failure.strategy for failure in result.failures] == ["rewriter"]
    assert result.rewritten == ""
    assert result.hits == build_orchestrator(store, settings).search(Query("quick heap")).hits


def test_a_store_that_stands_still_is_named_and_the_course_at_hand_is_searched(tmp_path: Path, never: Event) -> None:
    class StandsStill(Course):
        def generation(self) -> Hashable:
            return never.wait() if self.location == "silent" else super().generation()

    store = make_store(tmp_path / "store", course())
    settings = replace(load(), search=replace(load().search, deadline_s=SHORT_S, cache_size=0))
    expected = build_orchestrator(store, settings).search(Query("quick heap")).hits
    still = StandsStill(**{field.name: getattr(store, field.name) for field in fields(store)})
    searches = build_orchestrator(still, settings)
    object.__setattr__(still, "location", "silent")
    for _ in range(12):
        result = searches.search(Query("quick heap"))
        assert [failure.strategy for failure in result.failures] == ["store"]
        assert result.hits == expected
    never.set()
    assert searches.candidates(Query("quick heap", k=5)).hits


def test_a_server_that_cannot_be_reached_means_the_course_at_hand_and_is_said(tmp_path: Path) -> None:
    class Away(Course):
        def generation(self) -> Hashable:
            if self.location.startswith("http"):
                raise StoreError(f"{self.location}: connection refused")
            return super().generation()

    store = make_store(tmp_path / "store", course())
    away = Away(**{field.name: getattr(store, field.name) for field in fields(store)})
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

    monkeypatch.setattr("quarry.ingest.embed.models.load_embedder", lacks)
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


@pytest.mark.parametrize("keywords", ["rule", "fallback"])
def test_an_embedding_that_hangs_is_late_and_keywords_answer(
    tmp_path: Path, never: Event, keywords: KeywordMode
) -> None:
    store = make_store(tmp_path / "store", course())
    search = replace(load().search, keywords=keywords, deadline_s=SHORT_S)
    searches = build_orchestrator(store, replace(load(), search=search), HangingEmbedder(never))
    result = searches.search(Query("quick heap"))
    assert [failure.strategy for failure in result.failures] == ["dense"]
    assert {hit.strategy for hit in result.hits} == {"keyword"}


@pytest.mark.parametrize("form", ["{}", "tell me about {} please", "what did {} say about the learning problem"])
def test_keywords_as_fallback_find_rare_names_in_ordinary_sentences(tmp_path: Path, form: str) -> None:
    sounds = ["bo", "da", "fi", "gu", "ke", "lu", "mo", "ne", "pi", "ro", "su", "ta", "vo", "wa", "zi"]
    names = [f"{one}{other}rth".capitalize() for one in sounds for other in sounds[:10]]
    subjects = ["learning", "storage", "ordering", "networks", "proofs", "errors", "problem", "speech", "memory"]
    paragraphs = [
        paragraph(
            f"talks:{number}:1",
            f"In {1900 + number} the {subjects[number % 9]} was settled. It was {name} who did it, and who came to say "
            f"what the {subjects[(number + 4) % 9]} is about.",
        )
        for number, name in enumerate(names)
    ]
    store = make_store(tmp_path / "store", paragraphs)
    searches = build_orchestrator(store, replace(load(), search=replace(load().search, keywords="fallback")))
    hits = [searches.search(Query(form.format(name), k=20)).hits for name in names]
    found = sum(any(name in hit.paragraph.text for hit in there) for name, there in zip(names, hits, strict=True))
    assert (len(names), len(hits[0])) == (150, 20)
    assert found >= 140


_WORDS = (
    "learning storage ordering network proof error problem speech memory signal",
    "filter layer kernel matrix vector query index table tree graph",
)
WORDS = " ".join(_WORDS).split()


def rich_course() -> list[Paragraph]:
    """Eighty paragraphs of common words in twenty sections, of whose headings each has a word of its own."""
    found = []
    for number in range(80):
        one, two, three = (WORDS[(number * step + first) % 20] for step, first in ((1, 0), (3, 1), (7, 4)))
        item = paragraph(f"talks:{number}:1", f"The {one} of every {two} is what a {three} needs, says part {number}.")
        sounds = ["bo", "da", "fi", "gu", "ke", "lu", "mo", "ne", "pi", "ro"]
        heading = f"On {sounds[number // 4 % 10]}{sounds[(3 * number // 4 + 1) % 10]}rth{'xz'[number // 40]}"
        found.append(replace(item, heading=heading, section=(heading,)))
    return found


@pytest.mark.parametrize("form", ["{}", "please tell me what is said about {} and the memory of it"])
@pytest.mark.parametrize("preset", ["vector-then-keyword", "ordinary"])
def test_a_word_that_only_a_heading_has_is_found_also_within_a_sentence(tmp_path: Path, preset: str, form: str) -> None:
    paragraphs = rich_course()
    searches = build_orchestrator(make_store(tmp_path / "store", paragraphs), load(preset))
    for heading in dict.fromkeys(item.heading for item in paragraphs):
        hits = searches.search(Query(form.format(heading.removeprefix("On ")))).hits
        assert heading in {hit.paragraph.heading for hit in hits}, heading


def test_a_part_of_a_word_is_found_from_three_letters_on(tmp_path: Path) -> None:
    names = ["antidisestablishment", "thermodynamics", "electrophoresis"]
    odd = [paragraph(f"odd:{number}:1", f"Here is {name} at work.") for number, name in enumerate(names)]
    searches = build_orchestrator(make_store(tmp_path / "store", [*rich_course(), *odd]), load("vector-then-keyword"))
    for number, part in enumerate(["disestab", "modyn", "roph"]):
        for form in ("{}", "what was that about {} again"):
            found = [hit.paragraph.paragraph_id for hit in searches.search(Query(form.format(part))).hits]
            assert f"odd:{number}:1" in found, part


def test_hits_are_in_order_of_relevance_and_an_answer_has_a_step(tmp_path: Path) -> None:
    paragraphs = rich_course()
    searches = build_orchestrator(make_store(tmp_path / "store", paragraphs), load("vector-then-keyword"))
    own = [item.heading.removeprefix("On ") for item in paragraphs[::9]]
    hints = [
        *own,
        *WORDS,
        "an unheard thing",
        *(f"tell me of {word} and {name}" for word, name in zip(WORDS, own, strict=False)),
    ]
    for hint in hints:
        for book_name in ("", "talks"):
            result = searches.search(Query(hint, book_name))
            for slot in ("book", "global"):
                relevances = [hit.relevance for hit in result.hits if hit.slot == slot]
                assert relevances == sorted(relevances, reverse=True), hint
            assert result.relevant == bool(result.answered_by) == any(hit.relevant for hit in result.hits), hint


def test_one_common_word_alone_makes_nothing_relevant(tmp_path: Path) -> None:
    search = replace(load("keyword").search, threshold=0.7, lowered_threshold=0.35, cascade=True)
    store = make_store(tmp_path / "store", rich_course())
    searches = build_orchestrator(store, replace(load(), search=search))
    for word in WORDS:
        assert not searches.search(Query(word)).relevant
        assert not searches.search(Query(f"would you like a pizza with my {word} tonight")).relevant
    assert searches.search(Query("learning a query index")).relevant


def test_two_revisions_of_a_course_leave_as_many_distinct_hits_as_there_are(tmp_path: Path) -> None:
    again = [replace(item, paragraph_id=f"re{item.paragraph_id}", doc_id=f"re{item.doc_id}") for item in course()]
    store = make_store(tmp_path / "store", [*course(), *again])
    search = replace(load().search, k=10, pdf_k=10, global_k=0)
    result = build_orchestrator(store, replace(load(), search=search)).search(Query("quick heap"))
    assert len({hit.paragraph.text for hit in result.hits}) == len(result.hits) == 10
    for hit in result.hits:  # all members of a group of copies can be asked for
        here = hit.paragraph.paragraph_id
        assert hit.same_as == (here.removeprefix("re") if here.startswith("re") else f"re{here}",)


def store_with_words(folder: Path, *doc_ids: str) -> Course:
    """A store of two paragraphs a document, whose words were read."""
    model = HashingEmbedder()
    store = create_store(str(folder))
    filings = []
    for doc_id in doc_ids:
        paragraphs = tuple(paragraph(f"{doc_id}:1:{number}", f"{doc_id} says {number}.") for number in range(2))
        document = Document(doc_id, f"{doc_id}.pdf", f"hash of {doc_id}", "1", (Alias(doc_id, "stem"),), 9, 2)
        reading = Reading(document, paragraphs, ())
        filings.append(DocumentUpdate(reading, embed_reading(reading, model, [model]), model.spec))
    store.change(filings)
    return open_store(str(folder))


def hubness(store: Course, hints: Path | str, hint: str) -> list[float]:
    """Of each paragraph, as a search for the hint weighs it with this bank."""
    settings = load()
    settings = replace(settings, search=replace(settings.search, accuracy="fast", hints=str(hints)))
    (scorer,) = word_scorers(store, settings, CachingEmbedder(HashingEmbedder()))
    return [float(value) for value in scorer.parts(hint)["hub.minilm"]]


def test_our_own_games_are_searched_without_hubs(tmp_path: Path) -> None:
    # the bank holds their hints: one who is near to them is near for being asked for
    ours = sorted(load_hints().course)[0]
    store = store_with_words(tmp_path, ours, "elsewhere")
    assert hubness(store, "", "about what one says") == [0.0] * 4
    assert hubness(store, "", load_hints().texts[0]) == [0.0] * 4


def test_hint_that_is_searched_for_is_no_hub_whoever_wrote_the_bank(tmp_path: Path) -> None:
    store = store_with_words(tmp_path / "store", "elsewhere", "anywhere")
    texts = [f"hint {number} of {LEAST_HINTS}" for number in range(LEAST_HINTS)]
    banks = []
    for name, more in (("with", ["elsewhere says 1"]), ("without", [])):
        banks.append(tmp_path / f"{name}.jsonl")
        banks[-1].write_text("".join(json.dumps({"hint": text}) + "\n" for text in [*texts, *more]), encoding="utf-8")
    held, not_held = (hubness(store, bank, "elsewhere says 1") for bank in banks)
    assert held == pytest.approx(not_held)
    held, not_held = (hubness(store, bank, "another hint") for bank in banks)
    assert held != pytest.approx(not_held)


def test_own_hints_take_the_place_of_ours(tmp_path: Path) -> None:
    store = store_with_words(tmp_path / "store", "elsewhere", "anywhere")
    own = tmp_path / "own.jsonl"
    own.write_text(
        "".join(json.dumps({"hint": f"elsewhere says {number}"}) + "\n" for number in range(LEAST_HINTS)),
        encoding="utf-8",
    )
    document_of = [item.doc_id for item in store.paragraphs]
    by_document = dict(zip(document_of, hubness(store, own, "a hint"), strict=True))
    assert by_document["elsewhere"] > by_document["anywhere"]
    assert hubness(store, own, "a hint") != pytest.approx(hubness(store, "", "a hint"))
