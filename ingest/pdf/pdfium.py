"""Reader of pages with PDFium, the default reader: it is fast, and right about characters."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import mean, median

import pypdfium2
import pypdfium2.raw as pdfium

from ingest.errors import SourceError
from ingest.pdf.drawings import (
    Drawing,
    add_brackets,
    add_roots,
    find_bullets,
    find_drawings,
    find_pictures,
    find_ruled_lines,
    table_rules,
)
from ingest.pdf.forms import find_cut_texts
from ingest.pdf.frame import Frame
from ingest.pdf.model import UNKNOWN, Fonts, Glyph, GlyphPage, space_between
from ingest.pdf.pdfium_text import PageText
from ingest.pdf.structure import find_elements
from ingest.pdf.tables import find_tables

FEW_GLYPHS = 40
"""Minimum number of glyphs on a page of text; a stamp has fewer."""
MIN_IMAGE_SHARE = 0.5
"""Minimum share of a scanned page that images cover."""
MIN_UNKNOWN_SHARE = 0.125
"""Minimum share of glyphs without Unicode in a font that nobody can read."""

MIN_LINE = 12
"""Minimum number of glyphs of an invisible line with a size of its own."""

OTHER_WIDTH = 0.35
"""Minimum absolute logarithm of the relative width of the glyphs of such a line."""

BOLD_SHIFT = 0.05
"""Maximum distance of two copies of a glyph that are drawn to look bold, in ems."""
NEAR_COPY = 0.3
"""Maximum distance of a transparent copy of a glyph from a visible one, in font sizes."""
MAX_WORD_OFFSET = 0.35
"""Maximum distance of the baselines of two words of one line of an invisible text, in font sizes."""
WORD_SPACE = 0.1
"""White space between two such words of which one reaches over the other, in font sizes."""
MEAN_WIDTH = 0.5
"""Mean width of the glyphs of a text, in ems."""


class PdfiumReader:
    """Reader of glyphs with PDFium.

    Raises:
        SourceError: the file is encrypted, damaged or without pages.
    """

    name = "pypdfium2"

    def __init__(self, path: Path, content: bytes) -> None:
        self.fonts = Fonts()
        self._numbers = itertools.count(1)
        self._path = path
        try:
            self._document = pypdfium2.PdfDocument(content)
            self.n_pages = len(self._document)
        except pypdfium2.PdfiumError as error:
            fault = "the PDF is damaged; get the file again"
            if error.err_code == pdfium.FPDF_ERR_PASSWORD:
                fault = "is encrypted; save it without a password"
            raise SourceError(f"{path}: {fault}") from error
        name = ctypes.create_string_buffer(8)
        pdfium.FPDF_VIEWERREF_GetName(self._document.raw, b"Direction", name, 8)
        self._r2l = name.value == b"R2L"

    def page(self, index: int) -> GlyphPage:
        """Return the page at a position, 0-based.

        Raises:
            SourceError: the page is damaged.
        """
        with self._opened(index) as page:
            frame = Frame.of(page)
            elements = find_elements(page, self._numbers)
            cut = find_cut_texts(page)
            with contextlib.closing(page.get_textpage()) as text_page:
                raw = text_page.raw
                text = PageText(raw, self.fonts, frame, self._r2l, elements, cut)
                glyphs = text.glyphs()
                turn = text.usual_turn
                if turn != frame.turn and len(glyphs) < FEW_GLYPHS:
                    sideways = frame.turned(turn)
                    text = PageText(raw, self.fonts, sideways, self._r2l, elements, cut)
                    turned = text.glyphs()
                    if len(turned) >= FEW_GLYPHS:  # and not a stamp
                        frame, glyphs = sideways, turned
                glyphs = _each_once(glyphs)
                n_seen = sum(glyph.is_seen for glyph in glyphs)
                if 0 < n_seen < len(glyphs):
                    glyphs = _without_copies(glyphs)
                # the text layer that OCR engines add to a scan is invisible
                if 2 * n_seen < len(glyphs):
                    _even_sizes(glyphs)
                    _even_words(glyphs)
            drawings = find_drawings(page, frame)

        add_brackets(glyphs, drawings)
        add_roots(glyphs, drawings)
        rules = table_rules(drawings)
        is_scanned = not glyphs and _image_share(drawings, frame) > MIN_IMAGE_SHARE
        return GlyphPage(
            width=frame.width,
            height=frame.height,
            glyphs=glyphs,
            dots=find_bullets(drawings),
            ruled_lines=find_ruled_lines(drawings),
            pictures=find_pictures(drawings),
            tables=find_tables(rules, glyphs, frame.width),
            needs_ocr=is_scanned or _is_unreadable(glyphs),
        )

    def metadata(self, key: str) -> str:
        """Return a value of the file's metadata, "" if it is absent."""
        return str(self._document.get_metadata_value(key))

    @contextlib.contextmanager
    def _opened(self, index: int) -> Iterator[pypdfium2.PdfPage]:
        """Yield the page at a position, 0-based, and close it.

        Raises:
            SourceError: the page is damaged.
        """
        try:
            with contextlib.closing(self._document[index]) as page:
                yield page
        except pypdfium2.PdfiumError as error:
            raise SourceError(
                f"{self._path} page {index + 1} is damaged; get the file again"
            ) from error

    def close(self) -> None:
        """Free the file."""
        self._document.close()


def _each_once(glyphs: list[Glyph]) -> list[Glyph]:
    """Return the glyphs without those that are drawn a second time at the same place, or beside it to look bold."""
    places = {(glyph.text, int(glyph.x0), int(glyph.y)) for glyph in glyphs}
    if len(places) == len(glyphs):
        return glyphs

    drawn: defaultdict[tuple[object, ...], list[tuple[float, float]]]
    drawn = defaultdict(list)
    whole = []
    for glyph in glyphs:
        kind = glyph.text, glyph.size, glyph.is_seen
        x, y = place = glyph.x0 / glyph.size, glyph.y / glyph.size
        columns = {(x - BOLD_SHIFT) // 1, (x + BOLD_SHIFT) // 1}
        rows = {(y - BOLD_SHIFT) // 1, (y + BOLD_SHIFT) // 1}
        cells = itertools.product([kind], columns, rows)
        near = itertools.chain.from_iterable(map(drawn.__getitem__, cells))
        if not any(math.dist(place, other) <= BOLD_SHIFT for other in near):
            drawn[kind, x // 1, y // 1].append(place)
            whole.append(glyph)
    return whole


def _without_copies(glyphs: list[Glyph]) -> list[Glyph]:
    """Return the glyphs without the transparent ones over visible ones: some programs write a text twice."""
    seen: defaultdict[int, list[Glyph]] = defaultdict(list)
    for glyph in glyphs:
        if glyph.is_seen:
            seen[round(glyph.y)].append(glyph)

    whole = []
    for glyph in glyphs:
        if glyph.is_seen:
            whole.append(glyph)
            continue
        reach = NEAR_COPY * glyph.size
        rows = range(round(glyph.y - reach), round(glyph.y + reach) + 1)
        below = itertools.chain.from_iterable(seen.get(row, ()) for row in rows)
        is_copy = any(
            other.text == glyph.text and abs(other.middle - glyph.middle) < reach
            for other in below
        )
        if not is_copy:
            whole.append(glyph)
    return whole


def _even_sizes(glyphs: list[Glyph]) -> None:
    """Set the font sizes of an invisible text layer by the widths of its glyphs.

    OCR engines stretch letters of any size to the width of the word that they see.
    """
    usual = median([glyph.x1 - glyph.x0 for glyph in glyphs])
    for _, group in itertools.groupby(glyphs, key=lambda glyph: round(glyph.y)):
        line = list(group)
        width = mean([glyph.x1 - glyph.x0 for glyph in line])
        is_known = len(line) >= MIN_LINE and width > 0 and usual > 0
        is_usual = not is_known or abs(math.log(width / usual)) < OTHER_WIDTH
        for glyph in line:
            glyph.size = (usual if is_usual else width) / MEAN_WIDTH


def _even_words(glyphs: Iterable[Glyph]) -> None:
    """Move the words of each line of an invisible text layer to one baseline, and apart.

    Some OCR engines put each word on the lower edge of its box, which is lower for words with a g or a comma, and let
    it reach over the beginning of the next.
    """
    lines: list[list[Glyph]] = []
    for _, group in itertools.groupby(glyphs, key=lambda glyph: glyph.y):
        word = list(group)
        em = word[0].size
        last = lines[-1][-1] if lines else word[0]
        is_level = abs(word[0].y - last.y) < MAX_WORD_OFFSET * em
        if lines and is_level and abs(space_between(last, word[0])) < em:
            lines[-1] += word
        else:
            lines.append(word)

    for line in lines:
        baseline = median([glyph.y for glyph in line])
        last = line[0]
        for position, glyph in enumerate(line):
            glyph.y = baseline
            if glyph.text == " ":
                continue
            if line[position - 1].text == " " and last.x0 < glyph.x0:
                _end_before(line[:position], glyph)
            last = glyph


def _end_before(line: Sequence[Glyph], after: Glyph) -> None:
    """Move the last glyphs of a line that reach over the first glyph of the next word."""
    right = after.x0 - WORD_SPACE * after.size
    for glyph in reversed(line):
        if glyph.x1 <= right:
            break
        glyph.x0 = min(glyph.x0, right)
        glyph.x1 = right


def _is_unreadable(glyphs: Sequence[Glyph]) -> bool:
    """Return whether most glyphs of a page are in fonts that do not tell what their glyphs are."""
    n_of_font = Counter(glyph.font for glyph in glyphs)
    n_unknown = Counter(glyph.font for glyph in glyphs if UNKNOWN in glyph.text)
    n_unreadable = 0
    for font, n_glyphs in n_of_font.items():
        if n_unknown[font] > MIN_UNKNOWN_SHARE * n_glyphs:
            n_unreadable += n_glyphs
    return len(glyphs) >= FEW_GLYPHS and 2 * n_unreadable > len(glyphs)


def _image_share(drawings: Iterable[Drawing], frame: Frame) -> float:
    """Return the share of a page that its images cover together, 0..1."""
    covered = 0.0
    for drawing in drawings:
        if drawing.is_image:
            covered += drawing.box.area
    return min(1.0, covered / max(1.0, frame.width * frame.height))
