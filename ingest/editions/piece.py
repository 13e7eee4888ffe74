"""Piece: a stretch of a lecture's text as another program reads and cuts it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A text that a referee's program takes for a paragraph.

    Attributes:
        edition: "READER:CUT", the program that made it.
        doc_id: its document.
        page: 1-based page on which it starts.
        last_page: page on which it ends.
        text: raw, as the program prints it, with its lines.
        vector: of a piece on whose pages no passage is, packed; the mean of the document's passages is subtracted. ""
            for other pieces.
    """

    edition: str
    doc_id: str
    page: int
    last_page: int
    text: str
    vector: str = ""

    @property
    def cut(self) -> str:
        """The cut of its edition."""
        return self.edition.split(":")[1]
