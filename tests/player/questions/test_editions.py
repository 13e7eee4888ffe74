"""The belief over editions: prior, pieces, and what an opponent did before."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from ingest.arrays import Float64Array
from ingest.editions.piece import Piece
from ingest.languages.hebrew import HEBREW
from ingest.languages.registry import LANGUAGES
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
from player.questions.word_index import WordIndex, index_words
from player.search.types import BookCandidate, Query, SearchResult
from tests.contracts.paragraphs import paragraph

STACKS = "Stacks give back the newest plate first."
PASSAGES = [
    paragraph("a:1:1", "A heap keeps its least key on top."),
    paragraph("b:1:1", STACKS),
]
PAGE, WINDOW = "pdfplumber:page", "pypdf:window:2000"
PIECES = (
    Piece(PAGE, "a", 1, 1, "Running head\nAheapkeepsitsleastkey"),
    Piece(PAGE, "b", 1, 1, f"Running head\n{STACKS}"),
    Piece(WINDOW, "b", 1, 1, f"{STACKS} And more about plates."),
)
INDEX = index_words(PASSAGES, PIECES)


A = BookCandidate("a", 0.95, "filter")


def shares_of(
    book_name: str,
    book: BookCandidate | None = A,
    index: WordIndex = INDEX,
    seen: Mapping[str, float] | None = None,
) -> Mapping[str, float]:
    result = SearchResult(Query("hint", book_name), (), book=book)
    return edition_shares(result, index, seen or {})


def prior_of_pages(
    hint: str,
    index: WordIndex = INDEX,
    likeness: Mapping[int, float] | None = None,
) -> Float64Array:
    """The prior of the pieces if pages are held and both passages are equally likely."""
    even = np.array([0.5, 0.5])
    pages_alone = {PAGE: 1.0}
    prior = with_editions(
        even,
        index,
        hint,
        pages_alone,
        likeness or {},
    )
    return prior[2:]


def test_a_piece_without_spaces_holds_its_passage_and_the_words_before_its_end() -> (
    None
):
    assert INDEX.places.passages_of(2).tolist() == [0]
    words = INDEX.whole[[2]].toarray()[0]
    assert words[INDEX.ids["least"]] == 1.0
    assert words[INDEX.ids["top"]] == 0.0


def test_the_form_of_the_name_and_the_script_tell_the_edition() -> None:
    stem = shares_of("a.pdf")
    title = shares_of("Heaps and more")
    invented = shares_of("Nonsense", None)
    for shares in (stem, title, invented):
        assert sum(shares.values()) == pytest.approx(1.0)
    assert stem[PAGE] > stem[WINDOW]
    assert invented[WINDOW] > invented[PAGE]
    assert title[PRINTED] > max(stem[PRINTED], invented[PRINTED])

    languages = np.full(5, LANGUAGES.index(HEBREW))
    hebrew = replace(INDEX, languages=languages)
    assert shares_of("a", index=hebrew)[PAGE] > stem[PAGE]


def test_what_an_opponent_held_before_counts() -> None:
    usual = shares_of("a")
    seen = {PAGE: 2.0, PRINTED: 1.0, "gone:page": 1.0}
    shares = shares_of("a", seen=seen)
    expected = (usual[PAGE] + 2.0) / 4.0
    assert shares[PAGE] == pytest.approx(expected)
    assert "gone:page" not in shares


def test_a_piece_is_as_likely_as_its_passages() -> None:
    shares = {PRINTED: 0.5, PAGE: 0.4, WINDOW: 0.1}
    printed = np.array([0.8, 0.2])
    prior = with_editions(printed, INDEX, "quick", shares, {})
    expected = [0.4, 0.1, 0.32, 0.08, 0.1]
    assert prior == pytest.approx(expected)
    of_editions = editions_of(prior, INDEX.places, np.arange(5))
    assert of_editions == pytest.approx(shares)


def test_the_hint_reaches_a_piece_without_passages_by_its_vector() -> None:
    vectors = np.eye(2, dtype=np.float32)
    table = Piece(PAGE, "a", 2, 2, "1 2 3")
    first = replace(table, vector=packed(vectors[:1]))
    second = replace(table, vector=packed(vectors[1:]))
    index = index_words(PASSAGES, (PIECES[0], first, second))
    hint = np.array([0.6, 0.2], dtype=np.float32)
    likeness = likeness_of(index.places.pieces, hint, nats=5.0)
    assert likeness == pytest.approx({1: 3.0, 2: 1.0})

    # each piece has its even part; the rest goes by the vectors
    even = EVEN / 3
    prior = prior_of_pages("quick", index, likeness) - even
    log_odds = np.log(prior[1] / prior[2])
    assert log_odds == pytest.approx(2.0)
    unreached = prior_of_pages("quick", index)
    assert unreached[1:] == pytest.approx(even)


def test_a_piece_that_holds_no_whole_passage_holds_the_most_of_any() -> None:
    part = Piece(PAGE, "a", 1, 1, "keeps its least")
    elsewhere = Piece(PAGE, "a", 2, 2, part.text)
    links = links_of(PASSAGES, [part, elsewhere])
    assert links.toarray().tolist() == [
        [1, 0],
        [0, 0],
    ]


def test_a_piece_with_a_word_of_the_hint_breaks_the_rule() -> None:
    lawful, unlawful, _ = prior_of_pages("newest")
    assert unlawful / lawful == pytest.approx(RULE)
    # the glued page holds no such token
    glued, other, _ = prior_of_pages("least")
    assert other == pytest.approx(glued)


def test_an_opening_question_tells_little_about_pieces() -> None:
    prior = np.full(5, 0.2)
    candidates = Candidates(INDEX, np.arange(5), prior)
    groups = (("newest",), ("least",), ("tree",))
    question = Question(
        "?",
        ("a", "b", "c", "d"),
        OPENING.name,
        groups,
    )
    fits = OPENING.fit([question], candidates)[0, 0]
    assert fits[1, 0] > 0.95
    wanted = SAME_OPENING * fits[1] + (1.0 - SAME_OPENING) * ANOTHER_OPENING
    assert fits[4] == pytest.approx(wanted, abs=0.02)
