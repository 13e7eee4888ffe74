"""A reading -> the vectors of its paragraphs, their sentences and words, and of its document's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from quarry.ingest.arrays import Float32Array
from quarry.ingest.embed import Embedder, TokenEmbedder
from quarry.ingest.embed.tokens import Tokens, Words, compact, form_of
from quarry.ingest.paragraph import Reading
from quarry.ingest.paragraphs.sentence import sentences_of

READ_AT_ONCE = 256
"""Paragraphs whose tokens are held as the network gives them, before they are made compact."""


@dataclass(frozen=True, slots=True)
class ReadingVectors:
    """Unit vectors of one reading.

    Attributes:
        paragraphs: (n_paragraphs, dim).
        sentences: (n_sentences, dim), those of the first paragraph first, as `sentences` splits it.
        aliases: (n_aliases, dim) of the document's names, embedded as queries: they are compared with a name that
            somebody gives, which is embedded the same way.
        words: of the paragraphs, by SPEC of the model.
    """

    paragraphs: Float32Array
    sentences: Float32Array
    aliases: Float32Array
    words: Mapping[str, Words] = field(default_factory=dict)


def no_vectors() -> ReadingVectors:
    """The vectors of a reading in a store that knows no embedder yet."""
    nothing = np.empty((0, 0), dtype=np.float32)
    return ReadingVectors(nothing, nothing, nothing)


def embed_reading(reading: Reading, embedder: Embedder, word_models: Sequence[TokenEmbedder] = ()) -> ReadingVectors:
    """The vectors of a reading; a text that comes twice, like a paragraph of one sentence, is embedded once.

    Args:
        reading: what is embedded.
        embedder: of the store.
        word_models: models that read the words of the paragraphs; the embedder may be one of them.
    """
    paragraphs = [paragraph.text for paragraph in reading.paragraphs]
    parts = [sentence for paragraph in reading.paragraphs for sentence in sentences_of(paragraph)]
    words = {model.spec: _read(model, paragraphs) for model in word_models}
    whole = list(dict.fromkeys(paragraphs))
    rest = [text for text in dict.fromkeys(parts) if text not in set(whole)]
    if embedder.spec in words:
        vectors = np.concatenate([words[embedder.spec].pooled, embedder.embed_passages(rest)])
        rows = {text: row for row, text in enumerate((*paragraphs, *rest))}
    else:
        vectors = embedder.embed_passages([*whole, *rest])
        rows = {text: row for row, text in enumerate((*whole, *rest))}
    return ReadingVectors(
        paragraphs=vectors[[rows[text] for text in paragraphs]],
        sentences=vectors[[rows[text] for text in parts]],
        aliases=embed_aliases(reading, embedder),
        words=words,
    )


def embed_aliases(reading: Reading, embedder: Embedder) -> Float32Array:
    """(n_aliases, dim) of the document's names."""
    return embedder.embed_queries([alias.text for alias in reading.document.aliases])


def _read(model: TokenEmbedder, paragraphs: Sequence[str]) -> Words:
    """What a model that has a form makes of paragraphs, a few hundred at a time."""
    form = form_of(model.spec)
    assert form is not None
    pooled = [np.empty((0, model.dim), dtype=np.float32)]
    codes = [np.empty((0, form.basis.shape[1]), dtype=np.uint8)]
    lengths = [np.zeros(1, dtype=np.int64)]
    for start in range(0, len(paragraphs), READ_AT_ONCE):
        vectors, states = model.read_passages(paragraphs[start : start + READ_AT_ONCE])
        tokens = compact(states, form)
        pooled.append(vectors)
        codes.append(tokens.codes)
        lengths.append(np.diff(tokens.starts))
    return Words(np.concatenate(pooled), Tokens(np.concatenate(codes), np.cumsum(np.concatenate(lengths))))
