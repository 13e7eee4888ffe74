"""Groups of lines: the lines of one paragraph, heading, item or the like, and whether two lines look alike."""

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.layout.line import FLUSH, Line, PlacedLine

SIZE_TOLERANCE = 0.045
"""Maximum relative difference of the font sizes of two lines of one paragraph."""


@dataclass(slots=True)
class LineGroup:
    """Lines of one paragraph, heading, item or the like.

    Attributes:
        marker: number of words of its bullet or number.
        is_display: whether it is a displayed formula, or code, below a text that may go on.
        displays: the displayed formulas with which its last sentence ends.
    """

    lines: list[PlacedLine]
    marker: int = 0
    is_display: bool = False
    displays: "Sequence[LineGroup]" = ()

    @property
    def first(self) -> PlacedLine:
        """The first line."""
        return self.lines[0]

    @property
    def last(self) -> PlacedLine:
        """The last line."""
        return self.lines[-1]

    @property
    def is_prose(self) -> bool:
        """Whether a line of the group is prose."""
        return any(line.is_prose for line in self.lines)

    @property
    def begins_with_capital(self) -> bool:
        """Whether the text of the group begins with a capital, after its bullet or number."""
        words = self.first.words[self.marker :] or self.first.words
        return words[0].initial.isupper()

    @property
    def text_start(self) -> float:
        """Start of the first line after its bullet or number."""
        return self.first.start_after(self.marker)

    @property
    def outermost(self) -> float:
        """Start of its outermost line."""
        return min(line.start for line in self.lines)

    @property
    def margin(self) -> float:
        """Start of its text: after its bullet or number, or else of its outermost line."""
        return self.text_start if self.marker else self.outermost

    @property
    def leading(self) -> float:
        """Distance of its last two baselines, in points, without the room of formulas; 0 if they are in two columns."""
        above = self.lines[-2:][0]
        is_below = above is not self.last and above.column == self.last.column
        return self.last.drop_from(above) * self.last.size if is_below else 0.0

    @property
    def room(self) -> float:
        """Distance of its last line from the right edge, in font sizes; a box has the same margin on both sides."""
        room = self.last.room
        inset = max(0.0, self.last.indent)
        # the only line of a paragraph may be indented
        in_box = len(self.lines) > 1 or abs(room - inset) < FLUSH
        return room - inset if in_box and not self.marker else room


def same_size(one: Line, other: Line) -> bool:
    """Return whether two lines may be of one paragraph by their font sizes."""
    larger = max(one.size, other.size)
    is_alike = abs(one.size - other.size) <= SIZE_TOLERANCE * larger
    return is_alike or not one.word_sizes.isdisjoint(other.word_sizes)


def same_print(one: Line, other: Line) -> bool:
    """Return whether two lines are alike in pitch, weight and font size."""
    return (
        one.is_mono == other.is_mono
        and one.is_bold == other.is_bold
        and same_size(one, other)
    )
