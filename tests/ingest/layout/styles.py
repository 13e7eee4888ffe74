"""Documents of random contents in random styles, printed by Typst and by Chromium, and how they are read.

`python -m tests.ingest.layout.styles SEED N` prints, for N documents by each program in each language, how many
paragraphs are read with their opening sentence, how many whole, and how many of those read were not printed.
With `--show` it also prints each fault.
"""

import functools
import html
import itertools
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import typst

from configs.settings import load
from evaluate.games.labelled import token_f1
from ingest.pipeline.read_document import read_pdf
from quarry.course.sentences import opening_sentence

PHRASES = {
    "en": (
        "The clerk of the harbour|A full ledger|Dr. Rivera|In 1987 the council|Every packet|However, no tenant|It|"
        "The first row (cf. Sec. 2.1)|H. P. Weaver|A graph $G$ with $n$ nodes|Each map $f$|Their team of 12",
        "records|sorts|delays|never reads|splits|has counted|keeps|is said to weigh|compares",
        'the cargo|3.5 per cent of all tariffs|e.g. the north gate|its k-th cell|the "quiet margin" of a page|'
        "a lemma of Zorn|2,400 barrels|at most $n + 1$ edges|the state-of-the-art scale|what nobody expected|a key [7]",
        "before the winter|by St. Anne's bridge|w.r.t. the scale|(about 40 km away)|in $O(n)$ steps|under load|"
        "at 10 a.m. each day|and, as Fig. 3 shows, with a loss|while the lamp is lit; the rest is noise|for all $k$",
    ),
    "he": (
        "הפקיד של הנמל|ספר מלא|ד\"ר לוין|בשנת 1987 המועצה|כל חבילה ברשת|עם זאת, השוכר|השורה הראשונה (ראו עמ' 12)|"
        "הספרייה numpy|גרף $G$ עם $n$ קודקודים|צוות של 12 חוקרים|פרופ' שרה כהן|הפונקציה (function) הזאת",
        "רושמת|ממיין לאט|מעכב|לא קוראת|מפצל|סופרת שוב|שומר|משווה היטב",
        'את המטען|3.5 אחוזים מן המכסים|למשל את השער הצפוני|את ה"שוליים" של העמוד|2,400 חביות|לכל היותר $n + 1$ קשתות|'
        "את קובצי ה-PDF בשרת|מודל client-server פשוט|את מה שאיש לא ציפה לו|את הטבלה [7] כולה",
        'לפני החורף|ליד הגשר, כלומר מחוץ לעיר|(כ-40 ק"מ משם)|בזמן $O(n)$ לכל היותר|ב-10:30 בכל בוקר|תחת עומס|'
        "באמצעות TCP/IP ברשת|וכן, כפי שאיור 3 מראה, בהפסד|בזמן שהמנורה דולקת|עבור כל $k$ טבעי",
    ),
}
"""Beginnings of sentences, verbs, objects and further phrases, with formulas between "$"."""

LABELS = {
    "en": "Theorem|Definition|Example|Remark|Figure",
    "he": "משפט|הגדרה|דוגמה|הערה|איור",
}
"""Labels of numbered statements, and that of captions."""

COMMON = {
    "width": ["480", "540", "595"],
    "height": ["595", "780"],
    "margin": ["45", "60"],
    "columns": ["1", "1", "2"],
    "size": ["9", "10", "11", "12"],
    "leading": ["1.2", "1.35", "1.5", "2.1"],
    "colour": ["#000000", "#303a60"],
    "title": ["%s.", "%s.", "%s:"],
    "run_in": ["", "bold", "underlined", "italic"],
}
"""Variants of each part of a style; contents are inserted at %s."""

_BOX = "width: 100%%, inset: 8pt"
TYPST = {
    "document": [
        "#set page(width: %(width)spt, height: %(height)spt, margin: %(margin)spt, columns: %(columns)s, %(edges)s)\n"
        '#set text(font: ("%(font)s", "DejaVu Sans"), size: %(size)spt, lang: "%(language)s", fill: rgb("%(colour)s"),'
        " top-edge: 0.8em, bottom-edge: -0.2em, hyphenate: %(hyphenate)s)\n"
        "#set par(justify: %(justify)s, leading: %(leading)sem - 1em, %(paragraphs)s)\n"
    ],
    "font": ["Libertinus Serif", "New Computer Modern", "DejaVu Sans", "DejaVu Serif"],
    "edges": [
        "header: align(center)[Notes of a course]",
        'numbering: "1"',
        "header: context [A course #h(1fr) #counter(page).display()]",
    ],
    "justify": ["true", "false", "true, linebreaks: auto"],
    "hyphenate": ["true", "false"],
    "paragraphs": [
        "spacing: %(leading)sem - 1em, first-line-indent: (amount: 14pt, all: true)",
        "spacing: %(leading)sem - 1em, first-line-indent: 1.5em",
        "spacing: %(leading)sem",
        "spacing: %(leading)sem - 0.4em",
    ],
    "bold": ['#text(weight: "bold")[%s]'],
    "italic": ["#emph[%s]"],
    "underlined": ["#underline[%s]"],
    "formula": ["$%s$"],
    "note": ["%s#footnote[%s]"],
    "paragraph": ["%s\n\n"],
    "heading": [
        '#block(above: 1.8em, text(size: 1.4em, weight: "bold")[%s])\n',
        '#block(above: 2em, text(weight: "bold")[%s])\n',
        "#block(above: 2em, align(center, text(size: 1.2em)[#smallcaps[%s]]))\n",
    ],
    "statement": [
        '#block(spacing: 2.2em)[#text(weight: "bold")[%s] %s]\n',
        "#block(spacing: 2.2em)[#emph[%s] %s]\n",
        '#block(spacing: 2.2em)[#text(weight: "bold")[%s] #emph[%s]]\n',
        "#block(spacing: 2.2em, inset: (x: 1em))[#smallcaps[%s] %s]\n",
        f"#block(fill: luma(235), {_BOX})[#underline[%s] %s]\n",
    ],
    "list": [
        "#list(marker: [•], %s)\n",
        "#list(marker: [–], indent: 1em, %s)\n",
        '#enum(numbering: "1.", %s)\n',
        '#enum(numbering: "(a)", indent: 1em, spacing: 1.5em, %s)\n',
    ],
    "item": ["[%s],"],
    "box": [
        f"#block(fill: luma(235), {_BOX})[%s]\n",
        f"#block(stroke: 0.5pt, {_BOX})[%s]\n",
    ],
    "code": ['#block(text(font: "DejaVu Sans Mono", dir: ltr, size: 0.8em)[%s])\n'],
    "table": ["#table(columns: 3, %s)\n", "#table(columns: 3, stroke: none, %s)\n"],
    "row": ["%s"],
    "cell": ["[%s],"],
    "caption": [
        "#align(center, block(text(size: 0.85em)[%s %s]))\n",
        '#block(text(size: 0.9em)[#text(weight: "bold")[%s] %s])\n',
    ],
    "line": ["%s#linebreak()"],
}

_FILLED = '<div style="background: #e8e8e8; padding: 8pt">'
CHROMIUM = {
    "document": [
        '<!DOCTYPE html><html lang="%(language)s" dir="%(dir)s"><meta charset="utf-8"><style>'
        "@page { size: %(width)spt %(height)spt; margin: %(margin)spt; %(edges)s }\n"
        "body { margin: 0; font: %(size)spt/%(leading)s '%(font)s'; columns: %(columns)s; "
        "color: %(colour)s; %(justify)s }\n"
        "p { %(paragraphs)s }</style>\n"
    ],
    "font": [
        "DejaVu Serif",
        "DejaVu Sans",
        "DejaVu Sans Condensed",
        "DejaVu Serif Condensed",
    ],
    "edges": [
        "@bottom-center { content: counter(page) }",
        "@top-left { content: 'A course' } @top-right { content: counter(page) }",
        "",
    ],
    "justify": ["text-align: justify; hyphens: auto", "text-align: justify", ""],
    "paragraphs": [
        "margin: 0; text-indent: 1.5em",
        "margin: 0.6em 0",
        "margin: 1em 0",
    ],
    "bold": ["<b>%s</b>"],
    "italic": ["<i>%s</i>"],
    "underlined": ["<u>%s</u>"],
    "formula": ["<i>%s</i>"],
    "note": ["%s<sup>1</sup><!-- %s -->"],
    "paragraph": ["<p>%s</p>\n"],
    "heading": [
        "<h2>%s</h2>\n",
        "<h4>%s</h4>\n",
        '<h3 style="text-align: center; font-weight: normal">%s</h3>\n',
    ],
    "statement": [
        "<p><b>%s</b> %s</p>\n",
        "<p><i>%s</i> %s</p>\n",
        "<p><b>%s</b> <i>%s</i></p>\n",
        '<p style="margin: 1em"><span style="font-variant: small-caps">%s</span> %s</p>\n',
        f"{_FILLED}<u>%s</u> %s</div>\n",
    ],
    "list": [
        "<ul>%s</ul>\n",
        """<ul style='list-style: "– "'>%s</ul>\n""",
        "<ol>%s</ol>\n",
        '<ol type="a">%s</ol>\n',
        '<ul style="list-style: square inside">%s</ul>\n',
    ],
    "item": ["<li>%s</li>\n", '<li style="margin: 0.7em 0">%s</li>\n'],
    "box": [
        f"{_FILLED}%s</div>\n",
        '<div style="border: 1px solid; padding: 8pt">%s</div>\n',
    ],
    "code": ['<pre dir="ltr" style="font-size: 0.8em">%s</pre>\n'],
    "table": ["<table>%s</table>\n", '<table border="1">%s</table>\n'],
    "row": ["<tr>%s</tr>"],
    "cell": ["<td>%s</td>"],
    "caption": [
        '<p style="text-align: center; font-size: 0.85em">%s %s</p>\n',
        '<p style="font-size: 0.9em"><b>%s</b> %s</p>\n',
    ],
    "line": ["%s\n"],
}


CODE = """
def scan(rows, limit=4):
    total = 0
    for row in rows:
        if row.weight > limit:
            total += row.weight
    return total
"""


class Program(NamedTuple):
    """A program that prints: variants of its styles, how it quotes a text, and how it prints a source as a PDF."""

    variants: dict[str, list[str]]
    quote: Callable[[str], str]
    write: Callable[[str, Path], None]


def _quote_for_typst(text: str) -> str:
    return f"#{json.dumps(text, ensure_ascii=False)};"


def _write_with_typst(source: str, path: Path) -> None:
    path.write_bytes(typst.compile(source.encode()))


def _write_with_chromium(source: str, path: Path) -> None:
    page = path.with_suffix(".html")
    page.write_text(source, "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    command = ["chromium", *options, f"--print-to-pdf={path}", str(page)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


PROGRAMS = {
    "typst": Program(TYPST, _quote_for_typst, _write_with_typst),
    "chromium": Program(CHROMIUM, html.escape, _write_with_chromium),
}


class Document:
    """A random document: its source, the openings of its paragraphs by their texts, and its other texts."""

    def __init__(self, program: str, language: str, seed: int) -> None:
        self._random = random.Random(seed)
        self.program = PROGRAMS[program]
        self._phrases = [part.split("|") for part in PHRASES[language]]
        *self._labels, self._caption_label = LABELS[language].split("|")
        self._style = {
            "language": language,
            "dir": "rtl" if language == "he" else "ltr",
        }
        for kind, variants in (COMMON | self.program.variants).items():
            self._style[kind] = self._random.choice(variants)

        self.openings: dict[str, str] = {}
        self.others: set[str] = set()
        self.source = self._style["document"] % self._style % self._style
        kinds = [self._paragraph] * 5 + [
            self._list,
            self._list,
            self._statement,
            self._statement,
            self._heading,
            self._heading,
            self._box,
            self._code,
            self._table,
            self._caption,
        ]
        for _ in range(self._random.randint(15, 30)):
            self.source += self._random.choice(kinds)()

    def _put(self, kind: str, *contents: str) -> str:
        """Return contents in the style of a kind."""
        return self._style[kind] % contents

    def _show(self, text: str) -> str:
        """Return the source of a text with formulas."""
        shown = ""
        for position, part in enumerate(text.split("$")):
            shown += (
                self._put("formula", part) if position % 2 else self.program.quote(part)
            )
        return shown

    def _sentence(self) -> list[str]:
        """Return the phrases of a sentence."""
        begins, verbs, objects, others = self._phrases
        phrases = [self._random.choice(part) for part in (begins, verbs, objects)]
        phrases += self._random.sample(others, self._random.randint(0, 2))
        phrases[-1] += "."
        return phrases

    def _text(self, least: int, most: int, title: str = "") -> str:
        """Return the source of some sentences, one of the texts that are to be read."""
        sentences = [self._sentence() for _ in range(self._random.randint(least, most))]
        phrases = [*itertools.chain.from_iterable(sentences)]
        text = " ".join(phrases).replace("$", "")
        opening = " ".join(sentences[0]).replace("$", "")
        if title:
            text = f"{title} {text}"
            opening = opening_sentence(text)
        self.openings[text] = opening

        shown = [self._show(phrase) for phrase in phrases]
        if mark := self._random.choice(["", "", self._style["run_in"]]):
            shown[0] = self._put(mark, shown[0])
        elif mark := self._random.choice(["", "", "bold", "italic", "underlined"]):
            position = self._random.randrange(len(shown))
            shown[position] = self._put(mark, shown[position])
        return " ".join(shown)

    def _paragraph(self) -> str:
        text = self._text(2, 6)
        if self._random.random() < 0.1:
            note = self._other(" ".join(self._sentence()))
            text = self._put("note", text, note)
        return self._put("paragraph", text)

    def _other(self, text: str) -> str:
        """Return the source of a text that need not be read."""
        self.others.add(text.replace("$", ""))
        return self._show(text)

    def _box(self) -> str:
        return self._put("box", self._paragraph())

    def _list(self) -> str:
        items = [
            self._put("item", self._text(1, 2))
            for _ in range(self._random.randint(2, 5))
        ]
        return self._put("list", "".join(items))

    def _title(self, label: str) -> str:
        number = self._random.choice(["%d", "%d.2", "2.%d"]) % self._random.randint(
            1, 12
        )
        return self._put("title", f"{label} {number}")

    def _statement(self) -> str:
        title = self._title(self._random.choice(self._labels))
        text = self._text(1, 3, title)
        return self._put("statement", self._show(title), text)

    def _heading(self) -> str:
        number = self._random.choice(["", "3 ", "2.4 "])
        _, _, objects, _ = self._phrases
        return self._put(
            "heading", self._other(number + self._random.choice(objects).capitalize())
        )

    def _caption(self) -> str:
        title = self._title(self._caption_label)
        text = " ".join(self._sentence())
        self.others.add(f"{title} {text}".replace("$", ""))
        return self._put("caption", self._show(title), self._show(text))

    def _code(self) -> str:
        lines = [
            self._put("line", self.program.quote(line)) for line in CODE.splitlines()
        ]
        return self._put("code", "".join(lines))

    def _table(self) -> str:
        rows = ""
        for _ in range(3):
            cells = [
                self._put("cell", self._show(self._random.choice(part)))
                for part in self._phrases[:3]
            ]
            rows += self._put("row", "".join(cells))
        return self._put("table", rows)


def read_styles(
    program: str,
    language: str,
    seed: int,
    n_documents: int,
    is_shown: bool = False,
) -> Counter[str]:
    """Print documents with a program, read them, and count their paragraphs.

    Args:
        is_shown: whether to print the faults.

    Returns:
        Numbers of the paragraphs that are printed, that are begun rightly and read whole, and of false ones.
    """
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "styles.pdf")
        for number in range(n_documents):
            document = Document(program, language, 1000 * seed + number)
            document.program.write(document.source, path)
            paragraphs = read_pdf(path, "styles", "", load().ingest).paragraphs
            texts = {paragraph.text for paragraph in paragraphs}
            openings = {paragraph.opening_sentence for paragraph in paragraphs}

            counts["printed"] += len(document.openings)
            for text, opening in document.openings.items():
                counts["begun"] += opening in openings
                counts["whole"] += text in texts
                if is_shown and text not in texts:
                    nearest = max(texts, key=functools.partial(token_f1, text))
                    print(f"{number} printed: {text}\n{number} read:    {nearest}\n")

            printed = {*document.openings.values(), *document.others}
            for paragraph in paragraphs:
                is_printed = not printed.isdisjoint(
                    (paragraph.text, paragraph.opening_sentence)
                )
                if paragraph.kind == "prose" and not is_printed:
                    counts["false"] += 1
                    if is_shown:
                        print(f"{number} false:   {paragraph.text}\n")
    return counts


def main(seed: int, n_documents: int, is_shown: bool) -> None:
    """Print the shares for each program that is installed and each language."""
    for program, language in itertools.product(PROGRAMS, PHRASES):
        if program == "chromium" and shutil.which(program) is None:
            continue
        counts = read_styles(program, language, seed, n_documents, is_shown)
        n_printed = counts["printed"]
        begun = counts["begun"] / n_printed
        whole = counts["whole"] / n_printed
        print(
            f"{program} {language}: {n_printed} paragraphs, {begun:.3f} begun, {whole:.3f} whole, "
            f"{counts['false']} false"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), "--show" in sys.argv)
