"""Paragraph breaks: whether a new paragraph begins with a line; bullets and numbers at the beginning of lines."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass
from statistics import median

from quarry.ingest.layout.arrange import PlacedLine
from quarry.ingest.pdf.model import UNKNOWN

SIZE_TOLERANCE = 0.045
"""Maximal relative difference of the font sizes of two lines of one paragraph."""

TALL = 0.7
"""Maximal extra distance of two baselines because of a formula in a line, in font sizes."""

MAX_GAPS_IN_PROSE = 4
"""Maximal number of wide gaps in two lines of one sentence, as next to a formula in a narrow column."""

SLIGHT = 0.15
"""Extra white space that, after a short line, parts two paragraphs, in font sizes."""

SHORT = 0.8
"""Minimal distance between the margin and the last line of a paragraph in justified text, in font sizes."""

SENTENCE_END = re.compile(r"""[.!?:…。][)\]"'”’»׳״]*$""")
TERMINAL = re.compile(r"""[.!?…。][)\]"'”’»׳״\d]*$""")
LEADERS = re.compile(r"(?:\.\s?){6,}|(?:[·…]\s?){4,}")

MIN_SPACES, APART = 3, 1.3
"""Minimal number of spaces that tell the usual width of a space, and the width of the space after a number or dash, as
a multiple of it."""

_BULLET = re.compile(r"[•◦▪▫■□●○◆◇❖❒❑➢➤►▶‣⁃∙∗·*–—\-\ufffd✓✔★☆→⇒]")
_ENUMERATOR = re.compile(
    r"\(?(?:[\d\ufffd]{1,3}|[A-Za-z]|[ivxIVX]{1,5}|[\u05d0-\u05ea])[.)]|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2}){1,3}\.?"
)
_STARS = "*★☆™®†‡"
"""Signs before the number of an exercise; a font of ornaments without names has its stars at the codes of ™ and ®."""


@dataclass(slots=True)
class LineGroup:
    """Lines of one paragraph, with the number of words of its bullet or number, and the white space around it."""

    lines: list[PlacedLine]
    marker: int = 0
    gap_above: float = 0.0
    gap_below: float = 0.0
    text_start: float = 0.0


@dataclass(frozen=True, slots=True)
class TypesettingHabits:
    """Typesetting of a document.

    Attributes:
        vocabulary: number of times that each word occurs unbroken within a line.
        pitch: the usual distance of baselines, in font sizes.
        parting: the usual distance of baselines between two paragraphs of the body, in font sizes.
        indented: whether the first lines of paragraphs are indented.
        justified: whether all lines of a paragraph but the last end at the right margin.
    """

    vocabulary: Counter[str]
    pitch: float
    parting: float
    indented: bool
    justified: bool
    body_size: float


def begins_paragraph(
    group: LineGroup, line: PlacedLine, following: PlacedLine | None, habits: TypesettingHabits
) -> bool:
    """Return whether a new paragraph begins with `line`."""
    previous, em = group.lines[-1], line.size
    if _changes_print(previous, line) or LEADERS.search(previous.text):
        return True
    if (line.n_gaps or previous.n_gaps) and not _is_gap_in_prose(previous, line):
        return True
    marker = marker_words(line, following)
    if marker and _is_item(group, line, marker):
        return True
    if line.column != previous.column:
        return _is_displayed(previous) or not _flows_on(previous, line)
    distance, own_pitch = (line.y - previous.y) / em, _pitch_of(group, line)
    limit = max(habits.pitch + 0.33, 1.25 * own_pitch)
    if distance < 0.3 or (distance > limit and not (distance < limit + TALL and _is_mid_sentence(previous, line))):
        return True
    if len(group.lines) == 1 and not group.marker and line.start - previous.start > 0.7 * em:
        return not _hangs(previous, line, following)
    if _leaves_margin(group, line):
        return True
    wider = distance > max(habits.pitch, own_pitch) + SLIGHT
    if (habits.justified or wider) and _is_last(previous, line, habits.body_size):
        return True
    return not ends_full(previous, line)


def _changes_print(previous: PlacedLine, line: PlacedLine) -> bool:
    """Return whether font size, weight or pitch changes between two lines with no sentence across, or a table does."""
    if line.in_table != previous.in_table:
        return True
    if abs(line.size - previous.size) > SIZE_TOLERANCE * max(line.size, previous.size):
        return True
    weight_changes = (previous.bold > 0.95) != (line.bold > 0.95) and min(previous.bold, line.bold) < 0.5
    if weight_changes and n_letters(previous) > 3 and (previous.bold > 0.95 or not ends_full(previous, line)):
        return True
    return (previous.mono > 0.8) != (line.mono > 0.8) and not _flows_on(previous, line)


def _pitch_of(group: LineGroup, line: PlacedLine) -> float:
    """Return the distance of the last two baselines of a group, in font sizes; 0 if they are in another column."""
    if len(group.lines) == 1 or group.lines[-2].column != line.column:
        return 0.0
    return (group.lines[-1].y - group.lines[-2].y) / line.size


def _leaves_margin(group: LineGroup, line: PlacedLine) -> bool:
    """Return whether a line begins clearly to the right or to the left of the margin of a group."""
    first, previous, em = group.lines[0], group.lines[-1], line.size
    if len(group.lines) > 1:
        return abs(line.start - previous.start) > 0.7 * em
    if not group.marker:
        return line.start < first.start - 3.5 * em
    outdented = first.start + 0.3 * em < line.start < group.text_start - 1.2 * em
    return (not outdented and line.start - group.text_start > 0.7 * em) or line.start < first.start - 0.5 * em


def _is_last(previous: PlacedLine, line: PlacedLine, body_size: float) -> bool:
    """Return whether a line ends short of the margin and with a sentence: the last line of a justified paragraph."""
    short = previous.right - previous.end > SHORT * previous.size
    capital = line.words[0].text.lstrip("([\"'“‘„")[:1]
    begins = bool(capital) and not capital.islower()
    return short and begins and bool(TERMINAL.search(previous.text)) and abs(previous.size - body_size) < 0.5


def _is_mid_sentence(previous: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a line continues the sentence of the full line above it, at any height."""
    flush = abs(line.start - previous.left) < 0.3 * line.size and previous.right - previous.end < 3 * line.size
    return flush and line.words[0].text[0].islower() and not SENTENCE_END.search(previous.text)


def _hangs(previous: PlacedLine, line: PlacedLine, following: PlacedLine | None) -> bool:
    """Return whether `line` and the line after it hang below an outdented first line of one sentence with them."""
    if SENTENCE_END.search(previous.text) or previous.right - previous.end > 3 * line.size or following is None:
        return False
    return following.column == line.column and abs(following.start - line.start) < 0.3 * line.size


def _is_item(group: LineGroup, line: PlacedLine, marker: int) -> bool:
    """Return whether a line with a marker begins an item, and is not prose that begins with a number or dash."""
    first = line.words[0].text
    if is_bullet(first) and first not in "-–—*·":
        return True
    if group.marker:
        return True
    previous = group.lines[-1]
    return bool(SENTENCE_END.search(previous.text)) or abs(line.start - previous.start) > 0.5 * line.size


def _is_gap_in_prose(previous: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a wide gap in one of two lines is a symbol that the file lacks, and not a gap between cells."""
    if line.n_gaps + previous.n_gaps <= MAX_GAPS_IN_PROSE and _is_mid_sentence(previous, line):
        return True
    at_margin = abs(line.start - line.left) < 0.3 * line.size and previous.start - line.left < 3.5 * line.size
    flush = (abs(line.start - previous.start) < 0.3 * line.size or at_margin) and (
        previous.right - previous.end < 1.5 * line.size
    )
    return line.n_gaps + previous.n_gaps == 1 and flush and is_prose(previous) and is_prose(line)


def _is_displayed(line: PlacedLine) -> bool:
    """Return whether a line is apart from both margins and is no prose, as a displayed formula."""
    room = 0.9 * line.size
    return line.start - line.left > room and line.right - line.end > room and word_share(line) < 0.5


def is_prose(line: PlacedLine) -> bool:
    """Return whether a line has enough words to be prose, perhaps with formulas."""
    return word_share(line) > 0.3 or sum(sum(map(str.isalpha, word.text)) > 2 for word in line.words) > 2


def word_share(line: PlacedLine) -> float:
    """Return the share of a line's words with three letters or more; it is low in a formula."""
    return sum(sum(map(str.isalpha, word.text)) > 2 for word in line.words) / len(line.words)


def n_letters(line: PlacedLine) -> int:
    """Return the number of letters in a line."""
    return sum(char.isalpha() for word in line.words for char in word.text)


def ends_full(previous: PlacedLine, line: PlacedLine) -> bool:
    """Return whether `previous` is full: the first word of `line` would not have fitted."""
    room = previous.right - previous.end
    first = line.words[0]
    fill = (previous.end - previous.start) / max(1.0, previous.right - previous.left)
    begins = first.text[0].isupper() and not line.rtl  # a Latin word or a formula may begin a line of Hebrew
    if fill > 0.6 and not SENTENCE_END.search(previous.text) and not begins:
        return True
    if fill > 0.85 and not SENTENCE_END.search(previous.text) and not is_bullet(first.text):
        return True
    slack = 1.2 * line.size if not SENTENCE_END.search(previous.text) else 0.6 * line.size
    return room < (first.x1 - first.x0) + 0.3 * line.size + slack


def _flows_on(previous: PlacedLine, line: PlacedLine) -> bool:
    """Return whether the text of one line continues in the next, in another column or print."""
    start = line.words[0].text.lstrip("([\"'“‘„")
    if not start or TERMINAL.search(previous.text):
        return False
    if previous.text.endswith(":") and not (start[0].islower() and word_share(line) > 0.5):
        return False
    if previous.text.endswith("-") or start[0].islower():
        return True
    return ends_full(previous, line) and previous.right - previous.end < 2 * line.size and not start[0].isdigit()


def marker_words(line: PlacedLine, following: PlacedLine | None = None) -> int:
    """Return how many words at the beginning of a line are a bullet or numbers.

    There are 2 if the number of an exercise and the letter of its first part share a line, and the text hangs to the
    right of both. A capital with a full stop is the letter of an item only if the text hangs to its right.
    """
    first = _is_marked(line, following)
    if not first or len(line.words) < 3 or following is None or following.column != line.column:
        return int(first)
    two = all(_ENUMERATOR.fullmatch(_without_stars(word.text)) for word in line.words[:2])
    return 2 if two and abs(following.start - start_after(line, 2)) < 0.6 * line.size else 1


def _is_marked(line: PlacedLine, following: PlacedLine | None) -> bool:
    """Return whether the first word of a line is a bullet or a number."""
    if len(line.words) < 2:
        return len(line.words) == 1 and is_bullet(line.words[0].text)
    first = _without_stars(line.words[0].text)
    if is_bullet(first):
        if first in "-–—*·→⇒" and not is_set_apart(line):
            return first in "-–—*"
        return True
    if line.footnote and len(first) <= 3 and not any(map(str.isalpha, first)):
        return True
    if UNKNOWN in first and len(first) <= 5 and first.endswith((".", ")")) and not any(map(str.isalpha, first)):
        return True
    if not _ENUMERATOR.fullmatch(first):
        return False
    if first[0].isupper() and following is not None and following.column == line.column:
        flush = following.start - line.start < 0.5 * line.size
        if flush and not _ENUMERATOR.fullmatch(following.words[0].text):
            return False
    plain = first.strip("().").replace(UNKNOWN, "0").isdecimal() or first[0] in "(["
    return plain or line.bold > 0.9 or is_set_apart(line)


def _without_stars(text: str) -> str:
    """Return a number without the signs before it; a text of signs alone unchanged."""
    return text.lstrip(_STARS) or text


def is_bullet(text: str) -> bool:
    """Return whether a word is a bullet."""
    return len(text) == 1 and bool(_BULLET.fullmatch(text))


def is_set_apart(line: PlacedLine) -> bool:
    """Return whether the space after the first word is wider than the other spaces."""
    first, *others = (max(right.x0 - left.x1, left.x0 - right.x1) for left, right in itertools.pairwise(line.words))
    return first > 0.4 * line.size and (len(others) < MIN_SPACES or first > APART * median(others))


def start_after(line: PlacedLine, marker: int) -> float:
    """Return the start of the text after `marker` words, in reading direction."""
    if marker == 0 or marker >= len(line.words):
        return line.start
    word = line.words[marker]
    return -word.x1 if line.start < 0 else word.x0
