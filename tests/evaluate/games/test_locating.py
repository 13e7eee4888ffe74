"""Labelled games are found among ingested paragraphs by id, or by their text."""

from __future__ import annotations

from typing import Any

from evaluate.games.locating import locate_games
from ingest.paragraph import Paragraph
from tests.evaluate.fakes import labelled_game

IVY = "Ivy climbs the old wall slowly. It clings with small roots and never lets go."
MOSS = "Moss covers the damp stone. It needs shade, water and years of patience."
PARAGRAPHS = (
    Paragraph("alpha:1:1", "alpha", 1, "", IVY, "Ivy climbs the old wall slowly."),
    Paragraph("alpha:1:2", "alpha", 1, "", MOSS, "Moss covers the damp stone."),
    Paragraph("beta:1:1", "beta", 1, "", IVY, "Ivy climbs the old wall slowly."),
)


def matched_id(
    paragraphs: tuple[Paragraph, ...] = PARAGRAPHS, **changes: Any
) -> str | None:
    """The paragraph_id that a game with these labels is found at."""
    passage = locate_games([labelled_game(**changes)], paragraphs)["g1"]
    return passage.paragraph_id if passage else None


def by_text(paragraph: str, **changes: Any) -> dict[str, Any]:
    sentence = f"{paragraph.partition('.')[0]}."
    labels = {"paragraph": paragraph, "opening_sentence": sentence}
    return {"paragraph_id": "", **labels, **changes}


def test_an_id_is_matched_whatever_the_text_and_an_unknown_one_gives_way() -> None:
    assert matched_id(paragraph_id="alpha:1:2", paragraph=IVY) == "alpha:1:2"
    assert matched_id(paragraph_id="gamma:1:1", paragraph=IVY) == "alpha:1:1"
    assert matched_id(paragraph_id="gamma:1:1") is None


def test_signs_case_and_breaks_do_not_count() -> None:
    shouted = MOSS.upper().replace(".", " -").replace(" ", "\n")
    assert matched_id(**by_text(shouted)) == "alpha:1:2"


def test_of_duplicates_the_games_own_document_is_taken_else_the_smaller_id() -> None:
    assert matched_id(**by_text(IVY, pdf="beta.pdf")) == "beta:1:1"
    gamma = by_text(IVY, pdf="gamma.pdf")
    assert matched_id(PARAGRAPHS[::-1], **gamma) == "alpha:1:1"


def test_a_sentence_with_a_token_f1_of_0_9_is_enough() -> None:
    # 9 of 10 words shared, both ways: F1 = 2 * 9 / (10 + 10)
    sentence = "One two three four five six seven eight nine ten."
    stored = (Paragraph("alpha:1:1", "alpha", 1, "", sentence, sentence),)
    near = by_text(sentence.replace("ten", "ton"))
    assert matched_id(stored, **near) == "alpha:1:1"
    far = by_text(sentence.replace("nine ten", "non ton"))
    assert matched_id(stored, **far) is None


def test_a_sentence_inside_a_passage_is_a_place() -> None:
    inner = "It clings with small roots and never lets go."
    passage = locate_games([labelled_game(**by_text(inner))], PARAGRAPHS)["g1"]
    assert passage is not None
    assert (passage.paragraph_id, passage.opening_sentence) == ("alpha:1:1", inner)
