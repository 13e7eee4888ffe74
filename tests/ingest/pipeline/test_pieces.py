"""Vectors of pieces on whose pages no passage is."""

from __future__ import annotations

import numpy as np

from ingest.editions.piece import Piece
from ingest.paragraph import Document, Paragraph, Reading
from ingest.pipeline.pipeline import with_vectors
from ingest.store.records import unpacked
from tests.fakes import HashingEmbedder

LECTURE = Document("a", "a.pdf", "", "", (), 3, 1)


def test_pieces_have_vectors_only_where_no_passage_is() -> None:
    passage = Paragraph(
        "a:1:1", "a", 1, "", "Over two pages.", "Over two pages.", page_breaks=(5,)
    )
    pieces = tuple(
        Piece("pdfplumber:page", "a", page, page, f"page {page}") for page in (1, 2, 3)
    )
    embedder = HashingEmbedder()
    vectors = embedder.embed_passages([passage.text])
    reading = Reading(LECTURE, (passage,), (), pieces=pieces)

    first, second, third = with_vectors(reading, vectors, embedder)
    assert first.vector == second.vector == ""
    wanted = embedder.embed_passages(["page 3"])[0] - vectors[0]
    np.testing.assert_array_equal(unpacked(third.vector, np.float32)[0], wanted)
