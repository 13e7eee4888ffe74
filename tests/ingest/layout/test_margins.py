"""ingest/layout/margins.py: line numbers, running heads and notes, on pages set by hand."""

from collections.abc import Iterable
from dataclasses import replace

from ingest.layout.extract import Page
from ingest.layout.line import Word, make_line
from ingest.layout.margins import without_line_numbers
from tests.contracts.handmade import PAGE_HEIGHT, Run, lines, pdf
from tests.ingest.reading import extracted, in_order


def _read(numbers: Iterable[int], x: float) -> list[tuple[str, float]]:
    """Return text and left edge of the lines of a page with these numbers beside its rows."""
    runs = []
    for row, number in enumerate(numbers):
        y = 100 + 12 * row
        runs.append(Run(x, y, str(number), size=6))
        runs.append(Run(60, y, "a line of text"))
    (page,) = extracted(pdf([runs])).pages
    page = without_line_numbers(page)
    return [(line.text, round(line.x0)) for line in page.lines]


def test_small_numbers_that_count_the_lines_are_dropped() -> None:
    for x in (30, 53):
        assert _read(range(1, 7), x) == [("a line of text", 60)] * 6


def test_the_numbers_of_notes_in_small_print_stay() -> None:
    runs = lines(["a line of the text above the notes"] * 9, 60, 100)
    for number in range(7):
        y = 300 + 12 * number
        runs += [Run(60, y - 3, str(number), size=5), Run(66, y, "a note", size=8)]
    (page,) = extracted(pdf([runs])).pages
    assert without_line_numbers(page) is page


def test_numbers_that_do_not_count_stay() -> None:
    read = _read([7, 3, 9, 1, 4, 2], 30)
    assert read[:2] == [("7", 30), ("a line of text", 60)]
    assert len(read) == 12


def test_a_line_from_right_to_left_ends_where_its_number_was() -> None:
    lines = []
    for row in range(6):
        words = []
        for text, x0, size in ((str(row), 90, 6), ("שורה", 60, 10), ("של", 50, 10)):
            words.append(Word(text, x0, x0 + 8, size, 0.0, bold=False, mono=False))
        lines.append(make_line(words, 100 + 12 * row, rtl=True, order=row))
    page = without_line_numbers(Page(1, 600, 800, lines, ()))
    assert [(line.x0, line.x1) for line in page.lines] == [(50, 68)] * 6


TEXT = [
    f"row {row} of the text, which is set in print of ten points" for row in range(10)
]
"""In Helvetica of ten points each row is 218.4 points wide."""


def test_a_note_beside_the_text_is_read_after_it() -> None:
    # on the baseline of a row and 13.6 points, 1.36 em, to the right of it
    for notes, leading, size in (
        (["a note on", "the text"], 10, 7.0),
        (["Note", "Text"], 12, 10.0),
    ):
        runs = lines(TEXT, 60, 100)
        runs += lines(notes, 292, 124, leading=leading, size=size)
        assert [line.text for line in in_order(runs)] == TEXT + notes


def test_lines_beside_a_picture_have_a_margin_of_their_own() -> None:
    narrow = "Boats and ships that come home"
    runs = lines(TEXT[:2], 60, 100) + lines([narrow] * 3 + ["at night"], 60, 124)
    *_, last, final = (line.room for line in in_order(runs))
    assert (round(last), final > 1) == (0, True)


def test_a_small_sign_far_from_the_text_is_left_out() -> None:
    text = lines(["a text of two lines that are", "long enough for a page"], 150, 100)
    for x, size, n_lines in ((40, 6, 2), (40, 9, 3), (120, 6, 3)):
        read = in_order([*text, Run(x, 106, "-", size=size)])
        assert len(read) == n_lines, (x, size)


def test_a_huge_letter_is_left_out() -> None:
    for size, is_left in ((30, True), (60, False)):
        page = [*lines(TEXT, 60, 100), Run(300, 160, "X", size=size)]
        assert ("X" in [line.text for line in in_order(page)]) == is_left


def test_small_print_within_the_text_stays_there() -> None:
    runs = lines(TEXT, 60, 100)
    runs.append(Run(60, 220, "a figure of a tree", size=7))
    read = [line.text for line in in_order(runs)]
    assert read == [*TEXT, "a figure of a tree"]


def test_numbers_at_one_height_below_the_text_of_all_pages_are_those_of_pages() -> None:
    below = 0.85 * PAGE_HEIGHT
    numbered = [[*lines(TEXT, 60, 200), Run(150, below, str(n))] for n in (1, 2, 3)]
    assert len(in_order(*numbered)) == 3 * len(TEXT)
    alone = [*lines(TEXT, 60, 200), Run(150, below, "7")]
    assert len(in_order(alone)) == len(TEXT) + 1


def test_a_title_in_large_print_at_the_top_of_pages_counts_no_pages() -> None:
    for size, n_titles in ((14, 3), (10, 0)):
        pages = []
        for number in (1, 2, 3):
            title = Run(60, 60, f"Question {number}", size=size)
            pages.append([title, *lines(TEXT, 60, 200)])
        assert len(in_order(*pages)) == 3 * len(TEXT) + n_titles


def test_a_last_row_of_most_pages_that_is_no_title_is_a_running_head_at_any_height() -> (
    None
):
    text = [f"{row} and {row * row} are numbers of this page" for row in range(10)]
    for size, n_pages, is_left in ((10.0, 3, False), (11.0, 3, True), (7.0, 2, True)):
        pages = []
        for page in range(5):
            runs = lines([f"page {page}: {row}" for row in text], 60, 100)
            if page < n_pages:
                runs.append(Run(60, 0.8 * PAGE_HEIGHT, "All rights reserved", size))
            pages.append(runs)
        read = [line.text for line in in_order(*pages)]
        assert ("All rights reserved" in read) == is_left, (size, n_pages)


def test_what_is_beside_the_number_of_a_page_is_a_running_head() -> None:
    for first, step, distance, is_left in (
        (1, 1, 20, False),
        (1, 1, 14, True),  # as near as the lines of the text
        (1, 2, 20, True),
    ):
        pages = []
        for page in range(3):
            y = 100 - distance
            head = [Run(60, y, f"Chapter {'ABC'[page]}"), Run(400, y, str(first))]
            pages.append([*head, *lines(TEXT, 60, 100)])
            first += step
        read = [line.text for line in in_order(*pages)]
        assert ("Chapter B" in read) == is_left, (step, distance)


def test_first_rows_of_other_words_at_one_height_are_running_heads_of_many_pages() -> (
    None
):
    names = "ABCDEFG"
    for n_pages, height, size, is_left in (
        (7, 70, 10, False),
        (5, 70, 10, True),
        (7, 88, 10, True),  # as near as the lines of the text
        (7, 70, 11, True),
    ):
        pages = []
        for name in names[:n_pages]:
            head = Run(60, height, f"Trees of kind {name}", size=size)
            pages.append([head, *lines(TEXT, 60, 100)])
        read = [line.text for line in in_order(*pages)]
        assert ("Trees of kind B" in read) == is_left, (n_pages, height, size)


def test_rows_at_the_top_of_pages_in_succession_are_running_heads_of_a_chapter() -> (
    None
):
    height = 0.16 * PAGE_HEIGHT
    for positions, size, is_left in (
        ((10, 11, 12), 10.0, False),
        ((10, 12, 14), 10.0, False),
        ((10, 20, 30), 10.0, True),
        ((10, 11), 10.0, True),
        ((10, 11, 12), 14.0, True),
    ):
        pages = []
        for position in range(40):
            page = lines([f"{position}: {row}" for row in TEXT], 60, 200)
            if position in positions:
                head = lines(["2 Trees which are", "Shown"], 300, height)
                page = [*(replace(run, size=size) for run in head), *page]
            pages.append(page)
        read = [line.text for line in in_order(*pages)]
        for text in ("2 Trees which are", "Shown"):
            assert (text in read) == is_left, (positions, size)


def test_a_line_that_the_steps_of_one_slide_repeat_is_no_running_head() -> None:
    first = Run(60, 60, "The first line of a slide that is shown in steps")
    for is_shown_in_steps in (True, False):
        pages = []
        for page in range(4):
            shown = TEXT[: 3 + page] if is_shown_in_steps else [TEXT[page]]
            pages.append([first, *lines(shown, 60, 200)])
        for letter in "ABCDE":
            other = [f"{letter} {line}" for line in TEXT]
            pages.append([Run(60, 50, f"Slide {letter}"), *lines(other, 60, 200)])
        read = [line.text for line in in_order(*pages)]
        assert read.count(first.text) == 4 * is_shown_in_steps


def test_a_title_in_large_print_on_few_pages_is_no_running_head() -> None:
    for size, n_pages, is_left in ((14, 3, True), (14, 4, False), (10, 3, False)):
        pages = []
        for page in range(8):
            title = "Rivers of the north" if page < n_pages else f"Title {page}"
            text = [f"{page} {line}" for line in TEXT]
            pages.append([Run(60, 60, title, size=size), *lines(text, 60, 200)])
        read = [line.text for line in in_order(*pages)]
        assert ("Rivers of the north" in read) == is_left, (size, n_pages)


def test_the_heads_of_left_and_right_pages_of_a_short_document_are_left_out() -> None:
    for n_pages, is_left in ((6, False), (8, True)):
        pages = []
        for page in range(n_pages):
            # a new part of the document has no head
            head = ["Rivers", "A. Sailor"][page % 2] if page in (1, 2, 3, 4) else ""
            text = [f"{page} {line}" for line in TEXT]
            runs = [Run(60, 60, head)] if head else []
            pages.append([*runs, *lines(text, 60, 200)])
        read = [line.text for line in in_order(*pages)]
        assert ("Rivers" in read) == is_left, n_pages


def test_a_date_beyond_the_text_is_a_note_in_the_margin() -> None:
    for note, is_inside in (("29.10.2024", False), ("(2.10)", True)):
        text = [f"{row} row of the text in the print of the page" for row in range(12)]
        page = lines(text, 60, 100)
        read = in_order([*page, Run(400, page[3].y, note)])
        row = next(line.text for line in read if line.text.startswith("3 row"))
        assert (note in row) == is_inside
