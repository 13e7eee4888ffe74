"""A third pair of lectures in layouts that ingest was not tuned on: `python -m tests.ingest.unseen.build_third`.

Both were finished before ingest saw either, and measured once (docs/notebook/reading.md has the figures).
`exam` is made by the command of weasyprint==70.0, which only this script needs, and `twoup` by typst.
"""

from __future__ import annotations

import html
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import typst

from tests.ingest.unseen.build import TIMESTAMP, first_sentence

FOLDER = Path(__file__).parent
STYLE = """
@page { size: A4; margin: 25mm 38mm 22mm 22mm;
  @top-right { content: "Turn over"; font: 8pt sans-serif }
  @bottom-left { content: "OS/2 page " counter(page) " of " counter(pages); font: 8pt sans-serif } }
body { font: 10.5pt/1.45 "DejaVu Sans", sans-serif; margin: 0 }
h1 { font-size: 15pt; text-align: center }
.rules { border: 0.7pt solid black; padding: 6pt; margin-bottom: 14pt; font-size: 9.5pt }
ol.outer > li { margin-bottom: 12pt; padding-left: 4mm }
ol.inner { list-style: lower-alpha; margin: 5pt 0 0 0 }
ol.inner li { position: relative; margin-bottom: 3pt }
.marks { position: absolute; right: -24mm; bottom: 0; width: 18mm; text-align: right }
"""
TWOUP = """
#set page(paper: "a4", flipped: true, margin: (x: 16mm, top: 24mm, bottom: 20mm), columns: 2,
  header: grid(columns: (1fr, 1fr), column-gutter: 26mm,
    [#text(8pt)[Queues] #h(1fr) #text(8pt)[Week 7]], [#text(8pt)[Queues] #h(1fr) #text(8pt)[Week 7]]),
  footer: context { let n = 2 * counter(page).get().first()
    grid(columns: (1fr, 1fr), column-gutter: 26mm, align(center, text(8pt)[#(n - 1)]), align(center, text(8pt)[#n])) })
#set columns(gutter: 26mm)
#set text(font: "New Computer Modern", size: 10.5pt, lang: "en", hyphenate: true)
#set par(justify: true, leading: 0.6em, spacing: 0.6em, first-line-indent: 14pt)
#let section(body) = block(above: 1.5em, below: 0.9em, smallcaps(body))
"""


def build() -> None:
    """Write the PDFs and what they truly say."""
    truth = []
    for name, write in (("exam", _exam), ("twoup", _twoup)):
        lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        (FOLDER / f"{name}.pdf").write_bytes(write(lines))
        texts = [line.rstrip("|") for line in lines if line[0] not in "#>-"]
        truth += [
            {"document": name, "text": text, "opening_sentence": first_sentence(text), "playable": True}
            for text in texts
        ]
    rows = "".join(json.dumps(block, ensure_ascii=False) + "\n" for block in truth)
    (FOLDER / "truth_third.jsonl").write_text(rows, encoding="utf-8")


def _exam(lines: Sequence[str]) -> bytes:
    title, rules, *questions = (html.escape(line) for line in lines)
    body = f"<h1>{title[2:]}</h1><div class=rules>{rules[5:]}</div><ol class=outer>"
    is_open = False
    for question in questions:
        text, marks = question.split("|")
        if text.startswith("- "):
            body += "" if is_open else "<ol class=inner>"
            body += f"<li>{text[2:]}<span class=marks>[{marks}]</span></li>"
        else:
            body += f"{'</ol>' if is_open else ''}<li>{text}"
        is_open = text.startswith("- ")
    page = f"<html lang=en><style>{STYLE}</style><body>{body}</ol></ol></body></html>"
    return subprocess.run(["weasyprint", "-", "-"], input=page.encode(), check=True, capture_output=True).stdout


def _twoup(lines: Sequence[str]) -> bytes:
    body = [TWOUP]
    for line in lines:
        if line.startswith("## "):
            body.append(f"#section[{line[3:]}]")
        elif line.startswith("# "):
            body.append(f"#text(size: 18pt)[{line[2:]}]")
        else:
            body.append(line)
    written: bytes = typst.compile("\n\n".join(body).encode(), format="pdf", timestamp=TIMESTAMP)
    return written


if __name__ == "__main__":
    build()
