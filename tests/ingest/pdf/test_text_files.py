"""Files without printed pages: each format built here, read through the same paragraphs as PDFs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import docx
import pptx
import pytest

from quarry.configs.settings import load
from quarry.ingest.errors import SourceError
from quarry.ingest.paragraph import Reading
from quarry.ingest.pdf.text_files import read_text_file
from quarry.ingest.pipeline.read_document import content_hash

TIDES = (
    "The harbour master wrote down the height of the water every hour for forty years. Nobody had asked him to, and"
    " nobody read what he wrote until the new pier was planned."
)
LOCKS = (
    "A lock is a room for ships whose floor can be lifted. Two gates suffice, provided that they are never open at the"
    " same time, and a valve as large as a hat decides how long the skipper waits."
)


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str, bytes], Reading]:
    def read(name: str, content: bytes) -> Reading:
        path = tmp_path / name
        path.write_bytes(content)
        return read_text_file(path, path.stem, content_hash(path), load().ingest)

    return read


def _saved(document: docx.document.Document | pptx.presentation.Presentation, path: Path) -> bytes:
    document.save(str(path))
    return path.read_bytes()


def test_a_word_file_yields_its_paragraphs_under_their_headings(
    tmp_path: Path, read: Callable[[str, bytes], Reading]
) -> None:
    document = docx.Document()
    document.add_heading("Water and Ships", 0)
    document.add_heading("Tides", 1)
    document.add_paragraph(TIDES)
    table = document.add_table(1, 2)
    table.cell(0, 0).text = LOCKS
    document.add_heading("Locks", 2)
    split = document.add_paragraph(LOCKS[:20])
    split.add_run(LOCKS[20:]).bold = True
    reading = read("lecture 7.docx", _saved(document, tmp_path / "a.docx"))
    prose = [item for item in reading.paragraphs if item.kind == "prose"]
    assert [(item.text, item.section) for item in prose] == [
        (TIDES, ("Water and Ships", "Tides")),
        (LOCKS, ("Water and Ships", "Tides", "Locks")),
    ]
    assert prose[0].opening_sentence == TIDES[: TIDES.index(".") + 1]
    assert {item.kind for item in reading.paragraphs} == {"heading", "boxed", "prose"}
    assert (reading.document.lecture_number, reading.document.reader) == (7, "pandoc")
    assert "Water and Ships" in [alias.text for alias in reading.document.aliases]


def test_formulas_of_a_word_file_stay_in_their_sentence(tmp_path: Path, read: Callable[[str, bytes], Reading]) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Let ")
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    formula = paragraph._p.makeelement(f"{{{math}}}oMath", {})
    run = formula.makeelement(f"{{{math}}}r", {})
    text = run.makeelement(f"{{{math}}}t", {})
    text.text = "h>0"
    run.append(text)
    formula.append(run)
    paragraph._p.append(formula)
    paragraph.add_run(" be the height of the water. " + TIDES)
    reading = read("heights.docx", _saved(document, tmp_path / "a.docx"))
    assert reading.paragraphs[0].opening_sentence == "Let h>0 be the height of the water."


def test_slides_are_pages_and_their_titles_headings(tmp_path: Path, read: Callable[[str, bytes], Reading]) -> None:
    deck = pptx.Presentation()
    for title, text in (("Tides", TIDES), ("Locks", LOCKS), ("", "No title.")):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        if title:
            slide.shapes.title.text = title
        slide.placeholders[1].text_frame.text = text
        slide.notes_slide.notes_text_frame.text = "Tell the story of the hat. " + LOCKS
    reading = read("ships.pptx", _saved(deck, tmp_path / "a.pptx"))
    prose = [item for item in reading.paragraphs if item.kind == "prose"]
    assert [(item.page, item.heading, item.text) for item in prose] == [(1, "Tides", TIDES), (2, "Locks", LOCKS)]
    assert [item.paragraph_id for item in prose] == ["ships:1:1", "ships:2:1"]
    assert reading.document.n_pages == 3


def test_markdown_is_read_as_it_would_be_set(read: Callable[[str, bytes], Reading]) -> None:
    text = (
        f"---\ntitle: x\n---\n# Ships\n\n## Tides\n\n{TIDES.replace('every hour', '*every* **hour**[^1]')}\n\n"
        f"```\n{LOCKS}\n```\n\n- {LOCKS[:-1]} $h_1 > 0$.\n\n[^1]: By the clock.\n"
    )
    reading = read("ships.md", text.encode())
    assert [(item.text, item.section) for item in reading.paragraphs] == [
        (TIDES, ("Ships", "Tides")),
        (f"{LOCKS[:-1]} h1>0.", ("Ships", "Tides")),
    ]
    assert "code" in {item.reason for item in reading.rejected}


def test_html_is_read_without_menus_scripts_and_marks_of_notes(read: Callable[[str, bytes], Reading]) -> None:
    page = (
        f"<html><head><title>Ships</title><script>var x = '{LOCKS}'</script></head><body><nav><p>{LOCKS}</p></nav>"
        f"<main><h1>Ships</h1><div>{TIDES[:40]}<i>{TIDES[40:60]}</i>{TIDES[60:-1]}<sup><a href='#n1'>1</a></sup>.</div>"
        f"<p>Of 2<sup>3</sup> boats eight were left.<br>{LOCKS}</p></main></body></html>"
    )
    reading = read("ships.html", page.encode())
    assert [item.text for item in reading.paragraphs] == [TIDES, f"Of 23 boats eight were left. {LOCKS}"]
    assert [item.heading for item in reading.paragraphs] == ["Ships", "Ships"]


def test_a_text_file_has_a_paragraph_between_empty_lines(read: Callable[[str, bytes], Reading]) -> None:
    text = f"{TIDES[:57]}\n{TIDES[58:]}\n\n{LOCKS[:75]}\r\n{LOCKS[76:]}"
    assert [item.text[:50] for item in read("notes.txt", text.encode()).paragraphs] == [TIDES[:50], LOCKS[:50]]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.docx", b"PK\x03\x04 torn", "must be a whole .docx file, is damaged; get the file again"),
        ("a.pptx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", "must be a .pptx file without a password"),
        ("a.txt", b"\xff\xfe\x00", "must be UTF-8, byte 0 is not; save it as UTF-8"),
        ("a.html", b"", "must be HTML with text, is empty; leave it out"),
        ("a.md", b"***\n", "must contain text, is empty; leave it out"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(
    name: str, content: bytes, told: str, read: Callable[[str, bytes], Reading]
) -> None:
    with pytest.raises(SourceError) as caught:
        read(name, content)
    assert told in str(caught.value)
    assert name in str(caught.value)
