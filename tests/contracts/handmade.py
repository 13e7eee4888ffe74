"""Minimal PDFs whose every glyph stands where the test says; Helvetica, of which each viewer knows the widths."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pdfminer.fontmetrics import FONT_METRICS

PAGE_WIDTH, PAGE_HEIGHT = 600, 800

HELVETICA = FONT_METRICS["Helvetica"][1]
WIDTHS = " ".join(str(HELVETICA[chr(code)]) for code in range(32, 127))
"""Of Helvetica, thousandths of an em; pdfminer looks those of standard fonts up by what a character stands for."""


@dataclass(frozen=True)
class Run:
    """Text at (x, y), y downwards from the top; fonts are regular, bold, mono, mapped (see `pdf`), and hanging.

    The last one is mapped too; its signs [, \\ and ] are two ems high and below their baseline, as large ones of TeX.

    Attributes:
        operators: of the text state, such as "3 Tr" for invisible text.
    """

    x: float
    y: float
    text: str
    size: float = 10
    font: str = "regular"
    operators: str = ""


def lines(
    texts: Sequence[str],
    x: float,
    y: float,
    leading: float = 12,
    size: float = 10,
) -> list[Run]:
    """Return one run a text, one below the other."""
    runs = []
    for number, text in enumerate(texts):
        row = y + number * leading
        runs.append(Run(x, row, text, size))
    return runs


def pdf(
    pages: Sequence[Sequence[Run]],
    to_unicode: Mapping[str, str] | None = None,
    extra: str = "",
    trailer: str = "",
    drawing: str = "",
) -> bytes:
    """Return the bytes of a PDF.

    Args:
        pages: the runs of each page.
        to_unicode: what the characters of the font `mapped` stand for.
        extra: one more object, number 3, in place of the signs of the font `hanging`.
        trailer: more entries of the trailer.
        drawing: operators that draw on every page, see `grid`.
    """
    mapping = ""
    to_unicode = to_unicode or {"a": "a"}
    for char, text in to_unicode.items():
        mapping += f"<{ord(char):02x}> <{text.encode('utf-16-be').hex()}>\n"
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def /CMapType 2 def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(to_unicode)} beginbfchar\n{mapping}endbfchar endcmap end end"
    )
    sign = "500 0 0 -2000 500 0 d1 0 -2000 100 2000 re f"
    objects = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        3: extra or f"<< /Length {len(sign)} >>\nstream\n{sign}\nendstream",
        4: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        5: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        6: "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
        7: "<< /Type /Font /Subtype /Type1 /BaseFont /Mapped /Encoding /WinAnsiEncoding /ToUnicode 8 0 R "
        f"/FirstChar 32 /LastChar 126 /Widths [{WIDTHS}] >>",
        8: f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream",
        9: "<< /Type /Font /Subtype /Type3 /FontBBox [0 -2000 500 0] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 91 "
        "/LastChar 93 /Widths [500 500 500] /CharProcs << /sign 3 0 R >> "
        "/Encoding << /Differences [91 /sign /sign /sign] >> /Resources << >> /ToUnicode 8 0 R >>",
    }
    names = {
        "regular": "F4",
        "bold": "F5",
        "mono": "F6",
        "mapped": "F7",
        "hanging": "F9",
    }

    kids = []
    for number, runs in enumerate(pages):
        content = ""
        for run in runs:
            place = f"1 0 0 1 {run.x} {PAGE_HEIGHT - run.y} Tm"
            font = f"/{names[run.font]} {run.size} Tf"
            text = re.sub(r"([\\()])", r"\\\1", run.text)
            content += f"BT {run.operators} {font} {place} ({text}) Tj ET\n"
        content += drawing
        page, stream = 10 + 2 * number, 11 + 2 * number
        kids.append(f"{page} 0 R")
        fonts = " ".join(f"/F{font} {font} 0 R" for font in (4, 5, 6, 7, 9))
        objects[page] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}] "
            f"/Resources << /Font << {fonts} >> >> /Contents {stream} 0 R >>"
        )
        objects[stream] = (
            f"<< /Length {len(content.encode('cp1252'))} >>\nstream\n{content}\nendstream"
        )

    objects[2] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    body = b"%PDF-1.4\n"
    offsets = {}
    for number in sorted(objects):
        offsets[number] = len(body)
        body += f"{number} 0 obj\n{objects[number]}\nendobj\n".encode("cp1252")

    start = len(body)
    size = max(objects) + 1
    table = "0000000000 65535 f \n"
    for number in range(1, size):
        use = "n" if number in offsets else "f"
        table += f"{offsets.get(number, 0):010d} 00000 {use} \n"
    end = f"<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n"
    body += f"xref\n0 {size}\n{table}trailer\n{end}".encode()
    return body


def grid(xs: Sequence[float], ys: Sequence[float]) -> str:
    """Return the operators that rule a table: lines at these places, y downwards from the top."""
    top, bottom = PAGE_HEIGHT - ys[0], PAGE_HEIGHT - ys[-1]
    lines = [f"{x} {top} m {x} {bottom} l S" for x in xs]
    for y in ys:
        height = PAGE_HEIGHT - y
        lines.append(f"{xs[0]} {height} m {xs[-1]} {height} l S")
    return "\n".join(lines)
