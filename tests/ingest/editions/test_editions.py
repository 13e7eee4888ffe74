"""Editions: raw texts as other programs read and cut them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from configs.settings import SettingsError
from ingest.editions.cuts import blank, page, window
from ingest.editions.editions import read_edition, require_edition, without_repeats
from ingest.editions.openings import by_rule, openings
from ingest.editions.piece import Piece
from ingest.editions.readers import READERS
from ingest.editions.reading_order import in_reading_order, is_visual
from tests.fakes import CACHES, lecture_pdf

WORDS = " ".join(f"word{number}" for number in range(30))


def my_pages(path: Path) -> Iterator[str]:
    yield f"{path.stem} {WORDS}"


@pytest.mark.parametrize("reader", ["pdfplumber", "pypdf", "pypdfium2"])
def test_each_reader_yields_the_text_of_each_page(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "caches.pdf"
    path.write_bytes(lecture_pdf("caches", CACHES))
    (text,) = READERS[reader](path)
    wanted = set("".join(CACHES.split())[:60])
    assert wanted <= set(text)
    assert "expensive" in text.replace("\n", "").replace(" ", "")


def test_a_page_with_few_words_is_no_piece() -> None:
    assert list(page(["few words", WORDS], 0)) == [(2, 2, WORDS)]


def test_a_window_ends_at_the_end_of_a_line_and_knows_its_pages() -> None:
    pages = ["aaaa\nbbbb", "cccc\ndddd"]
    assert list(window(pages, 10)) == [(1, 1, "aaaa\nbbbb")]
    assert list(window([*pages, "eeee"], 10))[-1] == (2, 2, "cccc\ndddd")
    assert next(window(["aaaa", "bbbb", "cccc"], 10)) == (1, 2, "aaaa\nbbbb")


def test_blocks_are_parted_by_blank_lines() -> None:
    assert list(blank([f"head\n\n{WORDS}\n\ntail"], 0)) == [(1, 1, WORDS)]


def test_an_edition_of_ones_own_is_read_by_its_dotted_path(tmp_path: Path) -> None:
    edition = "tests.ingest.editions.test_editions.my_pages:page"
    found = read_edition(tmp_path / "mine.pdf", "mine", edition)
    assert found == (Piece(edition, "mine", 1, 1, f"mine {WORDS}"),)


@pytest.mark.parametrize(
    "edition", ["pypdf", "pypdf:window:many", "other:page", "pypdf:chapters"]
)
def test_an_unknown_edition_is_refused(edition: str) -> None:
    with pytest.raises(SettingsError, match=r"ingest\.editions"):
        require_edition(edition)


def test_equal_pieces_of_two_editions_are_kept_once() -> None:
    one, two = (Piece(name, "a", 1, 1, "same") for name in ("x:page", "y:page"))
    other = Piece("y:page", "a", 2, 2, "same")
    assert without_repeats([one, two, other]) == (one, other)


def test_reversed_hebrew_words_are_read_in_order() -> None:
    visual = "םלוע םולש\n.םיצע"
    assert is_visual(visual)
    assert in_reading_order(visual) == "שלום עולם עצים."


def test_a_part_is_turned_as_its_whole_is() -> None:
    assert in_reading_order("רועיש", "םלוע םולש\nרועיש") == "שיעור"


def test_latin_words_in_reversed_lines_stay() -> None:
    assert in_reading_order("Python תפש :םלוע") == "עולם: שפת Python"


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("Head of page\nIt is short. And more\nlast", "Head of page\nIt is short."),
        ("Head\nno stop here\nnor here\nnor there", "Head"),
        ("all one\nsentence here\nends.", "all one\nsentence here\nends."),
        ("רועיש\nהז טפשמ\n.ףוס הז\nדוע", "רועיש\nהז טפשמ\n.ףוס הז"),
        ("", ""),
    ],
)
def test_openings_are_cut_as_a_public_referee_cuts_them(
    text: str, opening: str
) -> None:
    assert by_rule(text) == opening


def test_shares_of_openings_sum_to_one_and_the_likeliest_comes_first() -> None:
    text = "3 Heaps\nA heap is a tree whose root is least. It is stored in an array."
    for cut in ("page", "window"):
        found = openings(text, cut)
        assert sum(found.values()) == pytest.approx(1.0)
        assert max(found.values()) == next(iter(found.values()))
    assert (
        next(iter(openings(text, "window"))) == "A heap is a tree whose root is least."
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "of it. Moreover, take some points\nindexed one by one around a band. End.",
            "Moreover, take some points\nindexed one by one around a band.",
        ),
        (
            "Some Long Heading In Title Case\nCareful readers may object that this is much too coarse. End.",
            "Careful readers may object that this is much too coarse.",
        ),
        ("– Stop ends the whole program. End.", "Stop ends the whole program."),
    ],
)
def test_a_model_opens_a_window_with_its_first_sentence_of_content(
    text: str, sentence: str
) -> None:
    assert sentence in openings(text, "window")
