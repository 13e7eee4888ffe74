"""A bank of sample hints with their vectors, from which search computes the rarity of words and hubness of paragraphs.

The bundled bank, hint_bank.jsonl, holds the hints of our labelled games in alphabetical order, and nothing else of
those games. Vectors are cached in the folder of exported networks.
"""

import contextlib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from zipfile import BadZipFile

import numpy as np

from quarry.arrays import Float32Array, IntArray
from quarry.course.text import one_line
from quarry.embed import TokenEmbedder, choose_spec
from quarry.embed.exports import EXPORT_VERSION
from quarry.embed.networks import BUILT_IN, MINILM
from quarry.files import write_whole
from quarry.json_files import read_objects

HINTS_FILE = Path(__file__).with_name("hint_bank.jsonl")
"""File of the bundled hints."""


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints of a bank.

    Attributes:
        doc_id_by_hint: id of the document for which each hint was given, "" if unknown, by its text.
        source_doc_ids: ids of the documents that the hints are about. A store with one of these documents must not use
            the bank, since paragraphs near a hint are likely answers.
    """

    doc_id_by_hint: Mapping[str, str]
    source_doc_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedHints:
    """Hints with their vectors and tokens by one model.

    Attributes:
        hints: the hints in a script that the model reads.
        vectors: (n_hints, dim) unit vectors.
        token_ids: (n_tokens,) ids of the tokens of all hints, in order.
        starts: (n_hints + 1,) offset of the tokens of each hint.
    """

    hints: Hints
    vectors: Float32Array
    token_ids: IntArray
    starts: IntArray


def load_hints() -> Hints:
    """Read the bundled hints. A line has a "hint", or a "course": stems of the lectures that the hints are about."""
    doc_id_by_hint, source_doc_ids = {}, []
    for _, line in read_objects(HINTS_FILE, ValueError):
        source_doc_ids += line.get("course", [])
        if "hint" in line:
            doc_id_by_hint[one_line(line["hint"])] = ""
    return Hints(doc_id_by_hint, frozenset(source_doc_ids))


def read_bank(hints: Hints, model: TokenEmbedder, models_dir: Path) -> EmbeddedHints:
    """Return the hints with the vectors of a model; load them from the cache in `models_dir`, or compute them."""
    if model.spec == MINILM.spec:
        latin = {}
        for text, doc_id in hints.doc_id_by_hint.items():
            if choose_spec([text]) == MINILM.spec:
                latin[text] = doc_id
        hints = Hints(latin, hints.source_doc_ids)

    texts = [*hints.doc_id_by_hint]
    # a model of the user's own may change under its name
    sample = b""
    if model.spec not in BUILT_IN:
        sample = model.embed_queries(texts[:1]).astype(np.float16).tobytes()
    key = repr((model.spec, model.dim, EXPORT_VERSION, texts, sample))
    digest = hashlib.sha256(key.encode()).hexdigest()[:12]
    path = models_dir / f"hints-{digest}.npz"
    try:
        with path.open("rb") as file, np.load(file) as cached:
            vectors = cached["vectors"].astype(np.float32)
            return EmbeddedHints(hints, vectors, cached["token_ids"], cached["starts"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        # not cached yet, or damaged
        vectors, states = model.embed_with_tokens(texts, as_queries=True)

    rounded, ids, starts = vectors.astype(np.float16), states.ids, states.starts

    def save(file: BinaryIO) -> None:
        np.savez(file, vectors=rounded, token_ids=ids, starts=starts)

    with contextlib.suppress(OSError):  # a read-only folder: computed again later
        models_dir.mkdir(parents=True, exist_ok=True)
        write_whole(path, save)
    # rounded like cached vectors, so that the next process ranks alike
    return EmbeddedHints(hints, rounded.astype(np.float32), ids, starts)
