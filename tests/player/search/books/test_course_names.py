"""Names of a course's documents, and the tables made of them."""

import numpy as np
import pytest

from player.search.books.course_names import CourseNames, Name
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import document

NAMES = CourseNames(
    [
        document("01-hashing", ("Hash Tables", "title"), ("Chains", "heading")),
        document("02-hashing", ("Bloom Filters", "metadata"), ("Ada Varn", "author")),
        document("copy", ("Perfect Tables", "title"), same_as="01-hashing"),
        document("sprint 3", ("Hashing in Practice", "sidecar")),
    ],
    [
        paragraph("01-hashing:1:1", "A table of chains."),
        paragraph("01-hashing:1:2", "Its tables’ cost."),
        paragraph("02-hashing:1:1", "One table here too, at six costs."),
    ],
)
FIRST, SECOND = range(2)


def test_a_stem_without_a_word_is_no_name() -> None:
    assert not CourseNames([document("...")]).names


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Weighing Coins: Probability for Learners", "Weighing Coins"),
        ("Where Are We Now? Evaluation", "Where Are We Now"),
        ("How Would We Know?", "How Would We Know"),
        ("Coins: Probability", ""),
    ],
)
def test_the_first_part_of_a_title_may_stand_for_it(title: str, expected: str) -> None:
    assert Name(0, title, "title").short_title == expected
    assert not Name(0, title, "heading").short_title


def test_words_of_headings_own_no_document_and_are_trusted_least() -> None:
    assert NAMES.owners["hash"] == {FIRST}
    assert NAMES.owners["varn"] == {SECOND}
    assert "chains" not in NAMES.owners
    for word, trust in {"hash": 1.0, "bloom": 0.8, "varn": 0.9, "chains": 0.6}.items():
        assert NAMES.word_trust[word].max() == trust


def test_a_word_that_most_documents_have_is_shared() -> None:
    assert NAMES.shared_words == {"hashing"}
    words = ["hashing", "lecture", "bloom"]
    assert NAMES.distinctive(words) == ["bloom"]
    twins = CourseNames([document("a-hashing"), document("b-hashing")])
    assert not twins.shared_words


def test_numbers_and_their_nouns_are_taken_from_stems_and_names() -> None:
    assert NAMES.numbers == [{1}, {2}, {3}]
    named = CourseNames([document("graphs", ("Graphs, part 4", "title"))])
    assert named.numbers == [set()]
    assert named.all_numbers == [{4}]
    assert NAMES.number_nouns == {"sprint"}


def test_a_word_matches_names_by_likeness_and_trust() -> None:
    assert NAMES.matches("tables").tolist() == [1.0, 0.0, 0.0]
    assert NAMES.matches("blooms") == pytest.approx([0.0, 0.7 * 0.8, 0.0])
    assert not NAMES.matches("zzz").any()


def test_a_word_is_shared_among_the_texts_in_any_form() -> None:
    # 2 of 11 words and 1 of 9, with headings of 2
    assert NAMES.text_shares("tables") == pytest.approx(np.array([18, 11, 0]) / 29)
    assert not NAMES.text_shares("varn").any()
    assert not CourseNames(NAMES.documents).text_shares("tables").any()
