"""ingest/pdf/{pdfium,pdfium_text,drawings}.py: the contract, and where lines cross like a table's."""

import io
from dataclasses import astuple
from pathlib import Path

import pikepdf
import pytest
import typst

from ingest.pdf.glyph_names import with_glyph_names
from ingest.pdf.model import UNKNOWN, Box, Fonts, GlyphPage
from ingest.pdf.pdfium import PdfiumReader
from tests.contracts.handmade import Run, grid, pdf
from tests.contracts.reader import ReaderContract


class TestPdfium(ReaderContract):
    name = "pypdfium2"


def _page(content: bytes) -> GlyphPage:
    return PdfiumReader(Path("lecture.pdf"), content).page(0)


def test_a_page_has_a_table_where_lines_cross_around_text() -> None:
    cells = []
    for xs in ([50, 150], [150, 300]):
        for ys in ([100, 130], [130, 160]):
            cells.append(grid(xs, ys))
    for drawing, ruled in (
        (grid([50, 150, 300], [100, 130, 160]), True),
        ("\n".join(cells), True),
        (grid([50, 150, 300], [100, 130]), False),
        (grid([50, 300], [100, 130, 160]), False),
        # a small array of a figure
        (grid([50, 80, 110], [100, 130, 160]), False),
    ):
        content = pdf([[Run(60, 120, "cell")]], drawing=drawing)
        assert bool(_page(content).tables) is ruled


def test_a_figure_that_a_font_draws_small_and_high_is_a_mark_and_a_narrow_one_is_not() -> (
    None
):
    source = b"#set page(width: 300pt)\nIn 11 trees.#super[1] So 21."
    glyphs = _page(typst.compile(source)).glyphs
    small = [glyph.size < 8 for glyph in glyphs if glyph.text in "12"]
    assert small == [False, False, True, False, False]


def test_the_sizes_of_invisible_text_follow_from_its_widths() -> None:
    text = "the words of a line that a scanner has seen"
    runs = []
    for number, size in enumerate((5, 10, 20)):
        stretch = f"3 Tr {1000 / size} Tz"
        runs.append(Run(50, 100 + 12 * number, text, size, operators=stretch))
    runs.append(Run(50, 60, "THE TITLE OF IT", 20, operators="3 Tr 100 Tz"))

    glyphs = _page(pdf([runs])).glyphs
    lines = {glyph.size for glyph in glyphs if glyph.y > 80}
    titles = {glyph.size for glyph in glyphs if glyph.y < 80}
    assert len(lines) == len(titles) == 1
    assert min(titles) > 1.5 * max(lines)


def test_text_outside_the_region_that_is_drawn_is_left_out() -> None:
    text = "BT /F1 10 Tf 60 {y} Td ({word}) Tj ET"
    inside = text.format(y=650, word="figure")
    below, beside = text.format(y=550, word="below"), text.replace("60", "260")
    beside = beside.format(y=650, word="beside")
    drawing = f"q 50 600 100 100 re W n {inside} {below} {beside} Q"
    drawing += " " + text.format(y=500, word="text")
    glyphs = _page(pdf([[]], drawing=drawing)).glyphs
    assert "".join(glyph.text for glyph in glyphs) == "figuretext"


def test_text_of_a_form_outside_the_region_to_which_a_form_around_it_is_clipped_is_left_out() -> (
    None
):
    made = pikepdf.open(io.BytesIO(pdf([[Run(60, 100, "text")]])))
    (page,) = made.pages
    words = b"BT /F1 10 Tf 60 650 Td (cut) Tj 0 -100 Td (seen) Tj ET"
    inner = made.make_stream(words, Resources=page.Resources)
    outer = made.make_stream(b"q 1 0 0 1 10 50 cm /Inner Do Q")
    outer.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Inner=inner))
    for form, height in ((inner, 700), (outer, 650)):
        form.Type, form.Subtype = pikepdf.Name.XObject, pikepdf.Name.Form
        form.BBox = [0, 0, 400, height]
    page.Resources.XObject = pikepdf.Dictionary(Outer=outer)
    page.contents_add(b"/Outer Do")
    content = io.BytesIO()
    made.save(content)
    glyphs = _page(content.getvalue()).glyphs
    assert "".join(glyph.text for glyph in glyphs) == "textseen"


def test_a_piece_of_a_bracket_that_a_browser_stretches_is_as_high_as_it_is_clipped() -> (
    None
):
    for stretch, size, height in ((40, 10, 20), (2, 20, 19), (1, 10, 9)):
        piece = f"BT /F1 10 Tf 1 0 0 {stretch} 60 638 Tm (\\() Tj ET"
        content = pdf([[]], drawing=f"q 50 630 100 20 re W n {piece} Q")
        (glyph,) = _page(content).glyphs
        assert round(glyph.size) == size
        assert round(glyph.height) == height


def test_the_words_of_a_line_of_invisible_text_are_on_one_baseline_and_apart() -> None:
    runs = [Run(50, 100, "the words ", 10, operators="3 Tr"), Run(90, 102, "go ", 10)]
    runs += [Run(104, 99, "over it", 10), Run(50, 112, "line by line", 10)]
    glyphs = _page(pdf([runs])).glyphs
    assert len({glyph.y for glyph in glyphs}) == 2

    by_text = {glyph.text: glyph for glyph in glyphs}
    assert by_text["s"].x1 < by_text["g"].x0
    assert by_text["d"].x1 <= by_text["s"].x0


def test_invisible_text_without_width_is_no_damage() -> None:
    runs = [Run(50, 100, "the words of a line of no width", 10, operators="3 Tr 0 Tz")]
    _page(pdf([runs]))
    runs.append(Run(50, 60, "and of a line that has one", 10, operators="3 Tr 100 Tz"))
    _page(pdf([runs]))


def test_one_invisible_sign_leaves_the_sizes_of_a_page_as_they_are() -> None:
    runs = [Run(50, 40, ".", 10, operators="3 Tr")]
    runs.append(Run(50, 60, "A title", 20, operators="0 Tr"))
    runs.append(Run(50, 90, "and the words of a line below it", 10))
    assert {glyph.size for glyph in _page(pdf([runs])).glyphs} == {10, 20}


def test_an_invisible_copy_of_a_visible_text_is_left_out_and_what_it_adds_stays() -> (
    None
):
    visible = [Run(50, 60, "Let", 10), Run(75, 60, "grow", 10, operators="0 Tr")]
    copy = [Run(51, 60, "Let x", 10, operators="3 Tr"), Run(76, 60, "grow", 10)]
    glyphs = _page(pdf([visible + copy])).glyphs
    letters = "".join(glyph.text for glyph in glyphs).replace(" ", "")
    assert letters == "Letxgrow"


def test_a_page_whose_invisible_text_is_set_sideways_has_no_glyphs() -> None:
    upwards = "BT 3 Tr /F4 10 Tf 0 1 -1 0 50 100 Tm (scan) Tj ET"
    assert _page(pdf([[]], drawing=upwards)).glyphs == []


def test_the_size_of_a_font_whose_unit_is_a_pixel_is_that_of_its_glyphs() -> None:
    pixels = pdf([[Run(72, 100, "[", 0.005, "hanging")]]).replace(
        b"[.001 0 0 .001 0 0]", b"[1 0 0 1 0 0]      "
    )
    (sign,) = _page(pixels).glyphs
    assert sign.size == 10


def test_regular_print_that_a_program_slants_has_the_boxes_of_upright_print() -> None:
    edges = []
    for slant in (0, 0.3, -0.3):
        drawing = f"BT /F4 10 Tf 1 0 {slant} 1 50 700 Tm (to it) Tj ET"
        glyphs = _page(pdf([[]], drawing=drawing)).glyphs
        edges.append([(round(glyph.x0, 1), round(glyph.x1, 1)) for glyph in glyphs])
    upright, *slanted = edges
    assert len(upright) == 5
    assert slanted == [upright, upright]


def test_a_code_may_be_one_sign_by_the_map_of_its_font_and_another_without() -> None:
    content = pdf([[Run(50, 100, ";,;", font="mapped")]], to_unicode={";": ","})
    font = b"/BaseFont /CMMI10 /Encoding << /Differences [44 /lhook] >>"
    content = content.replace(b"/BaseFont /Mapped /Encoding /WinAnsiEncoding", font)
    assert [glyph.text for glyph in _page(content).glyphs] == [",", "˓", ","]


def test_a_sign_may_be_another_one_in_a_font_of_large_signs_or_of_the_ams() -> None:
    signs = {"S": "∪", "(": "(", "A": "⇒"}
    for font, text in ((b"/CMEX10", "⋃(⇒"), (b"/CMSY10", "∪(⇒"), (b"/MSAM10", "∪(⇉")):
        content = pdf([[Run(50, 100, "S(A", font="mapped")]], to_unicode=signs)
        content = content.replace(b"/BaseFont /Mapped", b"/BaseFont " + font)
        assert "".join(glyph.text for glyph in _page(content).glyphs) == text


def test_a_sign_may_be_another_one_by_its_height_or_by_its_shape_in_the_font() -> None:
    signs = {"E": "∈", "|": "∈", "-": "\ua7f7", "_": "\x83"}
    content = pdf([[Run(50, 100, "E|-_", font="mapped")]], to_unicode=signs)
    assert [glyph.text for glyph in _page(content).glyphs] == ["∈", "∉", "—", UNKNOWN]


def test_a_glyph_drawn_twice_is_one_and_an_accent_is_above_its_letter() -> None:
    twice = [Run(50, 100, "o"), Run(50, 100, "o"), Run(60, 100, "n")]
    accent = [Run(50, 100, "\xa8"), Run(50, 100, "r"), Run(60, 100, "n")]
    others = [Run(50, 120 + 20 * row, "x") for row in range(8)]
    again = [twice[0], *others, twice[0]]
    for runs, text in ((twice, "on"), (accent, "\xa8rn"), (again, "oxxxxxxxx")):
        read = "".join(glyph.text for glyph in _page(pdf([runs])).glyphs)
        assert read == text


def test_a_text_that_is_drawn_twice_to_look_bold_is_read_once() -> None:
    others = [Run(50, 120 + 20 * row, "x") for row in range(8)]
    for shift, text in ((0.0, "on"), (0.4, "on"), (1.0, "onon")):
        copy = Run(50 + shift, 100 + shift / 2, "on")
        glyphs = _page(pdf([[Run(50, 100, "on"), *others, copy]])).glyphs
        read = "".join(glyph.text for glyph in glyphs if glyph.text != "x")
        assert read == text, shift


def test_of_a_visible_text_at_the_place_of_a_transparent_one_the_visible_one_is_read() -> (
    None
):
    others = [Run(50, 120 + 20 * row, "x") for row in range(8)]
    runs = [Run(50, 100, "on", operators="3 Tr"), *others]
    page = _page(pdf([[*runs, Run(50, 100, "on", operators="0 Tr")]]))
    text = [glyph for glyph in page.glyphs if glyph.text != "x"]
    assert [(glyph.text, glyph.is_seen) for glyph in text] == [("o", True), ("n", True)]


def test_two_letters_of_one_glyph_are_read_in_order_and_a_double_one_is_one() -> None:
    letters = {
        "l": "لا",
        "a": "ا",
        "n": "ني",
        "d": "𝜆𝜆",
        "f": "ff",
        "s": "   ",
        "h": "-\xad\u2010",
    }
    for printed, text in (
        ("la", "الا"),
        ("na", "اني"),
        ("d", "λ"),
        ("f", "ff"),
        ("fsf", "ff ff"),
        ("fhf", "ff-ff"),
    ):
        content = pdf([[Run(50, 100, printed, font="mapped")]], to_unicode=letters)
        content = with_glyph_names(content)
        assert "".join(glyph.text for glyph in _page(content).glyphs) == text


def test_the_box_of_a_ligature_is_not_that_of_its_last_letter() -> None:
    overlaps = []
    for text in ("win", "fi win"):
        *_, before, letter, _ = _page(typst.compile(f"_{text}_".encode())).glyphs
        assert letter.text == "i"
        overlaps.append(before.x1 - letter.x0)
    assert overlaps[0] == pytest.approx(overlaps[1], abs=0.01)


def test_ligatures_at_the_codes_of_other_letters_are_spelled() -> None:
    ligatures = {"1": "Ɵ", "2": "Ō", "3": "Ʃ", "a": "a", "f": "f", "r": "r", "e": "e"}
    for printed, text in (("fa1 a2er 1er a3", "fati after tier att"), ("3a 2", "Ʃa Ō")):
        content = pdf([[Run(50, 100, printed, font="mapped")]], to_unicode=ligatures)
        read = "".join(glyph.text for glyph in _page(content).glyphs)
        assert read == text


def _bracket(x: float, tip: float, n_curves: int) -> str:
    """Return a bracket of two arcs from (x, 90) to (x, 110) in the coordinates of the file, as PowerPoint draws it."""
    parts = [f"{x} 110 m"]
    for end in (90, 110):
        parts += [f"{tip} 105 {tip} 95 {x} {end} c"] * n_curves
        parts.append(f"{x} {end} l")
    return " ".join(parts) + " h"


def test_brackets_that_are_drawn_as_a_path_are_among_the_glyphs_inside() -> None:
    runs = [Run(50, 703, "f", 12), Run(70, 703, "x+1", 12), Run(110, 703, "= y", 12)]
    for n_curves, text in ((4, "f(x+1)= y"), (13, "f{x+1}= y"), (3, "fx+1= y")):
        pair = _bracket(66, 62, n_curves) + _bracket(98, 102, n_curves) + " f"
        glyphs = _page(pdf([runs], drawing=pair)).glyphs
        assert "".join(glyph.text for glyph in glyphs) == text
        assert all(abs(glyph.y - 703) < 1 for glyph in glyphs)


def _page_of_form(drawing: bytes) -> GlyphPage:
    """Return a page with a form whose points are two wide and one high, at (50, 30); its shading is /Ball."""
    made = pikepdf.new()
    page = made.add_blank_page(page_size=(200, 100))
    form = made.make_stream(drawing)
    form.Type, form.Subtype = pikepdf.Name.XObject, pikepdf.Name.Form
    form.BBox = [0, 0, 50, 50]
    colour = {"/FunctionType": 2, "/Domain": [0, 1], "/C0": [1], "/C1": [0], "/N": 1}
    ball = pikepdf.Dictionary(
        ShadingType=3,
        ColorSpace=pikepdf.Name.DeviceGray,
        Coords=[1, 24, 0, 1, 23, 3],
        Function=pikepdf.Dictionary(colour),
        Extend=[True, True],
    )
    form.Resources = pikepdf.Dictionary(Shading=pikepdf.Dictionary(Ball=ball))
    serif = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.Type1,
        BaseFont=pikepdf.Name("/Times-Roman"),
    )
    page.Resources = pikepdf.Dictionary(
        XObject=pikepdf.Dictionary(F1=form), Font=pikepdf.Dictionary(F2=serif)
    )
    page.Contents = made.make_stream(
        b"BT /F2 10 Tf 80 40 Td (x) Tj ET 2 0 0 1 50 30 cm /F1 Do"
    )
    content = io.BytesIO()
    made.save(content)

    return _page(content.getvalue())


def test_the_bar_of_a_formula_in_a_form_is_on_the_page_and_other_shapes_of_forms_are_not() -> (
    None
):
    page = _page_of_form(b"5 10 20 1 re f 5 20 4 4 re f 0 30 90 1 re f")
    assert page.ruled_lines == [Box(60, 59.5, 100, 59.5)]
    assert page.dots == []


def test_chinese_characters_do_not_make_a_font_one_of_fixed_pitch() -> None:
    fonts = Fonts()
    font = fonts.number("Song")
    for char in "这些系统都有进程和线程":
        fonts.saw(font, char, 1.0)
    assert not fonts.mono(font)
    for char in "abcdefgh":
        fonts.saw(font, char, 0.5)
    assert fonts.mono(font)


def test_fonts_are_bold_or_of_fixed_pitch_by_their_names() -> None:
    for name, is_bold, is_mono in (
        ("CMBX10", True, False),
        ("SFBX1000", True, False),
        ("SFBI1000", True, False),
        ("URWGothicL-Demi", True, False),
        ("SFTT1000", False, True),
        ("SFRM1000", False, False),
        ("SFSS1000", False, False),
        ("CMSY10", False, False),
        ("SourceCodePro", False, True),
        ("ArialUnicodeMS", False, False),
        ("DejaVuSansMono", False, True),
        ("MonotypeCorsiva", False, False),
    ):
        fonts = Fonts()
        font = fonts.number(f"ABCDEF+{name}")
        assert (fonts.bold[font], fonts.mono(font)) == (is_bold, is_mono), name


def test_a_letter_of_wingdings_is_a_sign_that_the_file_does_not_explain() -> None:
    content = pdf([[Run(50, 100, "x"), Run(70, 100, "y", font="bold")]])
    content = content.replace(b"/Helvetica-Bold", b"/Wingdings-Reg.")
    texts = [glyph.text for glyph in _page(content).glyphs]
    assert texts == ["x", UNKNOWN]


def test_a_piece_of_a_drawing_in_a_font_of_lines_is_no_text() -> None:
    for name in (b"/LINE10-Picture", b"/LCIRCLEW10-Arc", b"/XYATIP10-Arrow"):
        content = pdf([[Run(50, 100, "x"), Run(70, 100, "y", font="bold")]])
        content = content.replace(b"/Helvetica-Bold", name)
        assert [glyph.text for glyph in _page(content).glyphs] == ["x"]


def test_a_chinese_character_begins_at_its_origin_whatever_the_box_of_its_font() -> (
    None
):
    file = pikepdf.new()
    page = file.add_blank_page(page_size=(300, 100))
    program = file.make_stream(b"1000 0 -530 -200 1000 900 d1 0 0 1000 900 re f")
    cmap = b"1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <61> <7684> endbfchar"
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.Type3,
        FontBBox=[-600, -200, 1000, 900],
        FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
        FirstChar=97,
        LastChar=97,
        Widths=[1000],
        Encoding=pikepdf.Dictionary(Differences=[97, pikepdf.Name.a]),
        CharProcs=pikepdf.Dictionary(a=program),
        ToUnicode=file.make_stream(cmap),
    )
    page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=font))
    page.Contents = file.make_stream(b"BT /F 12 Tf 50 50 Td (aa) Tj ET")
    content = io.BytesIO()
    file.save(content)
    glyphs = _page(content.getvalue()).glyphs
    assert [(glyph.text, glyph.x0) for glyph in glyphs] == [("的", 50), ("的", 62)]


def test_a_shaded_ball_in_a_form_is_a_bullet() -> None:
    page = _page_of_form(b"0 20 3 6 re W n /Ball sh")
    (dot,) = page.dots
    assert astuple(dot) == pytest.approx((50, 44, 56, 50), abs=0.1)


def test_a_root_that_a_formula_draws_is_a_sign_before_the_glyph_under_its_bar() -> None:
    for stroke, text in ((b"10 8 m 14 20 l S", "√x"), (b"10 8 m 11 20 l S", "x")):
        page = _page_of_form(stroke + b" 13 19.5 10 1 re f")
        assert "".join(glyph.text for glyph in page.glyphs) == text


def test_a_root_that_is_drawn_outside_a_form_has_a_stroke_down_and_is_on_the_baseline() -> (
    None
):
    up_and_bar = "73 595 m 77 620 l S 76.5 619.5 20 1 re f"
    for down, y, expected in (
        ("0.2 w 70 605 m 73 595 l S ", 194, {"√": 194, "x": 194}),
        ("0.2 w 70 605 m 73 595 l S ", 187, {"√": 195, "x": 187}),
        ("0.2 w ", 194, {"x": 194}),
    ):
        page = _page(pdf([[Run(80, y, "x")]], drawing=down + up_and_bar))
        heights = {glyph.text: round(glyph.y) for glyph in page.glyphs}
        assert heights == expected


def test_letters_whose_text_is_in_a_tag_begin_at_their_origin() -> None:
    runs = []
    for x, letter in zip((50, 57), "ei", strict=True):
        tag = f"/Span << /ActualText ({letter}) >> BDC"
        runs.append(Run(x, 100, letter.upper(), 10, operators=tag))
        runs.append(Run(90, 300, "", operators="EMC"))
    glyphs = _page(pdf([runs])).glyphs
    assert [(glyph.text, round(glyph.x0, 1)) for glyph in glyphs] == [
        ("e", 50),
        ("i", 57),
    ]
