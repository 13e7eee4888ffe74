"""Bidirectional text: glyphs from left to right are sorted into logical order.

This is the inverse of the Unicode bidirectional algorithm (UAX #9) for one line: right-to-left runs are reversed, and
numbers and Latin runs inside them keep their order.
"""

import functools
import re
import unicodedata
from collections.abc import Sequence

_MIRROR = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_ROUND = ("(", ")")
_MARKER = re.compile(r" \.(?:\d{1,3}|[A-Za-z])$")
"""Number or letter of an item, at the right end of a right-to-left line as it is drawn."""


@functools.cache
def is_rtl_letter(text: str) -> bool:
    """Return whether a text begins with a right-to-left letter."""
    return unicodedata.bidirectional(text[:1] or " ") in ("R", "AL")


@functools.cache
def _is_ltr(text: str) -> bool:
    return unicodedata.bidirectional(text[:1] or " ") == "L"


def has_rtl_letter(text: str) -> bool:
    """Return whether a text has a right-to-left letter."""
    return not text.isascii() and any(map(is_rtl_letter, text))


def logical_order(texts: list[str], base_rtl: bool) -> list[int]:
    """Return the indices of glyphs in reading order.

    Args:
        texts: of the glyphs of a line, from left to right; brackets of right-to-left text are turned as they are read.
        base_rtl: whether the line as a whole reads from right to left.
    """
    if not base_rtl:
        return _with_right_to_left_run(texts)

    _turn_brackets_as_drawn(texts)
    order: list[int] = []
    starts = _left_to_right_runs(texts)
    end = len(texts)
    while end > 0:
        start = starts.get(end)
        if start is None:
            start = end - 1
            texts[start] = texts[start].translate(_MIRROR)
        order += range(start, end)
        end = start

    _turn_brackets_by_context(texts, order)
    return order


def _at(texts: Sequence[str], position: int) -> str:
    """Return the text at a position, "" outside the line."""
    return texts[position] if 0 <= position < len(texts) else ""


def _turn_brackets_as_drawn(texts: list[str]) -> None:
    """Turn round brackets next to Latin text to the side on which they are drawn; readers may mirror them."""
    n_open = 0
    for position, text in enumerate(texts):
        if is_rtl_letter(text):
            n_open = 0
        if text not in _ROUND:
            continue
        before = _at(texts, position - 1)
        after = _at(texts, position + 1)
        opens = _is_ltr(after)
        other = before if opens else after
        is_at_edge = other in ("", " ") or is_rtl_letter(other)
        if _is_ltr(before) != opens and is_at_edge:
            texts[position] = "(" if opens else ")"
        elif n_open and not opens and not _is_digit(after):
            texts[position] = ")"
        n_open = max(0, n_open + (1 if texts[position] == "(" else -1))


def _turn_brackets_by_context(texts: list[str], order: Sequence[int]) -> None:
    """Correct round brackets that open or close on the wrong side, where the neighbours leave no doubt.

    Fonts of one file disagree on whether a mirrored bracket is stored as it looks or as it is read.
    """
    reading = [texts[index] for index in order]
    for position, index in enumerate(order):
        if texts[index] not in _ROUND:
            continue
        before = _at(reading, position - 1)
        after = _at(reading, position + 1)
        opens = before in ' -–"' and after not in " .,;:?!"
        closes = before not in " -–(" and after in ' .,;:?!"-–'
        if opens != closes:
            turned = "(" if opens else ")"
            texts[index] = turned
            reading[position] = turned


def _with_right_to_left_run(texts: list[str]) -> list[int]:
    """Return the order of a left-to-right line, in which its right-to-left phrases are reversed."""
    order = []
    start = -1  # of the phrase, if one is open
    for position, text in enumerate([*texts, "L"]):
        if start < 0 and is_rtl_letter(text):
            start = position
        if start < 0:
            order.append(position)
        elif _is_ltr(text):
            end = position
            while not is_rtl_letter(texts[end - 1]):
                end -= 1
            run = texts[start:end]
            order += [start + index for index in logical_order(run, True)]
            texts[start:end] = run
            order += range(end, position + 1)
            start = -1
    return order[:-1]


def _left_to_right_runs(texts: Sequence[str]) -> dict[int, int]:
    """Map the end of every run of Latin text or of a number in a right-to-left line to its start."""
    runs = {}
    position = 0
    while position < len(texts):
        start = position
        before = _at(texts, start - 1)
        position += 1
        if _is_ltr(texts[start]):
            position = _end_of_latin(texts, start)
            marker = _MARKER.search("".join(texts[start:position]))
            if marker and position == len(texts):
                position = start + marker.start()
            inside = texts[start:position]
            if before == "(" and inside.count(")") > inside.count("("):
                start -= 1
            runs[position] = start
        elif _is_digit(texts[start]):
            position = _end_of_number(texts, start)
            if _is_ltr(_at(texts, position)):  # as in "2n"
                position = _end_of_latin(texts, position)
            if before and before in "$€£₪#":
                start -= 1
            runs[position] = start
    return runs


def _end_of_latin(texts: Sequence[str], start: int) -> int:
    """Return the end of the Latin text that begins at `start`, with its numbers, brackets and marks."""
    end = position = start + 1
    n_open = 0
    while position < len(texts) and not is_rtl_letter(texts[position]):
        text = texts[position]
        if text in ("(", "[", "{"):
            n_open += 1
        elif text in (")", "]", "}"):
            inside = "".join(texts[start:position])
            if n_open:
                n_open -= 1
                end = position + 1
            elif _at(texts, start - 1) == "(" and inside.isalpha():
                break  # words in brackets end there, a formula such as "(a+b) c" goes on
        elif _is_ltr(text) or _is_digit(text):
            end = position + 1
        elif position == end and text in ".,;:!?":
            end += 1
        position += 1
    return end


def _end_of_number(texts: Sequence[str], start: int) -> int:
    """Return the end of the number that begins at `start`, with its parts and a sign of per cent."""
    end = _end_of_digits(texts, start)
    while _is_digit(_at(texts, end + 1)):
        after = _end_of_digits(texts, end + 1)
        if texts[end] in "–\u00ad":
            # a range that is drawn from left to right; other files draw it from right to left
            first = "".join(texts[start:end])
            last = "".join(texts[end + 1 : after])
            if not first.isdecimal() or int(first) >= int(last):
                break
        elif texts[end] not in ".,:/+-":
            break
        end = after
    return end + (_at(texts, end) == "%")


def _end_of_digits(texts: Sequence[str], start: int) -> int:
    while _is_digit(_at(texts, start)):
        start += 1
    return start


def _is_digit(text: str) -> bool:
    return text[:1].isdecimal()
