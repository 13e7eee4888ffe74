"""Text outside the columns of a page: running heads, page numbers, line numbers, and notes in the margin."""

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import median

from ingest.layout.extract import Page
from ingest.layout.line import SMALL_PRINT, Line
from ingest.pdf.model import space_between

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
"""Maximum font size of a stray sign, in sizes of the text."""

MIN_STRAY_SPACE = 5.0
"""Minimum distance of a stray sign from any text of its row, in sizes of the text."""

MIN_HUGE = 4.0
"""Minimum font size of a single character that is a drawing, such as a cross over a picture, in sizes of the text."""

NUMBER_SIZE = 0.8
"""Maximum font size of a line number, in sizes of its line."""

COUNTED_SHARE = 0.6
"""Minimum share of line numbers that are 1, or are 5, more than the ones above them."""

REPEATED_SHARE = 0.08
"""Minimum share of the pages with a running head."""

MIN_REPEATS = 3
"""Minimum number of pages with a running head or page number."""

TOP = 0.2
"""Share of the height of a page, at its top, that may hold running heads of a few pages in succession."""

MAX_STEP = 2.5
"""Maximum number of pages, from first to last, for each page with the running head of a part, as every other may be."""

MIN_SHORT_REPEATS = 2
"""Minimum number of pages with a running head in a short document."""

MAX_SHORT = 6
"""Maximum number of pages of a short document."""

MOST_PAGES = 0.5
"""Minimum share of the pages with a running head that is far from the edge."""

MIN_HEAD_STEP = 1.3
"""Minimum distance of a running head from the text, as a multiple of the usual distance of rows."""

MIN_HEADS = 6
"""Minimum number of pages with a first row at one height, apart from the text, in a document with running heads."""

MAX_OTHERS = 0.1
"""Maximum number of pages whose first row is at the height of running heads and no such row, for each running head."""

HEIGHT_STEP = 4.0
"""Accuracy of the height of a running head, in points."""

_Head = tuple[str, int]
"""Text of a running head, and its height in steps."""

_DIGITS = re.compile(r"\d+")
"""Number in a running head."""

_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2}|\d{4}-\d\d-\d\d")
"""Date in digits, as of a lecture in the margin."""

_PAGE_NUMBER = re.compile(r"[\W_]*(?:\d{1,4}|[ivxlcdm]+)[\W_]*", re.IGNORECASE)
"""Page number in digits or Roman numerals, perhaps between signs."""


def without_running_heads(
    pages: Sequence[Page], body_size: float
) -> Iterator[list[Line]]:
    """Yield the lines of each page that are no running heads, page numbers or the like."""
    slides = _number_slides(pages)
    usual = _without_usual_heads(pages, slides, body_size)
    of_parts = _find_heads_of_parts(pages, slides, body_size)
    for lines, heads in zip(usual, of_parts, strict=True):
        # nothing else is above a head
        rows_with = {height for _, height in heads}
        first = next((line.y for line in lines if line.y not in rows_with), math.inf)
        yield [
            line for line in lines if line.y > first or (line.text, line.y) not in heads
        ]


def _without_usual_heads(
    pages: Sequence[Page], slides: Sequence[int], body_size: float
) -> Iterator[list[Line]]:
    """Yield the lines of each page that are no running heads, page numbers or the like of many pages.

    A title of few pages is no running head. A first or last row of most pages that is small, or apart from the text and
    no title, is a running head at any height. The pages that show one slide in steps count once.
    """
    rows_apart = _find_rows_apart(pages)
    n_slides_with = _count_slides_with(pages, slides, rows_apart, body_size)
    by_number = _find_rows_of_numbers(pages, rows_apart)
    by_height = _find_rows_at_one_height(pages, body_size, rows_apart)

    n_slides = len(set(slides))
    n_needed = MIN_SHORT_REPEATS
    if len(pages) > MAX_SHORT:
        n_needed = max(MIN_REPEATS, round(REPEATED_SHARE * n_slides))
    n_most = max(n_needed, math.ceil(MOST_PAGES * n_slides))
    for page, apart, *heads in zip(
        pages, rows_apart, by_number, by_height, strict=True
    ):
        lines = []
        for line in page.lines:
            n_with = n_slides_with[_head_of(line, body_size)]
            n_least = n_most if _is_title(line, body_size) else n_needed
            is_repeated = n_with >= n_least or line.y in heads
            signs = is_at_edge(line, page), _is_number(line, page), is_repeated
            is_on_most = n_with >= n_most and _is_aside(line, page, apart, body_size)
            if sum(signs) < 2 and not is_on_most:
                lines.append(line)
        yield lines


def _count_slides_with(
    pages: Sequence[Page],
    slides: Sequence[int],
    rows_apart: Sequence[Collection[float]],
    body_size: float,
) -> Counter[_Head]:
    """Return the number of slides with each head at nearly its height."""
    near_by_slide: defaultdict[int, set[_Head]] = defaultdict(set)
    for page, slide, apart in zip(pages, slides, rows_apart, strict=True):
        for line in page.lines:
            is_end = is_at_edge(line, page) or _is_number(line, page)
            if is_end or _is_aside(line, page, apart, body_size):
                near_by_slide[slide] |= _heads_near(_head_of(line, body_size))
    return Counter(itertools.chain.from_iterable(near_by_slide.values()))


def _is_title(line: Line, body_size: float) -> bool:
    """Return whether a line is in the print of titles and no page number."""
    is_large = line.size > MAX_HEAD * body_size
    return is_large and not _PAGE_NUMBER.fullmatch(line.text)


def _is_aside(
    line: Line, page: Page, apart: Collection[float], body_size: float
) -> bool:
    """Return whether the first or the last row of a page is small, or apart from the text and in no larger print."""
    is_small = line.size < SMALL_PRINT * body_size
    is_apart = line.y in apart and not _is_large(line, body_size)
    return (is_small or is_apart) and _is_in_end_row(line, page)


def _head_of(line: Line, body_size: float) -> _Head:
    """Return a line as a running head: the same with any number, but for those of titles, which count no pages."""
    text = line.text
    if not _is_title(line, body_size):
        text = _DIGITS.sub("#", text)
    return text.casefold(), round(line.y / HEIGHT_STEP)


def _heads_near(head: _Head) -> set[_Head]:
    """Return the heads with the same text at nearly the same height."""
    text, height = head
    return {(text, height + step) for step in (-1, 0, 1)}


def _find_heads_of_parts(
    pages: Sequence[Page], slides: Sequence[int], body_size: float
) -> list[set[tuple[str, float]]]:
    """Return the text and height of the lines of each page that are running heads of a part, such as a chapter.

    Every page of several in succession has them at its top, or every other one. Wide pages and large print have none.
    """
    tops = []
    slides_with: defaultdict[_Head, set[int]] = defaultdict(set)
    for page, slide in zip(pages, slides, strict=True):
        top = _top_lines(page, body_size)
        tops.append(top)
        heads = [_heads_near(_head_of(line, body_size)) for line in top]
        for head in set().union(*heads):
            slides_with[head].add(slide)

    of_parts = set()
    for head, numbers in slides_with.items():
        is_dense = max(numbers) - min(numbers) < MAX_STEP * len(numbers)
        if is_dense and len(numbers) >= MIN_REPEATS:
            of_parts.add(head)
    return [
        {(line.text, line.y) for line in top if _head_of(line, body_size) in of_parts}
        for top in tops
    ]


def _top_lines(page: Page, body_size: float) -> list[Line]:
    """Return the lines at the top of a page, unless it is wide, but for those in large print or in tables."""
    top = []
    for line in page.lines if page.width < page.height else ():
        if line.y >= TOP * page.height or _is_large(line, body_size):
            continue
        # the first row of a table may be repeated on each page
        if not any(line.is_in(table.box) for table in page.tables):
            top.append(line)
    return top


def _number_slides(pages: Sequence[Page]) -> list[int]:
    """Return the number of the slide that each page shows, from 0: pages in succession may show one in steps.

    A step has most lines in common with the page before. Those that most pages have, such as an outline, do not count.
    """
    lines_of_pages = []
    for page in pages:
        lines_of_pages.append({(line.text, line.x0, line.y) for line in page.lines})
    n_pages_with = Counter(itertools.chain.from_iterable(lines_of_pages))
    n_most = max(MIN_REPEATS, MOST_PAGES * len(pages))

    slides: list[int] = []
    before: set[tuple[str, float, float]] = set()
    for lines in lines_of_pages:
        own = {line for line in lines if n_pages_with[line] < n_most}
        n_fewer = min(len(own), len(before))
        is_step = len(own & before) > n_fewer / 2
        last = slides[-1] if slides else -1
        slides.append(last if is_step else last + 1)
        before = own
    return slides


def _find_rows_of_numbers(
    pages: Sequence[Page], rows_apart: Sequence[Collection[float]]
) -> list[float | None]:
    """Return the height of the row with the number of each page, in points; None if the text may go on there.

    The numbers of most pages count them.
    """
    numbers: list[dict[int, Line]] = []
    starts: Counter[int] = Counter()
    for position, page in enumerate(pages):
        by_start = {}
        for line in page.lines:
            if line.text.isdecimal() and _is_number(line, page):
                by_start[int(line.text) - position] = line
        numbers.append(by_start)
        starts.update(by_start.keys())

    start, n_counted = max(starts.items(), key=lambda item: item[1], default=(0, 0))
    rows: list[float | None] = [None] * len(pages)
    if n_counted >= max(MIN_REPEATS, MOST_PAGES * len(pages)):
        for position, apart in enumerate(rows_apart):
            number = numbers[position].get(start)
            if number is not None and number.y in apart:
                rows[position] = number.y
    return rows


def _find_rows_at_one_height(
    pages: Sequence[Page],
    body_size: float,
    rows_apart: Sequence[Collection[float]],
) -> list[float | None]:
    """Return the height of the first row of each page if that of most pages is there and apart from the text, or None.

    Titles, in large or bold print, and pages that are wide as slides are begin with no such row.
    """
    tops = []
    are_heads = []
    for page, apart in zip(pages, rows_apart, strict=True):
        top = page.lines[0].y if page.lines else 0.0
        tops.append(top)
        are_heads.append(top in apart and _begins_with_head(page, top, body_size))

    height = median([*itertools.compress(tops, are_heads)] or [0.0])
    heads: list[float | None] = []
    n_others = 0
    for top, is_head in zip(tops, are_heads, strict=True):
        is_there = abs(top - height) < HEIGHT_STEP
        heads.append(top if is_head and is_there else None)
        n_others += is_there and not is_head

    n_heads = len(heads) - heads.count(None)
    is_usual = n_heads >= max(MIN_HEADS, MOST_PAGES * len(pages))
    is_sure = is_usual and n_others <= MAX_OTHERS * n_heads
    return heads if is_sure else [None] * len(pages)


def _begins_with_head(page: Page, top: float, body_size: float) -> bool:
    """Return whether the first row of a page is no title, and the page is not as wide as a slide."""
    row = [line for line in page.lines if line.y == top]
    is_title = any(_is_large(line, body_size) or line.is_bold for line in row)
    return page.width <= page.height and not is_title


def _find_rows_apart(pages: Sequence[Page]) -> list[Collection[float]]:
    """Return the heights of the first and the last row of each page farther from the next one than rows usually are.

    The usual distance is that of two rows of a paragraph: a fourth of all distances are shorter.
    """
    steps_of_pages = []
    for page in pages:
        heights = sorted({line.y for line in page.lines})
        steps_of_pages.append([y - above for above, y in itertools.pairwise(heights)])
    in_order = sorted(itertools.chain.from_iterable(steps_of_pages))
    usual = in_order[len(in_order) // 4] if in_order else 0.0

    rows_apart: list[Collection[float]] = []
    for page, steps in zip(pages, steps_of_pages, strict=True):
        apart = set()
        if steps and steps[0] > MIN_HEAD_STEP * usual:
            apart.add(page.lines[0].y)
        if steps and steps[-1] > MIN_HEAD_STEP * usual:
            apart.add(page.lines[-1].y)
        rows_apart.append(apart)
    return rows_apart


def _is_large(line: Line, body_size: float) -> bool:
    """Return whether a line is in larger print than the text."""
    return line.size > (1 + BODY_SIZE) * body_size


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
    """Remove small numbers that count the lines of a page, unlike those of its notes in small print."""
    row_sizes: dict[float, float] = defaultdict(float)
    n_of_size: Counter[float] = Counter()
    for line in page.lines:
        largest = max(word.size for word in line.words)
        row_sizes[line.y] = max(row_sizes[line.y], largest)
        n_of_size[line.size] += line.n_alphanumeric
    usual = max(n_of_size, key=n_of_size.__getitem__, default=0.0)

    numbers = {}
    for position, line in enumerate(page.lines):
        first = line.words[0]
        row_size = row_sizes[line.y]
        is_small = first.size < NUMBER_SIZE * row_size
        if first.text.isdecimal() and is_small and row_size > SMALL_PRINT * usual:
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
            lines.append(line.with_words(words))
    return replace(page, lines=lines)


def without_stray_signs(lines: Sequence[Line], body_size: float) -> list[Line]:
    """Return the lines without huge characters, and signs in small print far from any text, as in an outline."""
    signs: list[Line] = []
    texts: list[Line] = []
    strays: list[Line] = []
    for line in lines:
        is_sign = not any(map(str.isalnum, line.text))
        is_small = line.size < MAX_SIGN * body_size
        if line.size > MIN_HUGE * body_size and len(line.text) == 1:
            strays.append(line)
        elif is_sign and is_small:
            signs.append(line)
        else:
            texts.append(line)

    for sign in signs:
        near = [line for line in texts if abs(line.y - sign.y) < body_size]
        spaces = [space_between(line, sign) for line in near]
        if near and min(spaces) > MIN_STRAY_SPACE * body_size:
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
    """Return the lines with letters or a date beyond the ends of the lines of a text; none if one is wide as a column.

    Args:
        left, right: margins of the text.
        top, bottom: its first and its last baseline.
    """
    beyond = []
    for line in lines:
        is_beyond = line.x1 <= left if line.rtl else line.x0 >= right
        is_worded = any(map(str.isalpha, line.text)) or _DATE.search(line.text)
        if is_beyond and is_worded and top <= line.y <= bottom:
            beyond.append(line)
    widest = max((line.x1 - line.x0 for line in beyond), default=0.0)
    return beyond if widest <= MAX_NOTE_WIDTH * (right - left) else []
