"""Text of a page in the order of its content stream, as PyMuPDF prints it, made from the characters of pdfplumber."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

RISE = 0.8
"""Minimum distance of two base lines that are different lines, in font sizes."""
BLANK = 0.15
"""Minimum gap in a line that prints as a blank, in font sizes."""
FAR = 0.8
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
    text = _Text()
    for char in chars:
        text.add(char)
    text.end_line()
    return "".join(text.lines)


class _Text:
    """Lines of a page while its characters are added.

    Attributes:
        lines: finished lines with their ends.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._line: list[tuple[str, bool]] = []
        self._last: Char | None = None
        self._direction = _LEFT_TO_RIGHT

    def add(self, char: Char) -> None:
        """Add the next character of the content stream."""
        text = char["text"]
        char_direction = _DIRECTIONS.get(unicodedata.bidirectional(text[0]))
        direction = char_direction or self._direction
        gap, is_turned = 0.0, False
        if self._last is not None:
            gap, is_turned = self._gap(self._last, char, direction)

        if abs(gap) >= FAR:
            self.end_line()
            direction = char_direction or _LEFT_TO_RIGHT
            is_turned = False
        elif gap >= BLANK and not text.isspace() and not self._line[-1][0].isspace():
            self._line.append((" ", is_turned))
        if is_turned:
            before, _ = self._line[-1]
            self._line[-1] = before, True
        self._line.append((text, is_turned))
        self._last, self._direction = char, direction

    def _gap(self, last: Char, char: Char, direction: int) -> tuple[float, bool]:
        """Return the distance from the last character, in font sizes, and whether right-to-left letters are turned."""
        size = char["size"] or 1.0
        matrix, before = char["matrix"], last["matrix"]
        is_level = abs(matrix[5] - before[5]) < RISE * size
        if not is_level or (matrix[0] > 0.0) != (before[0] > 0.0):
            return FAR, False
        if direction != self._direction:
            return 0.0, False
        rightward = (char["x0"] - last["x1"]) / size
        if direction == _LEFT_TO_RIGHT:
            return rightward, False
        leftward = (last["x0"] - char["x1"]) / size
        if abs(rightward) < min(FAR, abs(leftward)):
            return rightward, True
        return leftward, False

    def end_line(self) -> None:
        """End the line, and turn its runs of right-to-left letters that were drawn from left to right."""
        parts: list[str] = []
        turned: list[str] = []
        for text, is_turned in self._line:
            if is_turned:
                turned.append(text)
                continue
            parts += [*reversed(turned), text]
            turned = []
        self.lines.append("".join([*parts, *reversed(turned), "\n"]))
        self._line = []
