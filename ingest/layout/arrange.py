"""Lines of a document in reading order, without running heads, with the margins of their columns and footnotes."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ingest.layout.bidi import has_rtl_letter
from ingest.layout.cells import CellLines, split_by_cells
from ingest.layout.columns import find_columns, group_by_baseline
from ingest.layout.drop_caps import with_drop_caps
from ingest.layout.extract import Page, Pdf
from ingest.layout.line import (
    FLUSH,
    MAX_INDENT,
    PROOF_ENDS,
    SMALL_PRINT,
    WORD_SHARE,
    Line,
    PlacedLine,
    print_of,
)
from ingest.layout.margins import (
    is_at_edge,
    split_off_notes,
    without_line_numbers,
    without_running_heads,
    without_stray_signs,
)
from ingest.layout.rows import SEGMENT_GAP
from ingest.pdf.model import UNKNOWN, Box, edges, space_between

MIN_PROSE_LINES = 6
"""Minimum number of lines of prose that alone define the margins of a column."""

_LABEL_AND_ITEM = re.compile(
    r"[^\W\d_]{3,} [\dIVX]+(?:\.\d+)*[.:]?\|\(?(?:\d{1,2}|[a-zא-ת])[.)]"
)
"""A label such as "Exercise 5." and the number of its first item."""

_NOTE_SIGNS = frozenset("*†‡§¶" + UNKNOWN)
"""Signs with which a footnote begins."""

TITLE_PART = 0.6
"""Share of the height of the first page, from the top, that may hold the title and the number of the lecture."""

LARGE_PRINT = 1.15
"""Minimum font size of a title, in sizes of the text."""

SAME_TITLE = 0.97
"""Minimum font size of the lines of one title, in sizes of its largest line."""

LINES_PER_OUTLIER = 20
"""Minimum number of lines of a column for each line that may exceed its margin."""

MARGIN_SHARE = 0.15
"""Minimum share of the lines of a column that begin at its margin."""

MARK_RISE = 0.15
"""Minimum height of the mark of a footnote above the baseline, in font sizes."""

MAX_NUMBER_CHARS = 5
"""Maximum number of characters of a number before the text of its row."""

EQUAL = 0.05
"""Maximum difference of the spaces of a justified line, in font sizes."""

N_AT_PICTURE = 3
"""Minimum number of lines next to a picture that end at its edge, of four lines: the last one of a paragraph is short.
"""

MIN_PICTURE = 3.0
"""Minimum width of a picture next to lines, in font sizes: less room is at the end of any ragged line."""

MIN_BOX = 5.0
"""Minimum distance of the edge of a box from the margin of its column, in font sizes."""

MIN_LINES_BESIDE = 2
"""Minimum number of lines beside a picture; beside the picture of a formula is one."""

MAX_PADDING = 2.0
"""Maximum distance between a picture and the text beside it, in font sizes."""

SPACE_OF_BOX = 0.2
"""Minimum width of a space in a box, in font sizes."""

AT_PICTURE = 0.1
"""Maximum distance of the ends of lines next to a picture from their common edge, in font sizes."""


@dataclass(frozen=True, slots=True)
class Arranged:
    """A document in reading order.

    Attributes:
        title: as printed on the first page, "" if unsure.
        pages: the lines of each page, its body in reading order and then its footnotes.
        body_size: font size of most of the text, in points.
        typeset: whether TeX or Typst printed it.
    """

    title: str
    pages: Sequence[Sequence[PlacedLine]]
    body_size: float
    typeset: bool = False


def arrange(pdf: Pdf) -> Arranged:
    """Put the lines of a document in reading order, without running heads and page numbers."""
    pages = [with_drop_caps(without_line_numbers(page)) for page in pdf.pages]
    body_size = _body_size(pages)
    numbers = itertools.count()
    title = ""
    arranged = []
    texts = without_running_heads(pages, body_size)
    for page, lines in zip(pages, texts, strict=True):
        if page.number == 1:
            title = _title(page, lines, body_size)

        body = []
        notes = []
        parts = []
        lines = without_stray_signs(lines, body_size)
        for zone in split_off_notes(lines, body_size):
            for column in find_columns(zone, 0.0, page.width, page.rtl):
                parts += split_by_cells(column, page.tables, page.rtl)
        for part in parts:
            placed = _arrange_lines(part, page, next(numbers), page.rtl)
            first_note = _first_note(placed, body_size)
            body += placed[:first_note]
            for line in placed[first_note:]:
                notes.append(replace(line, footnote=True))
        arranged.append(body + notes)
    return Arranged(title, arranged, body_size, pdf.typeset)


def _body_size(pages: Iterable[Page]) -> float:
    """Return the font size of most of the text; the running heads of slides count only if no other text is there."""
    sizes: Counter[float] = Counter()
    at_edge: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            counts = at_edge if is_at_edge(line, page) else sizes
            counts[round(line.size * 2) / 2] += line.n_alphanumeric
    size, _ = (sizes or at_edge).most_common(1)[0]
    return size


def _title(page: Page, lines: Sequence[Line], body_size: float) -> str:
    """Return the largest print in the upper part of the first page, if it is larger than the text."""
    upper = []
    for line in lines:
        has_letters = any(map(str.isalpha, line.text))
        if has_letters and line.y < TITLE_PART * page.height:
            upper.append(line)
    largest = max((line.size for line in upper), default=0.0)
    if largest < LARGE_PRINT * body_size:
        return ""

    parts = []
    for line in upper:
        if line.size > SAME_TITLE * largest:
            parts.append(line.text)
        elif parts:
            break
    return " ".join(parts).replace(UNKNOWN, "").strip()


def _arrange_lines(
    part: CellLines,
    page: Page,
    number: int,
    rtl: bool,
) -> list[PlacedLine]:
    """Join the pieces of each row of a column or a cell, and add its margins."""
    rtl = rtl and not _is_set_from_left(part.lines)
    rows = group_by_baseline(part.lines)
    lines = [_join_row(row, page, number, rtl) for row in rows]
    left, right = _margins(lines)
    if part.cell:
        # a cell has the same margin on both sides
        width = part.cell.width
        inset = left - (-part.cell.x1 if rtl else part.cell.x0)
        right = max(right, left + width - 2 * inset)

    placed = []
    for line in lines:
        whole = replace(line, left=left, right=right)
        if rtl and _is_prose_from_left(line):
            whole = replace(line, left=-right, right=-left, from_right=False)
        placed.append(whole)
    return _in_boxes(_beside_pictures(placed, page.pictures))


def _beside_pictures(
    lines: Sequence[PlacedLine], pictures: Iterable[Box]
) -> list[PlacedLine]:
    """Set the right margin of lines beside a picture to its edge, or to the farthest of their ends near that edge."""
    narrowed = list(lines)
    for picture in pictures:
        are_beside = [_is_beside(picture, line) for line in narrowed]
        beside = list(itertools.compress(narrowed, are_beside))
        if len(beside) < MIN_LINES_BESIDE:
            continue
        edge = _near_edge(picture, beside[0])
        padding = MAX_PADDING * beside[0].size
        ends = [line.end for line in beside if edge - line.end < padding]
        if len(ends) >= MIN_LINES_BESIDE:
            edge = max(ends)

        for position in itertools.compress(itertools.count(), are_beside):
            narrowed[position] = replace(narrowed[position], right=edge)
    return narrowed


def _is_beside(picture: Box, line: PlacedLine) -> bool:
    """Return whether a line that begins near the margin of its column ends before a picture in it."""
    is_level = picture.top < line.y < picture.bottom and line.indent < MAX_INDENT
    return is_level and line.end <= _near_edge(picture, line) < line.right


def _near_edge(picture: Box, line: PlacedLine) -> float:
    """Return the edge of a picture at which a line beside it ends, as a right margin."""
    return -picture.x1 if line.from_right else picture.x0


def _in_boxes(lines: Sequence[PlacedLine]) -> list[PlacedLine]:
    """Set the right margin of lines in a narrower box, or next to a picture, to the edge at which they are broken.

    There most lines end, or the first word of each next line did not fit before it.
    """
    right_edges = [line.right for line in lines]
    for start in range(len(lines) - N_AT_PICTURE):
        window = slice(start, start + N_AT_PICTURE + 1)
        edge = max(line.end for line in lines[window])
        n_at_edge = 0
        for line in lines[window]:
            is_short = line.right - edge > MIN_PICTURE * line.size
            ends_there = edge - line.end < AT_PICTURE * line.size
            n_at_edge += is_short and ends_there and line.is_prose
        first = lines[start]
        is_narrow = first.right - edge > MIN_BOX * first.size
        is_broken = is_narrow and _is_wrapped_at(edge, lines[window])
        if n_at_edge >= N_AT_PICTURE or is_broken:
            right_edges[window] = [min(right, edge) for right in right_edges[window]]

    narrowed = []
    for line, edge in zip(lines, right_edges, strict=True):
        narrowed.append(replace(line, right=edge))
    return narrowed


def _is_wrapped_at(edge: float, lines: Sequence[PlacedLine]) -> bool:
    """Return whether the first word of each line but the first did not fit above it, and most are inside a sentence."""
    n_inside = 0
    for above, line in itertools.pairwise(lines):
        first = line.words[0]
        has_room = edge - above.end >= first.x1 - first.x0 + SPACE_OF_BOX * line.size
        is_below = line.starts_at(above.start) and line.size == above.size
        is_text = line.is_prose and first.text != above.first_text
        is_listed = above.is_mono or above.text[-1].isdigit()
        if has_room or is_listed or not (is_below and is_text):
            return False

        is_word = line.begins_small and first.text.isalpha() and not line.rtl
        n_inside += is_word and not above.ends_clause
    return 2 * n_inside > len(lines) - 1


def _is_set_from_left(lines: Sequence[Line]) -> bool:
    """Return whether a part of a page is set from the left: it has prose that reads so, and no letter that does not.

    At least as many of its lines begin at the left edge as end at the right one.
    """
    has_other = any(line.rtl or has_rtl_letter(line.text) for line in lines)
    if has_other or not any(map(_is_prose_from_left, lines)):
        return False
    left, right = edges(lines)
    n_at_left = sum(line.x0 - left < FLUSH * line.size for line in lines)
    n_at_right = sum(right - line.x1 < FLUSH * line.size for line in lines)
    return n_at_left >= n_at_right


def _is_prose_from_left(line: Line) -> bool:
    """Return whether a line is text in a script that reads from left to right."""
    is_latin = not line.rtl and not has_rtl_letter(line.text)
    return (
        is_latin and not line.is_mono and line.n_prose_words > 1 and not line.is_formula
    )


def _join_row(
    row: list[Line],
    page: Page,
    column: int,
    rtl: bool,
) -> PlacedLine:
    """Join the parts of a row, as if it were alone in its column: its edges are the margins."""
    text = "".join(line.text for line in row)
    is_left_to_right = any(map(str.isalpha, text)) and not any(line.rtl for line in row)
    row.sort(key=lambda line: line.x0, reverse=rtl and not is_left_to_right)
    words = tuple(itertools.chain.from_iterable(line.words for line in row))
    _, bold_share, mono_share = print_of(words)
    # a drop cap moves the edges of lines
    x0, x1 = edges(row)
    left, right = (-x1, -x0) if rtl else (x0, x1)

    longest = max(row, key=lambda line: line.n_chars)
    tables = [table for table in page.tables if longest.is_in(table.box)]
    data_rows = itertools.chain.from_iterable(table.data_rows for table in tables)
    n_gaps = _n_gaps(row)
    is_one = not n_gaps or all(line.element == longest.element for line in row)

    return PlacedLine(
        words=words,
        x0=x0,
        x1=x1,
        y=row[0].y,
        size=longest.size,
        bold_share=bold_share,
        mono_share=mono_share,
        rtl=longest.rtl,
        order=min(line.order for line in row),
        rise=max(line.rise for line in row),
        depth=max(line.depth for line in row),
        element=longest.element if is_one else 0,
        page=page.number,
        column=column,
        from_right=rtl,
        left=left,
        right=right,
        n_gaps=n_gaps,
        in_table=bool(tables),
        in_data=any(map(longest.is_in, data_rows)),
    )


def _n_gaps(row: Sequence[Line]) -> int:
    """Return the number of wide gaps between the parts of a row in reading order.

    One after a marker is none, nor is one before the sign that ends a proof.
    """
    n_gaps = 0
    by_edge = sorted(row, key=lambda line: line.x0)
    end = 0 if row[0].rtl else -1
    if by_edge[end].text in PROOF_ENDS:
        del by_edge[end]
    for line, other in itertools.pairwise(by_edge):
        n_gaps += other.x0 - line.x1 > SEGMENT_GAP * line.size
    if not n_gaps or _is_justified(row):
        return 0

    first = row[0].text
    is_number = len(first) <= MAX_NUMBER_CHARS and not first.isalpha()
    is_label = len(row) > 1 and _LABEL_AND_ITEM.fullmatch(
        f"{first}|{row[1].first_text}"
    )
    is_marker = is_number or len(first) == 1 or is_label is not None
    return max(0, n_gaps - is_marker)


def _is_justified(row: Sequence[Line]) -> bool:
    """Return whether a row of three words or more, most of them of prose, has spaces of one width."""
    words = sorted(
        itertools.chain.from_iterable(line.words for line in row),
        key=lambda word: word.x0,
    )
    n_prose = sum(line.n_prose_words for line in row)
    if len(words) < 3 or n_prose <= WORD_SHARE * len(words):
        return False
    spaces = list(itertools.starmap(space_between, itertools.pairwise(words)))
    return max(spaces) - min(spaces) < EQUAL * row[0].size


def _margins(lines: Sequence[PlacedLine]) -> tuple[float, float]:
    """Return the start of most lines of a column, and the end of the longest."""
    prose = []
    for line in lines:
        if not line.n_gaps and not line.in_table and not line.is_mono:
            prose.append(line)
    if len(prose) >= MIN_PROSE_LINES:  # tables and listings may be wider
        lines = prose

    least = max(2, MARGIN_SHARE * len(lines))
    starts = Counter(round(line.start) for line in lines)
    common = [float(start) for start, count in starts.items() if count >= least]
    if not common:
        common = [line.start for line in lines]
    ends = sorted(line.end for line in lines)
    return min(common), ends[-1 - len(ends) // LINES_PER_OUTLIER]


def _first_note(lines: Sequence[Line], body_size: float) -> int:
    """Return the position of the first footnote of a column: these are small, at its foot, and begin with a mark."""
    first_note = position = len(lines)
    while position and lines[position - 1].size <= SMALL_PRINT * body_size:
        position -= 1
        if _begins_with_mark(lines[position]):
            first_note = position
    return first_note if position else len(lines)


def _begins_with_mark(line: Line) -> bool:
    """Return whether a line begins with the mark or the number of a footnote."""
    first = line.words[0]
    if first.raised > MARK_RISE * line.size or first.text[0] in _NOTE_SIGNS:
        return True
    if any(word.bold for word in line.words[:2]):  # a heading in its paragraph
        return False
    return re.match(r"\d\d?(?:$|[^\W\d_a-z])", first.text) is not None
