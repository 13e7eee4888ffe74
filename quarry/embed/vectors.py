"""Vectors of a reading: of its paragraphs, of their tokens, and of the names of its document.

Search compares a hint with a paragraph word by word by compact token vectors. Similar tokens of a paragraph are merged
in pairs, and each component is stored in seven bits. States of the built-in networks are first projected onto the
directions in which tokens differ most, except the first direction, which all tokens share. A paragraph of our lectures
takes 7 kB with minilm.
"""

import functools
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from configs.settings import EmbedSettings
from quarry.arrays import Float32Array
from quarry.course.course import Tokens, no_vectors
from quarry.course.paragraph import Reading
from quarry.course.piece import Piece
from quarry.embed import BUILT_IN, Embedder, Models, TokenEmbedder, TokenStates
from quarry.languages.reading_order import in_reading_order
from quarry.parallel.processes import cached_in_process

FORMS = Path(__file__).with_name("token_forms")
"""Folder with the basis of each built-in network: (dim, n_components) orthonormal columns, as float16."""

MERGED = 2
"""Average number of tokens of a paragraph that are merged into one."""

MIDDLE = 64
"""Code of a component that is 0."""
STEPS = 127
"""Largest code. A component x, -1..1, is stored as x * STEPS + MIDDLE, cut at 0 and 127; few of them exceed one half.

Codes have seven bits and not eight, since processors without VNNI add two products in sixteen bits.
"""

PART_SIZE = 256
"""Number of paragraphs that are embedded at once; the memory holds the full states of all their tokens."""


@dataclass(frozen=True, slots=True)
class ReadingVectors:
    """Unit vectors of one reading.

    Attributes:
        paragraphs: (n_paragraphs, dim).
        aliases: (n_aliases, dim) of the document's names, embedded as queries, since they are compared with queries.
        tokens: the tokens of each paragraph; None if the embedder returns none.
        pieces: (n_pieces, dim) of the text in other editions.
    """

    paragraphs: Float32Array
    aliases: Float32Array
    tokens: Tokens | None = None
    pieces: Float32Array = field(default_factory=no_vectors)


NO_VECTORS = ReadingVectors(no_vectors(), no_vectors())
"""The vectors of a reading that has no paragraphs."""


def split_reading(reading: Reading) -> list[Reading]:
    """Split a document into parts of PART_SIZE paragraphs; the first part has its names, a last one other editions."""
    parts, document = [], reading.document
    for start in range(0, len(reading.paragraphs) or 1, PART_SIZE):
        parts.append(
            Reading(document, reading.paragraphs[start : start + PART_SIZE], ())
        )
        document = replace(reading.document, aliases=())
    if reading.pieces:
        parts.append(Reading(document, (), (), pieces=reading.pieces))
    return parts


def join(parts: Sequence[ReadingVectors]) -> ReadingVectors:
    """Concatenate the vectors of the parts of a document, or of the documents of a course.

    The result has no token vectors if one of the parts has paragraphs without token vectors.
    """

    def joined(name: str) -> Float32Array:
        arrays = [getattr(part, name) for part in parts]
        return np.concatenate(
            [array for array in arrays if len(array)] or [no_vectors()]
        )

    with_text = [part for part in parts if len(part.paragraphs)]
    part_tokens = [part.tokens for part in with_text if part.tokens is not None]
    tokens = None
    if with_text and len(part_tokens) == len(with_text):
        lengths = np.concatenate([np.diff(tokens.starts) for tokens in part_tokens])
        codes = np.concatenate([tokens.codes for tokens in part_tokens])
        tokens = Tokens(codes, np.cumsum([0, *lengths]))
    return ReadingVectors(
        joined("paragraphs"), joined("aliases"), tokens, joined("pieces")
    )


def center_pieces(vectors: ReadingVectors) -> ReadingVectors:
    """Subtract the mean vector of a document's paragraphs from the vectors of its other editions."""
    if not (len(vectors.pieces) and len(vectors.paragraphs)):
        return vectors
    mean = vectors.paragraphs.mean(axis=0)
    return replace(vectors, pieces=vectors.pieces - mean)


def embed_reading(reading: Reading, embedder: Embedder) -> ReadingVectors:
    """Embed a reading, or a part of it."""
    paragraphs = [paragraph.text for paragraph in reading.paragraphs]
    aliases = embedder.embed_queries([item.text for item in reading.document.aliases])
    texts, rows = _unique_texts(reading.pieces)
    pieces = embedder.embed_passages(texts)[rows] if texts else no_vectors()

    tokens = None
    if paragraphs and isinstance(embedder, TokenEmbedder):
        vectors, states = embedder.embed_with_tokens(paragraphs, as_queries=False)
        tokens = compact(states, load_basis(embedder.spec))
    else:
        vectors = embedder.embed_passages(paragraphs)
    return ReadingVectors(vectors, aliases, tokens, pieces)


def _unique_texts(pieces: Sequence[Piece]) -> tuple[list[str], list[int]]:
    """Return the texts to embed for pieces, and for each piece the row of its text.

    Pieces of different editions that have the same rank on the same page share a text.
    """
    texts: dict[tuple[int, int], str] = {}
    keys = []
    counts = Counter[tuple[str, int]]()
    for piece in pieces:
        counts[piece.edition, piece.page] += 1
        key = piece.page, counts[piece.edition, piece.page]
        keys.append(key)
        text = in_reading_order(piece.text)
        # the text with the most blanks, since some readers print English without them
        texts[key] = max(texts.get(key, ""), text, key=lambda text: text.count(" "))
    rows = {key: row for row, key in enumerate(texts)}
    return [*texts.values()], [rows[key] for key in keys]


def embed_on_worker(
    reading: Reading, spec: str, settings: EmbedSettings
) -> ReadingVectors:
    """Embed a reading with the embedder of this process."""
    return embed_reading(reading, embedder_of_worker(spec, settings))


def embedder_of_worker(spec: str, settings: EmbedSettings) -> Embedder:
    """Return the embedder of a SPEC, which this process loads once."""
    models = Models(settings)
    return cached_in_process(repr((spec, settings)), lambda: models.embedder(spec))


@functools.cache
def load_basis(spec: str) -> Float32Array | None:
    """Load the basis of a built-in network; return None for other embedders, whose tokens keep all components."""
    if spec not in BUILT_IN:
        return None
    basis: Float32Array = np.load(FORMS / f"{spec}.npy").astype(np.float32)
    return basis


def project(states: Float32Array, basis: Float32Array | None) -> Float32Array:
    """Project the states of tokens; return (n_tokens, n_components) float32 unit vectors."""
    return _unit(states if basis is None else states @ basis)


def compact(states: TokenStates, basis: Float32Array | None) -> Tokens:
    """Project, merge and round the states of the tokens of at least one paragraph."""
    vectors, merged = project(states.states, basis), []
    for start, end in itertools.pairwise(states.starts):
        merged.append(_merge_similar(vectors[start:end]))
    starts = np.cumsum([0, *map(len, merged)], dtype=np.int64)
    steps = np.rint(np.concatenate(merged) * STEPS)
    return Tokens(np.clip(steps + MIDDLE, 0, STEPS).astype(np.uint8), starts)


def _merge_similar(vectors: Float32Array) -> Float32Array:
    """Merge similar vectors into the unit means of their groups, half as many groups as vectors but at least one.

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
    """Divide vectors by their lengths; zero vectors stay zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: Float32Array = vectors / np.maximum(lengths, np.float32(1e-9))
    return units
