"""Vectors of a reading: of its paragraphs, their sentences and tokens, and of its document's names.

Compact token vectors serve to compare a hint with a paragraph word by word. A network's state of each token is
projected onto the directions in which tokens differ most, without the first one, which all tokens share; similar tokens
of a paragraph are merged in pairs; each component is stored in seven bits. A paragraph of our lectures takes 7 kB with
minilm and 10 kB with mpnet.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from configs.settings import EmbedSettings
from quarry.arrays import Float32Array
from quarry.course.course import Tokens, Words, nothing
from quarry.course.paragraph import Reading
from quarry.course.piece import Piece
from quarry.course.sentences import sentences_of
from quarry.embed import Embedder, Models, TokenEmbedder, TokenStates
from quarry.languages.reading_order import in_reading_order
from quarry.parallel import made_once

FORMS = Path(__file__).with_name("token_forms")
"""Folder with the basis of each model with token vectors: orthonormal columns, as float16."""

MERGED = 2
"""Number of tokens of a paragraph that are merged into one, on average."""

MIDDLE = 64
STEPS = 127
"""A component x, -1..1, is stored as x * STEPS + MIDDLE, cut at 0 and 127; few components exceed one half.

Seven bits, not eight: processors without VNNI add two products in sixteen bits.
"""

PART = 256
"""Number of paragraphs of a document that are embedded at once; the full states of their tokens are in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenForm:
    """The compact form of one model's tokens.

    Attributes:
        basis: (dim, n_components) float32, orthonormal columns.
        digest: changes with everything on which the compact form depends.
    """

    basis: Float32Array
    digest: str

    def project(self, states: Float32Array) -> Float32Array:
        """Return (n_tokens, n_components) float32 unit vectors."""
        return _unit(states @ self.basis)


@dataclass(frozen=True, slots=True)
class ReadingVectors:
    """Unit vectors of one reading.

    Attributes:
        paragraphs: (n_paragraphs, dim).
        sentences: (n_sentences, dim), in the order of the paragraphs, as `sentences_of` splits them.
        aliases: (n_aliases, dim) of the document's names, embedded as queries, since they are compared with queries.
        words: token vectors of the paragraphs, by SPEC of the model.
        pieces: (n_pieces, dim) of the text in other editions.
    """

    paragraphs: Float32Array
    sentences: Float32Array
    aliases: Float32Array
    words: dict[str, Words] = field(default_factory=dict)
    pieces: Float32Array = field(default_factory=nothing)


NO_VECTORS = ReadingVectors(nothing(), nothing(), nothing())
"""The vectors of a reading in a store that has no embedder yet."""


def parts_of(reading: Reading) -> list[Reading]:
    """Split a document into parts of `PART` paragraphs; the first one has its names, a last one its other editions."""
    parts, document = [], reading.document
    for start in range(0, len(reading.paragraphs) or 1, PART):
        parts.append(Reading(document, reading.paragraphs[start : start + PART], ()))
        document = replace(reading.document, aliases=())
    if reading.pieces:
        parts.append(Reading(document, (), (), pieces=reading.pieces))
    return parts


def join(parts: Sequence[ReadingVectors]) -> ReadingVectors:
    """Concatenate the vectors of the parts of a document, or of the documents of a course.

    Token vectors are left out if one of the parts has paragraphs and none of them.
    """

    def joined(name: str) -> Float32Array:
        arrays = [getattr(part, name) for part in parts]
        return np.concatenate([array for array in arrays if len(array)] or [nothing()])

    whole = [part.words for part in parts if len(part.paragraphs)]
    words = {}
    for spec in whole[0] if whole else ():
        if not all(spec in of_part for of_part in whole):
            continue
        pooled, codes, lengths = [], [], [0]
        for of_part in whole:
            pooled.append(of_part[spec].pooled)
            codes.append(of_part[spec].tokens.codes)
            lengths += np.diff(of_part[spec].tokens.starts).tolist()
        tokens = Tokens(np.concatenate(codes), np.cumsum(lengths, dtype=np.int64))
        words[spec] = Words(np.concatenate(pooled), tokens)
    return ReadingVectors(
        joined("paragraphs"),
        joined("sentences"),
        joined("aliases"),
        words,
        joined("pieces"),
    )


def centered(vectors: ReadingVectors) -> ReadingVectors:
    """Return the vectors of a document, with the mean of its paragraphs subtracted from those of other editions."""
    if not (len(vectors.pieces) and len(vectors.paragraphs)):
        return vectors
    mean = vectors.paragraphs.mean(axis=0)
    return replace(vectors, pieces=vectors.pieces - mean)


def embed_reading(
    reading: Reading, embedder: Embedder, word_models: Sequence[TokenEmbedder] = ()
) -> ReadingVectors:
    """Embed a reading, or a part of it; a text that occurs twice in it is embedded once.

    Args:
        embedder: the embedder of the store.
        word_models: models of token vectors; the embedder may be one of them.
    """
    paragraphs = [paragraph.text for paragraph in reading.paragraphs]
    sentences: list[str] = []
    for paragraph in reading.paragraphs:
        sentences += sentences_of(paragraph)

    words = {}
    for model in word_models:
        form = form_of(model.spec)
        assert form is not None
        pooled, states = model.read_passages(paragraphs)
        words[model.spec] = Words(pooled, compact(states, form))

    texts = paragraphs if embedder.spec in words else []
    embedded = set(texts)
    rest = dict.fromkeys((*paragraphs, *sentences))
    new = [text for text in rest if text not in embedded]
    vectors = embedder.embed_passages(new)
    if texts:
        vectors = np.concatenate([words[embedder.spec].pooled, vectors])
    rows = {text: row for row, text in enumerate((*texts, *new))}
    names = [alias.text for alias in reading.document.aliases]
    pieces, numbers = _texts_of(reading.pieces)
    return ReadingVectors(
        paragraphs=vectors[[rows[text] for text in paragraphs]],
        sentences=vectors[[rows[text] for text in sentences]],
        aliases=embedder.embed_queries(names),
        words=words,
        pieces=embedder.embed_passages(pieces)[numbers] if pieces else nothing(),
    )


def _texts_of(pieces: Sequence[Piece]) -> tuple[list[str], list[int]]:
    """Return the texts of pieces, and the row of each piece in them; the first pieces of a page share a text."""
    texts: dict[tuple[int, int], str] = {}
    keys = []
    counts = Counter[tuple[str, int]]()
    for piece in pieces:
        counts[piece.edition, piece.page] += 1
        key = piece.page, counts[piece.edition, piece.page]
        keys.append(key)
        text = in_reading_order(piece.text)
        # the one with the most blanks, since some readers print English without
        texts[key] = max(texts.get(key, ""), text, key=lambda text: text.count(" "))
    rows = {key: row for row, key in enumerate(texts)}
    return [*texts.values()], [rows[key] for key in keys]


def embed_all(
    models: Sequence[Embedder], reading: Reading, token_specs: Sequence[str]
) -> ReadingVectors:
    """Embed a reading with these models; the first is the store's, those of `token_specs` give token vectors."""
    token_models = []
    for model in models:
        if isinstance(model, TokenEmbedder) and model.spec in token_specs:
            token_models.append(model)
    return embed_reading(reading, models[0], token_models)


def embed_on_worker(
    specs: Sequence[str],
    settings: EmbedSettings,
    reading: Reading,
    token_specs: Sequence[str],
) -> ReadingVectors:
    """Embed a reading with the models of this process."""
    return embed_all(models_of_worker(specs, settings), reading, token_specs)


def models_of_worker(specs: Sequence[str], settings: EmbedSettings) -> list[Embedder]:
    """Return the embedders of these SPECs; this process loads them once."""
    key, models = repr((specs, settings)), Models(settings)
    return made_once(key, lambda: [*map(models.embedder, specs)])


@functools.cache
def form_of(spec: str) -> TokenForm | None:
    """Return the compact form of a model's tokens, None for a model without token vectors."""
    path = FORMS / f"{spec}.npy"
    if not spec.isalnum() or not path.is_file():
        return None
    basis = np.load(path)
    numbers = repr((basis.shape, MERGED, MIDDLE, STEPS))
    digest = hashlib.sha256(basis.tobytes() + numbers.encode()).hexdigest()[:12]
    return TokenForm(basis.astype(np.float32), digest)


def compact(read: TokenStates, form: TokenForm) -> Tokens:
    """Return the tokens of paragraphs in compact form."""
    parts = []
    for start, end in itertools.pairwise(read.starts):
        parts.append(_merged(form.project(read.states[start:end])))
    starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    nothing = np.empty((0, form.basis.shape[1]), dtype=np.float32)
    steps = np.rint(np.concatenate([nothing, *parts]) * STEPS)
    return Tokens(np.clip(steps + MIDDLE, 0, STEPS).astype(np.uint8), starts)


def _merged(vectors: Float32Array) -> Float32Array:
    """Return the unit means of groups of similar vectors, half as many groups as vectors but at least one.

    Reference:
        Clavié, Chaffin and Adams, Reducing the Footprint of Multi-Vector Retrieval with Minimal Performance Impact via
        Token Pooling, 2024.
    """
    if not len(vectors):
        return np.zeros((1, vectors.shape[1]), dtype=np.float32)
    if len(vectors) == 1:
        return vectors
    from scipy.cluster.hierarchy import fcluster, linkage

    n_groups = -(-len(vectors) // MERGED)
    groups = fcluster(linkage(vectors, "ward"), n_groups, "maxclust") - 1
    sums = np.zeros((groups.max() + 1, vectors.shape[1]), dtype=np.float32)
    np.add.at(sums, groups, vectors)
    return _unit(sums)


def _unit(vectors: Float32Array) -> Float32Array:
    """Return vectors divided by their lengths; those without a length stay as they are."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: Float32Array = vectors / np.maximum(lengths, np.float32(1e-9))
    return units
