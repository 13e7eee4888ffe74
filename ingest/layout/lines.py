"""Lines of words in reading order, made from the rows of a page.

The order of the words in a line follows from the positions of the glyphs, not from their order in the file, so that
right-to-left text is the same from producers that store it in logical order (LibreOffice) and in visual order (LuaTeX).
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from statistics import median

from ingest.layout.accents import LOW
from ingest.layout.bidi import (
    STOPS,
    has_rtl_letter,
    is_rtl_letter,
    logical_order,
    with_turned_brackets,
)
from ingest.layout.embedded import reading_units
from ingest.layout.gaps import WORD_GAP, close_spaced_print, cut_at_gaps
from ingest.layout.line import BULLETS, Line, Word, is_item_gap, make_line
from ingest.layout.rows import (
    EXPONENT_RISE,
    MAX_LEVEL_OFFSET,
    NEARLY_LEVEL,
    SAME,
    SMALL,
    Row,
    visible_glyphs,
)
from ingest.layout.superscripts import with_scripts, without_marks
from ingest.pdf.model import Fonts, Glyph, edges, space_between, text_of

SOFT_HYPHEN = "\u00ad"
"""Hyphen of many fonts: if it is drawn, it is seen."""

PLACEHOLDER = "\u05ef"
"""Right-to-left letter, and a rare one, in place of a run of left-to-right text."""

_LABEL = r"(?:[a-zA-Z0-9]{1,2}|[א-ת])"
"""Expression for the number or letter of an item."""

_ITEM = re.compile(rf"\.{_LABEL}|{_LABEL}\.|[()]\d\d?|\(?\d\d?\)|[{BULLETS}o]")
"""Bullet or number of an item as it is drawn."""

_LEFT_TO_RIGHT = re.compile(r"[a-zA-Z0-9]{1,2}\.")
"""Number of an item that is drawn from left to right, as nothing else is at the right end of Hebrew."""

_LABEL_AND_DASH = re.compile(r"[-–] ?[A-Z][a-z]+[A-Za-z ]{0,40}$")
"""Latin label and the dash after it as they are drawn in right-to-left text."""

MODAL = frozenset("□○◇◯")
"""Operators of modal logic, which are also bullets."""

AT_EDGE = 0.5
"""Maximum distance of the right ends of two lines of one paragraph, in ems."""

WORD_GAP_HINTED = 0.05
"""Minimum white space between two words with a stored space, or with one that PDFium detects; italics lean over it."""

SPACE_OVER_GLYPH = 2 / 3
"""Minimum share of a space over the next glyph that makes it none; some programs draw it there between two runs."""

GAP_IN_BRACKETS = 0.25
"""Maximum gap inside a bracket that parts no words, in ems, if no space is stored there."""

OPENING_BRACKETS = frozenset("([{⟨⌊⌈")
"""Brackets after which a gap may part no words."""

CLOSING_BRACKETS = frozenset(")]}⟩⌋⌉")
"""Brackets before which a gap may part no words."""

GAP_AFTER_STOP = 0.1
"""Minimum white space between a word with a mark at its end and the next letter, in ems."""

MARKS_AT_END = frozenset(".,;:!?)”")
"""Marks at the end of a word."""

OPENING_QUOTES = frozenset("“‘„«")
"""Quotation marks that begin a word after such a mark and any white space."""

MIN_SPACING, MAX_SPACING = 0.1, 0.2
"""Range of the white space between two capitals in spaced print without stored spaces, in ems."""

MIN_SPACED_LETTERS = 3
"""Minimum number of such spaces in a line."""

MIN_INITIAL = 1.6
"""Minimum font size of an initial letter, as a multiple of the text's; it is a separate word until it is joined."""

ELEMENT_SHARE = 0.8
"""Minimum share of the glyphs of a line in one element of the file's structure."""

IN_NUMBER = 0.2
"""Maximum white space between the decimal point of a number and its next digit, in ems; a space is wider."""

_BARRED = {"d\u0304": "đ", "D\u0304": "Đ"}
"""Letters with a bar, by those with a macron by which TeX draws them."""

_BARRED_D = re.compile("(?<=[^\\W\\d_]{2})d\u0304|[dD]\u0304(?=[^\\W\\d_]{2})")
"""Such a letter in a word, and not in a formula."""


def cut_row(
    row: Row,
    fonts: Fonts,
    rtl: bool,
    above: Line | None = None,
    walls: Iterable[float] = (),
    exponents: Collection[str] = (),
) -> list[Line]:
    """Cut a row at its gaps and at rules, and return the lines from left to right.

    Args:
        rtl: whether the document reads from right to left.
        above: the last right-to-left line above the row.
        walls: places of the vertical rules across the row, in points.
        exponents: raised numbers that point to no note.
    """
    close_spaced_print(row)
    lines = []
    for glyphs in cut_at_gaps(row, walls):
        while glyphs[-1].text == " ":
            glyphs.pop()
        is_rtl = rtl and _is_rtl_line(glyphs, row.y, fonts, above)
        if is_rtl and _begins_with_bullet(glyphs):
            glyphs[-1].text = "◦"

        words = []
        for members in _read_words(glyphs, row, fonts, rtl, is_rtl, exponents):
            if members:
                words.append(_make_word(members, row, fonts))

        order = min(glyph.order for glyph in glyphs)
        shifts = [glyph.shift for glyph in glyphs]
        line = make_line(words, row.y, is_rtl, order)
        # the mark of a note is part of the line, though no word has it
        x0, x1 = edges(glyphs)
        whole = replace(
            line,
            x0=x0 if is_rtl else line.x0,
            x1=line.x1 if is_rtl else x1,
            rise=max(shifts),
            depth=-min(shifts),
            element=_element_of(glyphs),
        )
        lines.append(whole)
    return lines


def _begins_with_bullet(glyphs: Sequence[Glyph]) -> bool:
    """Return whether a right-to-left line begins with Word's bullet "o", which touches the first word."""
    if len(glyphs) == 1:
        return False
    first, bullet = glyphs[-2:]
    is_in_other_font = bullet.text == "o" and bullet.font != first.font
    return is_in_other_font and is_rtl_letter(first.text)


def _element_of(glyphs: Sequence[Glyph]) -> int:
    """Return the number of the element to which most glyphs of a line belong; 0 if there is none."""
    elements = {glyph.element for glyph in glyphs}
    if len(elements) == 1:
        return elements.pop()
    counts = Counter(glyph.element for glyph in visible_glyphs(glyphs))
    element, n_glyphs = counts.most_common(1)[0]
    return element if n_glyphs > ELEMENT_SHARE * counts.total() else 0


def _is_rtl_line(
    glyphs: Sequence[Glyph], y: float, fonts: Fonts, above: Line | None
) -> bool:
    """Return whether a line of a right-to-left text reads from right to left, not as code or as an English line.

    Latin words and formulas below such a line do if they end on their left with a stop. A formula does not if all its
    right-to-left letters are above or below the baseline `y`, or were in limits or fractions.
    """
    for glyph in glyphs:
        is_level = abs(glyph.y - y) < NEARLY_LEVEL * glyph.size
        if is_level and not glyph.shift and is_rtl_letter(glyph.text):
            return True
    first, last = glyphs[0], glyphs[-1]
    is_below = above is not None and _is_aligned(first, last, above)
    is_own = bool(fonts.embedded) and first.font not in fonts.embedded
    is_stop = first.text in STOPS and not fonts.mono(first.font)
    if is_stop and (is_below or is_own):
        return True
    is_end = above is not None and _ends_with(last, above)
    return is_end and _LABEL_AND_DASH.match(text_of(glyphs)) is not None


def _is_aligned(first: Glyph, last: Glyph, above: Line) -> bool:
    """Return whether glyphs end at the right where a line or its text after a number does, or begin where it does."""
    return _ends_with(last, above) or abs(first.x0 - above.x0) < AT_EDGE * last.size


def _ends_with(last: Glyph, above: Line) -> bool:
    """Return whether a glyph ends at the right where a line or its text after a number does."""
    ends = [word.x1 for word in above.words[:2]]
    return any(abs(last.x1 - end) < AT_EDGE * last.size for end in ends)


def _read_words(
    glyphs: list[Glyph],
    row: Row,
    fonts: Fonts,
    document_rtl: bool,
    line_rtl: bool,
    exponents: Collection[str],
) -> list[list[Glyph]]:
    """Return the glyphs of the words of a line in reading order, without the marks of notes.

    Args:
        document_rtl, line_rtl: whether the document, and whether the line reads from right to left.
        exponents: raised numbers that point to no note.
    """
    text = text_of(glyphs)
    has_small = min(glyph.size for glyph in glyphs) < SMALL * row.size
    if has_small:
        glyphs = with_scripts(glyphs, row.y, row.size)

    words = _split_words(glyphs, row.size)
    number = []
    if document_rtl and _has_number(words):
        number.append(_in_order(words.pop()))
    if words and (line_rtl or has_rtl_letter(text)):
        words = _reorder(words, line_rtl, fonts)
    elif document_rtl:
        _turn_brackets(words)
    words = number + words
    return without_marks(words, exponents) if has_small else words


def _split_words(glyphs: list[Glyph], em: float) -> list[list[Glyph]]:
    """Part glyphs from left to right into words, by the white space between them."""
    words: list[list[Glyph]] = [[]]
    right = glyphs[0].x0
    spaced = False
    bullets = _bullets(glyphs)
    inside = _inside_spaced_words(glyphs)
    bracketed = _inside_brackets(glyphs)
    for position, glyph in enumerate(glyphs):
        word = words[-1]
        if glyph.text == " ":
            if _is_over_next(glyph, glyphs[position + 1 : position + 2]):
                continue
            spaced = True
            # an italic may lean over it
            if word and glyph.x0 > word[-1].middle:
                right = min(right, glyph.x0)
            continue

        gap = (glyph.x0 - right) / min(glyph.size, em)
        is_in_brackets = gap < GAP_IN_BRACKETS and position in bracketed and not spaced
        is_apart = not (is_in_brackets or position in inside)
        is_apart = is_apart and _is_word_gap(word, glyph, gap, spaced)
        if word and (is_apart or _is_parted(word[-1], glyph, bullets)):
            words.append([])

        spaced = False
        words[-1].append(glyph)
        right = max(right, glyph.x1)
    return words


def _is_word_gap(word: Sequence[Glyph], glyph: Glyph, gap: float, spaced: bool) -> bool:
    """Return whether a gap parts a glyph from a word: a wide one, or a narrow one with a sign of a space.

    Args:
        gap: in ems.
        spaced: whether a space is stored in it.
    """
    if (spaced or glyph.parted) and _is_in_number(word, glyph, gap):
        return False
    if WORD_GAP_HINTED < gap <= WORD_GAP:
        return spaced or _is_next_word(word, glyph, gap)
    return gap > WORD_GAP


def _is_over_next(space: Glyph, following: Sequence[Glyph]) -> bool:
    """Return whether most of a space is drawn over the glyph after it, which is in the same font."""
    covered = sum(
        space.x1 - glyph.x0 for glyph in following if glyph.font == space.font
    )
    return covered > SPACE_OVER_GLYPH * (space.x1 - space.x0)


def _inside_spaced_words(glyphs: Sequence[Glyph]) -> Collection[int]:
    """Return the positions of the capitals that continue a word in spaced print: R E F E R E N C E S."""
    capitals = [place for place, glyph in enumerate(glyphs) if glyph.text.isupper()]
    positions = []
    for before, position in itertools.pairwise(capitals):
        left, right = glyphs[before], glyphs[position]
        gap = (right.x0 - left.x1) / right.size
        is_next = position == before + 1 and not right.parted
        if is_next and MIN_SPACING < gap < MAX_SPACING:
            positions.append(position)
    return positions if len(positions) >= MIN_SPACED_LETTERS else ()


def _is_next_word(word: Sequence[Glyph], glyph: Glyph, gap: float) -> bool:
    """Return whether a glyph after a narrow gap without a stored space begins a word.

    Args:
        gap: in ems.
    """
    ending = text_of(word[-3:])
    if word and _is_exponent_of(word[-1], glyph):
        return False
    if glyph.parted and glyph.text == "-":
        return len(ending) == 1 or not ending[-2:].isalpha()
    if glyph.parted:
        # the dots of an ellipsis are apart
        is_apart = glyph.text not in MARKS_AT_END or ending[-1:] in MARKS_AT_END
        return is_apart and gap - _usual_gap(word, glyph) > WORD_GAP_HINTED

    has_mark = ending[:2].isalpha() and ending[2:] in MARKS_AT_END
    is_letter = glyph.text.isalpha() and gap > GAP_AFTER_STOP
    return has_mark and (is_letter or glyph.text in OPENING_QUOTES)


def _usual_gap(word: Sequence[Glyph], following: Glyph) -> float:
    """Return the median of the gaps in a word, in ems, as the glyphs of bitmap fonts do not touch.

    It is 0 for a word of one letter, and unless it and the glyph after it are letters of one font.
    """
    gaps = [space_between(left, right) for left, right in itertools.pairwise(word)]
    fonts = {glyph.font for glyph in (*word, following)}
    is_text = text_of([*word, following]).isalpha() and len(fonts) == 1
    return max(0.0, median(gaps)) / following.size if gaps and is_text else 0.0


def _inside_brackets(glyphs: Sequence[Glyph]) -> Collection[int]:
    """Return the positions of the glyphs after opening brackets, and of closing brackets.

    Next to right-to-left letters, where a bracket may be stored as its partner, only those of pairs around other text
    count.
    """
    has_rtl = has_rtl_letter(text_of(glyphs))
    positions: set[int] = set()
    opened: list[int] = []
    is_after_rtl = False
    for position, glyph in enumerate(glyphs):
        if glyph.text in OPENING_BRACKETS and not is_after_rtl:
            opened.append(position + 1)
        elif glyph.text in CLOSING_BRACKETS and (opened or not has_rtl):
            positions |= {position, *opened[-1:]}
            del opened[-1:]
        is_after_rtl = is_rtl_letter(glyph.text)
        if is_after_rtl:
            opened.clear()
    return positions if has_rtl else positions.union(opened)


def _is_exponent_of(index: Glyph, glyph: Glyph) -> bool:
    """Return whether a glyph after an index is the exponent of the same base."""
    is_as_large = abs(index.size - glyph.size) < SAME * glyph.size
    return is_as_large and index.y - glyph.y > EXPONENT_RISE * glyph.size


def _bullets(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Return the bullets at the ends of a row; a modal operator touches its formula."""
    bullets = []
    for ends in (glyphs[:2], glyphs[:-3:-1]):
        gap = space_between(ends[0], ends[-1])
        is_operator = ends[0].text in MODAL and 0 <= gap < WORD_GAP * ends[0].size
        if ends[0].text in BULLETS and not is_operator:
            bullets.append(ends[0])
    return bullets


def _is_parted(left: Glyph, right: Glyph, bullets: Sequence[Glyph]) -> bool:
    """Return whether one of two neighbours is no part of a word: a bullet at an end of the row, or a large initial."""
    return left in bullets or right in bullets or _is_initial(left, right)


def _is_in_number(word: Sequence[Glyph], glyph: Glyph, gap: float) -> bool:
    """Return whether a digit continues a number after its point; some formulas have white space there."""
    return (
        gap < IN_NUMBER
        and len(word) > 1
        and word[-1].text in ".,"
        and word[-2].text.isdecimal()
        and glyph.text.isdecimal()
    )


def _is_initial(left: Glyph, right: Glyph) -> bool:
    """Return whether one of two letters on a baseline is the large initial of a paragraph."""
    small, large = sorted((left.size, right.size))
    return (
        large >= MIN_INITIAL * small
        and left.text[:1].isalpha()
        and right.text[:1].isalpha()
        and abs(left.y - right.y) < MAX_LEVEL_OFFSET * small
    )


def _has_number(words: Sequence[Sequence[Glyph]]) -> bool:
    """Return whether the word at the right end is a bullet, or a number set apart from the words on its left."""
    number = words[-1]
    text = text_of(number)
    is_label = _LEFT_TO_RIGHT.fullmatch(text) is not None
    if is_label and len(words) > 1 and has_rtl_letter(text_of(words[-2])):
        return True
    n_brackets = text.count("(") + text.count(")")
    if n_brackets == 1 and len(words) > 1 and words[-2][0].text in "()":
        return False  # as in "(7 points)"
    gaps = []
    for left, right in itertools.pairwise(words):
        gaps.append(right[0].x0 - left[-1].x1)
    *others, gap = gaps or [math.inf]
    is_apart = is_item_gap(gap, number[0].size, min(others, default=0.0))
    return text in BULLETS or (is_apart and _ITEM.fullmatch(text) is not None)


def _in_order(number: list[Glyph]) -> list[Glyph]:
    """Return a drawn bullet or number as it is read: the stop or the only bracket is after it."""
    first, *others = number
    if first.text == "." or (first.text in "()" and others[-1].text != ")"):
        first.text = ")" if first.text == "(" else first.text
        return [*others, first]
    return number


def _turn_brackets(words: Sequence[Sequence[Glyph]]) -> None:
    """Turn the brackets of left-to-right words in place, if they are stored as those of right-to-left ones."""
    glyphs = [*itertools.chain.from_iterable(words)]
    stored = "".join([glyph.text[:1] or " " for glyph in glyphs])
    turned = with_turned_brackets(stored)
    for glyph, before, after in zip(glyphs, stored, turned, strict=True):
        glyph.text = glyph.text.replace(before, after)


def _reorder(words: list[list[Glyph]], rtl: bool, fonts: Fonts) -> list[list[Glyph]]:
    """Sort words that are ordered from left to right into reading order.

    Mirrored signs are turned in place.
    """
    space = replace(words[0][0], text=" ")
    members = words[0][:]
    for word in words[1:]:
        members.append(space)
        members += word

    units = [[glyph] for glyph in members]
    if rtl:
        units = reading_units(members, fonts)
        for unit in units:
            _turn_brackets([unit])
    texts = [unit[0].text if len(unit) == 1 else PLACEHOLDER for unit in units]
    reordered: list[list[Glyph]] = [[]]
    for index, text in logical_order(texts, rtl, fonts.as_drawn):
        unit = units[index]
        if len(unit) == 1:
            unit[0].text = text
        for glyph in unit:
            if glyph.text == " ":
                reordered.append([])
            else:
                reordered[-1].append(glyph)
    return reordered


def _make_word(members: list[Glyph], row: Row, fonts: Fonts) -> Word:
    """Make a word of its glyphs."""
    text = text_of(members).replace(SOFT_HYPHEN, "-")
    text = _BARRED_D.sub(lambda letter: _BARRED[letter[0]], text)
    largest = members[0]
    x0, x1 = edges(members)
    place = largest.y, largest.shift
    is_term = False
    for glyph in members:
        if glyph.size > largest.size:
            largest = glyph
        if (glyph.y, glyph.shift) != place and glyph.text.isalpha():
            is_far = abs(glyph.y - row.y) > LOW * glyph.size
            is_term = is_term or is_far or glyph.shift != largest.shift

    return Word(
        text=text,
        x0=x0,
        x1=x1,
        size=largest.size,
        raised=row.y - largest.y,
        bold=fonts.bold[largest.font],
        mono=fonts.mono(largest.font),
        is_term=is_term,
    )
