"""The belief over editions: prior, pieces, and what an opponent did before."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from player.belief import editions
from player.belief.editions import (
    RULE_FACTOR,
    UNIFORM_SHARE,
    edition_masses,
    edition_shares,
    with_editions,
)
from player.belief.places import PRINTED, find_places
from player.belief.word_index import index_words
from player.question import VIEWS, Question
from player.questions.candidates import Candidates
from player.questions.kinds import ANOTHER_OPENING, OPENING
from player.search.results import BookCandidate, Query, SearchResult
from quarry.arrays import Float64Array
from quarry.course.piece import Piece
from tests.contracts.paragraphs import paragraph
from tests.fakes import each

STACKS = "Stacks give back the newest plate first."
PARAGRAPHS = [
    paragraph("a:1:1", "A heap keeps its least key on top."),
    paragraph("b:1:1", STACKS),
]
PAGE, PIECE = "pdfplumber:page", "pymupdf:page:2000"
PIECES = (
    Piece(PAGE, "a", 1, 1, "Running head\nAheapkeepsitsleastkey"),
    Piece(PAGE, "b", 1, 1, f"Running head\n{STACKS}"),
    Piece(PIECE, "b", 1, 1, f"{STACKS} And more about plates."),
)
INDEX = index_words(PARAGRAPHS, PIECES)


A = BookCandidate("a", 0.95, "filter")


def shares_of(
    book_name: str,
    book: BookCandidate | None = A,
    seen: Mapping[str, float] = {},
) -> Mapping[str, float]:
    result = SearchResult(Query("hint", book_name), (), book=book)
    return edition_shares(result, INDEX, seen)


def prior_of_pages(hint: str) -> Float64Array:
    """The prior of the pieces if pages are held and both paragraphs are equally likely."""
    even = np.array([0.5, 0.5])
    return with_editions(even, INDEX, hint, {PAGE: 1.0}, np.zeros(3))[2:]


def test_a_piece_without_spaces_holds_its_paragraph_and_the_words_before_its_end() -> (
    None
):
    assert INDEX.places.held_rows(2).tolist() == [0]
    words = INDEX.whole[[2]].toarray()[0]
    assert words[INDEX.ids["least"]] == 1.0
    assert words[INDEX.ids["top"]] == 0.0


def test_the_form_of_the_name_tells_the_edition() -> None:
    stem = shares_of("a.pdf")
    title = shares_of("Heaps and more")
    invented = shares_of("Nonsense", None)
    for shares in (stem, title, invented):
        assert sum(shares.values()) == pytest.approx(1.0)
    assert stem[PAGE] > stem[PIECE]
    assert invented[PIECE] > invented[PAGE]
    assert title[PRINTED] > max(stem[PRINTED], invented[PRINTED])


def test_what_an_opponent_held_before_counts() -> None:
    usual = shares_of("a")
    seen = {PAGE: 2.0, PRINTED: 1.0, "gone:page": 1.0}
    shares = shares_of("a", seen=seen)
    expected = (usual[PAGE] + 2.0) / 4.0
    assert shares[PAGE] == pytest.approx(expected)
    assert "gone:page" not in shares


def test_a_piece_is_as_likely_as_its_document_its_vector_and_its_paragraphs() -> None:
    shares = {PRINTED: 0.5, PAGE: 0.4, PIECE: 0.1}
    printed = np.array([0.8, 0.2])
    likeness = np.log([1.0, 3.0, 5.0])
    prior = with_editions(printed, INDEX, "quick", shares, likeness)
    assert prior[:2] == pytest.approx([0.4, 0.1])
    assert prior[4:].sum() == pytest.approx(0.1)

    # each document has one page
    weights = printed * printed**editions.PARAGRAPHS_EXPONENT * [1.0, 3.0]
    pages = (1.0 - UNIFORM_SHARE) * weights / weights.sum() + UNIFORM_SHARE * printed
    assert prior[2:4] == pytest.approx(0.4 * pages, rel=1e-4)
    of_editions = edition_masses(prior, np.arange(len(prior)), INDEX.places)
    assert of_editions == pytest.approx(shares)


def test_a_piece_without_a_vector_leaves_the_others_theirs() -> None:
    vector = np.array([1, 0], dtype=np.float32).tobytes()
    embedded = replace(PIECES[0], vector=vector)
    places = find_places(PARAGRAPHS, (embedded, PIECES[1]))
    assert places.vectors.tolist() == [[1, 0], [0, 0]]
    assert find_places(PARAGRAPHS, PIECES[:1]).vectors.tolist() == [[]]


def test_a_piece_may_open_with_each_printed_sentence_as_its_program_prints_it() -> None:
    first, second = "A queue keeps order.", "The oldest leaves first."
    printed = paragraph("a:1:1", f"{first} {second}")
    raw = "7\nA queuekeeps\norder. The oldest leaves\nfirst."
    places = find_places([printed], [Piece(PIECE, "a", 1, 1, raw)])
    n_printed = places.n_printed
    assert places.held_sentences[n_printed:] == [
        "A queuekeeps order.",
        "A queuekeeps order. The oldest leaves first.",
        second,
    ]
    assert each(places.starts[n_printed:], "sentence") == [
        first,
        printed.text,
        second,
    ]
    odds = np.exp(places.log_odds[n_printed:])
    assert odds == pytest.approx(np.array([1.0, 0.6, 0.36]) / 1.96)


def test_a_piece_that_holds_no_whole_paragraph_holds_the_most_of_any() -> None:
    part = Piece(PAGE, "a", 1, 1, "keeps its least")
    elsewhere = Piece(PAGE, "a", 2, 2, part.text)
    places = find_places(PARAGRAPHS, [part, elsewhere])
    assert places.links.toarray().tolist() == [
        [1, 0],
        [0, 0],
    ]


def test_a_piece_with_a_word_of_the_hint_breaks_the_rule() -> None:
    lawful, unlawful, _ = prior_of_pages("newest")
    assert unlawful / lawful == pytest.approx(RULE_FACTOR)
    # the glued page holds no such token
    glued, other, _ = prior_of_pages("least")
    assert other == pytest.approx(glued)


def test_the_view_says_what_is_taken_for_the_first_sentence_of_a_raw_text() -> None:
    raw = f"{STACKS} And more about plates."
    pieces = [Piece(edition, "b", 1, 1, raw) for edition in (PAGE, PIECE)]
    index = index_words(PARAGRAPHS[1:], pieces)
    candidates = Candidates(index, np.arange(3), np.full(3, 1 / 3))
    groups = (("newest",), ("least",), ("tree",))
    question = Question("?", ("a", "b", "c", "d"), OPENING.name, groups)
    fits = OPENING.fit([question], candidates)[:, 0]
    assert (fits[VIEWS.index("paragraph"), :, 0] > 0.9).all()
    of_printed, *of_raw = fits[VIEWS.index("opening")]
    assert of_printed[0] > 0.9
    for of_place in of_raw:
        assert of_place == pytest.approx(ANOTHER_OPENING)
