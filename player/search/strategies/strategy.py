"""Strategy: base class of the ways of finding paragraphs; each scores all paragraphs of a course as arrays."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from configs.settings import SearchSettings
from player.search.cache import CachingEmbedder
from player.search.calibration import Calibration
from player.search.late_interaction import LateInteraction
from player.search.results import Query, ScoreArrays, nothing_found
from quarry.arrays import AnyFloatArray, IntArray
from quarry.course.paragraph import Paragraph
from quarry.store import Course


@dataclass(frozen=True)
class StrategyInputs:
    """Inputs of a strategy besides the course.

    Attributes:
        embedder: None if no strategy needs an embedder.
        late_interaction: compares hint and paragraph token by token; None leaves it out.
    """

    search: SearchSettings
    calibration: Calibration
    embedder: CachingEmbedder | None = None
    late_interaction: LateInteraction | None = None


class Strategy(ABC):
    """One way of finding paragraphs; all implementations pass tests/contracts/strategy.py.

    Strategies run in parallel, each in its own thread, within `search.deadline_s`.

    Args:
        paragraphs: the course.

    Attributes:
        needs_embedder: whether `StrategyInputs.embedder` must be loaded for it; it fails in every search if it cannot.
    """

    needs_embedder = False

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = paragraphs

    def load(self) -> None:  # noqa: B027  (not every strategy has something to load)
        """Build what all searches need, such as an index, unless it is built."""

    def prepare(self, query: Query) -> None:  # noqa: B027  (nor something to prepare)
        """Do the work that depends on the hint alone, such as embedding it; it is timed apart and done once."""

    @abstractmethod
    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Score the course's paragraphs; raise on a failure.

        Args:
            query: the query; `query.keywords` is never None.
            doc_id: the document that the query names, whether it filters or not; "" without one.
        """


class EmbeddingStrategy(Strategy):
    """A strategy that compares the vector of a hint with those of paragraphs.

    Args:
        course: the course.
        inputs: its embedder is not None.
    """

    needs_embedder = True

    def __init__(self, course: Course, inputs: StrategyInputs) -> None:
        super().__init__(course.paragraphs)
        assert inputs.embedder is not None
        self._embedder = inputs.embedder
        self._calibration = inputs.calibration.dense

    def prepare(self, query: Query) -> None:
        """Embed the hint, unless its vector is cached."""
        self._embedder.embed(query.hint)


class Reranker(Strategy):
    """A strategy that compares only the best paragraphs of the strategies named before it."""

    n_compared = 20
    """Number of paragraphs that it compares."""

    @abstractmethod
    def compare(self, query: Query, paragraphs: Sequence[Paragraph]) -> AnyFloatArray:
        """Return (n_paragraphs,) log-odds that each paragraph answers the hint."""

    def rerank(self, query: Query, rows: IntArray) -> ScoreArrays:
        """Score the paragraphs at `rows` of the course, and find no others."""
        arrays = nothing_found(len(self._paragraphs))
        log_odds = self.compare(query, [self._paragraphs[row] for row in rows])
        for array in (arrays.scores, arrays.log_odds, arrays.relevance_log_odds):
            array[rows] = log_odds
        return arrays

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Find nothing: a reranker only compares what others found."""
        return nothing_found(len(self._paragraphs))
