"""The belief over editions: prior, pieces, and what an opponent did before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ingest.editions.piece import Piece
from ingest.paragraph import Paragraph
from ingest.store.records import packed
from player.questions.candidates import Candidates
from player.questions.editions import (
    EVEN,
    RULE,
    edition_shares,
    editions_of,
    likeness_of,
    with_editions,
)
from player.questions.kinds import ANOTHER_OPENING, OPENING, SAME_OPENING
from player.questions.places import PRINTED, links_of
from player.questions.question import Question
from player.questions.word_index import index_words
from player.search.types import BookCandidate, Query, SearchResult

HEAPS = "A heap keeps its least key on top."
STACKS = "Stacks give back the newest plate first."
PASSAGES = [
    Paragraph("a:1:1", "a", 1, "", HEAPS, HEAPS),
    Paragraph("b:1:1", "b", 1, "", STACKS, STACKS),
]
PAGE, WINDOW = "pdfplumber:page", "pypdf:window:2000"
PIECES = (
    Piece(PAGE, "a", 1, 1, "Running head\nAheapkeepsitsleastkeyontop."),
    Piece(PAGE, "b", 1, 1, f"Running head\n{STACKS}"),
    Piece(WINDOW, "b", 1, 1, f"{STACKS} And more about plates."),
)
INDEX = index_words(PASSAGES, PIECES)
EVEN_PRIOR = np.array([0.5, 0.5])


def result(book_name: str, doc_id: str = "") -> SearchResult:
    book = BookCandidate(doc_id, 0.95, "filter") if doc_id else None
    return SearchResult(Query("hint", book_name), (), book=book)


def test_places_of_pieces_follow_those_of_passages() -> None:
    places = INDEX.places
    assert (places.n_printed, len(places)) == (2, 5)
    assert places.paragraph(2).paragraph_id == f"a:1:{PAGE}"
    assert places.paragraph(4).text == f"{STACKS} And more about plates."


def test_a_piece_without_spaces_holds_its_passage_and_its_words() -> None:
    assert INDEX.places.passages_of(2).tolist() == [0]
    assert INDEX.whole[[2], [INDEX.ids["least"]]][0] == 1.0


def test_a_piece_lacks_the_words_of_a_passage_after_its_end() -> None:
    text = "A heap keeps its least key. Pushing costs little."
    passage = Paragraph("a:1:1", "a", 1, "", text, "A heap keeps its least key.")
    window = Piece("pypdf:window:30", "a", 1, 1, "A heap keeps its least key. Pushing")
    index = index_words([passage], [window])
    in_window = index.whole[[index.places.n_printed]].toarray()[0] > 0.0
    assert in_window[index.ids["pushing"]]
    assert not in_window[index.ids["little"]]


def test_the_form_of_the_name_and_the_script_tell_the_edition() -> None:
    stem = edition_shares(result("a.pdf", "a"), INDEX)
    title = edition_shares(result("Heaps and more", "a"), INDEX)
    invented = edition_shares(result("Nonsense"), INDEX)
    for shares in (stem, title, invented):
        assert sum(shares.values()) == pytest.approx(1.0)
    assert stem[PAGE] > stem[WINDOW]
    assert invented[WINDOW] > invented[PAGE]
    assert title[PRINTED] > max(stem[PRINTED], invented[PRINTED])

    hebrew = replace(INDEX, is_hebrew=np.ones(5, dtype=np.bool_))
    assert edition_shares(result("a", "a"), hebrew)[PAGE] > stem[PAGE]


def test_what_an_opponent_held_before_counts() -> None:
    usual = edition_shares(result("a", "a"), INDEX)
    games = {PAGE: 2.0, PRINTED: 1.0, "gone:page": 1.0}
    shares = edition_shares(result("a", "a"), INDEX, games)
    assert shares[PAGE] == pytest.approx((usual[PAGE] + 2.0) / 4.0)
    assert "gone:page" not in shares


def test_a_piece_is_as_likely_as_its_passages() -> None:
    shares = {PRINTED: 0.5, PAGE: 0.4, WINDOW: 0.1}
    prior = with_editions(np.array([0.8, 0.2]), INDEX, "quick", shares)
    assert prior.tolist() == pytest.approx([0.4, 0.1, 0.32, 0.08, 0.1])
    assert editions_of(prior, INDEX.places, np.arange(5)) == pytest.approx(shares)


def test_the_hint_reaches_a_piece_without_passages_by_its_vector() -> None:
    tables = [
        Piece(PAGE, "a", page, page, "1 2 3", packed(vector))
        for page, vector in enumerate(np.eye(2, dtype=np.float32), 2)
    ]
    index = index_words(PASSAGES, (PIECES[0], *tables))
    hint = np.array([0.6, 0.2], dtype=np.float32)
    likeness = likeness_of(index.places.pieces, hint, nats=5.0)
    assert likeness == pytest.approx({1: 3.0, 2: 1.0})

    shares, even = {PAGE: 1.0}, EVEN / 3
    prior = with_editions(EVEN_PRIOR, index, "quick", shares, likeness)[2:]
    assert (prior[1] - even) / (prior[2] - even) == pytest.approx(np.exp(2.0))
    unreached = with_editions(EVEN_PRIOR, index, "quick", shares)[2:]
    assert unreached[1:].tolist() == pytest.approx([even, even])


def test_a_piece_that_holds_no_whole_passage_holds_the_most_of_any() -> None:
    text = "keeps its least"
    cut, elsewhere = (Piece(PAGE, doc_id, page, page, text) for doc_id, page in (("a", 1), ("b", 2)))  # fmt: skip
    assert links_of(PASSAGES, [cut, elsewhere]).toarray().tolist() == [[1, 0], [0, 0]]


def test_a_piece_with_a_word_of_the_hint_breaks_the_rule() -> None:
    prior = with_editions(EVEN_PRIOR, INDEX, "newest", {PAGE: 1.0})
    assert prior[3] / prior[2] == pytest.approx(RULE)
    # the glued page holds no such token
    prior = with_editions(EVEN_PRIOR, INDEX, "least", {PAGE: 1.0})
    assert prior[3] == pytest.approx(prior[2])


def test_an_opening_question_tells_little_about_pieces() -> None:
    candidates = Candidates(INDEX, np.arange(5), np.full(5, 0.2))
    groups = (("newest",), ("least",), ("tree",))
    question = Question("?", ("a", "b", "c", "d"), OPENING.name, groups)
    fits = OPENING.fit([question], candidates)[0, 0]
    assert fits[1, 0] > 0.95
    wanted = SAME_OPENING * fits[1] + (1.0 - SAME_OPENING) * ANOTHER_OPENING
    assert fits[4] == pytest.approx(wanted, abs=0.02)
