"""Vectors of a reading: of its paragraphs, their sentences and tokens, and of its document's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from quarry.configs.executors import made_once
from quarry.configs.settings import EmbedSettings
from quarry.ingest.arrays import Float32Array
from quarry.ingest.embed import Embedder, Models, TokenEmbedder
from quarry.ingest.embed.tokens import Tokens, Words, compact, form_of
from quarry.ingest.paragraph import Reading
from quarry.ingest.paragraphs.sentence import sentences_of

READ_AT_ONCE = 256
"""Number of paragraphs for which the full token states are in memory at a time."""


@dataclass(frozen=True, slots=True)
class ReadingVectors:
    """Unit vectors of one reading.

    Attributes:
        paragraphs: (n_paragraphs, dim).
        sentences: (n_sentences, dim), in the order of the paragraphs, as `sentences_of` splits them.
        aliases: (n_aliases, dim) of the document's names, embedded as queries, since they are compared with queries.
        words: token vectors of the paragraphs, by SPEC of the model.
    """

    paragraphs: Float32Array
    sentences: Float32Array
    aliases: Float32Array
    words: Mapping[str, Words] = field(default_factory=dict)


def no_vectors() -> ReadingVectors:
    """Return the vectors of a reading in a store that has no embedder yet."""
    nothing = np.empty((0, 0), dtype=np.float32)
    return ReadingVectors(nothing, nothing, nothing)


def embed_reading(reading: Reading, embedder: Embedder, word_models: Sequence[TokenEmbedder] = ()) -> ReadingVectors:
    """Embed a reading; a text that occurs twice, such as a paragraph of one sentence, is embedded once.

    Args:
        embedder: of the store.
        word_models: models of token vectors; the embedder may be one of them.
    """
    paragraphs = [paragraph.text for paragraph in reading.paragraphs]
    sentences = [sentence for paragraph in reading.paragraphs for sentence in sentences_of(paragraph)]
    words = {model.spec: _words(model, paragraphs) for model in word_models}
    pooled = [words[embedder.spec].pooled] if embedder.spec in words else []
    embedded = paragraphs if pooled else []
    known = set(embedded)
    rest = list(dict.fromkeys(text for text in (*paragraphs, *sentences) if text not in known))
    vectors = np.concatenate([*pooled, embedder.embed_passages(rest)])
    rows = {text: row for row, text in enumerate((*embedded, *rest))}
    return ReadingVectors(
        paragraphs=vectors[[rows[text] for text in paragraphs]],
        sentences=vectors[[rows[text] for text in sentences]],
        aliases=embedder.embed_queries([alias.text for alias in reading.document.aliases]),
        words=words,
    )


def embed_all(models: Sequence[Embedder], reading: Reading, token_specs: Sequence[str]) -> ReadingVectors:
    """Embed a reading with these models; the first is the store's, those of `token_specs` give token vectors."""
    token_models = [model for model in models if model.spec in token_specs and isinstance(model, TokenEmbedder)]
    return embed_reading(reading, models[0], token_models)


def embed_on_worker(
    specs: Sequence[str], settings: EmbedSettings, reading: Reading, token_specs: Sequence[str]
) -> ReadingVectors:
    """Embed a reading with the models of this process."""
    return embed_all(models_of_worker(specs, settings), reading, token_specs)


def models_of_worker(specs: Sequence[str], settings: EmbedSettings) -> list[Embedder]:
    """Return the embedders of these SPECs; this process loads them once."""
    return made_once(repr((specs, settings)), lambda: [Models.of(settings).embedder(spec) for spec in specs])


def _words(model: TokenEmbedder, paragraphs: Sequence[str]) -> Words:
    """Return the vectors and compact tokens of paragraphs, READ_AT_ONCE in a pass."""
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
