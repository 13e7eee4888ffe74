"""Text outside the columns of a page: running heads, page numbers, line numbers, and notes in the margin."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ingest.layout.extract import Page
from ingest.layout.line import SMALL_PRINT, Line
from ingest.pdf.model import edges, space_between

EDGE = 0.14
"""Share of the height of a page, at its top and at its bottom, that may hold running heads and page numbers."""

MAX_HEAD = 1.2
"""Maximum font size of a running head with a number, in sizes of the text."""

MIN_NUMBERED_LINES = 5
"""Minimum number of lines with a line number."""

LINES_PER_OVERFULL = 12
"""Minimum number of lines of text for each line that may exceed the margins."""

MIN_TEXT_LINES = 8
"""Minimum number of lines in the size of the text that define the margins."""

BODY_SIZE = 0.05
"""Maximum difference between the font size of a line of the text and that of most lines, in sizes of the text."""

MAX_NOTE_WIDTH = 0.35
"""Maximum width of a note in the print of the text, in widths of the text."""

MAX_SIGN = 0.7
FAR = 5.0
"""Maximum font size of a sign without text, and its minimum distance from any text, in sizes of the text."""

NUMBER_SIZE = 0.8
"""Maximum font size of a line number, in sizes of its line."""

COUNTED_SHARE = 0.6
"""Minimum share of line numbers that are 1, or are 5, more than the ones above them."""

REPEATED_SHARE = 0.08
MIN_REPEATS = 3
MIN_SHORT_REPEATS = 2
MAX_SHORT = 4
"""Minimum share and number of the pages with a running head, number of those in a short document, and maximum number of
pages of a short document."""

MOST_PAGES = 0.5
"""Minimum share of the pages with a running head in small print that is far from the edge."""

HEIGHT_STEP = 4.0
"""Accuracy of the height of a running head, in points."""

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"[\W_]*(?:\d{1,4}|[ivxlcdm]+)[\W_]*", re.IGNORECASE)


def without_running_heads(
    pages: Sequence[Page], body_size: float
) -> Iterator[list[Line]]:
    """Yield the lines of each page that are no running heads, page numbers or the like.

    The numbers of titles in large print do not count the pages. A small first or last row of most pages is a running
    head at any height.
    """

    def text_and_height(line: Line) -> tuple[str, int]:
        is_number = _PAGE_NUMBER.fullmatch(line.text) is not None
        is_title = line.size > MAX_HEAD * body_size and not is_number
        text = line.text if is_title else _DIGITS.sub("#", line.text)
        return text.casefold(), round(line.y / HEIGHT_STEP)

    def is_small_end(line: Line, page: Page) -> bool:
        return _is_in_end_row(line, page) and line.size < SMALL_PRINT * body_size

    n_pages_with: Counter[tuple[str, int]] = Counter()
    for page in pages:
        near = set()
        for line in page.lines:
            is_end = is_at_edge(line, page) or _is_number(line, page)
            if is_end or is_small_end(line, page):
                text, height = text_and_height(line)
                near |= {(text, height + step) for step in (-1, 0, 1)}
        n_pages_with.update(near)

    n_needed = MIN_SHORT_REPEATS
    if len(pages) > MAX_SHORT:
        n_needed = max(MIN_REPEATS, round(REPEATED_SHARE * len(pages)))
    n_most = max(n_needed, round(MOST_PAGES * len(pages)))
    for page in pages:
        lines = []
        for line in page.lines:
            n_pages = n_pages_with[text_and_height(line)]
            is_repeated = n_pages >= n_needed
            signs = is_at_edge(line, page), _is_number(line, page), is_repeated
            is_on_most = n_pages >= n_most and is_small_end(line, page)
            if sum(signs) < 2 and not is_on_most:
                lines.append(line)
        yield lines


def is_at_edge(line: Line, page: Page) -> bool:
    """Return whether a line is where running heads and page numbers are."""
    return not EDGE * page.height < line.y < (1 - EDGE) * page.height


def _is_number(line: Line, page: Page) -> bool:
    """Return whether a number is alone in the first or the last row of a page."""
    is_number = _PAGE_NUMBER.fullmatch(line.text) is not None
    return is_number and _is_in_end_row(line, page)


def _is_in_end_row(line: Line, page: Page) -> bool:
    """Return whether a line is in the first or the last row of a page."""
    return line.y in (page.lines[0].y, page.lines[-1].y)


def without_line_numbers(page: Page) -> Page:
    """Remove small numbers that count the lines of a page."""
    row_sizes: dict[float, float] = defaultdict(float)
    for line in page.lines:
        largest = max(word.size for word in line.words)
        row_sizes[line.y] = max(row_sizes[line.y], largest)

    numbers = {}
    for position, line in enumerate(page.lines):
        first = line.words[0]
        if first.text.isdecimal() and first.size < NUMBER_SIZE * row_sizes[line.y]:
            numbers[position] = int(first.text)
    steps: Counter[int] = Counter()
    for earlier, later in itertools.pairwise(numbers.values()):
        steps[later - earlier] += 1
    is_counted = max(steps[1], steps[5]) >= COUNTED_SHARE * (len(numbers) - 1)
    if not is_counted or len(numbers) < MIN_NUMBERED_LINES:
        return page

    lines = []
    for position, line in enumerate(page.lines):
        if words := line.words[position in numbers :]:
            x0, x1 = edges(words)
            lines.append(replace(line, words=words, x0=x0, x1=x1))
    return replace(page, lines=lines)


def without_stray_signs(lines: Sequence[Line], body_size: float) -> list[Line]:
    """Return the lines without signs in small print that are far from any text, as in the outline beside a slide."""
    signs: list[Line] = []
    texts: list[Line] = []
    for line in lines:
        is_sign = not any(map(str.isalnum, line.text))
        is_small = line.size < MAX_SIGN * body_size
        (signs if is_sign and is_small else texts).append(line)

    strays = []
    for sign in signs:
        near = [line for line in texts if abs(line.y - sign.y) < body_size]
        spaces = [space_between(line, sign) for line in near]
        if near and min(spaces) > FAR * body_size:
            strays.append(sign)
    return [line for line in lines if line not in strays]


def split_off_notes(
    lines: Sequence[Line], body_size: float
) -> tuple[list[Line], list[Line]]:
    """Return two lists of lines: the text, and the notes wholly to its left or right.

    Notes are in smaller print, or narrow and beyond the ends of the lines of the text; hanging labels are before these.
    """
    body = []
    for line in lines:
        is_of_size = abs(line.size - body_size) < BODY_SIZE * body_size
        if is_of_size and len(line.words) > 1:
            body.append(line)
    if len(body) < MIN_TEXT_LINES:
        return list(lines), []

    few = len(body) // LINES_PER_OVERFULL  # lines that may exceed the margins
    left = sorted(line.x0 for line in body)[few]
    right = sorted(line.x1 for line in body)[-1 - few]
    beyond = _narrow_beyond(lines, left, right, body[0].y, body[-1].y)
    text: list[Line] = []
    notes: list[Line] = []
    for line in lines:
        is_between = line.x0 < right and line.x1 > left
        is_small = line.size < SMALL_PRINT * body_size
        is_note = is_small or line in beyond
        is_bullet = not any(map(str.isalnum, line.text))
        (text if is_between or is_bullet or not is_note else notes).append(line)
    return text, notes


def _narrow_beyond(
    lines: Iterable[Line], left: float, right: float, top: float, bottom: float
) -> list[Line]:
    """Return the lines with letters beyond the ends of the lines of a text; none if one is as wide as a column.

    Args:
        left, right: margins of the text.
        top, bottom: its first and its last baseline.
    """
    beyond = []
    for line in lines:
        is_beyond = line.x1 <= left if line.rtl else line.x0 >= right
        is_worded = any(map(str.isalpha, line.text))
        if is_beyond and is_worded and top <= line.y <= bottom:
            beyond.append(line)
    widest = max((line.x1 - line.x0 for line in beyond), default=0.0)
    return beyond if widest <= MAX_NOTE_WIDTH * (right - left) else []
