"""Labelled games are found among ingested paragraphs by id, or by their text."""

from __future__ import annotations

from typing import Any

from quarry.evaluate.games.locating import locate_games
from quarry.ingest.paragraph import Paragraph
from tests.evaluate.fakes import labelled_game

IVY = "Ivy climbs the old wall slowly. It clings with small roots and never lets go."
MOSS = "Moss covers the damp stone. It needs shade, water and years of patience."
PARAGRAPHS = (
    Paragraph("alpha:1:1", "alpha", 1, "", IVY, "Ivy climbs the old wall slowly."),
    Paragraph("alpha:1:2", "alpha", 1, "", MOSS, "Moss covers the damp stone."),
    Paragraph("beta:1:1", "beta", 1, "", IVY, "Ivy climbs the old wall slowly."),
)


def matched_id(paragraphs: tuple[Paragraph, ...] = PARAGRAPHS, **changes: Any) -> str | None:
    """The paragraph_id that a game with these labels is found at."""
    found = locate_games([labelled_game(**changes)], paragraphs)["g1"]
    return found.paragraph_id if found else None


def by_text(paragraph: str, **changes: Any) -> dict[str, Any]:
    opening_sentence = f"{paragraph.partition('.')[0]}."
    return {"paragraph_id": "", "paragraph": paragraph, "opening_sentence": opening_sentence, **changes}


class TestMatching:
    def test_an_id_is_matched_whatever_the_text(self) -> None:
        assert matched_id(paragraph_id="alpha:1:2", paragraph=IVY) == "alpha:1:2"

    def test_an_unknown_id_gives_way_to_the_text(self) -> None:
        assert matched_id(paragraph_id="gamma:1:1", paragraph=IVY) == "alpha:1:1"
        assert matched_id(paragraph_id="gamma:1:1") is None

    def test_signs_case_and_breaks_do_not_count(self) -> None:
        assert matched_id(**by_text(MOSS.upper().replace(".", " -").replace(" ", "\n"))) == "alpha:1:2"

    def test_of_duplicates_the_games_own_document_is_taken_else_the_smaller_id(self) -> None:
        assert matched_id(**by_text(IVY, document="beta")) == "beta:1:1"
        assert matched_id(PARAGRAPHS[::-1], **by_text(IVY, document="gamma")) == "alpha:1:1"

    def test_a_sentence_with_a_token_f1_of_0_9_is_enough(self) -> None:
        # 9 of 10 words shared, both ways: F1 = 2 * 9 / (10 + 10)
        sentence = "One two three four five six seven eight nine ten."
        stored = Paragraph("alpha:1:1", "alpha", 1, "", sentence, sentence)
        assert matched_id((stored,), **by_text(sentence.replace("ten", "ton"))) == "alpha:1:1"
        assert matched_id((stored,), **by_text(sentence.replace("nine ten", "non ton"))) is None

    def test_a_sentence_inside_a_passage_is_a_place(self) -> None:
        found = locate_games([labelled_game(**by_text("It clings with small roots and never lets go."))], PARAGRAPHS)
        assert found["g1"] is not None
        assert found["g1"].paragraph_id == "alpha:1:1"
        assert found["g1"].opening_sentence == "It clings with small roots and never lets go."
