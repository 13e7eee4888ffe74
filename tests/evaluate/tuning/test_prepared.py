"""Games prepared once: the core finds under any settings what the search finds game by game."""

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from configs.settings import CONFIG_DIR, Settings, load
from evaluate.errors import TuneError
from evaluate.games.labelled import LabelledGame
from evaluate.games.locating import locate_games
from evaluate.tuning.prepared import Prepared, search_all
from evaluate.tuning.space import SPACE_FILE, load_space, make_trial_settings
from player.search.build import build_orchestrator
from player.search.results import Query
from player.search.strategies.strategy import Strategy
from quarry.course.paragraph import Paragraph
from quarry.store import Course
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import labelled_game, make_store, prepared
from tests.fakes import HashingEmbedder, each
from tests.player.fakes import SUBJECTS, course
from tests.player.search.strategies.test_cross_encoder import Comparing

pytestmark = pytest.mark.usefixtures("hashing_embedder")

CASES = (
    ("first", "merge quick heap"),
    ("frist", "bucket of collisions"),
    ("second lecture", "walking along edges"),
    ("third", "producers waiting"),
    ("", "what was used least lately"),
    ("oceanography", "grammar and tokens of a language"),
    ("thrid book", "heap"),
    ("first", "zzz"),
    ("first", "grammars"),
    ("", "heap in lecture third"),
    ("first and second", "victim"),
)
"""Names of books, and hints."""


def paragraphs() -> list[Paragraph]:
    """The course's twelve, and a third book: a duplicate of one of them, and 24 paragraphs of three sentences."""
    items = course()
    items.append(paragraph("third:1:1", items[0].text))
    for page in range(24):
        name, words = SUBJECTS[page % 6]
        first = page // 6 * 2
        some = " ".join(words.split()[first : first + 4])
        text = f"{name} returns with {some}. Nothing of {name.lower()} is left out. It ends here."
        items.append(paragraph(f"third:{page + 2}:1", text))
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


@functools.cache
def prepared_for(store: Course, settings: Settings) -> Prepared:
    """Prepare the games once for the strategies and modes of the settings."""
    return prepared(games(), store, settings)


BASE = load(changes=("search.cache_size=0", "search.pdf_k=5", "search.global_k=3"))
PRESETS = ("default", *yaml.safe_load((CONFIG_DIR / "presets.yaml").read_text("utf-8")))
STRATEGIES = (
    ("dense",),
    ("chroma",),
    ("keyword",),
    ("dense", "chroma"),
    ("chroma", "dense", "keyword"),
)


def load_uncached(preset: str) -> Settings:
    return load(preset, changes=("search.cache_size=0",))


def with_modes(modes: dict[str, Any]) -> Settings:
    return replace(BASE, search=replace(BASE.search, **modes))


def numbers(low: int, high: int) -> st.SearchStrategy[float]:
    """Numbers as people and studies set them, from low to high hundredths."""
    return st.integers(low, high).map(lambda number: number / 100)


MODES = st.fixed_dictionaries(
    {
        "strategies": st.sampled_from(STRATEGIES),
        "keywords": st.sampled_from(("rule", "off", "fused", "fallback")),
        "book_match": st.sampled_from(("off", "stem", "resolved")),
    }
)
STUDIES = st.one_of(
    MODES.map(with_modes),
    st.sampled_from(PRESETS).map(load_uncached),
)
"""Settings of studies: presets, and strategies and modes in any combination."""
CHANGES = st.fixed_dictionaries(
    {
        "pdf_k": st.integers(0, 8),
        "global_k": st.integers(0, 8),
        "filter_confidence": numbers(5, 100),
        "boost_confidence": numbers(0, 100),
        "boost": numbers(0, 300),
        "rule_weight": numbers(0, 400),
        "kind_weight": numbers(0, 200),
        "threshold": numbers(1, 99),
        "lowered_threshold": numbers(0, 100),
        "fusion": st.sampled_from(("linear", "rrf")),
        "merge": st.sampled_from(("slots", "relevance")),
        "spill_over": st.sampled_from(("always", "never", "no-book")),
        "cascade": st.booleans(),
    }
)
"""Values of a trial."""


@hypothesis_settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(study=STUDIES, changes=st.just({}) | CHANGES)
def test_many_games_at_once_are_the_searches_one_by_one(
    store: Course, study: Settings, changes: dict[str, Any]
) -> None:
    once = prepared_for(store, study)
    trial = study
    if changes:
        trial = replace(study, search=make_trial_settings(changes, study.search))
    orchestrator = build_orchestrator(store, trial, HashingEmbedder())
    located = locate_games(games(), store.paragraphs)
    ranks, relevant = search_all(once, trial.search)

    for row, game in enumerate(games()):
        query = Query(game.hint, game.book_name, keywords=trial.search.keywords)
        result = orchestrator.search(query)
        labelled = located[game.game_id]
        position = result.position_of(labelled) if labelled else None
        rank = 0 if position is None else position + 1
        assert (ranks[row], relevant[row]) == (rank, result.relevant), query


def test_what_a_study_leaves_out_changes_no_rank(store: Course) -> None:
    bounds = yaml.safe_load(SPACE_FILE.read_text("utf-8"))["search"]
    for preset in PRESETS:
        study = load_uncached(preset)
        once = prepared_for(store, study)
        expected = search_all(once, study.search)
        left_out = bounds.keys() - load_space(study.search).keys()
        # these change the number of hits
        for key in left_out - {"pdf_k", "global_k"}:
            for value in (bounds[key]["low"], bounds[key]["high"]):
                changed = make_trial_settings({key: value}, study.search)
                found = search_all(once, changed)
                np.testing.assert_array_equal(found, expected, f"{preset} {key}")


def comparing(store: Course) -> Strategy:
    return Comparing(store.paragraphs)


def test_a_study_refuses_a_strategy_whose_scores_depend_on_what_is_tuned(
    store: Course,
) -> None:
    path = f"{__name__}.comparing"
    settings = load(changes=[f"search.strategies=[dense,{path}]"])
    with pytest.raises(TuneError, match="compares the best hits of other strategies"):
        prepared_for(store, settings)
