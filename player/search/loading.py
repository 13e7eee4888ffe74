"""Loading of a SearchIndex: built from a course and settings, and searched once before the first search."""

import logging
import time
from dataclasses import replace

from configs.settings import SearchSettings, Settings
from player.deadlines import Runner
from player.errors import LateStrategyError
from player.search.available import EMBEDDING, Failing, make_strategy
from player.search.books.resolver import BookResolver
from player.search.cache import CachingEmbedder
from player.search.calibration import (
    course_calibration,
    embedder_calibration,
    is_calibrated,
    is_fitted,
)
from player.search.cascade import Cascade
from player.search.index import DENSE, KEYWORD, SearchIndex
from player.search.late_interaction import late_interaction_of
from player.search.results import Query
from player.search.strategies.strategy import Strategy, StrategyInputs
from quarry.embed import Embedder
from quarry.store import Course

_log = logging.getLogger(__name__)
LOADING_S = 20.0
"""Maximum number of seconds of loading; slower strategies are missing from the first searches."""


def index_of(
    course: Course,
    settings: Settings,
    embedder: Embedder | None = None,
    *,
    fault: str = "",
) -> SearchIndex:
    """Build the index of a course.

    Args:
        course: the course to search.
        settings: settings of search and embedding.
        embedder: the store's embedder; None if no strategy needs it, or if it cannot be loaded.
        fault: reason why it cannot be loaded; the strategies that embed then fail in every search.
    """
    search = settings.search
    calibration = embedder_calibration(course.embedder_spec)
    caching = None
    late_interaction = None
    if embedder is not None:
        calibration = course_calibration(course)
        with_tokens = bool(search.late_interaction and calibration.late_interaction)
        caching = CachingEmbedder(embedder, with_tokens=with_tokens)
        if with_tokens:
            late_interaction = late_interaction_of(course, settings, caching)
        if late_interaction is not None:
            calibration = calibration.with_late_interaction()
    inputs = StrategyInputs(search, calibration, caching, late_interaction)

    strategies: dict[str, Strategy] = {}
    dense = () if embedder is None else (DENSE,)
    for name in dict.fromkeys((KEYWORD, *dense, *search.strategies)):
        if fault and name in EMBEDDING:
            strategies[name] = Failing(name, fault)
        else:
            strategies[name] = make_strategy(name, course, inputs)
    # book names are compared by meaning if the weights are fitted for the embedder
    compares = search.book_match == "resolved" and is_fitted(course.embedder_spec)
    return SearchIndex(
        strategies,
        BookResolver(course, caching if compares else None, calibration.books),
        course.paragraphs,
        calibration=calibration,
        calibrated=embedder is None or is_calibrated(course, calibration),
        pieces=course.pieces,
    )


def warm_up(index: SearchIndex, search: SearchSettings) -> None:
    """Search once and drop the hits, so that no later search waits within its deadline for what is loaded at first use.

    Log the strategies that are not loaded after `LOADING_S`. Keywords are loaded by the first search that needs them,
    since most need none.
    """
    query = Query("an idea and its example", "ideas, by example", 1, search.keywords)
    result = Cascade(
        index=index,
        settings=replace(search, deadline_s=LOADING_S),
        runner=Runner(),
        query=query,
        started=time.perf_counter(),
        everything=True,
    ).result()

    for failure in result.failures:
        if isinstance(failure, LateStrategyError):
            _log.warning(
                "strategy %s is not loaded after %g s; searches go on without it",
                failure.strategy,
                LOADING_S,
            )
