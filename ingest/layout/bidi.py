"""Bidirectional text: glyphs from left to right are sorted into logical order.

This inverts the Unicode bidirectional algorithm (UAX #9) for one line: of the readings that the algorithm displays as
the line is drawn, the likeliest is returned.
"""

import functools
import itertools
import operator
import re
import unicodedata
from collections.abc import Iterator, Sequence

from bidi import get_display

from ingest.pdf.model import MIRRORED

_Runs = Sequence[tuple[int, int]]
"""Begin and end of left-to-right runs, from left to right."""
_Reading = tuple[int, list[int], str]
"""Number of faults, indices of glyphs in logical order, and their characters in this order."""

_RTL = "\u05d0"
_LTR = "\u0250"
"""Letters of both directions; the second one is rare."""
STOPS = ".,;:?!"
_OPEN_END = re.compile(rf"[{STOPS}/-]| [+−×·]")
"""Sign that may end a line inside Latin text or a formula."""
_OPERATOR = re.compile(r"[+−×·] ")
_KINDS = {
    "R": "r",
    "AL": "r",
    "L": "l",
    "EN": "d",
    "AN": "d",
    "ES": "s",
    "CS": "s",
    "ET": "t",
}
_SIGNS = (
    dict.fromkeys("()[]{}", "b") | {"%": "p"} | dict.fromkeys("∀∃∂∇√∫∮∑∏∐⋃⋂⋁⋀⨀⨁⨂", "l")
)
_RANGE = re.compile(r"(?<!\d)(\d{1,9})–(\d{1,9})(?!\d)")
"""Two numbers and a dash: some programs show ranges from left to right."""
_URL = re.compile(r"\w+://\S*/(?!\S)")
"""Address of a page that ends with a slash; programs show it from left to right."""
_PART = re.compile(r"r+|[^r]+")
_PHRASE = re.compile(r"r(?:[^l]*r)?")
_NUMBER = r"t*d+(?:sd+)*[tp]*"
_ATOM = re.compile(
    rf"(?:{_NUMBER})*l(?:l|{_NUMBER})*(?:[^b]*?l(?:l|{_NUMBER})*)*|(?:{_NUMBER})+"
)
"""Kinds of characters that are in one left-to-right run: touching letters and numbers, and signs between letters."""

_UNLIKELY = re.compile(
    r"""
    (?<!\S)(?!\.[a-z]{2})[.,;:?!](?=[^\s.,;:?!])  # a stop before a word, but for a file's ending
    | (?<!\S)[)\]}] | [(\[{]"?(?:[.,;:?!]*\s|$)   # a bracket on the wrong side of a word
    | (?<!\S)(?:[-/]|[+−×·]\ )[A-Za-z][^א-ת]*$    # a sign between two parts of a word or term on two lines
    | ^\d+\ [+−×·]\ א
    | [(\[{](?=[)\]}]\w) | (?<=[(\[{])[)\]}](?=\w)  # empty brackets before a word, which count twice
    """,
    re.VERBOSE,
)
UNLIKELY = 2
"""Faults of a place where a reading is unlikely."""
UNPAIRED = 3
"""Faults of a bracket without partner; one that closes at the beginning of a line has 1."""
_MIXED = re.compile(r"\(\d+[-+−]\w.*\([^\W\d]+[-+−]\d|\([^\W\d]+[-+−]\d.*\(\d+[-+−]\w")
"""Terms with the number before and after the letter, as "(x-1), (1-y)"; a list has one order."""
DISPLAYED_OTHERWISE = 4
"""Faults of text that the algorithm displays in another order than it is drawn."""
OTHER_WAY = 3
"""Faults of brackets that are not stored as most brackets of the document."""
MAX_READINGS = 256
"""Maximum number of ways to end the left-to-right runs of one part of a line that are compared."""

_OPENS = re.compile(r"(?<!\S)\)(?=\w)")
_CLOSES = re.compile(r"(?<=\w)\((?=[\s.,;:?!]|$)")
"""Brackets on the wrong side of a word; some fonts store a bracket in both ways."""
_DRAWN_PAIR = re.compile(r"\([^()A-Za-z]*[\u05d0-\u05ea][^()A-Za-z]*\)")
_READ_PAIR = re.compile(r"\)[^()A-Za-z]*[\u05d0-\u05ea][^()A-Za-z]*\(")
"""Brackets around Hebrew, as they are stored from left to right."""


@functools.cache
def _kind(char: str) -> str:
    """Return a letter for the kind of a character.

    Returns:
        r for right-to-left letters; l for other letters, and for large operators and quantifiers; d for digits; s for
        separators, t for signs of a number such as currencies, p for the percent sign; b for brackets; n for others.
    """
    return _SIGNS.get(char) or _KINDS.get(unicodedata.bidirectional(char), "n")


def is_rtl_letter(text: str) -> bool:
    """Return whether a text begins with a right-to-left letter."""
    return _kind(text[:1] or " ") == "r"


def has_rtl_letter(text: str) -> bool:
    """Return whether a text has a right-to-left letter."""
    return not text.isascii() and any(map(is_rtl_letter, text))


def pairs_as_drawn(drawn: str) -> int:
    """Return how many pairs of round brackets in right-to-left text look right as they are stored, minus the others."""
    return len(_DRAWN_PAIR.findall(drawn)) - len(_READ_PAIR.findall(drawn))


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

    stored = "".join([text[:1] or " " for text in texts]).replace("\u00ad", "–")
    ways = [stored, stored.translate(MIRRORED)]
    if as_drawn:
        ways.reverse()
    best = _read(stored, ways[0])
    if best[0] > OTHER_WAY:
        other = _read(stored, ways[1])
        if other[0] + OTHER_WAY < best[0]:
            best = other

    _, order, read = best
    turned = _CLOSES.sub(")", _OPENS.sub("(", read))
    if n_unpaired(turned) < n_unpaired(read):
        read = turned
    result = []
    for index, char in zip(order, read, strict=True):
        result.append((index, texts[index] if char == stored[index] else char))
    return result


def _read(ltr: str, rtl: str) -> _Reading:
    """Return the likeliest reading of a right-to-left line.

    Args:
        ltr: its characters as they are read in left-to-right runs.
        rtl: its characters as they are read elsewhere.
    """
    kinds = "".join(map(_kind, ltr))
    for dash in _RANGE.finditer(ltr):
        if int(dash[1]) < int(dash[2]):
            place = dash.end(1)
            kinds = f"{kinds[:place]}d{kinds[place + 1 :]}"
    for url in _URL.finditer(ltr):
        start, end = url.span()
        kinds = kinds[:start] + "l" * (end - start) + kinds[end:]

    n_faults = 0
    order: list[int] = []
    read = ""
    for part in reversed([*_PART.finditer(kinds)]):
        start, end = part.span()
        readings = []
        for runs in _possible_runs(kinds, ltr, start, end):
            readings.append(_read_part(ltr, rtl, start, end, runs, read))
            if not readings[-1][0]:
                break

        faults, indices, text = min(readings, key=operator.itemgetter(0))
        n_faults += faults
        order += indices
        read += text
    return n_faults, order, read


def _possible_runs(kinds: str, texts: str, start: int, end: int) -> Iterator[_Runs]:
    """Yield the left-to-right runs that a part of a line may have, likeliest first."""
    atoms = [atom.span() for atom in _ATOM.finditer(kinds, start, end)]
    if not atoms:
        yield ()
        return

    ends = []
    for (_, last), (following, _) in itertools.pairwise([*atoms, (end, end)]):
        ends.append(_possible_ends(kinds, texts, last, following, start, end))
    begins = [begin for begin, _ in atoms]
    for chosen in itertools.islice(itertools.product(*ends), MAX_READINGS):
        # a run that ends where the next one begins goes on
        runs = zip(
            [place for place in begins if place not in chosen],
            [place for place in chosen if place not in begins],
            strict=True,
        )
        yield tuple(runs)

    first = begins[-1]
    if end == len(texts) and _OPERATOR.fullmatch(texts, first - 2, first):
        # the line before may have ended inside the formula
        yield ((first - 2, ends[-1][0]),)


def _possible_ends(
    kinds: str,
    texts: str,
    last: int,
    following: int,
    start: int,
    end: int,
) -> list[int]:
    """Return where a run may end that reaches to `last`, before or with the word at `following`, likeliest first."""
    ends = [last]
    for place in range(last, following):
        if texts[place] in ")]}":
            ends.insert(0, place + 1)
    if following < end and "l" in kinds[start:end]:
        # a number is in the run of what follows it after a Latin word only
        ends.insert(0 if "l" in kinds[start:last] else len(ends), following)
    if start == 0 and (sign := _OPEN_END.match(texts, last)):
        # the line may be over, and Latin text may follow in the next one
        ends.append(sign.end())
    return ends


def _read_part(
    ltr: str,
    rtl: str,
    start: int,
    end: int,
    runs: _Runs,
    before: str,
) -> _Reading:
    """Read a part of a line with certain left-to-right runs, after the text `before`."""
    drawn = rtl[start:end]
    order: list[int] = []
    position = end
    for first, last in reversed(runs):
        order += [*reversed(range(last, position)), *range(first, last)]
        position = first
        drawn = drawn[: first - start] + ltr[first:last] + drawn[last - start :]
    order += reversed(range(start, position))
    read = "".join([drawn[index - start] for index in order])

    after = _RTL * (start > 0)
    n_unlikely = len(_UNLIKELY.findall(before[-1:] + read + after))
    n_faults = UNLIKELY * n_unlikely
    n_faults += _MIXED.search(before + read) is not None
    n_before, _ = _pair(before)
    n_extra, closing = _pair(before + read)
    n_faults += (n_extra - n_before) * (UNPAIRED if before else 1)
    n_faults += UNPAIRED * len(closing) * (start == 0)
    if runs:
        n_faults += _display_fault(before, read, drawn, closing, start == 0)
    return n_faults, order, read


def _display_fault(
    before: str,
    read: str,
    drawn: str,
    closing: str,
    is_last: bool,
) -> int:
    """Return the faults of a reading: 0 if the algorithm displays it as it is drawn, 1 if only after a Latin word.

    Brackets may close later in the line, or have been opened in the line before; Latin text may follow in the next one.
    """
    contexts = [(0, before, _RTL), (0, before, _RTL + closing)]
    if is_last:
        contexts.append((0, before, _LTR))
    if not before:
        contexts += [(1, _LTR, _RTL), (0, f"{_LTR}(", _RTL)]
    for fault, first, last in contexts:
        shown = str(get_display(first + read + last, base_dir="R")).replace(_LTR, "")
        place = len(last.replace(_LTR, ""))
        if shown[place : place + len(drawn)] == drawn:
            return fault
    return DISPLAYED_OTHERWISE


def n_unpaired(text: str) -> int:
    """Return the number of brackets without partner."""
    n_extra, closing = _pair(text)
    return n_extra + len(closing)


def _pair(text: str) -> tuple[int, str]:
    """Return the number of closing brackets without partner, and the brackets that would close the open ones."""
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


def _with_right_to_left_phrases(
    texts: Sequence[str], as_drawn: bool
) -> list[tuple[int, str]]:
    """Return the order of a left-to-right line, in which its right-to-left phrases are reversed."""
    drawn = list(enumerate(texts))
    result = []
    kinds = "".join([_kind(text[:1] or " ") for text in texts])
    position = 0
    for phrase in _PHRASE.finditer(kinds):
        start, end = phrase.span()
        result += drawn[position:start]
        for index, text in logical_order(texts[start:end], True, as_drawn):
            result.append((start + index, text))
        position = end
    return result + drawn[position:]
