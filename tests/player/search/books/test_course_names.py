"""Names of a course's documents, and the tables made of them."""

import numpy as np
import pytest

from player.search.books.course_names import CourseNames, Name, is_name
from quarry.course.paragraph import Alias, AliasSource
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
FIRST, SECOND, THIRD = range(3)


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("Introduction", "heading", False),
        ("Outline and References", "heading", False),
        ("Microsoft Word - draft_v2", "metadata", False),
        ("results", "title", False),
        ("results", "stem", True),
        ("Results of Hashing", "title", True),
        ("How Would We Know?", "title", True),
        ("Of the", "title", False),
        ("...", "stem", False),
    ],
)
def test_a_title_names_a_document_unless_any_document_may_have_it(
    text: str, source: AliasSource, expected: bool
) -> None:
    assert is_name(Alias(text, source)) == expected


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("Weighing Coins: Probability for Learners", "title", "Weighing Coins"),
        ("Where Are We Now? Evaluation", "title", "Where Are We Now"),
        ("How Would We Know?", "title", "How Would We Know"),
        ("Coins: Probability", "title", ""),
        ("Weighing Coins: Probability", "heading", ""),
    ],
)
def test_the_first_part_of_a_title_may_stand_for_it(
    text: str, source: AliasSource, expected: str
) -> None:
    assert Name(0, text, source).short_title == expected


def test_a_copy_has_the_row_of_its_original() -> None:
    assert NAMES.doc_ids == ["01-hashing", "02-hashing", "sprint 3"]
    assert NAMES.row_of["copy"] == FIRST
    assert NAMES.owners["perfect"] == {FIRST}


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
