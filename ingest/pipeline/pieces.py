"""Vectors of the pieces on whose pages no passage is, such as code, tables and indexes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ingest.arrays import Float32Array
from ingest.editions.piece import Piece
from ingest.editions.reading_order import in_reading_order
from ingest.embed import Embedder
from ingest.paragraph import Reading
from ingest.store.records import packed


def with_vectors(
    reading: Reading, passages: Float32Array, embedder: Embedder
) -> tuple[Piece, ...]:
    """Return the pieces of a reading, with vectors where no passage is.

    Args:
        passages: (n_passages, dim) vectors of its passages.
    """
    pages: set[int] = set()
    for paragraph in reading.paragraphs:
        last = paragraph.page + len(paragraph.page_breaks)
        pages.update(range(paragraph.page, last + 1))

    pieces = []
    for piece in reading.pieces:
        vector = ""
        if pages.isdisjoint(range(piece.page, piece.last_page + 1)):
            own = embedder.embed_passages([in_reading_order(piece.text)])[0]
            mean = passages.mean(axis=0) if len(passages) else np.float32(0.0)
            vector = packed(own - mean)
        pieces.append(replace(piece, vector=vector))
    return tuple(pieces)
