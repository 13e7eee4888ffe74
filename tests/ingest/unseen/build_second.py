"""Two more lectures in layouts that ingest was not tuned on: `python -m tests.ingest.unseen.build_second` makes them.

Both sources were finished before ingest saw either; they were measured once, with the rules of commit 927ffdb
(docs/notebook/reading.md has the figures). `magazine` is made by the command of weasyprint==70.0, which only this
script needs. `transcript` is made by typst.
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
@page { size: 8.25in 10.75in; margin: 22mm 16mm 20mm 16mm;
  @top-left { content: "The Night Shift Quarterly"; font: italic 8pt serif }
  @top-right { content: "Spring"; font: italic 8pt serif }
  @bottom-center { content: counter(page); font: 8pt serif } }
body { font: 10pt/1.38 "DejaVu Serif", serif; margin: 0 }
h1 { font-size: 26pt; line-height: 1.1; margin: 0 0 4pt 0; font-weight: normal }
.standfirst { font-style: italic; margin: 0 0 14pt 0; border-bottom: 0.5pt solid black; padding-bottom: 6pt }
article { columns: 2; column-gap: 8mm }
p { margin: 0; text-indent: 1.3em; text-align: justify; hyphens: auto; orphans: 2; widows: 2 }
h2 { font-size: 10pt; font-weight: normal; text-align: center; margin: 1.38em 0; letter-spacing: 0.06em }
h2 + p, p.first { text-indent: 0 }
p .cap { float: left; text-indent: 0; font-size: 38pt; line-height: 0.82; padding: 2pt 4pt 0 0 }
blockquote { column-span: all; font: italic 17pt/1.25 "DejaVu Serif", serif; text-align: center; margin: 14pt 24mm }
"""
TRANSCRIPT = """
#set page(paper: "a4", margin: (left: 52mm, right: 24mm, top: 28mm, bottom: 25mm),
  footer: context align(center, text(size: 8pt, fill: gray)[Transcript, #counter(page).display("1 of 1", both: true)]))
#set text(font: "Libertinus Serif", size: 11pt, lang: "en", hyphenate: false)
#set par(justify: false, leading: 0.72em, spacing: 1.25em)
#let turn(time, speaker, body) = block(width: 100%, breakable: true, {
  place(top + left, dx: -34mm, block(width: 30mm, {
    text(size: 8.5pt, weight: "bold", speaker)
    if speaker != "" { linebreak() }
    text(font: "DejaVu Sans Mono", size: 7.5pt, fill: gray, time) }))
  body })
"""


def build() -> None:
    """Write the PDFs and what they truly say."""
    truth = []
    for name, write, spoken in (("magazine", _magazine, False), ("transcript", _transcript, True)):
        lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        (FOLDER / f"{name}.pdf").write_bytes(write(lines))
        texts = [line.split("|")[2] if spoken else line for line in lines if line[0] not in "#>!["]
        truth += [
            {"document": name, "text": text, "opening_sentence": first_sentence(text), "playable": True}
            for text in texts
        ]
    rows = "".join(json.dumps(block, ensure_ascii=False) + "\n" for block in truth)
    (FOLDER / "truth_second.jsonl").write_text(rows, encoding="utf-8")


def _magazine(lines: Sequence[str]) -> bytes:
    title, standfirst, *rest = lines
    body = [f"<h1>{html.escape(title[2:])}</h1><div class=standfirst>{html.escape(standfirst[2:])}</div><article>"]
    for row, line in enumerate(rest):
        text = html.escape(line.lstrip("#! "))
        if line.startswith("## "):
            body.append(f"<h2>{text}</h2>")
        elif line.startswith("! "):
            body.append(f"<blockquote>{text}</blockquote>")
        else:
            opening = f"<span class=cap>{text[0]}</span>{text[1:]}"
            body.append(f"<p class=first>{opening}</p>" if row == 0 else f"<p>{text}</p>")
    page = f"<html lang=en><style>{STYLE}</style><body>{''.join(body)}</article></body></html>"
    return subprocess.run(["weasyprint", "-", "-"], input=page.encode(), check=True, capture_output=True).stdout


def _transcript(lines: Sequence[str]) -> bytes:
    body = [TRANSCRIPT]
    for line in lines:
        if line.startswith("# "):
            body.append(f"#text(size: 17pt)[{line[2:]}]")
        elif line.startswith("> "):
            body.append(f"#emph[{line[2:]}]\n#v(8pt)")
        elif line.startswith("["):
            body.append(f'#align(center)[#text(style: "italic")[\\{line[:-1]}\\]]]')
        else:
            time, speaker, text = line.split("|")
            body.append(f"#turn[{time}][{speaker}][{text}]")
    written: bytes = typst.compile("\n\n".join(body).encode(), format="pdf", timestamp=TIMESTAMP)
    return written


if __name__ == "__main__":
    build()
