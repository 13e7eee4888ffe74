r"""Formulas and Latin words in fonts of their own inside right-to-left lines: each reads from left to right as a whole.

Each glyph of a line gets a letter for its kind, and formulas are found by patterns of these letters:

    E, D  letter and digit in a font without right-to-left letters, which are the fonts of formulas
    L, 0  other letters, but for right-to-left ones, and digits in the fonts of the text
    \n    right-to-left letter, and sign of the text
    \r    operator in a font of the text
    other signs of formulas, and spaces, are as they are

If capitals are Hebrew letters, the line that is drawn as `.x<|y| CBA` has the kinds `\nE<|E| \n\n\n`: the full stop
is of the text, and `x<|y|` is one formula.
"""

import re
from collections.abc import Iterator, Sequence
from unicodedata import category

from ingest.layout.bidi import AUTHOR, YEAR, is_rtl_letter, n_unpaired
from ingest.pdf.model import MIRRORED, Fonts, Glyph

_TEXT = "\n"
"""Kind of right-to-left letters and of signs of the text."""

_TEXT_OPERATOR = "\r"
"""Kind of operators in a font of the text."""

_NUMBER_ALONE = re.compile(
    r"(?<![^\w \n)])(?<![^\w \n)] )(?<![0E])0+(?![0E])(?! ?[^\w \n(])"
)
"""Number of the text: no sign is next to it, and no letter of a formula without a space."""

_NOTE = re.compile(r"\.(?=\*)")
"""Stop before the mark of a note."""

_LEFT_EDGE = re.compile(r"(?:[,;:?!)\]} \r]|\.(?![EL])|[-–—] |0+[=\r](?=E))+")
"""Stops, brackets and dashes of the text on the left of a formula, or a number that a letter on its right equals."""

_RIGHT_EDGE = re.compile(r"(?:[(\[{ \r]|(?<= )[-–—])+$")
"""Brackets and dashes of the text on the right of a formula."""

_ARROW = re.compile(r" +[⟸⟹⟺⇐⇒⇔] *$")
"""Arrow at the right end of a formula, which comes before it between two statements; a line may end after it."""
_END_STOP = re.compile(
    r"(?<![^ א-ת])\.(?=[^\W\d_]{2}|[^\W\d_] [=+])(?![a-z]{2}[a-z0-9]{0,2}(?![\w(]| [=+]))"
)
"""Full stop before a Latin word that is not like the ending of a file's name, or before a formula; if it is drawn after
the first letters, from left to right, it ends a right-to-left sentence."""

_AUTHOR = re.compile(rf"{AUTHOR}$")
"""End of the author of a citation."""

_YEAR = re.compile(rf", ?{YEAR}(?!\w)")
"""Year after an author."""

_NEXT_LINE = re.compile(r"[,;](?=[()])")
"""Comma or semicolon before a year in the next line."""

_NEXT_CITATION = re.compile("; ?")
"""Sign before another citation."""

_BEFORE_LAST = re.compile(r"(?<![^ (])(?:[A-Za-z], )+$")
"""Letters in the font of the text to the left of the last one of a list."""

_BEFORE_RELATION = re.compile(r"[([{]?[A-Za-z][^\u0590-\u08ff]*$")
"""Left side of a relation, such as an equation."""

_TEXT_OPERATORS = "*/^"


def reading_units(members: Sequence[Glyph], fonts: Fonts) -> list[list[Glyph]]:
    """Part the glyphs of a right-to-left line into single ones and formulas in fonts of left-to-right text."""
    kinds = _kinds(members, fonts)
    drawn = "".join([glyph.text[:1] or " " for glyph in members])
    units: list[list[Glyph]] = []
    position = 0
    is_cited = False
    for start, end in _embedded_parts(kinds):
        # the year of a citation is part of the unit before
        while start < end and (start < position or drawn[start] in "; "):
            start += 1
        if start == end:
            continue

        start, end = _with_brackets(members, kinds, start, end)
        is_relation = category(drawn[start]) == "Sm"
        left_part = _BEFORE_RELATION if is_relation else _BEFORE_LAST
        if left := left_part.search(drawn, position, start):
            start = left.start()
        goes_on = is_cited and _NEXT_CITATION.fullmatch(drawn, position, start)
        year_end = _end_of_citation(drawn, start, end)
        is_cited = year_end > end
        end = year_end
        if goes_on:
            units[-1] += members[position:end]
        else:
            units += [[glyph] for glyph in members[position:start]]
            units.append(list(members[start:end]))
        position = end
    return units + [[glyph] for glyph in members[position:]]


def _end_of_citation(drawn: str, start: int, end: int) -> int:
    """Return the end of the year after an author, or of the comma before a year in the next line; else `end`."""
    if not _AUTHOR.search(drawn[start:end]):
        return end
    signs = _YEAR.match(drawn, end)
    if signs is None and n_unpaired(drawn):
        signs = _NEXT_LINE.match(drawn, end)
    return signs.end() if signs else end


def _with_brackets(
    members: Sequence[Glyph], kinds: str, start: int, end: int
) -> tuple[int, int]:
    """Return begin and end of a formula with the bracket next to it that has its partner inside, or of <name>.

    PDFium mirrors a bracket of a formula next to right-to-left text: it is turned again. A formula with all of its
    brackets mirrored is turned as a whole later.
    """
    around = [glyph.text for glyph in members[max(0, start - 1) : end + 1]]
    if around[0] == "<" and around[-1] == ">":
        return start - 1, end + 1

    formula = kinds[start:end]
    before = kinds[max(0, start - 1) : start]
    after = kinds[end : end + 1]
    if before and before in ")]}" and _closes(before.translate(MIRRORED), formula):
        start -= 1
        members[start].text = before.translate(MIRRORED)
    elif after and after in "([{":
        closing = after.translate(MIRRORED)
        if _closes(formula, closing):
            members[end].text = closing
            end += 1
        elif _closes(formula.translate(MIRRORED), closing):
            end += 1
    return start, end


def _embedded_parts(kinds: str) -> Iterator[tuple[int, int]]:
    """Yield begin and end of the formulas and words in fonts of left-to-right text, by the kinds of glyphs."""
    parts = _NUMBER_ALONE.sub(lambda number: _TEXT * len(number[0]), kinds)
    for part in re.finditer(rf"[^{_TEXT}]+", _NOTE.sub(_TEXT, parts)):
        start, end = part.span()
        if left := _LEFT_EDGE.match(kinds, start, end):
            start = left.end()
        if right := _RIGHT_EDGE.search(kinds, start, end):
            end = right.start()
        if start and (arrow := _ARROW.search(kinds, start, end)):
            end = arrow.start()
        if any(kind in "ED" or category(kind) == "Sm" for kind in kinds[start:end]):
            yield start, end


def _kinds(members: Sequence[Glyph], fonts: Fonts) -> str:
    """Return the kind of each glyph.

    A full stop that ends a right-to-left sentence is of its text, and a percent sign is of the number on its left.
    """
    kinds = [_kind(glyph, fonts) for glyph in members]
    drawn = "".join([glyph.text[:1] or " " for glyph in members])
    for stop in _END_STOP.finditer(drawn):
        dot, first, second = members[stop.start() : stop.start() + 3]
        if first.order < second.order < dot.order:
            kinds[stop.start()] = _TEXT
    for place, char in enumerate(drawn):
        if char == "%" and kinds[place - 1] == "D":
            kinds[place] = char
    return "".join(kinds)


def _closes(left: str, right: str) -> bool:
    """Return whether a bracket in one of two parts of a text has its partner in the other one."""
    return n_unpaired(left + right) < n_unpaired(left) + n_unpaired(right) - 1


def _kind(glyph: Glyph, fonts: Fonts) -> str:
    """Return a letter for the kind of a glyph, as at the top of this file."""
    char = glyph.text[:1] or " "
    letter, digit = "ED" if glyph.font in fonts.embedded else "L0"
    if is_rtl_letter(char):
        return _TEXT
    if char.isalpha():
        return letter
    if char.isdecimal():
        return digit
    if char == " " or glyph.font in fonts.embedded:
        return char
    is_operator = char in _TEXT_OPERATORS or category(char) == "Sm"
    return _TEXT_OPERATOR if is_operator else _TEXT
