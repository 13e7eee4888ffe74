"""Strategies by name; one of a user's own, by dotted path, may fail or hang."""

import functools
import time
from collections.abc import Callable

from configs.settings import SearchSettings
from player.deadlines import Runner
from player.errors import SearchError
from player.search.results import DENSE, KEYWORD, Query, ScoreArrays
from player.search.strategies.chroma import Chroma
from player.search.strategies.cross_encoder import CrossEncoder
from player.search.strategies.dense import Dense
from player.search.strategies.keywords import Keyword
from player.search.strategies.strategy import Strategy, StrategyInputs
from quarry.plugins import find, make
from quarry.store import Course

STRATEGIES: dict[str, Callable[..., Strategy]] = {
    DENSE: Dense,
    "chroma": Chroma,
    KEYWORD: Keyword,
    "cross-encoder": CrossEncoder,
}
"""Strategies by name. Each is called with as many of the arguments `course, inputs` as it accepts."""
SETTING = "search.strategies"
"""Key of the setting that names strategies."""


def find_strategies(search: SearchSettings) -> tuple[Callable[..., Strategy], ...]:
    """Return the classes or functions that make the strategies in the settings, before a model is loaded for them.

    Raises:
        SettingsError: a strategy is neither in the table nor a valid dotted path.
    """
    return tuple(find(STRATEGIES, name, SETTING) for name in search.strategies)


def needs_embedder(name: str) -> bool:
    """Return whether a strategy embeds the hint, by the attribute of its class."""
    return getattr(find(STRATEGIES, name, SETTING), "needs_embedder", False)


def make_strategy(name: str, course: Course, inputs: StrategyInputs) -> Strategy:
    """Make a strategy; a user's own that fails, or is not made by the deadline, fails in every search."""
    work = functools.partial(make, STRATEGIES, name, SETTING, course, inputs)
    if name in STRATEGIES:
        built_in: Strategy = work()
        return built_in
    deadline = time.monotonic() + inputs.search.deadline_s
    call = Runner().start(name, work, deadline)
    strategy: Strategy | None = call.value()
    if strategy is not None:
        return strategy
    return Failing(name, call.failure or "made nothing")


class Failing(Strategy):
    """A strategy that fails in every search; it replaces a strategy that could not be created."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(())
        self._failure = name, reason

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Raise the reason."""
        raise SearchError(*self._failure)
