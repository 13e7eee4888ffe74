"""Editions: raw texts as other programs read and cut them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from configs.errors import SettingsError
from ingest.editions.editions import page, read_editions, require_edition
from ingest.editions.readers import EDITION_READERS
from ingest.editions.stream_order import stream_text
from quarry.course.openings import (
    content_sentences,
    find_printed,
    opening_by_rule,
)
from quarry.course.piece import Piece
from quarry.course.text import one_line
from quarry.languages.reading_order import in_reading_order, is_visual
from tests.fakes import CACHES, lecture_pdf

WORDS = " ".join(f"word{number}" for number in range(30))


def my_pages(path: Path) -> Iterator[str]:
    yield f"{path.stem} {WORDS}"


def no_pages(path: Path) -> Iterator[str]:
    raise OSError(f"{path} is odd")


@pytest.mark.parametrize("reader", EDITION_READERS)
def test_each_reader_yields_the_text_of_each_page(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "caches.pdf"
    path.write_bytes(lecture_pdf("caches", CACHES))
    (text,) = EDITION_READERS[reader](path)
    # lines and, by pdfplumber, words may be glued
    glued = "".join(CACHES.split())
    assert glued in "".join(text.split())
    assert reader != "pymupdf" or CACHES in " ".join(text.split())


def glyphs(*placed: tuple[str, float, float]) -> list[dict[str, Any]]:
    """Return characters of width 5 and size 10: each text begins at (x, y); a negative step goes to the left."""
    chars: list[dict[str, Any]] = []
    for text, x, y in placed:
        step = -5.0 if text.startswith("<") else 5.0
        for letter in text.removeprefix("<"):
            char = {"text": letter, "x0": x, "x1": x + 5.0, "size": 10.0}
            chars.append(char | {"matrix": (10, 0, 0, 10, x, y)})
            x += step
    return chars


@pytest.mark.parametrize(
    ("placed", "text"),
    [
        # a gap prints as a blank, a far one and another base line begin a line
        ([("one", 0, 0), ("two", 18, 0)], "one two\n"),
        ([("one", 0, 0), ("far", 40, 0)], "one\nfar\n"),
        ([("one", 0, 20), ("two", 0, 0)], "one\ntwo\n"),
        # Hebrew that the file writes letter by letter from the right; no blank where the scripts meet
        ([("<שלום", 100, 0), ("<עולם", 76, 0)], "שלום עולם\n"),
        ([("<מודל", 100, 0), ("AI", 68, 0), ("<קטן", 60, 0)], "מודלAIקטן\n"),
        # a stop that follows a Latin word far to the left begins a line
        ([("<מה", 100, 0), ("Security", 50, 0), ("?", 44, 0)], "מהSecurity\n?\n"),
        # Hebrew that the file draws from left to right is turned
        ([("םולש", 0, 0), (" םלוע", 20, 0)], "עולם שלום\n"),
    ],
)
def test_stream_order_parts_lines_and_blanks_as_a_reader_of_streams_does(
    placed: list[tuple[str, float, float]], text: str
) -> None:
    assert stream_text(glyphs(*placed)) == text


def test_whole_pages_are_of_usual_length_and_mostly_letters() -> None:
    figures = "12345 " * 40
    long = f"{WORDS} " * 7
    pages = ["few words", WORDS, figures, long]
    assert [*page(pages, 0)] == [(2, 2, WORDS)]


def test_long_pages_are_cut_at_a_blank_line_else_at_a_line_else_at_a_blank() -> None:
    head, tail = "a" * 210, "b" * 60
    for mark in ("\n\n", "\n", " "):
        pieces = [*page([f"{head}{mark}{tail} {'c' * 20}"], 260)]
        assert pieces == [(1, 1, head), (1, 1, f"{tail} {'c' * 20}")]
    # none of these within the size
    assert [*page(["d" * 300], 260)] == [(1, 1, "d" * 260), (1, 1, "d" * 40)]
    words = "seven words " * 12
    assert all(piece.endswith(("seven", "words")) for _, _, piece in page([words], 80))
    # a short page, and a short rest, are left out
    assert [*page(["e" * 30, "f" * 31], 260)] == [(2, 2, "f" * 31)]
    assert [*page([f"{head}\n{'g' * 60}\nh"], 272)] == [(1, 1, f"{head}\n{'g' * 60}")]


@pytest.mark.parametrize(
    "edition", ["pypdf", "pypdf:page:many", "other:page", "pypdf:window:2000"]
)
def test_an_unknown_edition_is_refused(edition: str) -> None:
    with pytest.raises(SettingsError, match="edition"):
        require_edition(edition)


def test_an_edition_of_ones_own_is_read_and_one_that_fails_leaves_a_note() -> None:
    own = "tests.ingest.editions.test_editions.my_pages:page"
    failing = own.replace("my_", "no_")
    pieces, (note,) = read_editions(Path("mine.pdf"), "mine", (failing, own))
    assert pieces == (Piece(own, "mine", 1, 1, f"mine {WORDS}"),)
    assert note.startswith(f"The edition {failing} is left out: ")


def test_reversed_hebrew_words_are_read_in_order() -> None:
    visual = "םלוע םולש\n.םיצע"
    assert is_visual(visual)
    assert in_reading_order(visual) == "שלום עולם עצים."
    # a part is turned as its whole is
    assert in_reading_order("רועיש", "םלוע םולש\nרועיש") == "שיעור"
    # Latin words stay
    assert in_reading_order("Python תפש :םלוע") == "עולם: שפת Python"


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("Head of page\nIt is short. And more\nlast", "Head of page It is short."),
        ("Head\nno stop here\nnor here\nnor there.\nend", "Head"),
        # the last stop of the page has no white space after it
        ("all one\nsentence here\nends.", "all one"),
        ("Is it so?\nYes", "Is it so?"),
        ("See Dr. Lee, e.g. in Fig. 3. Then go", "See Dr. Lee, e.g. in Fig. 3."),
        ("Wait... what is it. Then", "Wait... what is it."),
        # in visual order a stop begins the line after its sentence, wherever that is
        (
            "רועיש\nהז טפשמ\nהז דוע\nרחא דוע\n.ףוס הז\nדוע",
            "רועיש הז טפשמ הז דוע רחא דוע .",
        ),
        ("רועיש הז\n.ףוס הז\nדוע", "רועיש הז"),
        ("", ""),
    ],
)
def test_the_opening_of_a_page_is_cut_by_rule(text: str, opening: str) -> None:
    assert one_line(opening_by_rule(text)) == opening


def test_a_model_opens_a_piece_with_a_sentence_of_content() -> None:
    wrapped = "Moreover, take some points\nindexed one by one around a band."
    below_heading = "Careful readers may object that this is much too coarse."
    for text, sentence in (
        (f"of it. {wrapped} End.", wrapped.replace("\n", " ")),
        (f"Some Long Heading In Title Case\n{below_heading} End.", below_heading),
        ("– Stop ends the whole program. End.", "Stop ends the whole program."),
        ("3.1\nContents", "3.1"),
    ):
        assert next(content_sentences(text)) == sentence


def test_printed_sentences_are_found_in_raw_text_by_their_letters() -> None:
    formula = "Every cache of this kind holds n = ¼ answers to the next question."
    raw = f"7\n3.1Caches\nThe cacheLRUdrops old\npages\n. So it is (“fast”). {formula}"

    sentences = (
        "So it is (“fast”).",
        "The cache LRU drops old pages.",
        "Every cache of this kind holds n = x/y answers to the next question.",
        "Every cache of this kind holds 2 answers to nobody's question.",
        "It is elsewhere.",
        "",
    )
    assert [*find_printed(raw, sentences)] == [
        (raw.index("So"), "So it is (“fast”)."),
        (raw.index("The"), "The cacheLRUdrops old pages ."),
        # both of its ends are there
        (raw.index(formula), formula),
        (-1, ""),
        (-1, ""),
        (-1, ""),
    ]

    accented = "Vide\u0301o: E\u0302tre est un verbe ici."
    found = [*find_printed(accented, ["Être est un verbe ici."])]
    assert found == [(accented.index("E"), "E\u0302tre est un verbe ici.")]
