"""Piece: a stretch of a lecture's text as another program reads and cuts it."""

from dataclasses import dataclass

PAGE = "page"
"""Name of the cut that takes whole pages."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text that a referee's program takes for a paragraph.

    Attributes:
        edition: "READER:CUT", the program and the cut that made it.
        doc_id: its document.
        page: 1-based page on which it starts.
        last_page: page on which it ends.
        text: the raw text as the program prints it, with line breaks.
        vector: (dim,) float32 as bytes, minus the mean of the document's paragraphs; b"" if it is not embedded.
    """

    edition: str
    doc_id: str
    page: int
    last_page: int
    text: str
    vector: bytes = b""

    @property
    def reader(self) -> str:
        """The name of the program that reads the PDF."""
        return self.edition.partition(":")[0]

    @property
    def cut(self) -> str:
        """The name of the cut, with its size."""
        return self.edition.partition(":")[2]

    @property
    def is_page(self) -> bool:
        """Whether it is a whole page. A program cuts the opening of a page by rule; a model chooses those of others."""
        return self.cut == PAGE
