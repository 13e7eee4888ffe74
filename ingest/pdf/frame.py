"""Frame of a page: from the coordinates of a PDF file to the page as shown."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pypdfium2

from ingest.pdf.model import Box


@dataclass(slots=True)
class Frame:
    """Position of a page in its file, and the way in which it is shown; lengths in points.

    Attributes:
        turn: rotation in quarter turns clockwise.
        left, bottom, right, top: its visible part in the coordinates of the file.
        width, height: as shown.
    """

    turn: int
    left: float
    bottom: float
    right: float
    top: float
    width: float
    height: float

    @classmethod
    def of(cls, page: pypdfium2.PdfPage) -> Frame:
        """Return the frame of a page."""
        return cls(page.get_rotation() // 90, *page.get_bbox(), *page.get_size())

    def on_page(self, x: float, y: float) -> tuple[float, float]:
        """Return a point as its distances from the left edge and the top of the page as shown."""
        left = x - self.left
        right = self.right - x
        down = self.top - y
        up = y - self.bottom
        turned = ((left, down), (up, left), (right, up), (down, right))
        return turned[self.turn]

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """Return the rectangle on the page as shown of edges in the coordinates of the file."""
        x0, y0 = self.on_page(left, top)
        x1, y1 = self.on_page(right, bottom)
        return Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))

    def turned(self, turn: int) -> Frame:
        """Return the frame of a page that is seen in another rotation."""
        sides = self.width, self.height
        width, height = sides if (turn - self.turn) % 2 == 0 else sides[::-1]
        return replace(self, turn=turn, width=width, height=height)
