"""ingest/layout/line.py: features of lines."""

import pytest

from tests.ingest.paragraphs.lines import line


@pytest.mark.parametrize("mark", ["«", "„", "([“"])
def test_the_initial_of_a_line_comes_after_brackets_and_quotation_marks(
    mark: str,
) -> None:
    quotation = line(f"{mark}deux» mots")
    assert quotation.initial == "d"
    assert quotation.is_inside_sentence


@pytest.mark.parametrize("mark", ["»", "׳", ")”"])
def test_a_sentence_ends_before_closing_brackets_and_quotation_marks(mark: str) -> None:
    assert line(f"un mot.{mark}").ends_sentence


def test_a_sentence_ends_before_the_sign_of_a_proof_or_a_citation_and_with_a_face() -> (
    None
):
    for text, expected in (
        ("mot. □", True),
        ("mot. [37]", True),
        ("mot [37]", False),
        ("mot 😊", True),
    ):
        assert line(text).ends_sentence is expected, text


def test_an_arabic_question_mark_ends_a_sentence() -> None:
    question = line("ما هي الشجرة؟")
    assert question.ends_sentence
    assert question.ends_clause


def test_a_line_without_spaces_is_full_if_two_letters_and_a_sign_do_not_fit() -> None:
    below = line("树是没有圈的连通图，每个顶点满足这个条件。")
    assert not line("设树", x1=275.0).has_room_for(below)
    assert line("设树", x1=265.0).has_room_for(below)


def test_two_letters_without_a_space_are_a_word() -> None:
    assert line("树是没有圈的图").n_words == 1 + 3
    assert line("trees have no cycles").n_words == 4
