"""Bidirectional text: glyphs from left to right are sorted into logical order.

This is the inverse of the Unicode bidirectional algorithm (UAX #9) for one line: right-to-left runs are reversed, and
numbers and Latin runs inside them keep their order.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_MIRROR = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_NUMBER_JOINTS = frozenset(".,:/+-")
_TRAILING = frozenset(".,;:!?")


@dataclass(frozen=True, slots=True)
class Cluster:
    """Text of one glyph; `source` is the caller's number of the glyph, -1 for a space without one."""

    text: str
    source: int


@functools.cache
def is_rtl_letter(text: str) -> bool:
    """Return whether a text begins with a right-to-left letter."""
    return bool(text) and "\u0590" <= text[0] <= "\ufefc" and unicodedata.bidirectional(text[0]) in ("R", "AL")


def has_rtl_letter(text: str) -> bool:
    """Return whether a text has a right-to-left letter."""
    return not text.isascii() and max(text) >= "\u0590" and any(map(is_rtl_letter, text))


def logical_text(visual: Sequence[Cluster], base_rtl: bool) -> list[Cluster]:
    """Sort clusters into reading order.

    Args:
        visual: a line's clusters from left to right.
        base_rtl: whether the line as a whole reads from right to left.
    """
    if not base_rtl:
        if not any(is_rtl_letter(cluster.text) for cluster in visual):
            return list(visual)
        return _with_right_to_left_runs(visual)
    reading: list[Cluster] = []
    end = len(visual)
    starts = _left_to_right_runs(visual)
    while end > 0:
        start = starts.get(end)
        if start is not None:
            reading.extend(visual[start:end])
            end = start
        else:
            reading.append(Cluster(visual[end - 1].text.translate(_MIRROR), visual[end - 1].source))
            end -= 1
    return _brackets_by_context(reading)


def _brackets_by_context(reading: list[Cluster]) -> list[Cluster]:
    """Correct round brackets that open or close on the wrong side, where the neighbours leave no doubt.

    Fonts of one file disagree on whether a mirrored bracket is stored as it looks or as it is read.
    """
    for position, cluster in enumerate(reading):
        if cluster.text not in ("(", ")"):
            continue
        before = reading[position - 1].text if position else " "
        after = reading[position + 1].text if position + 1 < len(reading) else " "
        opens = before in ' -–"' and after not in " .,;:?!"
        closes = before not in " -–(" and after in ' .,;:?!"-–'
        if opens != closes:
            reading[position] = Cluster("(" if opens else ")", cluster.source)
    return reading


def _with_right_to_left_runs(visual: Sequence[Cluster]) -> list[Cluster]:
    """Reverse the right-to-left phrases of a left-to-right line."""
    reading: list[Cluster] = []
    position = 0
    while position < len(visual):
        if not is_rtl_letter(visual[position].text):
            reading.append(visual[position])
            position += 1
            continue
        end = last = position
        while end < len(visual) and not _is_ltr(visual[end].text):
            if is_rtl_letter(visual[end].text):
                last = end
            end += 1
        reading.extend(logical_text(visual[position : last + 1], True))
        position = last + 1
    return reading


def _left_to_right_runs(visual: Sequence[Cluster]) -> dict[int, int]:
    """Map the end of every run of Latin text or of a number in a right-to-left line to its start."""
    runs: dict[int, int] = {}
    position = 0
    while position < len(visual):
        text = visual[position].text
        if _is_ltr(text):
            start, end = position, _end_of_latin(visual, position)
        elif _is_digit(text):
            start, end = position, _end_of_number(visual, position)
            if start and visual[start - 1].text in "$€£₪#" and not _is_strong(visual, start - 2):
                start -= 1
        else:
            position += 1
            continue
        runs[end] = start
        position = end
    return runs


def _end_of_latin(visual: Sequence[Cluster], start: int) -> int:
    end = position = start + 1
    depth = 0
    deepest_open: list[int] = []
    while position < len(visual) and not is_rtl_letter(visual[position].text):
        text = visual[position].text
        if text in ("(", "[", "{"):
            depth += 1
            deepest_open.append(position)
        if text in (")", "]", "}"):
            if depth and end > deepest_open[-1]:
                end = position + 1
            depth = max(0, depth - 1)
            if deepest_open:
                deepest_open.pop()
        elif _is_ltr(text) or _is_digit(text) or (text in _TRAILING and position == end):
            end = position + 1
        position += 1
    return end


def _end_of_number(visual: Sequence[Cluster], start: int) -> int:
    end = start + 1
    while end < len(visual):
        text = visual[end].text
        if _is_digit(text):
            end += 1
        elif text in _NUMBER_JOINTS and end + 1 < len(visual) and _is_digit(visual[end + 1].text):
            end += 2
        elif text == "%":
            return end + 1
        else:
            break
    return end


def _is_strong(visual: Sequence[Cluster], position: int) -> bool:
    return 0 <= position < len(visual) and (_is_ltr(visual[position].text) or _is_digit(visual[position].text))


def _is_digit(text: str) -> bool:
    return text[:1].isdigit()


@functools.cache
def _is_ltr(text: str) -> bool:
    return bool(text) and unicodedata.bidirectional(text[0]) == "L"
