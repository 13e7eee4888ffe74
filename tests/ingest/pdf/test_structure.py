"""ingest/pdf/structure.py: paragraphs, items and cells as the file names them."""

import io
from collections.abc import Sequence
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from configs.settings import IngestSettings
from ingest.pipeline.read_document import read_pdf
from tests.contracts.handmade import Run, lines, pdf
from tests.ingest.reading import extracted

FULL = [
    "The server sends a message to each client that has not sent one to the server.",
    "Every other client answers the server within the one second that it is given.",
    "Messages that are late or that have the wrong length are never read by anyone.",
]
"""Sentences as long as a line."""

LONG = "This line is as long as the column is wide, so that it shows where lines end."


def tagged(
    runs: Sequence[Run],
    elements: Sequence[Sequence[int]],
    kinds: Sequence[str] = (),
) -> bytes:
    """Make a page of runs with a structure: the positions of the runs in each element, and their types."""
    with pikepdf.open(io.BytesIO(pdf([runs]))) as made:
        page = made.pages[0]
        pieces = page.Contents.read_bytes().split(b"BT ")
        marked = pieces[0]
        for number, piece in enumerate(pieces[1:]):
            marked += b"/P << /MCID %d >> BDC BT %s EMC\n" % (number, piece.rstrip())
        page.Contents = made.make_stream(marked)
        page.StructParents = 0

        root = made.make_indirect(Dictionary(Type=Name.StructTreeRoot, K=Array()))
        parents = [root] * len(runs)
        for number, members in enumerate(elements):
            kind = kinds[number] if kinds else "P"
            element = made.make_indirect(
                Dictionary(
                    Type=Name.StructElem,
                    S=Name("/" + kind),
                    P=root,
                    Pg=page.obj,
                    K=Array(members),
                )
            )
            root.K.append(element)
            for member in members:
                parents[member] = element
        root.ParentTree = made.make_indirect(
            Dictionary(Nums=Array([0, Array(parents)]))
        )
        made.Root.StructTreeRoot = root
        made.Root.MarkInfo = Dictionary(Marked=True)
        written = io.BytesIO()
        made.save(written)
        return written.getvalue()


def openings(content: bytes, folder: Path) -> list[str]:
    """Return the opening sentences of the paragraphs of a PDF."""
    path = folder / "lecture.pdf"
    path.write_bytes(content)
    reading = read_pdf(path, "lecture", "x", IngestSettings())
    return [paragraph.opening_sentence for paragraph in reading.paragraphs]


def test_paragraphs_that_only_the_structure_parts_are_parted(tmp_path: Path) -> None:
    runs = lines(FULL, 50, 100)
    assert openings(tagged(runs, [[0, 1, 2]]), tmp_path) == FULL[:1]
    assert openings(tagged(runs, [[0], [1], [2]]), tmp_path) == FULL


def test_a_sentence_in_a_narrow_box_goes_on_as_its_element_does(tmp_path: Path) -> None:
    title = Run(50, 50, "What does the speed depend on at all?", 20)
    box = lines(
        ["The speed depends on the number", "(of turns) that the record makes."],
        50,
        100,
    )
    wide = lines([LONG, LONG, LONG], 50, 150)
    runs = [title, *box, *wide]
    whole = "The speed depends on the number (of turns) that the record makes."
    assert whole not in openings(pdf([runs]), tmp_path)
    assert whole in openings(tagged(runs, [[0], [1, 2], [3, 4, 5]]), tmp_path)


def test_an_item_inside_an_element_still_begins(tmp_path: Path) -> None:
    texts = ["• Queues hold what comes first.", "• Stacks hold what comes last."]
    runs = lines(texts, 50, 100)
    read = openings(tagged(runs, [[0, 1]]), tmp_path)
    assert read == [text.removeprefix("• ") for text in texts]


def test_a_line_that_an_author_broke_inside_a_sentence_goes_on(tmp_path: Path) -> None:
    runs = lines([LONG.rstrip("."), "and goes on in the next one.", LONG], 50, 100)
    read = openings(tagged(runs, [[0], [1], [2]]), tmp_path)
    assert read == [f"{LONG.rstrip('.')} and goes on in the next one.", LONG]


def test_a_structure_that_parts_lines_is_not_used(tmp_path: Path) -> None:
    """Programs that convert a PDF to another one may make an element of each line."""
    texts = [
        LONG.rstrip("."),
        "and goes on in the next one, which is as long as it is.",
    ]
    runs = lines(texts * 6, 50, 100)
    of_lines = tagged(runs, [[number] for number in range(len(runs))])
    assert openings(of_lines, tmp_path) == openings(pdf([runs]), tmp_path)


@pytest.mark.parametrize("kind", ["Span", "Link", "Lbl"])
def test_an_element_inside_a_line_begins_no_paragraph(kind: str) -> None:
    words = [Run(50, 100, "Trees are"), Run(100, 100, "graphs.")]
    (page,) = extracted(tagged(words, [[0, 1]])).pages
    with pikepdf.open(io.BytesIO(tagged(words, [[0], [1]], ["P", kind]))) as made:
        outer, inner = made.Root.StructTreeRoot.K
        del made.Root.StructTreeRoot.K[1]
        inner.P = outer
        outer.K.append(inner)
        written = io.BytesIO()
        made.save(written)
    (nested,) = extracted(written.getvalue()).pages
    assert [line.element for line in nested.lines] == [
        line.element for line in page.lines
    ]
    assert nested.lines[0].element


def _elements(content: bytes) -> set[int]:
    (page,) = extracted(content).pages
    return {line.element for line in page.lines}


def test_text_of_a_group_or_of_a_form_is_in_no_element() -> None:
    runs = lines(FULL, 50, 100)
    in_paragraph = tagged(runs, [[0, 1, 2]])
    assert 0 not in _elements(in_paragraph)
    assert _elements(tagged(runs, [[0, 1, 2]], ["Sect"])) == {0}
    with pikepdf.open(io.BytesIO(in_paragraph)) as made:
        page = made.pages[0]
        form = made.make_stream(page.Contents.read_bytes())
        form.Type, form.Subtype = Name.XObject, Name.Form
        form.BBox, form.Resources = page.MediaBox, page.Resources
        page.Resources = Dictionary(XObject=Dictionary(Fm=form))
        page.Contents = made.make_stream(b"/Fm Do")
        written = io.BytesIO()
        made.save(written)
    assert _elements(written.getvalue()) == {0}


def test_a_structure_without_end_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    with pikepdf.open(io.BytesIO(tagged(lines(FULL, 50, 100), [[0, 1, 2]]))) as made:
        (element,) = made.Root.StructTreeRoot.K
        element.K.append(element)
        written = io.BytesIO()
        made.save(written)
    assert openings(written.getvalue(), tmp_path)[0] == FULL[0]
