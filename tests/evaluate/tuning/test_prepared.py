"""Games prepared once: the core finds under any settings what the search finds game by game."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from configs.settings import Settings, load
from evaluate.games.labelled import LabelledGame
from evaluate.games.locating import locate_games
from evaluate.tuning.prepared import Prepared, prepare, search_all
from player.search.build import build_orchestrator
from player.search.results import Query
from quarry.course.paragraph import Paragraph
from quarry.store import Course
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import labelled_game, make_store
from tests.fakes import HashingEmbedder, each
from tests.player.fakes import SUBJECTS, course

K = 8
CASES = (
    ("first", "merge quick heap"),
    ("frist", "bucket of collisions"),
    ("second lecture", "walking along edges"),
    ("third", "producers waiting"),
    ("", "what was used least lately"),
    ("oceanography", "grammar and tokens of a language"),
    ("thrid book", "heap"),
    ("first", "zzz"),
)
"""Names of books, and hints."""


def paragraphs() -> list[Paragraph]:
    """The course's twelve, and a third book: a duplicate of one of them, and paragraphs of three sentences."""
    items = course()
    items.append(paragraph("third:1:1", items[0].text))
    for page, (name, words) in enumerate(SUBJECTS, 2):
        text = f"{name} returns with {words}. Nothing of {name.lower()} is left out. It ends here."
        items.append(paragraph(f"third:{page}:1", text))
    return items


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make_store(tmp_path_factory.mktemp("store"), paragraphs())


def games() -> list[LabelledGame]:
    """Each name with three of the hints, about paragraphs all over the course, one of them not there."""
    ids = [*each(paragraphs()[::3], "paragraph_id"), "fourth:1:1"]
    games = []
    for row in range(3 * len(CASES)):
        turn, case = divmod(row, len(CASES))
        _, hint = CASES[(case + turn) % len(CASES)]
        about = {"book_name": CASES[case][0], "paragraph_id": ids[row % len(ids)]}
        games.append(labelled_game(game_id=f"g{row}", hint=hint, **about))
    return games


BASE = load(
    changes=(
        "search.cache_size=0",
        "search.keywords=fused",
        "search.pdf_k=5",
        "search.global_k=3",
    )
)


def prepared_for(store: Course, settings: Settings) -> Prepared:
    located = locate_games(games(), store.paragraphs)
    return prepare(games(), located, store, settings, HashingEmbedder())


@pytest.fixture(scope="module")
def prepared(store: Course) -> Prepared:
    return prepared_for(store, BASE)


@st.composite
def changes(draw: st.DrawFn) -> dict[str, Any]:
    def number(low: float, high: float) -> float:
        """A number as people and studies set it."""
        return draw(st.integers(round(100 * low), round(100 * high))) / 100

    def one_of(*values: Any) -> Any:
        return draw(st.sampled_from(values))

    pdf_k = draw(st.integers(0, K))
    filter_confidence = number(0.05, 1.0)
    sentence_weight = number(0.0, 1.0)
    threshold = number(0.01, 0.99)
    return {
        "pdf_k": pdf_k,
        "global_k": draw(st.integers(0 if pdf_k else 1, K - pdf_k)),
        "filter_confidence": filter_confidence,
        "boost_confidence": number(0.0, 1.0) * filter_confidence,
        "boost": number(0.0, 3.0),
        "sentence_weight": sentence_weight,
        "sentence_mean_weight": one_of(0.0, 0.5, 1.0) * (1.0 - sentence_weight),
        "rule_weight": number(0.0, 4.0),
        "threshold": threshold,
        "lowered_threshold": number(0.0, 1.0) * threshold,
        "keywords": one_of("rule", "off", "fused"),
        "fusion": one_of("linear", "rrf"),
        "merge": one_of("slots", "relevance"),
        "spill_over": one_of("always", "never", "no-book"),
        "cascade": draw(st.booleans()),
    }


def requires_the_same(
    prepared: Prepared,
    store: Course,
    settings: Settings,
) -> None:
    orchestrator = build_orchestrator(store, settings, HashingEmbedder())
    located = locate_games(games(), store.paragraphs)
    ranks, relevant = search_all(prepared, settings.search)

    for row, game in enumerate(games()):
        keywords = settings.search.keywords
        query = Query(game.hint, game.book_name, keywords=keywords)
        result = orchestrator.search(query)
        labelled = located[game.game_id]
        place = result.row_of(labelled) if labelled else None
        asked = (settings.preset, game.hint, game.book_name, result.answered_by)
        assert ranks[row] == (0 if place is None else place + 1), asked
        assert bool(relevant[row]) == result.relevant, asked


@hypothesis_settings(
    max_examples=50,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(changed=changes())
def test_many_games_at_once_are_the_searches_one_by_one(
    store: Course,
    prepared: Prepared,
    changed: dict[str, Any],
) -> None:
    search = replace(BASE.search, **changed)
    requires_the_same(prepared, store, replace(BASE, search=search))


def test_any_preset_can_be_the_base(store: Course) -> None:
    for preset in (
        "dual",
        "known-bots",
        "filtered",
        "distance-merge",
        "keyword",
        "rrf",
    ):
        settings = load(preset, changes=("search.cache_size=0",))
        requires_the_same(prepared_for(store, settings), store, settings)
