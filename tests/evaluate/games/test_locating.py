"""Labelled games are found among ingested paragraphs by id or text, and what is wrong with them is named."""

import re
from dataclasses import replace
from typing import Any

import pytest

from evaluate.games.locating import (
    begins_with,
    check_games,
    find_label_errors,
    locate_games,
)
from quarry.course.paragraph import Paragraph
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import labelled_game

IVY = "Ivy climbs the old wall slowly. It clings with small roots and never lets go."
MOSS = "Moss covers the damp stone. It needs shade, water and years of patience."
PARAGRAPHS = (
    paragraph("alpha:1:1", IVY),
    paragraph("alpha:1:2", MOSS),
    replace(paragraph("beta:1:1", IVY), page_breaks=(30,)),
    paragraph("beta:7:1", IVY),
)
CLEAN = {"hint": "plant that ascends brickwork", "associative_word": "garden"}


def located(**changes: Any) -> Paragraph | None:
    """The paragraph that a game with these labels is found at."""
    return locate_games([labelled_game(**changes)], PARAGRAPHS)["g1"]


def id_of_text(text: str, pdf: str = "", page: int = 0) -> str | None:
    """The paragraph_id that a game with a text, and without an id, is found at."""
    sentence = f"{text.partition('.')[0]}."
    paragraph = located(
        paragraph_id="",
        paragraph=text,
        opening_sentence=sentence,
        pdf=pdf,
        page=page,
    )
    return paragraph.paragraph_id if paragraph else None


def test_an_id_is_matched_whatever_the_text_and_an_unknown_one_gives_way() -> None:
    assert located(paragraph_id="alpha:1:2", paragraph=IVY) == PARAGRAPHS[1]
    assert located(paragraph_id="gamma:1:1", paragraph=IVY) == PARAGRAPHS[0]
    assert located(paragraph_id="gamma:1:1") is None


def test_signs_case_and_breaks_do_not_count() -> None:
    shouted = MOSS.upper().replace(".", " -").replace(" ", "\n")
    assert id_of_text(shouted) == "alpha:1:2"


def test_of_duplicates_the_games_own_document_is_taken_else_the_smaller_id() -> None:
    assert id_of_text(IVY, "beta.pdf") == "beta:1:1"
    assert id_of_text(IVY, "gamma.pdf") == "alpha:1:1"
    assert id_of_text(IVY, "beta.pdf", 7) == "beta:7:1"
    assert id_of_text(IVY, "beta.pdf", 2) == "beta:1:1"
    assert id_of_text(MOSS, "beta.pdf", 7) == "alpha:1:2"


def test_a_sentence_with_a_token_f1_of_0_9_is_enough() -> None:
    # 9 of 10 words shared, both ways: F1 = 2 * 9 / (10 + 10)
    begin = "One two three four five six seven eight"
    stored = [paragraph("alpha:1:1", f"{begin} nine 10.")]
    for end, is_near in (("nine ton.", True), ("non ton.", False)):
        game = labelled_game(paragraph_id="", opening_sentence=f"{begin} {end}")
        assert bool(locate_games([game], stored)["g1"]) == is_near


def test_a_sentence_inside_a_paragraph_is_a_place() -> None:
    inner = "It clings with small roots and never lets go."
    paragraph = located(paragraph_id="", opening_sentence=inner)
    assert paragraph is not None
    assert (paragraph.paragraph_id, paragraph.opening_sentence) == ("alpha:1:1", inner)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"hint": "w " * 15}, ""),
        ({"hint": "w " * 16}, "The hint has 16 words; at most 15 are allowed."),
        (
            {"hint": "WALL-bound plant with tiny Ivy feet"},
            'The hint shares the words "ivy", "wall", "with" with the paragraph.',
        ),
        (
            {"associative_word": "Roots"},
            'The associative word shares the word "roots" with the paragraph.',
        ),
        (
            {"paragraph_id": "beta:9:9", "opening_sentence": "Unrelated quantum jazz."},
            "No place in the store begins with its opening sentence; ingest its PDF, or correct the sentence.",
        ),
        (
            {"paragraph_id": "beta:9:9", "opening_sentence": ""},
            "The store has no paragraph beta:9:9; ingest its PDF, or correct the id.",
        ),
        (
            {"opening_sentence": "photograph", "paragraph": IVY},
            "The paragraph does not begin with its opening sentence; correct the sentence.",
        ),
        (
            {
                "paragraph": "Unrelated quantum jazz.",
                "opening_sentence": "Unrelated quantum jazz.",
            },
            "The paragraph alpha:1:1 does not hold its opening sentence; correct one of them.",
        ),
    ],
)
def test_what_is_wrong_with_a_game_is_said(changes: Any, error: str) -> None:
    game = labelled_game(**{**CLEAN, **changes})
    wrong = [("g1", error)] if error else []

    assert check_games([game], PARAGRAPHS) == wrong


@pytest.mark.parametrize(
    ("paragraph_id", "page", "is_right"),
    [
        ("alpha:1:1", 2, False),
        ("beta:1:1", 2, True),
        ("beta:1:1", 3, False),
        ("beta:1:1", -1, False),
        ("", 7, True),
        ("", 5, False),
        ("gone:5:1", 5, False),
    ],
)
def test_a_label_names_a_page_of_its_paragraph_or_none(
    paragraph_id: str, page: int, is_right: bool
) -> None:
    game = labelled_game(
        **CLEAN, paragraph_id=paragraph_id, opening_sentence=IVY[:31], page=page
    )
    errors = [error for _, error in check_games([game], PARAGRAPHS)]

    assert errors == [] or f"Its page is {page}, and " in errors[0]
    assert (errors == []) == is_right


def test_a_hint_that_comes_twice_is_named_with_the_game_that_had_it_first() -> None:
    first = labelled_game(**CLEAN)
    again = replace(first, game_id="g2", hint="Plant, that ascends brickwork!")
    error = "The hint is also that of g1; write another."
    assert check_games([first, again], PARAGRAPHS) == [("g2", error)]


@pytest.mark.parametrize(
    ("hint", "text", "shared"),
    [
        ("", "some text", []),
        ("The index", "an INDEX of the index", ["index", "the"]),
        ("e-mail's 2nd", "E mail 2nd s", ["2nd", "e", "mail", "s"]),
        ("ﬁx", "a fix", ["fix"]),
        ("העץ הגבוה", "עץ גבוה", []),
        ("עץ גבוה", "עץ גבוה", ["גבוה", "עץ"]),
    ],
)
def test_shared_words_are_folded_whole_words(
    hint: str, text: str, shared: list[str]
) -> None:
    errors = " ".join(find_label_errors(text, hint))
    assert re.findall('"(.+?)"', errors) == shared


def test_a_paragraph_begins_with_a_sentence_or_nearly() -> None:
    for sentence, begins in {
        "Ivy scales brickwork.": True,
        "IVY scales “brick-work”": True,
        "Ivy scale brickwork": True,
        "Ivy": True,
        "": True,
        "photograph": False,
        "Tendrils grip mortar.": False,
        "scales brickwork.": False,
        "...": False,
    }.items():
        text = "Ivy scales brickwork. Tendrils grip mortar."

        assert begins_with(text, sentence) == begins
    hebrew = "בוקר, תחנת אוטובוס, ואתם מקלידים. שלוש אותיות בשורת החיפוש."
    assert begins_with(hebrew, "בוקר, תחנת אוטובוס, ואתם מקלידים.")
    assert not begins_with(hebrew, "שלוש אותיות בשורת החיפוש.")
