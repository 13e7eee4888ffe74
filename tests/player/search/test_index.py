"""The index of a course: evidence of a book name that is in doubt, worked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from player.search.orchestrator import SearchOrchestrator
from player.search.references import References
from player.search.types import BookCandidate, Query, Tier
from tests.player.fakes import ListStrategy, document, index_of, search_settings

DOCUMENTS = [document("alpha"), document("beta")]


class Undecided(References):
    """Every name means alpha with one confidence, beta with another, and else none."""

    def __init__(self, alpha: float, beta: float) -> None:
        super().__init__(DOCUMENTS, 0.9, 0.6)
        tier: Tier = "none" if alpha < 0.6 else "boost"
        self._books = [
            BookCandidate("alpha", alpha, tier, ""),
            BookCandidate("beta", beta, "none", ""),
        ]

    def resolve(self, book_name: str) -> list[BookCandidate]:
        return self._books


def searched(references: References, boost: float = 1.0) -> list[str]:
    """The ids that a search for a hint and a name returns, in order."""
    strategy = ListStrategy(
        "dense", {"alpha:1:1": 0.5, "beta:1:1": 0.5, "beta:1:2": 0.6}
    )
    index = replace(index_of((strategy,), DOCUMENTS), references=references)
    settings = search_settings(book_match="resolved", boost=boost)
    hits = (
        SearchOrchestrator(index, settings)
        .search(Query("hint", "some name", keywords="off"))
        .hits
    )
    return [hit.paragraph.paragraph_id for hit in hits]


def test_a_name_in_doubt_is_evidence_for_each_passage() -> None:
    index = index_of(
        (ListStrategy("dense", {"beta:1:1": 0.5, "beta:1:2": 0.5}),), (), "alpha:1:1"
    )
    index = replace(index, references=Undecided(0.5, 0.3))
    settings = search_settings(book_match="resolved")
    evidence = index.name_evidence("some name", settings)
    # three passages; .5 for the one of alpha, .3 for the two of beta, .2 for all
    expected = np.log([0.5 * 3 + 0.2, 0.15 * 3 + 0.2, 0.15 * 3 + 0.2])
    assert evidence == pytest.approx(expected)
    assert index.name_evidence("some name", search_settings(book_match="stem")) is None
    assert index.name_evidence(" ", settings) is None


def test_a_name_in_doubt_changes_the_order_and_not_the_relevance() -> None:
    order = ["alpha:1:1", "beta:1:2", "beta:1:1"]
    assert searched(Undecided(0.5, 0.1)) == order
    assert searched(Undecided(0.5, 0.1), boost=0.0) == [
        "beta:1:2",
        "alpha:1:1",
        "beta:1:1",
    ]
    assert searched(Undecided(0.0, 0.0)) == ["beta:1:2", "alpha:1:1", "beta:1:1"]
