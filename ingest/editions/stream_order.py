"""Text of a page in the order of its content stream, as PyMuPDF prints it, made from the characters of pdfplumber."""

import itertools
import unicodedata
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any

RISE = 0.8
"""Minimum distance of two base lines that are different lines, in font sizes."""
BLANK = 0.15
"""Minimum gap in a line that prints as a blank, in font sizes."""
LINE_GAP = 0.8
"""Minimum distance that begins a new line, in font sizes."""

_LEFT_TO_RIGHT, _RIGHT_TO_LEFT = 1, -1
"""Directions of text."""

_DIRECTIONS = {
    "L": _LEFT_TO_RIGHT,
    "EN": _LEFT_TO_RIGHT,
    "R": _RIGHT_TO_LEFT,
    "AL": _RIGHT_TO_LEFT,
}
"""Directions of strong characters and digits, by their bidirectional class; others have the direction before them."""

Char = Mapping[str, Any]
"""A character of pdfplumber."""


def stream_text(chars: Iterable[Char]) -> str:
    """Return the text of a page in the order of its characters.

    Lines end where the next character is on another base line or far away. A gap prints as a blank, except where the
    direction changes. Right-to-left letters that the file draws from left to right are turned.
    """
    lines: list[str] = []
    line: list[tuple[str, bool]] = []
    last, direction = None, _LEFT_TO_RIGHT
    for char in chars:
        text = char["text"]
        before = direction
        char_direction = _DIRECTIONS.get(unicodedata.bidirectional(text[0]))
        direction = char_direction or before
        gap, is_turned = 0.0, False
        if last is not None:
            gap, is_turned = _gap(last, char, before, direction)

        if abs(gap) >= LINE_GAP:
            lines.append(_line_text(line))
            line = []
            direction = char_direction or _LEFT_TO_RIGHT
            is_turned = False
        elif gap >= BLANK and not text.isspace() and not line[-1][0].isspace():
            line.append((" ", is_turned))
        if is_turned:
            line[-1] = line[-1][0], True
        line.append((text, is_turned))
        last = char
    return "".join([*lines, _line_text(line)])


def _gap(last: Char, char: Char, before: int, direction: int) -> tuple[float, bool]:
    """Return the distance from the last character, in font sizes, and whether right-to-left letters are turned.

    Args:
        last: the last character.
        char: the next character.
        before: direction of the last character.
        direction: direction of the next character.
    """
    size = char["size"] or 1.0
    matrix, last_matrix = char["matrix"], last["matrix"]
    is_level = abs(matrix[5] - last_matrix[5]) < RISE * size
    if not is_level or (matrix[0] > 0.0) != (last_matrix[0] > 0.0):
        return LINE_GAP, False
    if direction != before:
        return 0.0, False

    rightward = (char["x0"] - last["x1"]) / size
    if direction == _LEFT_TO_RIGHT:
        return rightward, False
    leftward = (last["x0"] - char["x1"]) / size
    if abs(rightward) < min(LINE_GAP, abs(leftward)):
        return rightward, True
    return leftward, False


def _line_text(line: list[tuple[str, bool]]) -> str:
    """Return a line with its end; turn its runs of right-to-left letters that were drawn from left to right."""
    texts: list[str] = []
    for is_turned, run in itertools.groupby(line, itemgetter(1)):
        run_texts = [text for text, _ in run]
        texts += reversed(run_texts) if is_turned else run_texts
    return "".join([*texts, "\n"])
