"""ingest/layout/extract.py: characters of small odd PDFs, and the errors of files that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
import typst

from quarry.ingest.errors import SourceError
from quarry.ingest.layout.extract import Pdf, extract
from tests.contracts.handmade import Run, pdf

HEBREW = {"a": "א", "b": "ב", "g": "ג", "m": "ם", "s": "ש", "l": "ל", "v": "ו", "M": "מ"}


@pytest.fixture(autouse=True)
def _without_ocr(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a file says by itself; tests/ingest/pdf/test_ocr.py has the rest."""
    monkeypatch.setattr("quarry.ingest.layout.extract.languages", frozenset)


def _read(tmp_path: Path, content: bytes) -> Pdf:
    path = tmp_path / "lecture.pdf"
    path.write_bytes(content)
    return extract(path)


def _texts(document: Pdf) -> list[str]:
    return [line.text for page in document.pages for line in page.lines]


def _error(tmp_path: Path, content: bytes) -> str:
    with pytest.raises(SourceError) as caught:
        _read(tmp_path, content)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(tmp_path) + "/")


def test_a_stored_space_that_stands_over_a_word_does_not_part_it(tmp_path: Path) -> None:
    assert _texts(_read(tmp_path, pdf([[Run(50, 100, "word"), Run(60, 100, " ")]]))) == ["word"]


def test_a_raised_footnote_mark_is_no_part_of_the_word(tmp_path: Path) -> None:
    # "scope" is 26.68 points wide: s and c are 0.5 em, o, p and e 0.556
    document = _read(tmp_path, pdf([[Run(50, 100, "scope"), Run(76.7, 96, "2", size=6), Run(90, 100, "next")]]))
    assert _texts(document) == ["scope next"]


def test_numbers_and_latin_inside_hebrew_keep_their_order(tmp_path: Path) -> None:
    mapping = HEBREW | {" ": " ", "G": "G", "S": "S", "P": "P", "1": "1", "2": "2", "5": "5", ".": "."}
    document = _read(tmp_path, pdf([[Run(50, 100, "12.5 vl GSP M mvls", font="mapped")]], mapping))
    assert _texts(document) == ["שלום מ GSP לו 12.5"]


@pytest.mark.parametrize(("drawn", "stored"), [("(aba) mvls", "()"), ("(aba) mvls", ")(")])
def test_brackets_around_hebrew_open_before_and_close_after(tmp_path: Path, drawn: str, stored: str) -> None:
    mapping = HEBREW | {" ": " ", "(": stored[0], ")": stored[1]}
    assert _texts(_read(tmp_path, pdf([[Run(50, 100, drawn, font="mapped")]], mapping))) == ["שלום (אבא)"]


def test_hebrew_of_a_typesetter_reads_in_logical_order(tmp_path: Path) -> None:
    source = '#set text(lang: "he", dir: rtl, font: "Libertinus Serif")\nהשיטה (Vickrey) נהגה בין 1792 ל-1842.\n'
    assert _texts(_read(tmp_path, typst.compile(source.encode()))) == ["השיטה (Vickrey) נהגה בין 1792 ל-1842."]


def test_a_soft_hyphen_is_seen_at_a_line_end_only(tmp_path: Path) -> None:
    content = pdf([[Run(50, 100, "aXb aX", font="mapped")]], {"a": "a", "X": "\u00ad", "b": "b", " ": " "})
    assert _texts(_read(tmp_path, content)) == ["ab a-"]


def test_a_page_that_is_stored_turned_is_read_as_it_is_seen(tmp_path: Path) -> None:
    # Stored on its side and shown turned clockwise: what stands further right on the stored page is further down.
    content = pdf([[Run(100, 300, "first line"), Run(112, 300, "second line")]])
    turned = content.replace(b"1 0 0 1", b"0 1 -1 0").replace(b"/Type /Page /", b"/Type /Page /Rotate 90 /")
    document = _read(tmp_path, turned)
    assert [(line.text, line.y) for line in document.pages[0].lines] == [("first line", 100), ("second line", 112)]
    assert document.pages[0].lines[0].x0 == pytest.approx(500, abs=0.5)  # 800 - 300


def test_text_on_its_side_is_left_out(tmp_path: Path) -> None:
    content = pdf([[Run(50, 100, "upright")], [Run(20, 300, "stamp")]])
    head, tail = content.rsplit(b"1 0 0 1", 1)
    assert _texts(_read(tmp_path, head + b"0 1 -1 0" + tail)) == ["upright"]


def test_a_file_without_text_is_sent_to_ocr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remedy = "install Tesseract (apt-get install tesseract-ocr tesseract-ocr-heb) and ingest it again"
    assert _error(tmp_path, pdf([[], []])) == f"lecture.pdf: no text layer; {remedy}"
    monkeypatch.setattr("quarry.ingest.layout.extract.languages", lambda: frozenset(["eng"]))
    assert "no text layer; and OCR sees no text either" in _error(tmp_path, pdf([[], []]))


@pytest.mark.parametrize("share", [0.2, 0.6, 0.95])
def test_a_truncated_file_is_refused(tmp_path: Path, share: float) -> None:
    whole = pdf([[Run(50, 100, "words")]])
    assert "its end is missing; get the file again" in _error(tmp_path, whole[: int(share * len(whole))])


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    whole = pdf([[Run(50, 100, "words")]])
    assert "get the file again" in _error(tmp_path, whole[:9] + b"\x00" * (len(whole) - 40) + b"startxref\n0\n%%EOF")


@pytest.mark.parametrize(
    ("info", "date"),
    [
        ("/CreationDate (D:20241014093000Z) /ModDate (D:20250101)", "2024-10-14"),
        ("/ModDate (D:20250102030405+02'00')", "2025-01-02"),
        ("/CreationDate (D:20241399)", ""),
        ("/Title (Trees)", ""),
    ],
)
def test_the_date_is_that_of_creation_or_else_of_change(tmp_path: Path, info: str, date: str) -> None:
    content = pdf([[Run(50, 100, "text")]], extra=f"<< {info} >>", trailer="/Info 3 0 R")
    assert _read(tmp_path, content).date == date


def test_a_small_file_that_claims_a_million_pages_is_refused(tmp_path: Path) -> None:
    content = pdf([[Run(50, 100, "text")]]).replace(b"/Count 1 ", b"/Count 1000000 ")
    with pytest.raises(SourceError, match="must have 1 to 10000 pages, claims 1000000; split it"):
        _read(tmp_path, content)
