"""Editions: raw texts as other programs read and cut them."""

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


def test_each_reader_yields_the_text_of_each_page(tmp_path: Path) -> None:
    path = tmp_path / "caches.pdf"
    path.write_bytes(lecture_pdf("caches", CACHES))
    for reader in ("pdfplumber", "pypdf", "pypdfium2"):
        (text,) = READERS[reader](path)
        # lines and, by pdfplumber, words may be glued
        assert "expensivetofind" in "".join(text.split())


def test_cuts_leave_out_short_pages_and_blocks_and_end_windows_with_a_line() -> None:
    assert [*page(["few words", WORDS], 0)] == [(2, 2, WORDS)]
    assert [*blank([f"head\n\n{WORDS}\n\ntail"], 0)] == [(1, 1, WORDS)]
    first, second = (1, 1, "aaaa\nbbbb"), (2, 2, "cccc\ndddd")
    pages = ["aaaa\nbbbb", "cccc\ndddd", "eeee"]
    assert [*window(pages[:2], 10)] == [first]
    assert [*window(pages, 10)] == [first, second]
    assert next(window(["aaaa", "bbbb", "cccc"], 10)) == (1, 2, "aaaa\nbbbb")


def test_an_edition_of_ones_own_is_read_by_its_dotted_path(tmp_path: Path) -> None:
    edition = "tests.ingest.editions.test_editions.my_pages:page"
    (piece,) = read_edition(tmp_path / "mine.pdf", "mine", edition)
    assert piece == Piece(edition, "mine", 1, 1, f"mine {WORDS}")


def test_an_unknown_edition_is_refused() -> None:
    for edition in ("pypdf", "pypdf:window:many", "other:page", "pypdf:chapters"):
        with pytest.raises(SettingsError, match=r"ingest\.editions"):
            require_edition(edition)


def test_equal_pieces_of_two_editions_are_kept_once() -> None:
    first = Piece("x:page", "a", 1, 1, "same")
    second = Piece("y:page", "a", 1, 1, "same")
    other = Piece("y:page", "a", 2, 2, "same")
    assert without_repeats([first, second, other]) == (first, other)


def test_reversed_hebrew_words_are_read_in_order() -> None:
    visual = "םלוע םולש\n.םיצע"
    assert is_visual(visual)
    assert in_reading_order(visual) == "שלום עולם עצים."
    # a part is turned as its whole is
    assert in_reading_order("רועיש", "םלוע םולש\nרועיש") == "שיעור"
    # Latin words stay
    assert in_reading_order("Python תפש :םלוע") == "עולם: שפת Python"


def test_openings_are_cut_as_a_public_referee_cuts_them() -> None:
    for text, opening in (
        ("Head of page\nIt is short. And more\nlast", "Head of page\nIt is short."),
        ("Head\nno stop here\nnor here\nnor there", "Head"),
        ("all one\nsentence here\nends.", "all one\nsentence here\nends."),
        ("רועיש\nהז טפשמ\n.ףוס הז\nדוע", "רועיש\nהז טפשמ\n.ףוס הז"),
        ("", ""),
    ):
        assert by_rule(text) == opening


def test_shares_of_openings_sum_to_one_and_the_likeliest_comes_first() -> None:
    sentence = "A heap is a tree whose root is least."
    text = f"3 Heaps\n{sentence} It is stored in an array."
    for cut in ("page", "window"):
        shares = openings(text, cut)
        assert sum(shares.values()) == pytest.approx(1.0)
        assert max(shares, key=shares.__getitem__) == next(iter(shares))
    assert next(iter(shares)) == sentence


def test_a_model_opens_a_window_with_its_first_sentence_of_content() -> None:
    wrapped = "Moreover, take some points\nindexed one by one around a band."
    below_heading = "Careful readers may object that this is much too coarse."
    for text, sentence in (
        (f"of it. {wrapped} End.", wrapped),
        (f"Some Long Heading In Title Case\n{below_heading} End.", below_heading),
        ("– Stop ends the whole program. End.", "Stop ends the whole program."),
    ):
        assert sentence in openings(text, "window")
