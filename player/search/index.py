"""SearchIndex: all that belongs to one state of a store, for the searches over it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.ingest.arrays import Float64Array
from quarry.ingest.paragraph import Paragraph
from quarry.player.questions.places import search_log_odds
from quarry.player.search.calibration import DEFAULT_EMBEDDER, Calibration, calibration_of
from quarry.player.search.core import Columns, columns_of
from quarry.player.search.references import References
from quarry.player.search.strategies.ranking import Ranked
from quarry.player.search.types import BookCandidate, Rewriter, Strategy


@dataclass(frozen=True, eq=False)
class SearchIndex:
    """What is searched, and with what: all that belongs to one state of a store.

    Attributes:
        strategies: by name.
        references: resolves book names.
        paragraphs: the course, in the order of the arrays of those strategies that score arrays; () takes theirs.
        n_paragraphs: of each document, by doc_id; {} counts `paragraphs`.
        priors: log-odds of each document's paragraphs before any hint, by doc_id; those of others are 0.
        rewriter: says a hint in other words; None skips that step.
    """

    strategies: Mapping[str, Strategy]
    references: References
    paragraphs: Sequence[Paragraph] = ()
    calibration: Calibration = field(default_factory=functools.partial(calibration_of, DEFAULT_EMBEDDER))
    n_paragraphs: Mapping[str, int] = field(default_factory=dict)
    priors: Mapping[str, float] = field(default_factory=dict)
    rewriter: Rewriter | None = None

    def __post_init__(self) -> None:
        scorers = [strategy for strategy in self.strategies.values() if isinstance(strategy, Ranked)]
        if scorers and not self.paragraphs:
            object.__setattr__(self, "paragraphs", scorers[0].paragraphs)

    @functools.cached_property
    def columns(self) -> Columns:
        """Those of the whole course."""
        return columns_of(self.paragraphs)

    @functools.cached_property
    def passage_priors(self) -> Float64Array:
        """(n_paragraphs,) log-odds that each passage is chosen before any hint, by its kind."""
        return search_log_odds(self.paragraphs)

    @functools.cached_property
    def sizes(self) -> Mapping[str, int]:
        """Paragraphs of each document, by doc_id."""
        counts = np.bincount(self.columns.document, minlength=len(self.columns.doc_ids)).tolist()
        return dict(self.n_paragraphs) or dict(zip(self.columns.doc_ids, counts, strict=True))

    @functools.cached_property
    def rows(self) -> Mapping[str, int]:
        """Row of each paragraph in `paragraphs`, by paragraph_id."""
        return {paragraph.paragraph_id: row for row, paragraph in enumerate(self.paragraphs)}

    def books(self, book_name: str, settings: SearchSettings, hint: str = "") -> tuple[BookCandidate, ...]:
        """The documents that a name means, as `SearchResult.books` has them.

        Args:
            hint: is looked at where no name is given, for one that it may hold.
        """
        if settings.book_match == "off":
            return ()
        if settings.book_match == "stem":
            found = self.references.by_stem(book_name)
            return (found,) if found else ()
        return self.references.books(book_name) if book_name.strip() else self.references.books_in(hint)
