"""Typesetting of a document, measured on all its pages: distances of lines, indents, margins and words."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingest.layout.arrange import Arranged
from ingest.layout.line import INDENTED, MAX_INDENT, Line, PlacedLine
from ingest.paragraphs.hyphens import count_unbroken_words
from ingest.paragraphs.markers import marker_words

MAX_RAGGED = 0.4
"""Maximum distance of a line of justified text from the margin, in font sizes."""

MIN_LEADING = 0.9
"""Minimum distance of two baselines of a text, in font sizes."""

MAX_LEADING = 1.5
"""Maximum distance of two baselines of a text, in font sizes."""

MAX_WIDE_LEADING = 3.5
"""Maximum distance of two baselines inside a sentence, as in double-spaced text, in font sizes."""

MIN_LEADINGS = 4
"""Minimum number of lines inside sentences that show the leading of a font size."""

USUAL_LEADING = 1.2
"""Distance of baselines in a document of single lines, in font sizes."""

MIN_INDENTS = 3
"""Minimum number of indents in a document with indents."""

INDENTS_PER_PAGE = 0.5
"""Minimum number of indents for each page of a document with indents."""

SURE_WEIGHT = 100
"""Weight of a distance inside a sentence for sure; others have 1."""

HEADING = 1.08
"""Minimum size of a heading, in sizes of the text."""

CLEAR_SPACE = 0.33
"""Extra white space that parts two paragraphs after any line, in font sizes."""

MIN_SPACED = 3
"""Minimum number of breaks after short lines with white space, where it parts paragraphs."""

SPACED_SHARE = 0.2
"""Minimum share of the breaks after short lines that have white space, where it parts paragraphs."""

MIN_PAGE_LINES = 4
"""Minimum number of lines of a page with a font size of its own, as of a slide in larger print than other slides."""

MAX_FEW_PARTED = 1
"""Number of lines inside sentences that the structure of any file may part from the lines above them."""

PARTED_SHARE = 0.2
"""Maximum share of the lines inside sentences that the structure of a file may part in this way."""

JUSTIFIED = 0.8
"""Minimum share of the lines inside sentences that end near the margin in justified text."""

MIN_JUSTIFIED = 12
"""Minimum number of lines of which this share is taken; missing ones count as ragged."""


_Pairs = Sequence[tuple[PlacedLine, PlacedLine]]
"""Lines of one column, each with the line below it."""


@dataclass(frozen=True, slots=True)
class TypesettingHabits:
    """Typesetting of a document.

    Attributes:
        vocabulary: number of times that each word occurs unbroken within a line, and that compounds begin
            with it, by "self-".
        leading: the usual distance of baselines, in font sizes.
        wide_leadings: that of the font sizes with a longer one, as of text between listings.
        indented: whether the first lines of paragraphs are indented.
        justified: whether all lines of a paragraph but the last end at the right margin.
        spaced: whether white space parts paragraphs.
        body_size: font size of most of the text, in points.
        page_sizes: font size of most of each page but those with few lines.
        trusts_structure: whether the structure of the file, if it has one, parts paragraphs and not lines.
        typeset: whether TeX or Typst printed it.
    """

    vocabulary: Counter[str]
    leading: float
    wide_leadings: dict[float, float]
    indented: bool
    justified: bool
    spaced: bool
    body_size: float
    page_sizes: dict[int, float]
    trusts_structure: bool
    typeset: bool

    def leading_of(self, size: float) -> float:
        """Return the usual distance of the baselines of a font size."""
        return self.wide_leadings.get(_half_points(size), self.leading)

    def is_body_size(self, line: PlacedLine) -> bool:
        """Return whether a line has the font size of most of the document or of its page."""
        page_size = self.page_sizes.get(line.page, self.body_size)
        return is_of_size(line, self.body_size) or is_of_size(line, page_size)


def measure_habits(arranged: Arranged) -> TypesettingHabits:
    """Measure the typesetting of a document."""
    vocabulary: Counter[str] = Counter()
    page_sizes = {}
    bodies = []
    pairs = []
    for lines in arranged.pages:
        count_unbroken_words(lines, vocabulary)
        body = [line for line in lines if not line.footnote]
        bodies.append(body)
        if len(body) >= MIN_PAGE_LINES:
            page_sizes[body[0].page] = _size_of_page(body)
        for above, line in itertools.pairwise(lines):
            if above.column == line.column and above.footnote == line.footnote:
                pairs.append((above, line))

    body_size = arranged.body_size
    leading = _usual_leading(pairs, body_size)
    return TypesettingHabits(
        vocabulary=vocabulary,
        leading=leading,
        wide_leadings=_longer_leadings(pairs, leading),
        indented=_is_indented(bodies, body_size),
        justified=_is_justified(pairs, body_size),
        spaced=_is_spaced(pairs, leading, body_size),
        body_size=body_size,
        page_sizes=page_sizes,
        trusts_structure=_has_whole_elements(arranged),
        typeset=arranged.typeset,
    )


def _usual_leading(pairs: _Pairs, body_size: float) -> float:
    """Return the usual distance of lines of one size; those that surely are inside a sentence count more."""
    leadings: Counter[float] = Counter()
    for above, line in pairs:
        longest = MAX_LEADING
        weight = 1
        is_one_sentence = _is_one_sentence(above, line, body_size)
        if is_one_sentence and _begins_with_wrapped_word(above, line):
            longest = MAX_WIDE_LEADING
            weight = SURE_WEIGHT
        distance = line.drop_from(above)
        if MIN_LEADING < distance < longest and is_of_size(above, line.size):
            leadings[_rounded(distance)] += weight
    return leadings.most_common(1)[0][0] if leadings else USUAL_LEADING


def _is_indented(bodies: Iterable[Sequence[PlacedLine]], body_size: float) -> bool:
    """Return whether the first lines of paragraphs are indented on many of the pages with text."""
    n_pages = n_indents = 0
    for body in bodies:
        n_pages += bool(body)
        for above, line, below in zip(body, body[1:], body[2:], strict=False):
            n_indents += _shows_indent(above, line, below, body_size)
    return n_indents >= max(MIN_INDENTS, INDENTS_PER_PAGE * n_pages)


def _is_justified(pairs: _Pairs, body_size: float) -> bool:
    """Return whether most lines whose sentences go on below them end near the margin."""
    n_open = n_full = 0
    for above, line in pairs:
        if _is_one_sentence(above, line, body_size):
            n_open += 1
            n_full += above.room < MAX_RAGGED
    return n_full > JUSTIFIED * max(MIN_JUSTIFIED, n_open)


def _is_spaced(pairs: _Pairs, leading: float, body_size: float) -> bool:
    """Return whether white space is below many of the short lines that end sentences."""
    n_ends = n_spaced = 0
    for above, line in pairs:
        if is_of_size(line, body_size) and _is_short_end(above, line):
            n_ends += 1
            n_spaced += line.drop_from(above) > leading + CLEAR_SPACE
    return n_spaced >= max(MIN_SPACED, SPACED_SHARE * n_ends)


def _has_whole_elements(arranged: Arranged) -> bool:
    """Return whether the structure of the file parts few lines that surely continue a sentence."""
    n_lines = n_parted = 0
    for lines in arranged.pages:
        for above, line in itertools.pairwise(lines):
            is_known = above.element and line.element and line.column == above.column
            is_open = line.begins_small and above.text[-1].isalnum()
            if is_known and is_open and _surely_goes_on(above, line):
                n_lines += 1
                n_parted += line.element != above.element
    return n_parted <= max(MAX_FEW_PARTED, PARTED_SHARE * n_lines)


def _longer_leadings(pairs: _Pairs, leading: float) -> dict[float, float]:
    """Return the usual leadings of the font sizes where they are longer than `leading`."""
    leadings: defaultdict[float, Counter[float]] = defaultdict(Counter)
    for above, line in pairs:
        if _surely_goes_on(above, line):
            distance = _rounded(line.drop_from(above))
            leadings[_half_points(line.size)][distance] += 1

    longer = {}
    for size, counts in leadings.items():
        usual, n_lines = counts.most_common(1)[0]
        if leading < usual < MAX_WIDE_LEADING and n_lines >= MIN_LEADINGS:
            longer[size] = usual
    return longer


def _rounded(distance: float) -> float:
    """Round a distance to twentieths of a font size."""
    return round(distance * 20) / 20


def _half_points(size: float) -> float:
    """Round a font size to half points."""
    return round(size * 2) / 2


def _size_of_page(lines: Iterable[Line]) -> float:
    """Return the font size of most of a page."""
    n_chars: Counter[float] = Counter()
    for line in lines:
        n_chars[line.size] += line.n_chars
    return max(n_chars, key=n_chars.__getitem__)


def is_of_size(line: Line, size: float) -> bool:
    """Return whether a line has a font size, as measured in half points."""
    return abs(line.size - size) < 0.5


def is_indented(line: PlacedLine, below: PlacedLine) -> bool:
    """Return whether a line is indented above a line at the margin of their column."""
    return (
        line.column == below.column
        and INDENTED < line.indent < MAX_INDENT
        and below.is_flush
    )


def _shows_indent(
    above: PlacedLine, line: PlacedLine, below: PlacedLine, body_size: float
) -> bool:
    """Return whether a line of text is indented between two lines without indent."""
    return (
        above.column == line.column
        and above.is_flush
        and is_indented(line, below)
        and is_of_size(line, body_size)
        and not marker_words(line)
    )


def _is_short_end(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a sentence ends short of the margin above a line of text."""
    is_new = line.is_prose and line.starts_at(above.start, above.left)
    is_new &= not marker_words(line)
    return is_new and above.ends_sentence and above.has_room_for(line)


def _surely_goes_on(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a line continues the sentence of the line above it with a word that did not fit there."""
    is_one = _is_one_sentence(above, line, line.size)
    return is_one and _begins_with_wrapped_word(above, line)


def _begins_with_wrapped_word(above: PlacedLine, line: Line) -> bool:
    """Return whether a line begins with a word that did not fit in the line above it."""
    is_word = line.initial.isalpha() and not line.is_formula
    return is_word and not above.has_room_for(line)


def _is_one_sentence(above: PlacedLine, line: PlacedLine, size: float) -> bool:
    """Return whether a line surely continues the sentence of the line above it, both of a font size."""
    return (
        is_of_size(above, size)
        and not above.is_formula
        and is_of_size(line, size)
        and line.starts_at(above.start)
        and not line.first_text[0].isupper()
        and not above.ends_clause
    )
