"""Bidirectional text: the characters of a line, drawn from left to right, are sorted into the order of reading.

The Unicode bidirectional algorithm (UAX #9) draws a stored line: right-to-left letters one way, and Latin words,
numbers and formulas among them as runs from left to right. Here the line as drawn is given, and the stored one is
sought. It is read from its right end with each choice of runs, likeliest first. Each reading has a cost, and the
cheapest is returned. If capitals are Hebrew letters, `.f(x) CBA` has these choices of runs among others:

    f(x)     ABC f(x).   cost 0: the algorithm draws it as the line is drawn
    f(x      ABC (f(x.   cost 6: two brackets are UNPAIRED
    f and x  ABC (x)f.   cost 0, but less likely: "f" and "x" are one formula

Names in brackets are rules of the algorithm.
"""

import functools
import itertools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bidi import get_display

from ingest.pdf.model import MIRRORED

MISPLACED = 2
"""Cost of a sign on the wrong side of a word, such as a full stop before it."""
UNPAIRED = 3
"""Cost of a bracket without partner."""
UNCLOSED = 2
"""Cost of an opening bracket without partner in a line whose others are paired, as it may close in the next one."""
BOTH_ORDERS = 1
"""Cost of a number both before and after a letter, as in "(x-1), (1-y)"; a list has one order."""
NOT_AS_DRAWN = 4
"""Cost of a reading that the algorithm draws in another order than the line is drawn."""
UNUSUAL_BRACKETS = 3
"""Cost of a line whose brackets are not stored as most brackets of the document."""

MAX_READINGS = 256
"""Maximum number of choices of runs of one segment that are compared."""

_RTL = "\u05d0"
"""Letter of a right-to-left script."""
_LTR = "\u0250"
"""Letter of a left-to-right script, and a rare one."""

STOPS = ".,;:?!"
"""Stops of sentences and of their parts."""

_CLASSES = {
    "R": "r",
    "AL": "r",
    "L": "l",
    "EN": "d",
    "AN": "d",
    "ES": "s",
    "CS": "s",
    "ET": "t",
}
"""Letters of `_class_of`, by the classes of Unicode."""

_CLASSES_OF_SIGNS = (
    dict.fromkeys("()[]{}", "b") | {"%": "p"} | dict.fromkeys("∀∃∂∇√∫∮∑∏∐⋃⋂⋁⋀⨀⨁⨂", "l")
)
"""Letters of `_class_of` for brackets, percent signs and operators."""

_SEGMENT = re.compile(r"r+|[^r]+")
"""Classes of right-to-left letters, or of the characters between two of them."""

_PHRASE = re.compile(r"r(?:[^l]*r)?")
"""Classes of a right-to-left phrase in a left-to-right line."""
_NUMBER = r"t*d+(?:sd+)*[tp]*"
"""Classes of digits with the separators (W4) and signs (W5) of one number."""
_UNIT = re.compile(
    rf"(?:{_NUMBER})*l(?:l|{_NUMBER})*(?:[^b]*?l(?:l|{_NUMBER})*)*|(?:{_NUMBER})+"
)
"""Classes of characters that are in one run: numbers next to letters (W7), and signs between letters (N1)."""
_RANGE = re.compile(r"(?<!\d)(\d{1,9})–(\d{1,9})(?!\d)")
"""Two numbers and a dash: some programs draw ranges from left to right."""
_LIST = re.compile(r"(?<!\d)\d+(?:\.\d+)?(?:, \d+(?:\.\d+)?)+(?!\d)")
"""Numbers with a comma after each but the last one, not before it: some programs draw such lists from left to right."""

AUTHOR = r"(?:[A-Z][^\W\d_][\w’'-]*|al\.)"
"""Expression for the end of the author of a citation."""

YEAR = r"(?:1[89]|20)\d\d[a-z]?"
"""Expression for a year, perhaps with a letter."""

_MIRRORED_VALUE = re.compile(r"(?<![\w()])([A-Z])\)([A-Za-z0-9_ *+^/-]{1,20})\((?!\w)")
"""A value such as O(n) whose brackets are stored as those of right-to-left text."""
_WHOLE = re.compile(
    r"\w+://\S*/(?!\S)|[A-Za-z]\*(?!\S)|(?<![A-Za-z])[A-Z](?:\+\+|#)(?![\w+])|(?<![\w-])\d+-[A-Za-z]{2,}-?"
    rf"|(?<![\w'’])[A-Za-z]['’](?![\w'’])|{_MIRRORED_VALUE.pattern}|{AUTHOR}, {YEAR}\b"
    r"|(?<![\w.])\d+\.[A-Za-z]\w*|</?[A-Za-z][\w.-]*>|“[^“”\u0590-\u08ff]*”"
)
"""Address that ends with a slash, names such as A*, C++, P', 2-Factor and 12.zip, such a value, the author and year
of a citation, <name>, and “name”; programs draw each of them from left to right."""
_TURNED_CALL = re.compile(r"(\([A-Za-z0-9_][^()\u0590-\u08ff]{0,20})\((?=[\s.,;:]|$)")
"""Call or the like whose closing bracket is stored as that of right-to-left text."""
_STOP_OF_LIST = re.compile(r"(?<=\S )[,;:](?=\w)")
"""Stop that a program draws from right to left between two Latin words; the space is on its left."""

_SIGN_AT_END = re.compile(rf"[{STOPS}/-]| [+−×·]")
"""Sign that may end a line inside Latin text or a formula."""
_SIGN_AT_START = re.compile(r"[+−×·] ")
"""Sign that may begin a line inside a formula."""

_MISPLACED = re.compile(
    r"""
    (?<!\S)(?!\.[a-z]{2})[.,;:?!](?=[^\s.,;:?!])  # a stop before a word, but for a file's ending
    | (?<!\S)[)\]}] | [(\[{]"?(?:[.,;:?!]*\s|$)   # a bracket on the wrong side of a word
    | (?<!\S)(?:[-/]|[+−×·]\ )[A-Za-z][^א-ת]*$    # a sign between two parts of a word or term on two lines
    | ^\d+\ [+−×·]\ א                             # a number and an operator before Hebrew
    | [(\[{](?=[)\]}]\w) | (?<=[(\[{])[)\]}](?=\w)  # empty brackets before a word, which count twice
    """,
    re.VERBOSE,
)
"""Sign on the wrong side of a word or number."""

_BOTH_ORDERS = re.compile(
    r"\(\d+[-+−]\w.*\([^\W\d]+[-+−]\d|\([^\W\d]+[-+−]\d.*\(\d+[-+−]\w"
)
"""Number before a letter and number after a letter, in two brackets."""

_TURNED_QUOTES = str.maketrans("“”", "”“")
"""Quotation marks that PDFium mirrors in right-to-left text, although they are not mirrored signs of Unicode."""

_TURNED_OPENING = re.compile(r"(?<!\S)\)(?=\w)")
"""Opening bracket of a word, stored as a closing one; some fonts store a bracket in both ways."""

_TURNED_CLOSING = re.compile(r"(?<=\w)\((?=[\s.,;:?!]|$)")
"""Closing bracket of a word, stored as an opening one."""

_CLOSING_BEFORE_STOP = re.compile(rf"(?<=\w)\((?=[{STOPS}])")
"""Bracket between a word and a stop: it closes, also if its partner is in another line."""
_LATIN_START = re.compile(r"\s*[A-Za-z]")
"""Latin word at the left end of a line."""

_DRAWN_PAIR = re.compile(r"\([^()A-Za-z]*[\u05d0-\u05ea][^()A-Za-z]*\)")
"""Brackets around Hebrew, stored as they are drawn."""

_READ_PAIR = re.compile(r"\)[^()A-Za-z]*[\u05d0-\u05ea][^()A-Za-z]*\(")
"""Brackets around Hebrew, stored as they are read."""

_DRAWN_LABEL = re.compile(r"\((?:\d{1,2}|[\u05d0-\u05ea])\s*$")
"""Number of an item at the right end of its line, its bracket stored as it is drawn."""

_READ_LABEL = re.compile(r"\)(?:\d{1,2}|[\u05d0-\u05ea])\s*$")
"""Number of an item at the right end of its line, its bracket stored as it is read."""

_Runs = Sequence[tuple[int, int]]
"""Begin and end of left-to-right runs, from left to right."""


class _Reading(NamedTuple):
    """A way to read a line or a segment: its cost, and the indices and the text of its characters in this order."""

    cost: int
    order: list[int]
    text: str


@functools.cache
def _class_of(char: str) -> str:
    """Return a letter for the class of a character.

    Returns:
        r for right-to-left letters; l for other letters, and for large operators and quantifiers; d for digits; s for
        separators, t for signs of a number such as currencies, p for the percent sign; b for brackets; n for others.
    """
    bidi_class = _CLASSES.get(unicodedata.bidirectional(char), "n")
    return _CLASSES_OF_SIGNS.get(char, bidi_class)


def is_rtl_letter(text: str) -> bool:
    """Return whether a text begins with a right-to-left letter."""
    return _class_of(text[:1] or " ") == "r"


def has_rtl_letter(text: str) -> bool:
    """Return whether a text has a right-to-left letter."""
    return not text.isascii() and any(map(is_rtl_letter, text))


def pairs_as_drawn(drawn: str) -> int:
    """Return how many pairs and labels with round brackets look right as they are stored, minus the others.

    A line with a Latin word at its left end may be read from left to right, and counts for nothing.
    """
    if not has_rtl_letter(drawn) or _LATIN_START.match(drawn):
        return 0
    n_drawn = len(_DRAWN_PAIR.findall(drawn)) + len(_DRAWN_LABEL.findall(drawn))
    n_read = len(_READ_PAIR.findall(drawn)) + len(_READ_LABEL.findall(drawn))
    return n_drawn - n_read


def n_unpaired(text: str) -> int:
    """Return the number of brackets without partner."""
    n_extra, closing = _pair(text)
    return n_extra + len(closing)


def with_turned_brackets(text: str) -> str:
    """Return a left-to-right text with those kinds of brackets turned of which fewer are without partner then.

    Some programs store brackets of Latin lines among right-to-left ones as in the latter.
    """
    for pair in ("()", "[]", "{}"):
        turned = text.translate(str.maketrans(pair, pair[::-1]))
        if n_unpaired(turned) < n_unpaired(text):
            text = turned
    return text


def _pair(text: str) -> tuple[int, str]:
    """Return the number of brackets that stay unpaired, and the brackets that would close the open ones."""
    closing: list[str] = []
    n_extra = 0
    for char in text:
        if char in "([{":
            closing.append(char.translate(MIRRORED))
        elif char in closing:
            while closing.pop() != char:
                n_extra += 1
        elif char in ")]}":
            n_extra += 1
    return n_extra, "".join(reversed(closing))


def logical_order(
    texts: Sequence[str],
    base_rtl: bool,
    as_drawn: bool = False,
) -> list[tuple[int, str]]:
    """Return the indices of glyphs in reading order, and their texts as they are read: brackets may be mirrored.

    Args:
        texts: of the glyphs of a line, from left to right.
        base_rtl: whether the line as a whole reads from right to left.
        as_drawn: whether most brackets of right-to-left text in the document are stored as they are drawn.
    """
    if not base_rtl:
        return _with_right_to_left_phrases(texts, as_drawn)

    codes = "".join([text[:1] or " " for text in texts]).replace("\u00ad", "–")
    stored = codes
    if codes.count("(") > codes.count(")"):
        stored = _TURNED_CALL.sub(r"\1)", codes)
    mirrored = stored.translate(MIRRORED)
    usual, unusual = (mirrored, stored) if as_drawn else (stored, mirrored)
    best = _read_line(stored, usual)
    if best.cost > UNUSUAL_BRACKETS:
        other = _read_line(stored, unusual)
        if other.cost + UNUSUAL_BRACKETS < best.cost:
            best = other

    read = _MIRRORED_VALUE.sub(r"\1(\2)", best.text)
    turned = _TURNED_CLOSING.sub(")", _TURNED_OPENING.sub("(", read))
    if n_unpaired(turned) < n_unpaired(read):
        read = turned
    closed = _CLOSING_BEFORE_STOP.sub(")", read)
    if n_unpaired(closed) <= n_unpaired(read):
        read = closed
    result = []
    for index, char in zip(best.order, _with_drawn_quotes(read), strict=True):
        result.append((index, texts[index] if char == codes[index] else char))
    return result


def _with_drawn_quotes(text: str) -> str:
    """Return a right-to-left line with quotation marks as drawn; PDFium mirrors those that follow no Latin letter."""
    drawn = []
    is_after_latin = False
    for char in text:
        if char.isalpha():
            is_after_latin = not is_rtl_letter(char)
        drawn.append(char if is_after_latin else char.translate(_TURNED_QUOTES))
    return "".join(drawn)


def _with_right_to_left_phrases(
    texts: Sequence[str], as_drawn: bool
) -> list[tuple[int, str]]:
    """Return the order of a left-to-right line, in which its right-to-left phrases are reversed."""
    drawn = list(enumerate(texts))
    result = []
    classes = "".join([_class_of(text[:1] or " ") for text in texts])
    position = 0
    for phrase in _PHRASE.finditer(classes):
        start, end = phrase.span()
        result += drawn[position:start]
        for index, text in logical_order(texts[start:end], True, as_drawn):
            result.append((start + index, text))
        position = end
    return result + drawn[position:]


def _read_line(ltr: str, rtl: str) -> _Reading:
    """Return the cheapest reading of a right-to-left line, segment by segment from its right end.

    Args:
        ltr: its characters as they are read in left-to-right runs.
        rtl: its characters as they are read elsewhere, where brackets may be mirrored (L4).
    """
    line = _Line(ltr, rtl, _classes(ltr))
    cost = 0
    order: list[int] = []
    text = ""
    for segment in reversed([*_SEGMENT.finditer(line.classes)]):
        best = line.read_segment(*segment.span(), text)
        cost += best.cost
        order += best.order
        text += best.text
    return _Reading(cost, order, text)


def _classes(line: str) -> str:
    """Return the classes of the characters of a line.

    A rising range and a list that is drawn from left to right are one number, an address or a name is one word.
    """
    line = _RANGE.sub(_as_number, line)
    line = _LIST.sub(lambda numbers: "0" * len(numbers[0]), line)
    line = _WHOLE.sub(lambda word: "a" * len(word[0]), line)
    if has_rtl_letter(line):
        line = _STOP_OF_LIST.sub(_RTL, line)
    return "".join(map(_class_of, line))


def _as_number(bounds: re.Match[str]) -> str:
    """Return a range of two numbers with a digit for its dash if the second number is larger."""
    rises = int(bounds[1]) < int(bounds[2])
    return bounds[0].replace("–", "0") if rises else bounds[0]


@dataclass(frozen=True, slots=True)
class _Line:
    """A right-to-left line as it is drawn, from left to right.

    Attributes:
        ltr, rtl: its characters as they are read in left-to-right runs, and elsewhere.
        classes: a letter for the class of each character.
    """

    ltr: str
    rtl: str
    classes: str

    def read_segment(self, start: int, end: int, before: str) -> _Reading:
        """Return the cheapest reading of a segment, the first one of several.

        Args:
            before: the text of the segments on its right, which are read before it.
        """
        readings = []
        for runs in self._possible_runs(start, end):
            readings.append(self._read(start, end, runs, before))
            if not readings[-1].cost:
                break
        return min(readings, key=lambda reading: reading.cost)

    def _possible_runs(self, start: int, end: int) -> Iterator[_Runs]:
        """Yield the left-to-right runs that a segment may have, likeliest first."""
        units = [unit.span() for unit in _UNIT.finditer(self.classes, start, end)]
        ends = []
        for (_, last), (following, _) in itertools.pairwise([*units, (end, end)]):
            ends.append(self._possible_ends(last, following, start, end))
        begins = [begin for begin, _ in units]
        for chosen in itertools.islice(itertools.product(*ends), MAX_READINGS):
            # a run that ends where the next one begins goes on
            runs = zip(
                [place for place in begins if place not in chosen],
                [place for place in chosen if place not in begins],
                strict=True,
            )
            yield tuple(runs)

        if units and end == len(self.ltr):
            first = begins[-1]
            if _SIGN_AT_START.fullmatch(self.ltr, first - 2, first):
                # the line before may have ended inside the formula
                yield ((first - 2, ends[-1][0]),)

    def _possible_ends(
        self, last: int, following: int, start: int, end: int
    ) -> list[int]:
        """Return where a run that reaches to `last` may end, likeliest first; it may go on at `following`."""
        ends = [last]
        for place in range(last, following):
            if self.ltr[place] in ")]}":  # brackets around a run (N0)
                ends.insert(0, place + 1)
        if following < end and "l" in self.classes[start:end]:
            # a number is in the run of what follows it after a Latin word only
            is_after_word = "l" in self.classes[start:last]
            ends.insert(0 if is_after_word else len(ends), following)
        if start == 0 and (sign := _SIGN_AT_END.match(self.ltr, last)):
            # the line may be over, and Latin text may follow in the next one
            ends.append(sign.end())
        return ends

    def _read(self, start: int, end: int, runs: _Runs, before: str) -> _Reading:
        """Read a segment with certain left-to-right runs: these are reversed, and then the whole segment is (L2)."""
        drawn = [*self.rtl[start:end]]
        order = [*range(end - start)]
        for first, last in runs:
            run = slice(first - start, last - start)
            drawn[run] = self.ltr[first:last]
            order[run] = reversed(order[run])
        order.reverse()
        text = "".join([drawn[place] for place in order])

        is_last = start == 0
        cost = _cost_of_text(before, text, is_last)
        if runs and not _is_displayed_as("".join(drawn), before, text, is_last):
            cost += NOT_AS_DRAWN
        return _Reading(cost, [start + place for place in order], text)


def _cost_of_text(before: str, text: str, is_last: bool) -> int:
    """Return the cost of the signs and brackets of a text after the text `before`."""
    following = "" if is_last else _RTL
    n_misplaced = len(_MISPLACED.findall(before[-1:] + text + following))
    has_both_orders = _BOTH_ORDERS.search(before + text) is not None

    n_extra, closing = _pair(before + text)
    n_new_unpaired = n_extra - _pair(before)[0]
    cost = MISPLACED * n_misplaced + UNPAIRED * n_new_unpaired
    if is_last:
        cost += (UNPAIRED if n_extra else UNCLOSED) * len(closing)
    return cost + BOTH_ORDERS * has_both_orders


def _is_displayed_as(drawn: str, before: str, text: str, is_last: bool) -> bool:
    """Return whether the algorithm displays a text after the text `before` as it is drawn, in a line that may be its.

    Brackets may close later in the line. The line before may end, and the next one begin, with a Latin word.
    """
    _, closing = _pair(before + text)
    contexts = [(before, _RTL), (before, _RTL + closing)]
    if is_last:
        contexts.append((before, _LTR))
    if not before:
        contexts.append((_LTR, _RTL))
    for first, last in contexts:
        shown = str(get_display(first + text + last, base_dir="R")).replace(_LTR, "")
        place = len(last.replace(_LTR, ""))
        if shown.startswith(drawn, place):
            return True
    return False
