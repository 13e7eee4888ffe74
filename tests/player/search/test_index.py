"""The index of a course: evidence of a book name that is in doubt, worked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from player.search.orchestrator import SearchOrchestrator
from player.search.references import References
from player.search.types import BookCandidate, Query
from tests.player.fakes import ListStrategy, document, index_of, search_settings

DOCUMENTS = [document("alpha"), document("beta")]


class Undecided(References):
    """Every name means alpha with one confidence, beta with another, and else none."""

    def __init__(self, alpha: float, beta: float) -> None:
        super().__init__(DOCUMENTS, 0.9, 0.6)
        self._books = [
            BookCandidate("alpha", alpha, "none"),
            BookCandidate("beta", beta, "none"),
        ]

    def resolve(self, book_name: str) -> list[BookCandidate]:
        return self._books


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


@pytest.mark.parametrize(
    ("alpha", "boost", "order"),
    [(0.5, 1.0, "alpha beta beta"), (0.5, 0.0, "beta alpha beta")],
)
def test_a_name_in_doubt_changes_the_order(
    alpha: float, boost: float, order: str
) -> None:
    found = {"alpha:1:1": 0.5, "beta:1:1": 0.5, "beta:1:2": 0.6}
    index = index_of((ListStrategy("dense", found),), DOCUMENTS)
    index = replace(index, references=Undecided(alpha, 0.1))
    searches = SearchOrchestrator(
        index, search_settings(book_match="resolved", boost=boost)
    )
    hits = searches.search(Query("hint", "some name", keywords="off")).hits
    assert [hit.paragraph.doc_id for hit in hits] == order.split()
