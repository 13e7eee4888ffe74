"""The index of a course: duplicates, and evidence of a book name that is in doubt, worked by hand."""

from dataclasses import replace

import numpy as np
import pytest

from player.search.books.resolver import BookResolver
from player.search.engine import SearchOrchestrator
from player.search.index import SearchIndex
from player.search.results import BookCandidate, Query
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import (
    ListStrategy,
    course_with,
    document,
    ids_of,
    index_of,
    search_settings,
)


def test_duplicates_are_those_of_one_original() -> None:
    originals = enumerate(["", "", "p:1:0", "q:9:9", "q:9:9", "p:1:0"])
    items = [replace(paragraph(f"p:1:{n}"), same_as=other) for n, other in originals]
    for paragraphs, groups in ((items, [0, -1, 0, 2, 2, 0]), ([], [])):
        index = SearchIndex({}, BookResolver(course_with()), paragraphs)
        assert index.groups.tolist() == groups


def test_a_name_in_doubt_is_evidence_for_each_paragraph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    undecided = [BookCandidate("alpha", 0.5), BookCandidate("beta", 0.3)]
    monkeypatch.setattr(BookResolver, "resolve", lambda *_: undecided)
    documents = [document("alpha"), document("beta")]
    shares = {"alpha:1:1": 0.5, "beta:1:1": 0.5, "beta:1:2": 0.6}
    index = index_of([ListStrategy("dense", shares)], documents)
    settings = search_settings(book_match="resolved")
    # three paragraphs; .5 for the one of alpha, .3 for the two of beta, .2 for all
    query = Query("hint", "some name", keywords="off")
    book = index.resolve_book(query, settings)
    assert (book.doc_id, book.confidence) == ("alpha", 0.5)
    assert book.evidence == pytest.approx(np.log([1.7, 0.65, 0.65]))
    for other, match in ((replace(query, book_name=" "), "resolved"), (query, "stem")):
        book = index.resolve_book(other, search_settings(book_match=match))
        assert book.evidence is None

    # it changes the order
    for boost, best in {1.0: "alpha:1:1", 0.0: "beta:1:2"}.items():
        searches = SearchOrchestrator(index, replace(settings, boost=boost))
        assert ids_of(searches.search(query).hits)[0] == best
