"""Two lectures in layouts that ingest was not tuned on: `python -m tests.ingest.unseen.build` makes them.

They were written and measured once, after the last change to the rules of reading (docs/notebook/reading.md has the
figures). To tune on them would make them worthless.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from pathlib import Path

import typst

FOLDER = Path(__file__).parent
TIMESTAMP = datetime.datetime(2026, 1, 15, tzinfo=datetime.UTC)
HANDOUT = """
#set page(paper: "a4", flipped: true, margin: (left: 36pt, right: 120pt, y: 40pt), columns: 3,
  foreground: {
    place(top + left, dx: 735pt, dy: 90pt, block(width: 90pt, text(size: 7pt)[Shannon priced symbols in 1948; the
      word bit is Tukey's.]))
    place(top + left, dx: 735pt, dy: 300pt, block(width: 90pt, text(size: 7pt)[Exercise: draw the tree for the letters
      of your own name, and decode it aloud.]))
  })
#set columns(gutter: 18pt)
#set text(size: 13.5pt, lang: "en", hyphenate: true)
#set par(justify: true, leading: 0.55em, spacing: 1.1em)
#let title(body) = place(top, float: true, scope: "parent", align(left, text(size: 20pt, weight: "bold", body)))
#let section(body) = block(above: 1.4em, below: 0.8em, text(size: 11pt, weight: "bold", fill: rgb("#7a1f1f"), body))
#let opening(initial, first, rest) = par({
  h(21pt); box(width: 0pt, height: 0pt, place(top + left, dx: -21pt, dy: -8pt, text(size: 31pt, initial)))
  first; linebreak(justify: true); h(21pt); rest })
"""
REPORT = """
#set page(paper: "us-letter", margin: (left: 100pt, right: 80pt, y: 80pt), footer: context align(right,
  text(size: 8pt)[Sheet #counter(page).display()]))
#set text(font: "Libertinus Serif", size: 12pt, lang: "en")
#set par(justify: false, leading: 0.9em, first-line-indent: (amount: 24pt, all: true), spacing: 0.9em)
#set par.line(numbering: n => text(size: 7pt)[#n])
#let title(body) = {
  align(right)[Office of Time and Measures\\ 12 Harbour Road\\ 3 February 2025]
  v(20pt)
  align(center, text(size: 12pt, upper(body)))
  v(10pt) }
#let section(body) = block(above: 2em, below: 1.2em, width: 100%, align(center, emph(body)))
"""
FIRST_LINE = 29
"""Characters that fit beside a drop cap."""
LAYOUTS = {"handout": HANDOUT, "report": REPORT}


def build() -> None:
    """Write the PDFs and what they truly say."""
    truth = []
    for name, preamble in LAYOUTS.items():
        lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        body = [_typeset(name, lines, row) for row in range(len(lines))]
        source = "\n\n".join([preamble, *body])
        pdf = typst.compile(source.encode(), format="pdf", timestamp=TIMESTAMP)
        (FOLDER / f"{name}.pdf").write_bytes(pdf)
        truth += [
            {"document": name, "text": line, "opening_sentence": first_sentence(line), "playable": True}
            for line in lines
            if not line.startswith("#")
        ]
    text = "".join(json.dumps(block, ensure_ascii=False) + "\n" for block in truth)
    (FOLDER / "truth.jsonl").write_text(text, encoding="utf-8")


def _typeset(name: str, lines: Sequence[str], row: int) -> str:
    line = lines[row]
    if line.startswith("## "):
        return f"#section[{line[3:]}]"
    if line.startswith("# "):
        return f"#title[{line[2:]}]"
    if name == "handout" and lines[row - 1].startswith("## "):
        cut = line.rindex(" ", 0, FIRST_LINE)
        return f"#opening[{line[0]}][{line[1:cut]}][{line[cut + 1 :]}]"
    return line


def first_sentence(paragraph: str) -> str:
    """Up to the first mark that ends a sentence; the texts have no abbreviations."""
    end = min(paragraph.index(mark) for mark in (". ", "? ") if mark in paragraph)
    return paragraph[: end + 1]


if __name__ == "__main__":
    build()
