"""ingest/layout/{arrange,columns}.py: reading order, running heads, footnotes and the printed title."""

from dataclasses import replace

from ingest.layout.columns import find_columns
from tests.contracts.handmade import PAGE_WIDTH, Run, grid, lines, pdf
from tests.ingest.reading import arranged, extracted, in_order

LEFT = [f"left line {number} of the first column here" for number in range(1, 9)]
RIGHT = [f"right line {number} of the second column here" for number in range(1, 9)]


def _texts(*pages: list[Run]) -> list[str]:
    return [line.text for line in in_order(*pages)]


def _columns(y: float) -> list[Run]:
    left = lines(LEFT, 50, y)
    return left + lines(RIGHT, 310, y)


def _body(number: int) -> list[Run]:
    texts = []
    for row in "abcdefghij":
        texts.append(f"page {number} has this line of text, number {row} of it")
    return lines(texts, 50, 150)


def test_what_runs_across_both_columns_parts_them_into_bands() -> None:
    across = "a line that runs across the whole of the page, over both columns that stand on it, like a wide table"
    page = [
        *_columns(200),
        Run(50, 320, across),
        *_columns(350),
    ]
    assert _texts(page) == [*LEFT, *RIGHT, across, *LEFT, *RIGHT]


def test_the_columns_of_the_pages_before_part_a_last_page_of_few_lines() -> None:
    last = lines(LEFT[:3], 50, 200)
    last += lines(RIGHT[:2], 310, 205)

    read = _texts(_columns(200), last)
    assert read == [*LEFT, *RIGHT, *LEFT[:3], *RIGHT[:2]]


def test_the_columns_of_a_hebrew_document_are_read_from_the_right() -> None:
    (page,) = extracted(pdf([_columns(200)])).pages
    first, second = find_columns(page.lines, 0, PAGE_WIDTH, rtl=True)
    assert first[0].text == RIGHT[0]
    assert second[0].text == LEFT[0]


def test_the_words_of_a_watermark_are_not_among_those_of_the_text() -> None:
    text = Run(50, 200, "Trees are graphs without any cycles.")
    watermark = Run(83, 200, "only for students")
    assert _texts([text, watermark]) == [text.text, watermark.text]
    cells = [Run(50, 200, "Trees of the park"), Run(200, 200, "Graphs")]
    over = Run(80, 200, "a watermark that goes on over both of them")
    assert over.text in _texts([cells[0], over, cells[1]])
    assert "Trees of the park Graphs" in _texts([cells[0], over, cells[1]])


def test_running_heads_and_page_numbers_are_left_out() -> None:
    pages = []
    for number in range(1, 5):
        head = Run(50, 40, "A Course in Search")
        foot = Run(290, 780, str(number))
        pages.append([head, *_body(number), foot])
    assert all(text.startswith("page ") for text in _texts(*pages))


def test_a_line_that_comes_once_near_the_edge_stays() -> None:
    once = Run(50, 140, "only here in the document")
    assert once.text in _texts(_body(1), [once, *_body(2)], _body(3))


def test_footnotes_are_marked_and_follow_the_body() -> None:
    body = _body(1)
    notes = lines(["1 See the notes.", "which go on here."], 50, 700, 10, 8)
    *_, last, first_note, second_note = in_order(notes + body)
    assert (last.text, last.footnote) == (body[-1].text, False)
    assert (first_note.text, first_note.footnote) == ("1 See the notes.", True)
    assert second_note.footnote


def test_a_year_or_an_ordinal_in_small_print_begins_no_footnote() -> None:
    entry = ["[8] Trees in parks.", "2015 Workshop on trees,", "16th volume."]
    read = in_order([*_body(1), *lines(entry, 50, 700, 10, 8)])
    assert not any(line.footnote for line in read)


def test_the_title_is_the_largest_print_of_the_first_page() -> None:
    title = lines(["Finding Things", "Again"], 50, 60, 24, 20)
    assert arranged(title + _body(1)).title == "Finding Things Again"


def test_lines_in_a_ruled_table_are_marked() -> None:
    runs = [
        Run(55, 90, "above"),
        Run(55, 120, "a cell"),
        Run(55, 190, "below"),
    ]
    table = grid([50, 150, 300], [100, 130, 160])
    in_table = [line.in_table for line in in_order(runs, drawing=table)]
    assert in_table == [False, True, False]


def test_lines_in_a_row_of_a_table_of_data_are_marked() -> None:
    ys = [100.0, 130.0, 160.0, 190.0]
    runs = [Run(55, 90, "above")]
    for y in ys[:3]:
        runs += [Run(55, y + 20, "a cell"), Run(155, y + 20, "another cell")]
    ordered = in_order(runs, drawing=grid([50, 150, 300], ys))
    assert [line.in_data for line in ordered] == [False, True, True, True]


def test_what_is_drawn_off_the_page_is_not_read() -> None:
    page = [
        *_body(1),
        Run(2050, 200, "right of it"),
        Run(50, -500, "above it"),
    ]
    assert _texts(page) == [run.text for run in _body(1)]


def test_the_parts_of_a_latin_header_of_a_hebrew_file_read_from_left_to_right() -> None:
    mapping = {char: char for char in "HedrLctu "}
    mapping |= {"a": "א", "b": "ב", "g": "ג"}
    page = [
        Run(50, 100, "Lecture", font="mapped"),
        Run(300, 100, "Here", font="mapped"),
    ]
    for y in range(200, 308, 12):
        page.append(Run(50, y, "abg gba bag gab abg", font="mapped"))

    assert in_order(page, to_unicode=mapping)[0].text == "Lecture Here"


def test_long_heads_and_feet_of_slides_do_not_define_the_size_of_the_text() -> None:
    head = Run(50, 40, "A course in search, at the school of harbours", size=6)
    slide = [head, *lines(["Ships come home"], 50, 300, size=12)]
    assert arranged(slide, slide).body_size == 12
    assert arranged([head]).body_size == 6

    plot = lines(["+ + + + + + + + + + + + +"] * 9, 60, 320, leading=8, size=6)
    assert arranged([*slide, *plot]).body_size == 12


def test_the_wide_spaces_of_a_justified_line_are_no_gaps_between_cells() -> None:
    (line,) = in_order([Run(50, 100, "Every boat returns", operators="25 Tw")])
    assert line.n_gaps == 0

    cells = [Run(50, 100, "Every"), Run(110, 100, "boat"), Run(190, 100, "returns")]
    (line,) = in_order(cells)
    assert line.n_gaps == 2


def test_the_space_before_the_sign_that_ends_a_proof_is_no_gap() -> None:
    cells = [Run(50, 100, "Every"), Run(110, 100, "boat"), Run(190, 100, "returns")]
    for sign, n_gaps in (("□", 2), ("a", 3)):
        end = Run(250, 100, "S", font="mapped")
        (line,) = in_order([*cells, end], to_unicode={"S": sign})
        assert line.n_gaps == n_gaps, sign


def test_the_margin_of_a_box_is_where_its_lines_are_broken() -> None:
    wide = "a line that runs over the whole width of its page, far beyond the edge of the box with the text below it"
    text = [
        "Boats come home at night, when",
        "everybody on the pier is waiting",
        "for them, and nobody leaves",
        "without having counted all.",
    ]
    items = ["boats that come", "trees that grow tall", "tides", "winds and waves"]
    for below, is_boxed in ((text, True), (items, False)):
        first, *others = in_order([Run(50, 100, wide), *lines(below, 50, 150)])
        edge = max(line.end for line in others)
        assert [line.right == edge for line in others] == [is_boxed] * 4
        assert first.right > edge


def test_lines_beside_a_picture_are_full_where_its_edge_is_near() -> None:
    text = ["Boats come home at", "night, and", "everybody waits for"]
    wide = "a line that runs over the whole width of its page, far beyond the picture"
    picture = "q 120 0 0 60 {} 630 cm BI /W 1 /H 1 /CS /G /BPC 8 ID 0 EI Q"
    for x0, is_narrow in ((150, True), (300, False)):
        runs = lines([*text, wide], 50, 120)
        *beside, below = in_order(runs, drawing=picture.format(x0))
        ends = {line.right for line in beside}
        assert ends == ({max(line.end for line in beside)} if is_narrow else {x0}), x0
        assert below.right > x0


def test_a_page_of_latin_text_in_a_hebrew_document_has_its_margins_on_the_left() -> (
    None
):
    mapping = {char: char for char in "HedrLctu ."}
    mapping |= {"a": "א", "b": "ב", "g": "ג"}
    hebrew = []
    for y in range(200, 308, 12):
        hebrew.append(Run(50, y, "abg gba bag gab abg", font="mapped"))
    latin = lines(["Lecture Here", "Lecture Lecture Here", "tree", "tree."], 50, 100)
    latin = [replace(run, font="mapped") for run in latin]
    ragged = in_order(latin, hebrew, to_unicode=mapping)[:4]
    assert not any(line.from_right for line in ragged)
