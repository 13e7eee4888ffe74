"""Bidirectional text: glyphs from left to right are sorted into logical order.

This is the inverse of the Unicode bidirectional algorithm (UAX #9) for one line: right-to-left runs are reversed, and
numbers and Latin runs inside them keep their order.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Sequence

_MIRROR = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_ROUND = ("(", ")")
_NUMBER_JOINTS = frozenset(".,:/+-")
_RANGE_DASHES = frozenset("–\u00ad")
"""Dashes of ranges that are drawn from right to left in some files, and from left to right in others."""
_TRAILING = frozenset(".,;:!?")


@functools.cache
def is_rtl_letter(text: str) -> bool:
    """Return whether a text begins with a right-to-left letter."""
    return bool(text) and unicodedata.bidirectional(text[0]) in ("R", "AL")


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
        return _with_right_to_left_runs(texts)

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
    for position, text in enumerate(texts):
        before, after = _at(texts, position - 1), _at(texts, position + 1)
        if text in _ROUND and _is_ltr(before) != _is_ltr(after):
            other = after if _is_ltr(before) else before
            if other in ("", " ") or is_rtl_letter(other):
                texts[position] = "(" if _is_ltr(after) else ")"


def _turn_brackets_by_context(texts: list[str], order: Sequence[int]) -> None:
    """Correct round brackets that open or close on the wrong side, where the neighbours leave no doubt.

    Fonts of one file disagree on whether a mirrored bracket is stored as it looks or as it is read.
    """
    reading = [texts[index] for index in order]
    for position, index in enumerate(order):
        if texts[index] not in _ROUND:
            continue
        before, after = _at(reading, position - 1), _at(reading, position + 1)
        opens = before in ' -–"' and after not in " .,;:?!"
        closes = before not in " -–(" and after in ' .,;:?!"-–'
        if opens != closes:
            reading[position] = texts[index] = "(" if opens else ")"


def _with_right_to_left_runs(texts: list[str]) -> list[int]:
    """Return the order of a left-to-right line, in which its right-to-left phrases are reversed."""
    order: list[int] = []
    position = 0
    while position < len(texts):
        start = end = position
        while end < len(texts) and not _is_ltr(texts[end]):
            if is_rtl_letter(texts[end]):
                position = end + 1
            elif position == start:
                break
            end += 1
        if position == start:
            order.append(start)
            position += 1
            continue

        run = texts[start:position]
        order += [start + index for index in logical_order(run, True)]
        texts[start:position] = run
    return order


def _left_to_right_runs(texts: Sequence[str]) -> dict[int, int]:
    """Map the end of every run of Latin text or of a number in a right-to-left line to its start."""
    runs: dict[int, int] = {}
    position = 0
    while position < len(texts):
        start, end = position, position + 1
        if _is_ltr(texts[start]):
            end = _end_of_latin(texts, start)
            if _at(texts, start - 1) == "(":
                inside = texts[start:end]
                start -= inside.count(")") > inside.count("(")
        elif _is_digit(texts[start]):
            end = _end_of_number(texts, start)
            before = _at(texts, start - 2)
            if start and texts[start - 1] in "$€£₪#":
                start -= not (_is_ltr(before) or _is_digit(before))
        else:
            start = end
        if start < end:
            runs[end] = start
        position = end

    return runs


def _end_of_latin(texts: Sequence[str], start: int) -> int:
    end = position = start + 1
    open_brackets: list[int] = []
    in_brackets = _at(texts, start - 1) == "("
    while position < len(texts) and not is_rtl_letter(texts[position]):
        text = texts[position]
        if text in ("(", "[", "{"):
            open_brackets.append(position)
        elif text in (")", "]", "}"):
            if open_brackets:
                end = position + 1 if end > open_brackets.pop() else end
            elif in_brackets and _parts_words(texts, start, position):
                break
        elif _is_ltr(text) or _is_digit(text):
            end = position + 1
        elif position == end:
            end += text in _TRAILING
        position += 1

    return end


def _parts_words(texts: Sequence[str], start: int, end: int) -> bool:
    """Return whether a closing bracket at `end` parts a word in brackets from the words that are read before it.

    A formula such as "(a+b) c" is not parted.
    """
    inside = "".join(texts[start:end])
    after = "".join(texts[end + 1 : end + 4])
    is_word = len(inside) > 1 and inside.replace(" ", "").replace("-", "").isalpha()
    return is_word and after[:1] == " " and after[1:].isascii() and after[1:].isalpha()


def _end_of_number(texts: Sequence[str], start: int) -> int:
    end = start + 1
    while end < len(texts):
        if _is_digit(texts[end]):
            end += 1
        elif _joins_numbers(texts, start, end):
            end += 2
        else:
            return end + (texts[end] == "%")
    return end


def _joins_numbers(texts: Sequence[str], start: int, dash: int) -> bool:
    """Return whether a sign joins two parts of a number, or of a range that is drawn from left to right."""
    end = dash + 1
    if texts[dash] in _NUMBER_JOINTS:
        return _is_digit(_at(texts, end))
    if texts[dash] not in _RANGE_DASHES:
        return False
    while _is_digit(_at(texts, end)):
        end += 1
    first, last = "".join(texts[start:dash]), "".join(texts[dash + 1 : end])
    return first.isdecimal() and last.isdecimal() and int(first) < int(last)


def _is_digit(text: str) -> bool:
    return text[:1].isdigit()


@functools.cache
def _is_ltr(text: str) -> bool:
    return bool(text) and unicodedata.bidirectional(text[0]) == "L"
