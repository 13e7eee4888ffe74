"""Bullets and numbers at the beginning of lines."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from ingest.layout.bidi import is_rtl_letter
from ingest.layout.gaps import MIN_SPACES
from ingest.layout.line import (
    BOLD_SHARE,
    BULLETS,
    INDENTED,
    OPERATORS,
    Line,
    PlacedLine,
    Word,
    is_item_gap,
)
from ingest.layout.rows import SEGMENT_GAP
from ingest.pdf.model import UNKNOWN

MAX_NUMBERS = 3
"""Maximum number of nested numbers at the beginning of a line."""

TEXT_TOLERANCE = 0.2
"""Maximum distance of the second line of an item from its text that makes a word a number for sure, in font sizes."""

ICON = 1.5
"""Minimum size of an icon beside a text, in font sizes; bullets are smaller."""

_BULLET = re.compile(rf"[{BULLETS}∙∗·・･*\ufffd→⇒]|\(?\*{{1,3}}\)|[–—-]{{1,3}}|−")
"""Bullet, dash or stars before an item."""

_STARS = "*★☆™®†‡"
"""Signs before the number of an exercise; a font of ornaments without names has its stars at the codes of ™ and ®."""

_SIGNS = "().[]-–"
"""Signs around the numeral or letter of an item."""

_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
"""Roman numerals from 1 to 10."""

_JOINED = re.compile(r"(\(?\d{1,2}[.)](?=[^\W\d_]{2})(?![a-z])|[・･])(.+)")
"""Number of an item and the beginning of its text, which has a capital if its script has them; or a Japanese bullet."""

_FIRST = ("a", "i")
"""First letters of nested lists."""
_ENUMERATOR = re.compile(
    r"\(?(?:[\d\ufffd]{1,3}|[A-Za-z]|[ivxIVX]{1,5}|[\u05d0-\u05ea])(?:[.)]|\)[.:])|\(?[^\W\d_]\)|\[\d{1,3}\]"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.?|\d{1,2}[-–]"
)


def marker_words(line: PlacedLine, following: PlacedLine | None = None) -> int:
    """Return how many words at the beginning of a line are a bullet or numbers.

    There are several if the number of an exercise and those of its first parts share a line, as in "3. (a) i.", and the
    text or the next number hangs to the right of the first one, or a sentence begins after the first letter of a list.
    A capital with a full stop is the letter of an item only if the text hangs to its right.
    """
    if following is not None and following.column != line.column:
        following = None
    if not _is_marked(line, following):
        return 0
    if following is None:
        return 1

    n_numbers = sum(1 for _ in itertools.takewhile(_is_label, line.words[:-1]))
    n_numbers = min(MAX_NUMBERS, n_numbers)
    if n_numbers > 1:
        last = line.words[n_numbers - 1].text
        begins = line.words[n_numbers].text[0].isupper()
        begins_list = last in BULLETS or (last.strip(_SIGNS) in _FIRST and begins)
        if begins_list or is_next_label(last, following.first_text):
            return n_numbers
    for n_words in range(n_numbers, 1, -1):
        if following.starts_at(line.start_after(n_words)):
            return n_words
    return 1


def _is_label(word: Word) -> bool:
    """Return whether a word is a number, perhaps with stars before it, or a bullet and no sign of a formula."""
    is_number = _ENUMERATOR.fullmatch(word.text.lstrip(_STARS))
    return is_number is not None or word.text in BULLETS


def clean_start(line: PlacedLine) -> PlacedLine:
    """Remove an icon from the start of a line, and part the number of an item from its first word, as in "2.Trees"."""
    return _part_number(_without_icon(line))


def split_items(line: PlacedLine) -> list[PlacedLine]:
    """Split a line with several items of one list in columns, such as "(a) even    (c) odd"."""
    starts = [0]
    spaces = [0.0, *line.spaces]
    can_split = line.n_gaps and not line.in_table
    for position, word in enumerate(line.words[:-1] if can_split else ()):
        is_apart = spaces[position] > SEGMENT_GAP * line.size
        before = line.words[starts[-1]].text
        if is_apart and position > starts[-1] + 1 and _is_later(before, word.text):
            starts.append(position)

    if len(starts) == 1:
        return [line]
    items = []
    for start, end in itertools.pairwise([*starts, len(line.words)]):
        item = line.with_words(line.words[start:end])
        items.append(replace(item, n_gaps=0))
    return items


def _without_icon(line: PlacedLine) -> PlacedLine:
    """Remove a large sign that the file does not explain from the start of a line, as beside the text of a box."""
    is_large = line.words[0].size >= ICON * line.size
    if len(line.words) == 1 or line.first_text != UNKNOWN or not is_large:
        return line
    return line.with_words(line.words[1:])


def _part_number(line: PlacedLine) -> PlacedLine:
    """Part the number of an item from its first word if no space is between them."""
    joined = _JOINED.fullmatch(line.first_text)
    if joined is None or line.is_mono or line.in_table:
        return line
    word, *others = line.words
    number, text = joined.groups()
    width = (word.x1 - word.x0) * len(number) / len(word.text)
    if line.rtl:
        edge = word.x1 - width
        parts = replace(word, text=number, x0=edge), replace(word, text=text, x1=edge)
    else:
        edge = word.x0 + width
        parts = replace(word, text=number, x1=edge), replace(word, text=text, x0=edge)
    return replace(line, words=(*parts, *others))


def _is_marked(line: PlacedLine, following: PlacedLine | None) -> bool:
    """Return whether the first word of a line is a bullet or a number; `following` is in the same column."""
    if len(line.words) < 2:
        return is_bullet(line.first_text)
    first = line.first_text
    if not is_bullet(first):
        first = first.lstrip(_STARS) or first
    if is_bullet(first) or first == "o":  # a circle in some fonts of text
        second = line.words[1].text
        is_sure = first not in "·→⇒o−" or is_rtl_letter(second)
        is_sure |= first == "−" and second.isalpha() and line.n_prose_words > 1
        return is_sure or is_set_apart(line)
    has_letters = any(map(str.isalpha, first))
    if line.footnote and len(first) <= 3 and not has_letters:
        return True
    return bool(_ENUMERATOR.fullmatch(first)) and _is_numbered(line, first, following)


def _is_numbered(line: PlacedLine, first: str, following: PlacedLine | None) -> bool:
    """Return whether the first word of a line, which may be a number or a letter, is that of an item."""
    if following is not None:
        past_first = abs(following.start - line.start_after(1))
        if past_first < TEXT_TOLERANCE * line.size:
            return True
    if first[0].isupper() and following is not None:
        # an initial, unless the next line hangs or has one
        hangs = following.shift_from(line) >= INDENTED
        if not hangs and not _ENUMERATOR.fullmatch(following.first_text):
            return False

    is_number = first.strip("().").replace(UNKNOWN, "0").isdecimal()
    second = line.words[1].text
    if first[-1] in "-–":  # as in "3- and 4-connected"
        return second[0].isupper() or is_rtl_letter(second)
    is_sure = is_number or first[0] in "([" or _is_letter(first, line.words[1:])
    return is_sure or line.bold_share > BOLD_SHARE or is_set_apart(line)


def _is_letter(first: str, words: Sequence[Word]) -> bool:
    """Return whether a letter is that of an item by the words after it: neither an initial nor inside a sentence."""
    second, *others = [word.text for word in words]
    if is_rtl_letter(first):  # two letters are initials
        return _ENUMERATOR.fullmatch(second) is None
    begins_formula = len(second) == 1 and OPERATORS.issuperset(others[:1])
    is_beginning = not second[0].islower() or (begins_formula and first[-1] == ")")
    return first[0].islower() and is_beginning


def is_bullet(text: str) -> bool:
    """Return whether a word is a bullet."""
    return _BULLET.fullmatch(text) is not None


def is_next_label(before: str, label: str) -> bool:
    """Return whether a label follows another one, as "b)" does "a)", "(12)" does "(11)" and "iv." does "iii."."""
    one, other = _value(before, label), _value(label, before)
    return _is_later(before, label) and other == one + 1


def _is_later(before: str, label: str) -> bool:
    """Return whether a label is in the style of another one, and later in the list."""
    if not (_ENUMERATOR.fullmatch(before) and _ENUMERATOR.fullmatch(label)):
        return False
    one, other = before.strip(_SIGNS), label.strip(_SIGNS)
    is_one_style = before.replace(one, "") == label.replace(other, "")
    return is_one_style and 0 < _value(before, label) < _value(label, before)


def _value(label: str, other: str) -> int:
    """Return the value of a label, by the numerals or letters that it shares with another one; 0 if there is none."""
    pair = [label.strip(_SIGNS), other.strip(_SIGNS)]
    own = pair[0]
    if all(text.isdecimal() for text in pair):
        return int(own)
    if all(len(text) == 1 for text in pair):
        return ord(own)
    is_roman = all(text.casefold() in _ROMAN for text in pair)
    return _ROMAN.index(own.casefold()) + 1 if is_roman else 0


def is_set_apart(line: Line) -> bool:
    """Return whether the space after the first word is wider than the other spaces."""
    first, *others = line.spaces or [0.0]
    usual = median(others) if len(others) >= MIN_SPACES else 0.0
    return is_item_gap(first, line.size, usual)
