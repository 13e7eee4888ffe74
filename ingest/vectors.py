"""A reading -> its vectors: of every paragraph, of every sentence in it, and of every name of its document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ingest.embed import Embedder, FloatArray
from ingest.paragraph import Reading
from ingest.sentence import sentences


@dataclass(frozen=True, slots=True)
class ReadingVectors:
    """Unit vectors of one reading.

    Attributes:
        paragraphs: (n_paragraphs, dim).
        sentences: (n_sentences, dim), those of the first paragraph first, as `sentences` splits it.
        aliases: (n_aliases, dim) of the document's names, embedded as queries: they are compared with a name that
            somebody gives, which is embedded the same way.
    """

    paragraphs: FloatArray
    sentences: FloatArray
    aliases: FloatArray


def no_vectors() -> ReadingVectors:
    """The vectors of a reading in a store that knows no embedder yet."""
    nothing = np.empty((0, 0), dtype=np.float32)
    return ReadingVectors(nothing, nothing, nothing)


def embed_reading(reading: Reading, embedder: Embedder) -> ReadingVectors:
    """The vectors of a reading; a text that comes twice, like a paragraph of one sentence, is embedded once."""
    paragraphs = [paragraph.text for paragraph in reading.paragraphs]
    parts = [sentence for text in paragraphs for sentence in sentences(text)]
    rows = {text: row for row, text in enumerate(dict.fromkeys((*paragraphs, *parts)))}
    vectors = embedder.embed_passages(list(rows))
    return ReadingVectors(
        paragraphs=vectors[[rows[text] for text in paragraphs]],
        sentences=vectors[[rows[text] for text in parts]],
        aliases=embed_aliases(reading, embedder),
    )


def embed_aliases(reading: Reading, embedder: Embedder) -> FloatArray:
    """(n_aliases, dim) of the document's names."""
    return embedder.embed_queries([alias.text for alias in reading.document.aliases])
