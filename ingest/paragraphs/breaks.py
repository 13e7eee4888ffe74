"""Paragraph breaks: whether a new paragraph begins with a line."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from quarry.ingest.layout.arrange import PlacedLine
from quarry.ingest.paragraphs.markers import is_bullet, marker_words

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
_IN_BRACKETS = re.compile(r"\((?:\d{1,2}|[a-z]|[ivx]{1,4}|[\u05d0-\u05ea])\)$")
LEADERS = re.compile(r"(?:\.\s?){6,}|(?:[·…]\s?){4,}")


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
    if _changes_print(previous, line) or _follows_symbols(group, line) or LEADERS.search(previous.text):
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
    """Return whether font size, weight or pitch changes between two lines with no sentence across."""
    if abs(line.size - previous.size) > SIZE_TOLERANCE * max(line.size, previous.size):
        return True
    weight_changes = (previous.bold > 0.95) != (line.bold > 0.95) and min(previous.bold, line.bold) < 0.5
    if weight_changes and n_letters(previous) > 3 and (previous.bold > 0.95 or not ends_full(previous, line)):
        return True
    return (previous.mono > 0.8) != (line.mono > 0.8) and not _flows_on(previous, line)


def _follows_symbols(group: LineGroup, line: PlacedLine) -> bool:
    """Return whether prose begins with a capital below one short line of symbols."""
    previous = group.lines[-1]
    is_short = len(group.lines) == 1 and previous.right - previous.end > 0.5 * previous.size
    return is_short and line.words[0].text[0].isupper() and word_share(previous) < 0.4 and word_share(line) > 0.7


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
    if first.endswith(")") and not first.startswith("(") and previous.text.count("(") > previous.text.count(")"):
        return False
    if first.startswith("(") and previous.text.endswith(":") and ends_full(previous, line):
        return not _enumerates(line)
    if first.startswith("(") and not SENTENCE_END.search(previous.text) and _enumerates(previous):
        return False
    return bool(SENTENCE_END.search(previous.text)) or abs(line.start - previous.start) > 0.5 * line.size


def _enumerates(line: PlacedLine) -> bool:
    """Return whether a line has a number or letter in brackets after its first word, as in an enumeration in prose."""
    return any(_IN_BRACKETS.search(word.text) for word in line.words[1:])


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
