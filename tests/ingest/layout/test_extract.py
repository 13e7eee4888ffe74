"""ingest/layout/extract.py: characters of small odd PDFs, and the errors of files that cannot be read."""

from pathlib import Path

import pytest
import typst

from ingest.errors import SourceError
from ingest.layout.extract import Pdf
from tests.contracts.handmade import PAGE_HEIGHT, Run, grid, lines, pdf
from tests.ingest.reading import extracted

HEBREW = dict(zip("abgmslvM", "אבגםשלומ", strict=True))


def _texts(content: bytes) -> list[str]:
    texts: list[str] = []
    for page in extracted(content).pages:
        texts += (line.text for line in page.lines)
    return texts


def _error(content: bytes) -> str:
    with pytest.raises(SourceError) as caught:
        extracted(content)
    assert "\n" not in str(caught.value)
    return str(caught.value).rpartition("/")[2]


def test_neither_spaces_over_words_nor_raised_marks_are_text() -> None:
    # a stored space over a word does not part it
    runs = [Run(50, 100, "word"), Run(60, 100, " ")]
    assert _texts(pdf([runs])) == ["word"]
    # "scope" is 26.68 points wide, s and c are 0.5 em, o, p and e 0.556
    runs = [
        Run(50, 100, "scope"),
        Run(76.7, 96, "1", size=6),
        Run(90, 100, "next"),
    ]
    assert _texts(pdf([runs])) == ["scope next"]


def _mapped(drawn: str, mapping: dict[str, str]) -> str:
    """Return the line that is read where a font maps the characters that are drawn."""
    run = Run(50, 100, drawn, font="mapped")
    (text,) = _texts(pdf([[run]], mapping))
    return text


def test_numbers_and_latin_inside_hebrew_keep_their_order() -> None:
    mapping = HEBREW | {char: char for char in " GSPpy1234.5()+"}
    mapping |= {"M": "מ", "~": "\u00ad", "_": "–"}
    for drawn, read in (
        ("12.5 vl GSP M mvls", "שלום מ GSP לו 12.5"),
        (".vl", "לו."),
        ("aba (GSP) Pyp Spy mvls", "שלום Pyp Spy (GSP) אבא"),  # brackets of Hebrew
        ("aba Pyp Spy (GSP) mvls", "שלום Pyp Spy (GSP) אבא"),  # brackets of Latin
        ("aba 3~14 mvls", "שלום 3-14 אבא"),  # a soft hyphen that is seen
        ("aba 14~3 mvls", "שלום 3-14 אבא"),
        ("aba 3~b mvls", "שלום ב-3 אבא"),
        ("aba 3_14 mvls", "שלום 3–14 אבא"),
        ("aba 14_3 mvls", "שלום 3–14 אבא"),
    ):
        assert _mapped(drawn, mapping) == read


def test_brackets_around_hebrew_open_before_and_close_after() -> None:
    for opening, closing in ("()", ")("):
        mapping = HEBREW | {" ": " ", "(": opening, ")": closing}
        assert _mapped("(aba) mvls", mapping) == "שלום (אבא)"


def test_hebrew_with_stops_at_its_right_ends_is_set_from_left_to_right() -> None:
    mapping = HEBREW | {char: char for char in " WB."}
    for drawn, read in (
        ("WB mvls aba.", "WB אבא שלום."),
        (".WB mvls aba", "אבא שלום WB."),
    ):
        runs = [Run(50, 100 + 12 * row, drawn, font="mapped") for row in range(3)]
        assert _texts(pdf([runs], mapping)) == [read] * 3


def test_hebrew_among_much_code_reads_from_the_right_by_its_stops_or_its_share() -> (
    None
):
    mapping = HEBREW | {char: char for char in " WB."}
    for drawn, n_code, read in (
        (".WB mvls aba", 12, "אבא שלום WB."),
        ("WB mvls aba", 4, "אבא שלום WB"),
        ("WB mvls aba", 12, "WB אבא שלום"),
    ):
        hebrew = [Run(50, 100 + 12 * row, drawn, font="mapped") for row in range(3)]
        code = [Run(50, 160 + 12 * row, "the harbour master") for row in range(n_code)]
        assert _texts(pdf([hebrew + code], mapping))[:3] == [read] * 3


def test_hebrew_of_a_typesetter_reads_in_logical_order() -> None:
    source = '#set text(lang: "he", dir: rtl, font: "Libertinus Serif")\nהשיטה (Vickrey) נהגה בין 1792 ל-1842.\n'
    (text,) = _texts(typst.compile(source.encode()))
    assert text == "השיטה (Vickrey) נהגה בין 1792 ל-1842."


PAGE = """
#set page(width: 400pt, height: auto)
#set text(lang: "he", dir: rtl, font: "Libertinus Serif")
"""


HARBOUR = "שומר המגדלור רושם ביומן כל ספינה שנכנסה אל הנמל בלילה:"


def _typeset(*lines: str) -> list[str]:
    """Return the lines that are read of Hebrew lines of Typst, each a paragraph."""
    return _texts(typst.compile((PAGE + "\n\n".join(lines)).encode()))


def test_a_hebrew_page_of_an_english_document_reads_from_the_right() -> None:
    english = (
        "The keeper writes down each ship that came into the harbour at night. " * 6
    )
    hebrew = "pillow מתקינים את (sympy), כמו בנמל,"
    source = f'#text(lang: "en", dir: ltr)[{english}]\n#pagebreak()\n'
    pages = [*[source] * 8, hebrew]
    document = extracted(typst.compile((PAGE + "".join(pages)).encode()))
    assert [page.rtl for page in document.pages] == [False] * 8 + [True]
    assert [line.text for line in document.pages[-1].lines] == [hebrew]


def test_brackets_of_hebrew_lines_are_read_as_they_were_written() -> None:
    lines = (
        "המתודה anchor() מחזירה את הערך (ראו [3]), ואילו tide(x) לא.",
        "הקישוט \\@moored() והתא Out []: ריקים, כמו הזוג (1-m), (2-m).",
        "בקובץ .yaml של הנמל, אם א\\<ב או 5\\<6, נכתב 20% יותר.",
        "מתקינים את pillow, sympy.",
    )
    assert _typeset(*lines) == [line.replace("\\", "") for line in lines]


def test_code_and_latin_lines_of_a_hebrew_page_keep_their_signs() -> None:
    code = ("if depth<0: return (0,[1])", "tide.log('{}: %g', -depth)", ".clip(a, b)")
    shown = [f'#text(dir: ltr)[#raw("{line}")]' for line in code]
    assert _typeset(HARBOUR, *shown) == [HARBOUR, *code]
    names = "pillow, sympy, seaborn."
    assert _typeset(HARBOUR, names) == [HARBOUR, names]


def test_hebrew_of_a_browser_reads_in_logical_order() -> None:
    # Chromium stores brackets as they are read, and PDFium mirrors some of them
    content = Path(__file__).with_name("hebrew-chromium.pdf").read_bytes()
    assert _texts(content) == [
        "השומר רושם ביומן (של הנמל) כל ספינה שנכנסה, ואם depth(x) גדול מ-[4] הוא",
        "מדליק את הפנס.",
        "הקובץ .yaml מגדיר את O(n log n) ואת {ב}, וגם א<ב או 5<6 וגם x<0 לפי 20%",
        "מהכללים.",
        "if depth<0: return (0,[1])",
        "הספריות הן:",
        "pillow, sympy, seaborn.",
        "מתקינים אותן לפני השיעור.",
    ]


def test_a_soft_hyphen_that_is_drawn_is_a_hyphen() -> None:
    mapping = {"a": "a", "X": "\u00ad", "b": "b", " ": " "}
    assert _mapped("aXb aX", mapping) == "a-b a-"


def test_a_page_that_is_stored_turned_is_read_as_it_is_seen() -> None:
    # Stored on its side and shown turned clockwise: what stands further right on the stored page is further down.
    runs = [Run(100, 300, "first line"), Run(112, 300, "second line")]
    content = pdf([runs])
    turned = content.replace(b"1 0 0 1", b"0 1 -1 0")
    turned = turned.replace(b"/Type /Page /", b"/Type /Page /Rotate 90 /")
    first, second = extracted(turned).pages[0].lines
    assert (first.text, first.y) == ("first line", 100)
    assert (second.text, second.y) == ("second line", 112)
    assert first.x0 == pytest.approx(500, abs=0.5)  # 800 - 300


def test_text_on_its_side_is_left_out() -> None:
    first = [Run(50, 100, "upright")]
    content = pdf([first, [Run(20, 300, "stamp")]])
    head, tail = content.rsplit(b"1 0 0 1", 1)
    assert _texts(head + b"0 1 -1 0" + tail) == ["upright"]


def test_a_page_that_is_set_sideways_is_read() -> None:
    texts = ["a landscape sheet of a document", "that is upright otherwise"]
    content = pdf([[Run(100, 300, texts[0]), Run(112, 300, texts[1])]])
    assert _texts(content.replace(b"1 0 0 1 1", b"0 1 -1 0 1")) == texts


def test_a_file_without_text_and_images_is_refused() -> None:
    says = "lecture.pdf: no text and no image of text; leave it out"
    assert _error(pdf([[], []])) == says


WHOLE = pdf([[Run(50, 100, "words")]])


def test_a_file_that_cannot_be_read_is_refused() -> None:
    length = len(WHOLE)
    hollow = WHOLE[:9] + bytes(length - 40) + b"startxref\n0\n%%EOF"
    huge = WHOLE.replace(b"/Count 1 ", b"/Count 1000000 ")

    for content, error in (
        (WHOLE[: length // 5], "the end of the PDF is missing; get the file again"),
        (
            WHOLE[: length - length // 20],
            "the end of the PDF is missing; get the file again",
        ),
        (b"", "lecture.pdf: is empty; get the file again"),
        (b"<html>", "not a PDF; convert it first"),
        (hollow, "the PDF is damaged; get the file again"),
        (huge, "claims 1000000 pages, and 1 to 10000 can be read; split it"),
    ):
        assert error in _error(content)


def _described(info: str) -> Pdf:
    """Return a document with these entries of its metadata."""
    runs = [Run(50, 100, "text")]
    return extracted(pdf([runs], extra=f"<< {info} >>", trailer="/Info 3 0 R"))


def test_the_date_is_that_of_creation_or_else_of_change() -> None:
    for info, date in (
        ("/CreationDate (D:20241014093000Z) /ModDate (D:20250101)", "2024-10-14"),
        ("/ModDate (D:20250102030405+02'00')", "2025-01-02"),
        ("/CreationDate (D:20241399)", ""),
        ("/Title (Trees)", ""),
    ):
        assert _described(info).date == date


def test_a_document_is_typeset_by_tex_or_typst() -> None:
    for info, is_typeset in (
        ("/Creator (LaTeX with hyperref) /Producer (Ghostscript)", True),
        ("/Producer (xdvipdfmx \\(0.7\\))", True),
        ("/Creator (Typst 0.12.0)", True),
        ("/Creator (Microsoft Word) /Producer (Skia/PDF m126)", False),
    ):
        assert _described(info).typeset is is_typeset


def test_a_document_in_one_font_of_fixed_pitch_is_no_listing() -> None:
    text = Run(50, 100, "a letter that was typed", font="mono")
    (page,) = extracted(pdf([[text]])).pages
    assert page.lines[0].mono_share == 0

    code = Run(50, 100, "int i = 0; f(i, 1);", font="mono")
    (page,) = extracted(pdf([[code]])).pages
    assert page.lines[0].mono_share == 1

    others = lines(["text around a listing, and more of it"] * 4, 50, 200)
    (page,) = extracted(pdf([[text, *others]])).pages
    assert page.lines[0].mono_share == 1


def test_an_italic_h_is_a_letter_and_a_variation_of_a_sign_is_none() -> None:
    mapping = {"a": "i", "b": "t", "g": "\u210e", "m": "√", "s": "\ufe02"}
    assert _mapped("abg ms", mapping | {" ": " "}) == "ith √"
    assert _mapped("a b", mapping | {" ": "\u3000"}) == "i t"


def test_large_signs_that_hang_below_their_baseline_are_in_the_row_of_their_formula() -> (
    None
):
    runs = [
        Run(50, 100, "records of one row"),
        Run(50, 120, "R = "),
        Run(70, 109, "[", font="hanging"),
        Run(76, 120, "I F"),
        Run(92, 109, "]", font="hanging"),
        Run(100, 120, "P holds."),
        Run(50, 131, "\\", font="hanging"),
        Run(55, 142, "2 is irrational"),
    ]
    mapping = {"[": "[", "]": "]", "\\": "√"}
    first, *others = _texts(pdf([runs], mapping))
    assert first == "records of one row"
    assert "|".join(others).replace(" ", "") == "R=[IF]Pholds.|√2isirrational"


def test_a_large_slash_is_in_the_row_of_its_slanted_fraction() -> None:
    runs = [
        Run(50, 100, "all subgroups of it"),
        Run(50, 114, "of Z"),
        Run(67.5, 105, "[", font="hanging"),
        Run(72.6, 116, "n are cyclic."),
    ]
    assert _texts(pdf([runs], {"[": "/"})) == [
        "all subgroups of it",
        "of Z/n are cyclic.",
    ]


def test_formulas_have_fonts_of_their_own_where_hebrew_has_stops_of_its_own() -> None:
    mapping = HEBREW | {" ": " ", ".": "."}
    for font, read in (("mapped", "שלום __a."), ("regular", "שלום a__.")):
        runs = [
            Run(50, 100, ".", font=font),
            Run(53, 100, "__a"),
            Run(73, 100, "mvls", font="mapped"),
            Run(50, 120, ".", font=font),
            Run(53, 120, "mvls", font="mapped"),
        ]
        assert _texts(pdf([runs], mapping)) == [read, "שלום."]


def test_a_ligature_is_read_as_its_letters() -> None:
    assert _texts(pdf([[Run(50, 100, "ab", font="mapped")]], {"a": "ĳ", "b": "ﬁ"})) == [
        "ijfi"
    ]


def test_a_radical_is_read_as_the_character_that_it_looks_like() -> None:
    assert _texts(pdf([[Run(50, 100, "a", font="mapped")]], {"a": "⽅"})) == ["方"]


def test_the_last_rule_of_a_table_is_no_bar_of_a_fraction() -> None:
    page = [Run(102, 108, "Boats"), Run(172, 108, "Ships at sea")]
    page += [Run(102, 126, "Sails of the boats on the rivers of the north")]
    page += [Run(102, 139, "Sails of the ships on the rivers of the south")]
    for xs, ys, n_lines in (
        ([100, 170, 296], [95, 112, 131], 4),
        ([100, 296], [131, 131], 3),
    ):
        texts = _texts(pdf([page], drawing=grid(xs, ys)))
        assert len(texts) == n_lines, texts


def test_a_stripe_of_the_background_is_no_bar_of_a_fraction() -> None:
    title = [Run(150, 100, "Rowing boats", 48)]
    first = Run(15, 136, "Each boat on the river is rowed by a crew of seven men", 24)
    stripe = f"0 {PAGE_HEIGHT - 112} 600 1.8 re f"
    assert _texts(pdf([[*title, first]], drawing=stripe)) == [
        "Rowing boats",
        first.text,
    ]


def test_the_numbers_of_a_column_between_brackets_are_apart() -> None:
    (text,) = _texts(typst.compile(b"Let it be $v = mat(1; 2; 6)$ at first."))
    assert text == "Let it be v = (1 2 6) at first."


def test_the_bar_of_a_fraction_may_be_an_image() -> None:
    page = [Run(100, 100, "a ="), Run(122, 96, "n", 7), Run(122, 104, "m", 7)]
    image = "BI /W 1 /H 1 /BPC 1 /IM true ID \x7f EI"
    bar = f"q 7 0 0 0.4 121 {PAGE_HEIGHT - 97.7} cm {image} Q"
    assert _texts(pdf([page], drawing=bar)) == ["a = n/m"]
