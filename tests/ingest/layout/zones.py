"""Pages of random zones, printed by Typst: columns in columns, notes next to text, titles across, all widths.

`python -m tests.ingest.layout.zones SEED N` prints how many paragraphs of N pages are read whole and in order.
"""

import itertools
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import typst

from configs.settings import load
from ingest.pipeline.read_document import read_pdf

_NOUNS = """
harbour clerk ledger vessel cargo tariff merchant lamp wick stair barrel scale mark owner council quay herring
sailor berth keeper winter town rope strand shed oak estuary mud cloth thread guild border weaver carpenter
coast report neighbour quarrel court ink line entry house letter phrase speech dinner medal society painter
petition quarter season
"""
"""Words that begin and end sentences."""

_LINKS = "the of a in that with for by from when while since and but under over near before after"
"""Words between them."""

WIDTH = 540
MIN_WIDTH = 270
"""Width of the text of a page, and minimal width of a zone that is divided, in points."""


class Page:
    """A page of random zones: its source, and its paragraphs in reading order, notes in the margin among them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.paragraphs: list[str] = []
        self.notes: set[str] = set()
        self._size = self._random.choice([8.5, 9, 9.5, 10])
        is_indented = self._random.random() < 0.4
        spacing = 0.55 if is_indented else self._random.choice([0.9, 1.2])
        indent = "(amount: 9pt, all: true)" if is_indented else "0pt"
        breaks = self._random.choice(
            ["true, linebreaks: auto", 'false, linebreaks: "simple"']
        )

        self.source = (
            "#set page(width: 660pt, height: auto, margin: 60pt)\n"
            f"#set text(size: {self._size}pt, hyphenate: false)\n"
            f"#set par(justify: {breaks}, leading: 0.5em, spacing: {spacing}em, first-line-indent: {indent})\n"
            f"{self._zone(WIDTH, 3)}"
        )

    def _paragraph(self, least: int, most: int) -> str:
        choice = self._random.choice
        sentences = []
        for _ in range(self._random.randint(least, most)):
            words = []
            for _ in range(self._random.randint(4, 8)):
                words += [choice(_NOUNS.split()), choice(_LINKS.split())]
            words.append(choice(_NOUNS.split()))
            sentences.append(" ".join(words).capitalize() + ".")
        self.paragraphs.append(" ".join(sentences))
        return self.paragraphs[-1]

    def _zone(self, width: float, depth: int) -> str:
        kinds: list[Callable[[float, int], str]] = [self._text]
        if depth and width >= MIN_WIDTH:
            kinds += [self._columns, self._note, self._stack, self._stack]
        return self._random.choice(kinds)(width, depth)

    def _text(self, width: float, depth: int) -> str:
        n_paragraphs = self._random.randint(1, 3)
        return "\n\n".join([self._paragraph(4, 7) for _ in range(n_paragraphs)])

    def _columns(self, width: float, depth: int) -> str:
        n_columns = self._random.choice([2, 3]) if width > 450 else 2
        gutter = self._random.choice([12, 16, 20, 26])
        shares = [self._random.choice([1, 1.3, 1.6]) for _ in range(n_columns)]
        room = width - gutter * (n_columns - 1)
        cells = [
            f"[{self._zone(room * share / sum(shares), depth - 1)}]" for share in shares
        ]
        widths = ", ".join(f"{share}fr" for share in shares)
        return (
            f"#grid(columns: ({widths}), column-gutter: {gutter}pt, {', '.join(cells)})"
        )

    def _note(self, width: float, depth: int) -> str:
        text = self._paragraph(1, 1)
        self.notes.add(text)
        note = f"[#set text(size: {self._size - 2.5}pt)\n{text}]"
        return f"#grid(columns: (0.36fr, 1fr), column-gutter: 16pt, {note}, [{self._zone(0.7 * width, depth - 1)}])"

    def _stack(self, width: float, depth: int) -> str:
        zones = []
        for _ in range(self._random.randint(2, 3)):
            if self._random.random() < 0.3:
                title = " ".join(self._random.sample(_NOUNS.split(), 4)).capitalize()
                zones.append(f"#text(size: {self._size + 4}pt)[{title}]")
            zones.append(self._zone(width, depth - 1))
        return f"\n#v({self._random.choice([6, 12, 18])}pt)\n".join(zones)


def read_zones(seed: int, n_pages: int) -> tuple[float, float]:
    """Return the share of the paragraphs of random pages that are read whole, and how many of these are in order.

    Notes may come before or after the text next to them.
    """
    n_paragraphs = n_whole = n_pairs = n_in_order = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "zones.pdf")
        for number in range(n_pages):
            page = Page(1000 * seed + number)
            path.write_bytes(typst.compile(page.source.encode()))
            read = read_pdf(path, "zones", "", load().ingest).paragraphs
            places = {paragraph.text: place for place, paragraph in enumerate(read)}
            n_paragraphs += len(page.paragraphs)
            n_whole += len(places.keys() & page.paragraphs)
            text = [text for text in page.paragraphs if text not in page.notes]
            found = [places[text] for text in text if text in places]
            for one, other in itertools.pairwise(found):
                n_pairs += 1
                n_in_order += one < other

    return n_whole / n_paragraphs, n_in_order / n_pairs


if __name__ == "__main__":
    whole, in_order = read_zones(int(sys.argv[1]), int(sys.argv[2]))
    print(f"{whole:.3f} of the paragraphs whole, {in_order:.3f} of these in order")
