"""Lines in reading order -> paragraphs, by indent, spacing, short last lines, bullets and headings; no hyphenation."""

from __future__ import annotations

import heapq
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from quarry.ingest.layout.arrange import Arranged, PlacedLine
from quarry.ingest.pdf.model import UNKNOWN

SIZE_TOLERANCE = 0.045
"""Share by which the font sizes of two lines of one paragraph may differ."""

MAX_GROUPS_BETWEEN = 60
"""Pieces, such as those of figures and tables, over which a paragraph is sought that goes on."""

SAME_WIDTH = 0.1
"""Share by which the widths of two columns of one text may differ."""

MAX_PARTING = 5.0
"""Font sizes between two baselines of the body up to which they are those of two paragraphs in a row."""

TALL = 0.7
"""Font sizes by which a formula in a line may part it further from the next one than lines of prose stand apart."""

MAX_RAGGED, JUSTIFIED, MIN_JUSTIFIED = 0.4, 0.8, 12
"""Font sizes by which a line of justified text may miss the margin, the share of the lines inside a sentence that do
not miss it from which on a text is justified, and how many such lines there must be at least."""

MAX_GAPS_IN_PROSE = 4
"""Wide gaps in two lines of one sentence, as where a formula leaves no place to break a narrow line."""

SLIGHT = 0.15
"""Font sizes of white space between two lines, beyond the usual, that part paragraphs together with a short line."""

SHORT = 0.8
"""Font sizes from which on a line of justified text that misses the margin is the last of its paragraph."""

MIN_SPACES, APART = 3, 1.3
"""Spaces in a line from which on they tell how wide one is, and how much wider one after a number or dash must be."""

MAX_DISPLAYS = 6
MAX_DISPLAY_LINES = 8
"""Pieces of displayed formulas that may stand inside a sentence, and the lines of each."""

_BULLET = re.compile(r"[•◦▪▫■□●○◆◇❖❒❑➢➤►▶‣⁃∙∗·*–—\-\ufffd✓✔★☆→⇒]")
_ENUMERATOR = re.compile(
    r"\(?(?:[\d\ufffd]{1,3}|[A-Za-z]|[ivxIVX]{1,5}|[\u05d0-\u05ea])[.)]|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2}){1,3}\.?"
)
_SENTENCE_END = re.compile(r"""[.!?:…。][)\]"'”’»׳״]*$""")
_TERMINAL = re.compile(r"""[.!?…。][)\]"'”’»׳״\d]*$""")
_FORMULA_NUMBER = re.compile(r"\([\dA-Z]{1,3}(?:\.\d{1,3})*[a-z]?\)")
_IN_BRACKETS = re.compile(r"\((?:\d{1,2}|[a-z]|[ivx]{1,4}|[\u05d0-\u05ea])\)$")
_CAPTION = re.compile(r"[^\W\d_]{2,12}\.? ?(?:[A-Z]\.)?\d+(?:[.\-–]\d+)*[.:)]")
_WORD = re.compile(r"[^\W\d_]+(?:[-‐‑'’][^\W\d_]+)*")
_LEADERS = re.compile(r"(?:\.\s?){6,}|(?:[·…]\s?){4,}")
_NOTE_NUMBER = re.compile(r"^\d{1,3}(?=[^\W\d_]{2})")
"""At the beginning of a footnote, glued to its first word."""
_CLOSED = "—/"


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph-like piece of text with what quality needs to judge it.

    Attributes:
        page: 1-based page on which it starts.
        heading: the section it stands under, "" if none.
        text: on one line, without bullet, hyphenation undone.
        footnote: whether it stands at the foot of a page.
        is_heading: whether it is a heading itself.
        size_ratio: its font size over that of the body.
        bold, mono: shares of its characters that are bold, and of fixed pitch, 0..1.
        gap_share: share of its lines that have wide gaps, as the rows of a table have.
        unknown_share: share of its words with a character that the file does not tell, 0..1.
        set_off: whether white space stands above and below it.
        number: the bullet or number itself, "" if none.
        in_table: whether it stands in a table that is ruled.
        sureness: share of its characters that the file tells, 0..1.
        place: top of its first line, and foot of its third or last on the same page, in points.
        last_page: page on which it ends.
        page_breaks: offsets in the text at which a new page begins.
    """

    page: int
    heading: str
    text: str
    footnote: bool = False
    is_heading: bool = False
    size_ratio: float = 1.0
    bold: float = 0.0
    mono: float = 0.0
    gap_share: float = 0.0
    unknown_share: float = 0.0
    set_off: bool = False
    number: str = ""
    in_table: bool = False
    sureness: float = 1.0
    place: tuple[float, ...] = ()
    last_page: int = 0
    page_breaks: tuple[int, ...] = ()


@dataclass(slots=True)
class _Group:
    """Lines of one paragraph in the making."""

    lines: list[PlacedLine]
    marker: int = 0
    gap_above: float = 0.0
    gap_below: float = 0.0
    text_start: float = field(default=0.0)


def split(arranged: Arranged) -> Iterator[Block]:
    """The blocks of a document in reading order, footnotes after the body of their page."""
    habits = _habits(arranged)
    blocks = heapq.merge(_bodies(arranged, habits), _notes(arranged, habits), key=lambda block: block.page)
    return (block for block in blocks if block.text)


@dataclass(frozen=True, slots=True)
class _Habits:
    """How a document is set.

    Attributes:
        vocabulary: how often each word occurs whole within a line.
        pitch: the usual distance of baselines, in font sizes.
        parting: the usual distance of baselines between two paragraphs of the body, in font sizes.
        indented: whether paragraphs are marked by an indent of their first lines.
        justified: whether the lines of a paragraph all end at the right margin, but for the last.
    """

    vocabulary: Counter[str]
    pitch: float
    parting: float
    indented: bool
    justified: bool
    body_size: float


def _habits(arranged: Arranged) -> _Habits:
    vocabulary: Counter[str] = Counter()
    pitches: Counter[float] = Counter()
    gaps: Counter[float] = Counter()
    n_indents = n_pages = n_full = n_open = 0
    for lines in arranged.pages:
        _count_words(lines, vocabulary)
        _count_pitches(lines, arranged.body_size, pitches, gaps)
        body = [line for line in lines if not line.footnote]
        n_indents += _n_indents(body, arranged.body_size)
        n_pages += bool(body)
        for above, below in itertools.pairwise(body):
            if _goes_on(above, below, arranged.body_size):
                n_open += 1
                n_full += above.right - above.end < MAX_RAGGED * above.size
    pitch = pitches.most_common(1)[0][0] if pitches else 1.2
    usual = [gap for gap in gaps.elements() if gap > pitch + 0.33]
    return _Habits(
        vocabulary,
        pitch,
        median(usual) if usual else pitch,
        n_indents >= max(3, 0.5 * n_pages),
        n_full > JUSTIFIED * max(MIN_JUSTIFIED, n_open),
        arranged.body_size,
    )


def _goes_on(above: PlacedLine, below: PlacedLine, body_size: float) -> bool:
    """Whether two lines of the body are surely of one sentence, the second below the first."""
    return (
        above.column == below.column
        and max(abs(above.size - body_size), abs(below.size - body_size)) < 0.5
        and abs(above.start - below.start) < 0.3 * above.size
        and below.words[0].text[0].islower() | (below.words[0].text[0].lower() == below.words[0].text[0].upper())
        and not _SENTENCE_END.search(above.text)
    )


def _bodies(arranged: Arranged, habits: _Habits) -> Iterator[Block]:
    lines = (line for line in arranged.lines if not line.footnote)
    heading = ""
    groups = _joined_over_displays(_groups(lines, habits), habits.indented)
    for group in _joined_across_breaks(groups, habits):
        block = _block(group, heading, habits)
        if block.is_heading:
            heading = block.text
        yield block


def _notes(arranged: Arranged, habits: _Habits) -> Iterator[Block]:
    lines = (line for line in arranged.lines if line.footnote)
    return (_block(group, "", habits) for group in _groups(lines, habits))


def _n_indents(lines: Sequence[PlacedLine], body_size: float) -> int:
    """How many lines of a page's body are indented between two that are not."""
    n_indents = 0
    for above, line, below in zip(lines, lines[1:], lines[2:], strict=False):
        if above.column == line.column == below.column and abs(line.size - body_size) < 0.5:
            indent = (line.start - line.left) / line.size
            flush = abs(below.start - line.left) < 0.3 * line.size and abs(above.start - line.left) < 0.3 * line.size
            n_indents += 0.7 < indent < 3 and flush and not _marker_words(line)
    return n_indents


def _count_pitches(lines: Sequence[PlacedLine], body_size: float, ratios: Counter[float], gaps: Counter[float]) -> None:
    """Add the distances of a page's baselines, in font sizes, to `ratios`, and those of its body to `gaps`."""
    for above, below in itertools.pairwise(lines):
        if above.column == below.column and above.footnote == below.footnote and abs(above.size - below.size) < 0.5:
            ratio = (below.y - above.y) / below.size
            if 0.9 < ratio < 2.2:
                ratios[round(ratio * 20) / 20] += 3 if abs(below.size - body_size) < 0.5 else 1
            if 0.9 < ratio < MAX_PARTING and abs(below.size - body_size) < 0.5:
                gaps[round(ratio * 20) / 20] += 1


def _groups(lines: Iterable[PlacedLine], habits: _Habits) -> Iterator[_Group]:
    group: _Group | None = None
    for line, following in _with_following(_without_fragments(lines, habits.pitch)):
        if group is not None and not _breaks(group, line, following, habits):
            group.lines.append(line)
            continue
        begun = _Group([line], marker=_marker_words(line, following))
        begun.text_start = _start_after(line, begun.marker)
        if group is not None:
            previous = group.lines[-1]
            gap = line.y - previous.y if line.column == previous.column else 10 * line.size
            begun.gap_above = group.gap_below = gap / max(line.size, previous.size)
            yield group
        group = begun
    if group is not None:
        yield group


def _with_following(lines: Iterable[PlacedLine]) -> Iterator[tuple[PlacedLine, PlacedLine | None]]:
    ahead: Iterator[PlacedLine | None] = itertools.chain(lines, [None])
    for line, following in itertools.pairwise(ahead):
        if line is not None:
            yield line, following


def _without_fragments(lines: Iterable[PlacedLine], pitch: float) -> Iterator[PlacedLine]:
    """Lines; pieces of a formula between two rows (tall brackets, limits) are given to the row above."""
    above: PlacedLine | None = None
    for line in lines:
        if above is not None:
            fragment = len(line.words) <= 3 and _word_share(line) == 0 and not _is_bullet(line.words[0].text)
            near = line.column == above.column and 0 <= line.y - above.y < 0.75 * pitch * above.size
            within = line.start < above.end + line.size and line.end > above.start
            if fragment and near and within and _is_prose(above):
                above = replace(above, words=above.words + line.words)
                continue
            yield above
        above = line
    if above is not None:
        yield above


def _start_after(line: PlacedLine, marker: int) -> float:
    """Where the text begins after `marker` words, in reading direction."""
    if marker == 0 or marker >= len(line.words):
        return line.start
    word = line.words[marker]
    return -word.x1 if line.start < 0 else word.x0


def _marker_words(line: PlacedLine, following: PlacedLine | None = None) -> int:
    """How many words at the beginning of a line are a bullet or a number: 0 or 1.

    A capital with a full stop is an item's letter where the text hangs beside it, and else a person's initial.
    """
    if len(line.words) < 2:
        return 1 if _is_bullet(line.words[0].text) and len(line.words) == 1 else 0
    first = line.words[0].text
    if _is_bullet(first):
        if first in "-–—*·→⇒" and not _parted(line):
            return 1 if first in "-–—*" else 0
        return 1
    if line.footnote and len(first) <= 3 and not any(map(str.isalpha, first)):
        return 1
    if UNKNOWN in first and len(first) <= 5 and first.endswith((".", ")")) and not any(map(str.isalpha, first)):
        return 1
    if not _ENUMERATOR.fullmatch(first):
        return 0
    if first[0].isupper() and following is not None and following.column == line.column:
        flush = following.start - line.start < 0.5 * line.size
        if flush and not _ENUMERATOR.fullmatch(following.words[0].text):
            return 0
    plain = first.strip("().").replace(UNKNOWN, "0").isdecimal() or first[0] in "(["
    return 1 if plain or line.bold > 0.9 or _parted(line) else 0


def _is_bullet(text: str) -> bool:
    return len(text) == 1 and bool(_BULLET.fullmatch(text))


def _parted(line: PlacedLine) -> bool:
    """Whether the first word stands apart from the others, farther than these from each other."""
    first, *others = (max(right.x0 - left.x1, left.x0 - right.x1) for left, right in itertools.pairwise(line.words))
    return first > 0.4 * line.size and (len(others) < MIN_SPACES or first > APART * median(others))


def _breaks(group: _Group, line: PlacedLine, following: PlacedLine | None, habits: _Habits) -> bool:
    """Whether a new paragraph begins with `line`."""
    previous, first = group.lines[-1], group.lines[0]
    if line.in_table != previous.in_table:
        return True
    if abs(line.size - previous.size) > SIZE_TOLERANCE * max(line.size, previous.size) and not _has_size_of(
        previous, line
    ):
        return True
    turned = (
        (previous.bold > 0.95) != (line.bold > 0.95)
        and min(previous.bold, line.bold) < 0.5
        and _n_letters(previous) > 3
    )
    if turned and (previous.bold > 0.95 or not _ends_full(previous, line)):
        return True
    if (previous.mono > 0.8) != (line.mono > 0.8) and not _flows_on(previous, line):
        return True
    if (
        len(group.lines) == 1
        and line.words[0].text[0].isupper()
        and _word_share(previous) < 0.4
        and _word_share(line) > 0.7
        and previous.right - previous.end > 0.5 * previous.size
    ):
        return True
    if (line.n_gaps or previous.n_gaps) and not _is_gap_in_prose(previous, line):
        return True
    if _LEADERS.search(previous.text):
        return True
    marker = _marker_words(line, following)
    if marker and _is_item(group, line, marker):
        return True
    if line.column != previous.column:
        return _stands_off(previous) or not _flows_on(previous, line)
    em = line.size
    distance = (line.y - previous.y) / em
    own_pitch = (
        (previous.y - group.lines[-2].y) / em if len(group.lines) > 1 and group.lines[-2].column == line.column else 0.0
    )
    limit = max(habits.pitch + 0.33, 1.25 * own_pitch)
    if distance < 0.3 or (distance > limit and not (distance < limit + TALL and _is_mid_sentence(previous, line))):
        return True
    own = group.text_start if group.marker else previous.start
    if group.marker and line.start < group.text_start - 1.2 * em and line.start > first.start + 0.3 * em:
        own = line.start
    indent = line.start - (own if len(group.lines) == 1 else previous.start)
    if len(group.lines) == 1 and not group.marker:
        if indent > 0.7 * em:
            return not _hangs(previous, line, following)
    elif indent > 0.7 * em and not (
        group.marker and len(group.lines) == 1 and abs(line.start - group.text_start) < 0.6 * em
    ):
        return True
    if len(group.lines) > 1 and indent < -0.7 * em and len(group.lines) > 1:
        return True
    if len(group.lines) == 1 and line.start < first.start - (0.5 if group.marker else 3.5) * em:
        return True
    wider = distance > max(habits.pitch, own_pitch) + SLIGHT
    if (habits.justified or wider) and _is_last(previous, line, habits.body_size):
        return True
    return not _ends_full(previous, line)


def _has_size_of(previous: PlacedLine, line: PlacedLine) -> bool:
    """Whether a line of another size goes on with the sentence of the one above, and has words of its size too.

    A formula, or a phrase in another script, may be most of a line.
    """
    if not (_is_mid_sentence(previous, line) or _flows_under(previous, line)):
        return False
    return _has_words_of(line, previous.size) or _has_words_of(previous, line.size)


def _flows_under(previous: PlacedLine, line: PlacedLine) -> bool:
    """Whether a line stands at the margin below a full one that ends no sentence, in a script without capitals."""
    flush = abs(line.start - previous.left) < 0.3 * line.size and previous.right - previous.end < 3 * line.size
    start = line.words[0].text[0]
    return flush and start.lower() == start.upper() and not _SENTENCE_END.search(previous.text)


def _has_words_of(line: PlacedLine, size: float) -> bool:
    return any(abs(word.size - size) < SIZE_TOLERANCE * size and len(word.text) > 1 for word in line.words)


def _is_last(previous: PlacedLine, line: PlacedLine, body_size: float) -> bool:
    """Whether a line ends short of the margin and with its sentence, so that in justified text a paragraph does."""
    short = previous.right - previous.end > SHORT * previous.size
    capital = line.words[0].text.lstrip("([\"'“‘„")[:1]
    begins = bool(capital) and not capital.islower()
    return short and begins and bool(_TERMINAL.search(previous.text)) and abs(previous.size - body_size) < 0.5


def _is_mid_sentence(previous: PlacedLine, line: PlacedLine) -> bool:
    """Whether a line goes on with the sentence of the full one above it, wherever it stands."""
    flush = abs(line.start - previous.left) < 0.3 * line.size and previous.right - previous.end < 3 * line.size
    return flush and line.words[0].text[0].islower() and not _SENTENCE_END.search(previous.text)


def _hangs(previous: PlacedLine, line: PlacedLine, following: PlacedLine | None) -> bool:
    """Whether `line` and what follows hang below an outdented first line that runs on."""
    if _SENTENCE_END.search(previous.text) or previous.right - previous.end > 3 * line.size or following is None:
        return False
    return following.column == line.column and abs(following.start - line.start) < 0.3 * line.size


def _is_item(group: _Group, line: PlacedLine, marker: int) -> bool:
    """Whether a line with a marker begins an item, and is not prose that happens to begin with a number or a dash."""
    first = line.words[0].text
    if _is_bullet(first) and first not in "-–—*·":
        return True
    if group.marker:
        return True
    previous = group.lines[-1]
    if first.endswith(")") and not first.startswith("(") and previous.text.count("(") > previous.text.count(")"):
        return False
    if first.startswith("(") and previous.text.endswith(":") and _ends_full(previous, line):
        return not _enumerates(line)
    if first.startswith("(") and not _SENTENCE_END.search(previous.text) and _enumerates(previous):
        return False
    return bool(_SENTENCE_END.search(previous.text)) or abs(line.start - previous.start) > 0.5 * line.size


def _enumerates(line: PlacedLine) -> bool:
    """Whether a line goes on with a number or letter in brackets, as where (1) one thing and (2) another are told."""
    return any(_IN_BRACKETS.search(word.text) for word in line.words[1:])


def _is_gap_in_prose(previous: PlacedLine, line: PlacedLine) -> bool:
    """Whether a wide gap in one of two lines is a symbol that was not stored, and not the gap between cells."""
    if line.n_gaps + previous.n_gaps <= MAX_GAPS_IN_PROSE and _is_mid_sentence(previous, line):
        return True
    at_margin = abs(line.start - line.left) < 0.3 * line.size and previous.start - line.left < 3.5 * line.size
    flush = (abs(line.start - previous.start) < 0.3 * line.size or at_margin) and (
        previous.right - previous.end < 1.5 * line.size
    )
    return line.n_gaps + previous.n_gaps == 1 and flush and _is_prose(previous) and _is_prose(line)


def _stands_off(line: PlacedLine) -> bool:
    """Whether a line stands away from both margins and is no prose, as a displayed formula."""
    room = 0.9 * line.size
    return line.start - line.left > room and line.right - line.end > room and _word_share(line) < 0.5


def _is_prose(line: PlacedLine) -> bool:
    """Whether a line holds words enough, formulas among them, to be of a text."""
    return _word_share(line) > 0.3 or sum(sum(map(str.isalpha, word.text)) > 2 for word in line.words) > 2


def _word_share(line: PlacedLine) -> float:
    """Share of a line's words that have three letters or more: low in a formula."""
    return sum(sum(map(str.isalpha, word.text)) > 2 for word in line.words) / len(line.words)


def _n_letters(line: PlacedLine) -> int:
    return sum(char.isalpha() for word in line.words for char in word.text)


def _ends_full(previous: PlacedLine, line: PlacedLine) -> bool:
    """Whether `previous` is as long as it can be: the first word of `line` would not have fitted."""
    room = previous.right - previous.end
    first = line.words[0]
    fill = (previous.end - previous.start) / max(1.0, previous.right - previous.left)
    begins = first.text[0].isupper() and not line.rtl  # a Latin word or a formula may begin a line of Hebrew
    if fill > 0.6 and not _SENTENCE_END.search(previous.text) and not begins:
        return True
    if fill > 0.85 and not _SENTENCE_END.search(previous.text) and not _is_bullet(first.text):
        return True
    slack = 1.2 * line.size if not _SENTENCE_END.search(previous.text) else 0.6 * line.size
    return room < (first.x1 - first.x0) + 0.3 * line.size + slack


def _flows_on(previous: PlacedLine, line: PlacedLine) -> bool:
    """Whether the text of one line goes on in the next although something else parts them."""
    start = line.words[0].text.lstrip("([\"'“‘„")
    if not start or _TERMINAL.search(previous.text):
        return False
    if previous.text.endswith(":") and not (start[0].islower() and _word_share(line) > 0.5):
        return False
    if previous.text.endswith("-") or start[0].islower():
        return True
    return _ends_full(previous, line) and previous.right - previous.end < 2 * line.size and not start[0].isdigit()


def _joined_over_displays(groups: Iterable[_Group], indented: bool) -> Iterator[_Group]:
    """Paragraphs in whose sentences a formula is displayed made whole, with the formula.

    Args:
        groups: in reading order.
        indented: whether paragraphs begin with an indent, so that what begins without one goes on.
    """
    held: list[_Group] = []
    for group in groups:
        if held and _goes_on_after_displays(held, group, indented):
            held[0].lines.extend(_without_number(line) for display in held[1:] for line in display.lines)
            held[0].lines.extend(group.lines)
            held[0].gap_below = group.gap_below
            del held[1:]
        elif held and len(held) <= MAX_DISPLAYS and _is_display(group, held[0]):
            held.append(group)
        else:
            yield from held
            held = [group]
    yield from held


def _goes_on_after_displays(held: Sequence[_Group], group: _Group, indented: bool) -> bool:
    """Whether a piece of text goes on with the sentence of the first of `held`, after the displays that follow it."""
    before, last, line = held[0], held[0].lines[-1], group.lines[0]
    if len(held) == 1 or not _is_sentence_open(before) or group.marker or line.footnote or line.in_table:
        return False
    if abs(last.size - line.size) > SIZE_TOLERANCE * line.size or (last.mono > 0.8) != (line.mono > 0.8):
        return False
    if line.bold > 0.95 or _word_share(line) < 0.3:
        return False
    if line.column != last.column:  # the formula stands at the foot of a column
        return line.words[0].text[0].islower() and abs(line.start - line.left) < 0.6 * line.size
    margin = before.text_start if before.marker else min(item.start for item in before.lines)
    start = line.words[0].text.lstrip("([\"'“‘„")[:1]
    is_open = start.islower() or start in ",.;:"
    indented_anew = is_open and abs(line.start - before.lines[0].start) < 0.6 * line.size
    unindented = is_open and len(before.lines) == 1 and abs(line.start - line.left) < 0.6 * line.size
    if not abs(line.start - margin) < 0.6 * line.size and not indented_anew and not unindented:
        return False
    if is_open:
        return True
    is_uncased = start.lower() == start.upper() and start.isalpha()
    return (indented or is_uncased) and len(before.lines) > 1 and not _TERMINAL.search(held[-1].lines[-1].text)


def _is_sentence_open(group: _Group) -> bool:
    last = group.lines[-1]
    return _n_letters(last) >= 3 and not _TERMINAL.search(last.text) and _word_share(last) > 0.3 and last.bold < 0.95


def _is_display(group: _Group, before: _Group) -> bool:
    """Whether every line of a piece stands by itself, away from the margin of the text before it."""
    first = before.lines[-1]
    is_marked = group.marker and not _is_number_of_formula(group.lines[0])
    if is_marked or len(group.lines) > MAX_DISPLAY_LINES or not _is_sentence_open(before):
        return False
    margin = min(item.start for item in before.lines)
    return all(
        line.column == first.column
        and _start_after(line, _is_number_of_formula(line)) - margin > 0.9 * first.size
        and line.mono < 0.8
        and not line.in_table
        and (_word_share(line) < 0.5 or (line.right - line.end > 0.9 * first.size and line.size > 0.9 * first.size))
        for line in group.lines
    )


def _is_number_of_formula(line: PlacedLine) -> bool:
    """Whether a line begins with a number in brackets in the margin, which a formula bears."""
    return len(line.words) > 1 and bool(_FORMULA_NUMBER.fullmatch(line.words[0].text)) and _parted(line)


def _without_number(line: PlacedLine) -> PlacedLine:
    """A displayed formula without the number that stands in the margin beside it."""
    words = line.words
    if len(words) < 2 or line.rtl:
        return line
    if _FORMULA_NUMBER.fullmatch(words[-1].text) and words[-1].x0 - words[-2].x1 > line.size:
        return replace(line, words=words[:-1])
    if _FORMULA_NUMBER.fullmatch(words[0].text) and words[1].x0 - words[0].x1 > line.size:
        return replace(line, words=words[1:])
    return line


def _joined_across_breaks(groups: Iterable[_Group], habits: _Habits) -> Iterator[_Group]:
    """Paragraphs that a column's or a page's end cuts in two made whole, over figures and tables in between."""
    recent: list[_Group] = []
    for group in groups:
        open_group = _open_before(recent, group, habits)
        if open_group is not None:
            displays = _displays_since(recent, open_group, group)
            recent = [item for item in recent if not any(item is display for display in displays)]
            open_group.lines.extend(_without_number(line) for item in displays for line in item.lines)
            open_group.lines.extend(group.lines)
            continue
        recent.append(group)
        if len(recent) > MAX_GROUPS_BETWEEN:
            yield recent.pop(0)
    yield from recent


def _displays_since(groups: Sequence[_Group], open_group: _Group, group: _Group) -> list[_Group]:
    """The formulas below what `group` continues and on top of its own column, where these hold nothing else."""
    between = groups[next(row for row, item in enumerate(groups) if item is open_group) + 1 :]
    last, line = open_group.lines[-1], group.lines[0]
    sides = [[item for item in between if item.lines[0].column == column] for column in (last.column, line.column)]
    found = []
    for side, margin in zip(sides, (last.left, line.left), strict=True):
        if all(
            piece.start - margin > 0.9 * piece.size and _word_share(piece) < 0.5 and not piece.in_table
            for item in side
            for piece in item.lines
        ):
            found += side
    return found if len(found) <= MAX_DISPLAYS and line.start - line.left < 1 else []


def _open_before(groups: Sequence[_Group], group: _Group, habits: _Habits) -> _Group | None:
    """The paragraph of `groups` that `group` continues, None if it begins anew."""
    body_size = habits.body_size
    line = group.lines[0]
    start = line.words[0].text.lstrip("([\"'“‘„")
    if (
        group.marker
        or line.in_table
        or not start
        or not _is_prose_size(group, body_size)
        or len(group.lines[0].words) < 4
    ):
        return None
    for row in reversed(range(len(groups))):
        earlier = groups[row]
        last = earlier.lines[-1]
        if last.page < line.page - 1 or not _is_prose_size(earlier, body_size):
            continue
        if _n_letters(last) < 3 or sum(len(item.words) for item in earlier.lines) < 6:
            continue
        if last.column == line.column:
            if start[0].islower() and _CAPTION.match(earlier.lines[0].text) and _TERMINAL.search(last.text):
                continue  # a figure stands on top of the column
            return None
        if len(earlier.lines) == 1 and not start[0].islower() and not _of_one_width(last, line):
            return None  # a line by itself, such as a date
        at_edge = line.start - line.left < 0.6 * line.size or start[0].islower()
        if _LEADERS.search(last.text):
            return None
        goes_on = start[0].islower() and _word_share(line) > 0.5
        open_end = not _TERMINAL.search(last.text) and (not last.text.endswith(":") or goes_on)
        same = (
            abs(last.size - line.size) < SIZE_TOLERANCE * line.size
            and (last.mono > 0.8) == (line.mono > 0.8)
            and (last.bold > 0.95) == (line.bold > 0.95)
        )
        cased = start[0].islower() or not (start[0].isupper() or start[0].isdigit())
        if (
            open_end
            and at_edge
            and same
            and (cased or last.text.endswith("-") or _ends_full(last, line))
            and last.bold < 0.95
        ):
            return earlier
        between = groups[row + 1 :]
        flush = habits.justified and last.right - last.end < 0.1 * last.size and not habits.indented
        floats = all(item.lines[0].column == line.column and not _is_prose_size(item, body_size) for item in between)
        full = floats and last.right - last.end < 0.5 * last.size
        if (
            (habits.indented or (flush and not between))
            and full
            and same
            and abs(line.start - line.left) < 0.3 * line.size
            and not earlier.marker
            and last.bold < 0.95
        ):
            return earlier
        return None
    return None


def _of_one_width(one: PlacedLine, other: PlacedLine) -> bool:
    widths = one.right - one.left, other.right - other.left
    return abs(widths[0] - widths[1]) <= SAME_WIDTH * max(widths)


def _is_prose_size(group: _Group, body_size: float) -> bool:
    return all(
        abs(line.size - body_size) < SIZE_TOLERANCE * body_size and not line.n_gaps and not line.in_table
        for line in group.lines[:2]
    )


def _block(group: _Group, heading: str, habits: _Habits) -> Block:
    lines, body_size, pitch = group.lines, habits.body_size, habits.pitch
    words = _flat_words(lines, group.marker)
    text, page_breaks = _text(lines, group.marker, habits.vocabulary)
    if lines[0].footnote:
        text = _NOTE_NUMBER.sub("", text)
    n_chars = [sum(len(word.text) for word in line.words) for line in lines]
    total = sum(n_chars) or 1
    bold = sum(line.bold * n for line, n in zip(lines, n_chars, strict=True)) / total
    size = median(line.size for line in lines)
    return Block(
        page=lines[0].page,
        heading=heading,
        text=text,
        footnote=lines[0].footnote,
        is_heading=_is_heading(lines, text, size / body_size, bold),
        size_ratio=size / body_size,
        bold=bold,
        mono=sum(line.mono * n for line, n in zip(lines, n_chars, strict=True)) / total,
        gap_share=sum(line.n_gaps > 0 for line in lines) / len(lines),
        unknown_share=sum(UNKNOWN in word for word in words) / max(1, len(words)),
        set_off=min(group.gap_above, group.gap_below) > max(1.5 * pitch, 1.2 * habits.parting),
        number=lines[0].words[0].text if group.marker else "",
        in_table=lines[0].in_table,
        sureness=1 - sum(word.n_unsure for line in lines for word in line.words) / total,
        place=_place(lines),
        last_page=lines[-1].page,
        page_breaks=page_breaks,
    )


def _place(lines: Sequence[PlacedLine]) -> tuple[float, float]:
    first = [line for line in lines[:3] if line.column == lines[0].column]
    return round(lines[0].y - lines[0].size, 1), round(first[-1].y + 0.4 * first[-1].size, 1)


def _is_heading(lines: Sequence[PlacedLine], text: str, size_ratio: float, bold: float) -> bool:
    n_words = len(text.split())
    if not 1 <= n_words <= 16 or len(lines) > 3 or sum(char.isalpha() for char in text) < 3 or lines[0].footnote:
        return False
    if text.endswith((".", ",", ";")) and not size_ratio > 1.15:
        return False
    return size_ratio > 1.08 or bold > 0.9


def _flat_words(lines: Sequence[PlacedLine], marker: int) -> list[str]:
    words = [word.text for line in lines for word in line.words]
    return words[marker:]


def _text(lines: Sequence[PlacedLine], marker: int, vocabulary: Counter[str]) -> tuple[str, tuple[int, ...]]:
    """The words of the lines on one line, and the offsets in it at which a new page begins.

    Hyphenation is undone and unknown characters are left out.
    """
    words: list[str] = []
    first_words: list[int] = []
    for number, line in enumerate(lines):
        own = [word.text for word in line.words][marker if number == 0 else 0 :]
        if number and words and own:
            glued = _glued(words[-1], own[0], line.rtl, vocabulary)
            if glued is not None:
                words[-1] = glued
                own = own[1:]
        if number and line.page != lines[number - 1].page:
            first_words.append(len(words))
        words.extend(own)
    kept = [word.replace(UNKNOWN, "") for word in words]
    breaks = [sum(len(word) + 1 for word in kept[:first] if word) for first in first_words]
    text = " ".join(word for word in kept if word)
    return text, tuple(offset for offset in breaks if 0 < offset < len(text))


def _glued(before: str, after: str, rtl: bool, vocabulary: Counter[str]) -> str | None:
    """One word of two that a line end parts, None if they are two."""
    if before.endswith("-") and len(before) > 1 and before[-2].isalnum():
        if rtl or not after[0].islower() or not before[-2].isalpha():
            return before + after
        left, right = before[:-1], after
        joined, hyphenated = _key(left + right), _key(f"{left}-{right}")
        if vocabulary[joined] != vocabulary[hyphenated]:
            return left + right if vocabulary[joined] > vocabulary[hyphenated] else before + after
        left_part, right_part = _key(left), _key(right)
        if "-" in left_part or (vocabulary[f"{left_part}-"] and vocabulary[right_part]):
            return before + after
        return left + right
    if len(before) > 1 and before[-1] in _CLOSED and before[-2] not in _CLOSED and before[-2].isalnum():
        return before + after
    return None


def _key(word: str) -> str:
    found = _WORD.search(word)
    return found.group().casefold() if found else ""


def _count_words(lines: Iterable[PlacedLine], counts: Counter[str]) -> None:
    """Add how often each word occurs whole within a line; "self-" counts the compounds that begin with it."""
    for line in lines:
        words = [word.text for word in line.words]
        for position, word in enumerate(words):
            if position == 0 or (position == len(words) - 1 and word.endswith("-")):
                continue
            for part in _WORD.findall(word.casefold()):
                counts[part] += 1
                if "-" in part:
                    counts[part.partition("-")[0] + "-"] += 1
