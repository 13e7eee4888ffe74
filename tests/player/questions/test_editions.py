"""The belief over editions: prior, pieces, and what an opponent did before."""

from __future__ import annotations

import numpy as np
import pytest

from ingest.editions.piece import Piece
from ingest.paragraph import Paragraph
from ingest.store.records import packed
from player.questions.candidates import Candidates
from player.questions.editions import (
    CUT_SHARES,
    EVEN,
    PRINTED,
    RULE,
    edition_shares,
    editions_of,
    likeness_of,
    with_editions,
)
from player.questions.kinds import ANOTHER_OPENING, OPENING, SAME_OPENING
from player.questions.places import links_of
from player.questions.question import Question
from player.questions.word_index import WordIndex, index_words
from player.search.types import BookCandidate, Query, SearchResult

HEAPS = "A heap keeps its least key on top."
STACKS = "Stacks give back the newest plate first."
PASSAGES = [
    Paragraph("a:1:1", "a", 1, "", HEAPS, HEAPS),
    Paragraph("b:1:1", "b", 1, "", STACKS, STACKS),
]
PIECES = (
    Piece("pdfplumber:page", "a", 1, 1, "Running head\nAheapkeepsitsleastkeyontop."),
    Piece("pdfplumber:page", "b", 1, 1, f"Running head\n{STACKS}"),
    Piece("pypdf:window:2000", "b", 1, 1, f"{STACKS} And more about plates."),
)


@pytest.fixture(scope="module")
def index() -> WordIndex:
    return index_words(PASSAGES, PIECES)


def result(book_name: str, doc_id: str = "") -> SearchResult:
    book = BookCandidate(doc_id, 0.95, "filter") if doc_id else None
    return SearchResult(Query("hint", book_name), (), book=book)


def test_places_of_pieces_follow_those_of_passages(index: WordIndex) -> None:
    places = index.places
    assert (places.n_printed, len(places)) == (2, 5)
    assert places.paragraph(2).paragraph_id == "a:1:pdfplumber:page"
    assert places.paragraph(4).text == f"{STACKS} And more about plates."


def test_a_piece_without_spaces_holds_its_passage_and_its_words(
    index: WordIndex,
) -> None:
    assert index.places.passages_of(2).tolist() == [0]
    assert index.whole[[2], [index.ids["least"]]][0] == 1.0


def test_a_piece_lacks_the_words_of_a_passage_after_its_end() -> None:
    text = "A heap keeps its least key. Pushing costs little."
    passage = Paragraph("a:1:1", "a", 1, "", text, "A heap keeps its least key.")
    window = Piece("pypdf:window:30", "a", 1, 1, "A heap keeps its least key. Pushing")
    index = index_words([passage], [window])
    in_window = index.whole[[index.places.n_printed]].toarray()[0] > 0.0
    assert in_window[index.ids["pushing"]]
    assert not in_window[index.ids["little"]]


def test_a_stem_goes_with_pages_and_an_invented_title_with_windows(
    index: WordIndex,
) -> None:
    stem = edition_shares(result("a.pdf", "a"), index)
    title = edition_shares(result("Heaps and more", "a"), index)
    invented = edition_shares(result("Nonsense"), index)
    for shares in (stem, title, invented):
        assert sum(shares.values()) == pytest.approx(1.0)
    assert stem["pdfplumber:page"] > stem["pypdf:window:2000"]
    assert invented["pypdf:window:2000"] > invented["pdfplumber:page"]
    assert title[PRINTED] > max(stem[PRINTED], invented[PRINTED])


def test_a_stem_goes_with_pages_most_of_all_in_a_hebrew_course(
    index: WordIndex,
) -> None:
    text = "בערמה המפתח הקטן ביותר נמצא בראש."
    hebrew = index_words([Paragraph("a:1:1", "a", 1, "", text, text)], PIECES[:1])
    shares = edition_shares(result("a", "a"), hebrew)
    assert shares["pdfplumber:page"] > CUT_SHARES["stem"]["page"]
    assert edition_shares(result("a", "a"), index)["pdfplumber:page"] < 0.2


def test_what_an_opponent_held_before_counts(index: WordIndex) -> None:
    usual = edition_shares(result("a", "a"), index)
    seen = {"pdfplumber:page": 2.0, PRINTED: 1.0, "gone:page": 1.0}
    learned = edition_shares(result("a", "a"), index, seen)
    wanted = (usual["pdfplumber:page"] + 2.0) / 4.0
    assert learned["pdfplumber:page"] == pytest.approx(wanted)
    assert "gone:page" not in learned


def test_a_piece_is_as_likely_as_its_passages(index: WordIndex) -> None:
    shares = {PRINTED: 0.5, "pdfplumber:page": 0.4, "pypdf:window:2000": 0.1}
    prior = with_editions(np.array([0.8, 0.2]), index, "quick", shares)
    assert prior.sum() == pytest.approx(1.0)
    assert prior[:2].tolist() == pytest.approx([0.4, 0.1])
    assert prior[2:].tolist() == pytest.approx([0.32, 0.08, 0.1])
    belief = editions_of(prior, index.places, np.arange(5))
    assert belief == pytest.approx(shares)


def test_the_hint_reaches_a_piece_without_passages_by_its_vector() -> None:
    near, far = np.eye(2, dtype=np.float32)
    tables = tuple(
        Piece("pdfplumber:page", "a", page, page, "1 2 3", packed(vector))
        for page, vector in ((2, near), (3, far))
    )
    index = index_words(PASSAGES, (PIECES[0], *tables))
    hint = np.array([0.6, 0.2], dtype=np.float32)
    likeness = likeness_of(index.places.pieces, hint, nats=5.0)
    assert likeness == pytest.approx({1: 3.0, 2: 1.0})

    shares, printed = {"pdfplumber:page": 1.0}, np.array([0.5, 0.5])
    prior = with_editions(printed, index, "quick", shares, likeness)[2:]
    even = EVEN / 3
    assert (prior[1] - even) / (prior[2] - even) == pytest.approx(np.exp(2.0))
    unreached = with_editions(printed, index, "quick", shares)[2:]
    assert unreached[1:].tolist() == pytest.approx([even, even])


def test_a_piece_that_holds_no_whole_passage_holds_the_most_of_any() -> None:
    cut = Piece("pdfplumber:page", "a", 1, 1, "keeps its least")
    other = Piece("pdfplumber:page", "b", 2, 2, "keeps its least")
    links = links_of(PASSAGES, [cut, other]).toarray()
    assert links.tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_a_piece_with_a_word_of_the_hint_breaks_the_rule(index: WordIndex) -> None:
    shares = {"pdfplumber:page": 1.0}
    prior = with_editions(np.array([0.5, 0.5]), index, "newest", shares)
    assert prior[3] / prior[2] == pytest.approx(RULE)
    # the glued page holds no such token
    prior = with_editions(np.array([0.5, 0.5]), index, "least", shares)
    assert prior[3] == pytest.approx(prior[2])


def test_an_opening_question_tells_little_about_pieces(index: WordIndex) -> None:
    candidates = Candidates(index, np.arange(5), np.full(5, 0.2))
    groups = (("newest",), ("least",), ("tree",))
    question = Question("?", ("a", "b", "c", "d"), OPENING.name, frozenset(), groups)
    fits = OPENING.fit([question], candidates)[0, 0]
    assert fits[1, 0] > 0.95
    wanted = SAME_OPENING * fits[1] + (1.0 - SAME_OPENING) * ANOTHER_OPENING
    assert fits[4] == pytest.approx(wanted, abs=0.02)
