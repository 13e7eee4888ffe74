"""Embedder protocol and its implementations: texts become unit vectors.

Importing this module loads no model and no heavy package; each implementation imports what it needs when it is made.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from configs.dotted import is_dotted, make
from configs.settings import Accuracy, EmbedSettings
from ingest.errors import EmbedderError
from ingest.exports import EXPORTS, FORM, load_sentence_transformer, mpnet_parts

FloatArray = NDArray[np.float32]

BUILT_IN = tuple(EXPORTS)
"""The SPECs that are exported to ONNX and served from there."""

QUERY = {"e5": "query: "}
PASSAGE = {"e5": "passage: "}
"""What a network wants to stand before a text, by SPEC."""

E5_TOKENS = 512
"""Tokens at which e5 cuts longer texts."""

LATIN_SHARE = 0.8
"""Share of Latin letters from which `auto` takes the English model."""


class Embedder(Protocol):
    """What turns texts into vectors; all implementations pass tests/contracts/embedder.py."""

    @property
    def spec(self) -> str:
        """The SPEC under which a store remembers this embedder, e.g. "minilm"."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors of texts that are searched."""

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors of texts that are searched for."""


@dataclass(frozen=True, slots=True)
class TokenStates:
    """What a network makes of each token of some texts.

    Attributes:
        states: (n_tokens, dim) float32, those of the first text first; without the tokens that stand for no part of a
            text.
        ids: (n_tokens,) places in the network's vocabulary.
        starts: (n_texts + 1,) the tokens of text i are those from starts[i] up to starts[i + 1].
    """

    states: FloatArray
    ids: NDArray[np.int64]
    starts: NDArray[np.int64]


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also gives what it makes of each token; pass tests/contracts/embedder.py as well."""

    def read_passages(self, texts: Sequence[str]) -> tuple[FloatArray, TokenStates]:
        """As `embed_passages`, and the states of their tokens, in one pass."""

    def read_queries(self, texts: Sequence[str]) -> tuple[FloatArray, TokenStates]:
        """As `embed_queries`, and the states of their tokens, in one pass."""


class OnnxEmbedder:
    """A network exported to ONNX (exports.py): ONNX Runtime and tokenizers serve it, torch is not imported.

    Args:
        spec: the SPEC it was exported from.
        folder: holds model.onnx and tokenizer.json.
        settings: batch size, token limit and threads.

    Reference:
        Wang et al., Multilingual E5 Text Embeddings, 2024, whose queries and passages begin with a word that says so.
    """

    def __init__(self, spec: str, folder: Path, settings: EmbedSettings) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        def session(threads: int) -> Any:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            options.log_severity_level = 3
            return onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])

        try:
            self._session = session(settings.threads)
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # both libraries raise bare or private classes on a damaged file
            reason = " ".join(str(error).split())
            raise EmbedderError(
                f"{folder}: must hold a readable exported model, got {reason}; delete it and run again"
            ) from error
        # tokenizer.json of MiniLM pads and truncates to 128 tokens by itself
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(token_limit(spec, settings) or E5_TOKENS)
        self._batch_size = settings.batch_size
        self._workers = settings.threads or os.cpu_count() or 1
        self._serial_session = functools.cache(functools.partial(session, 1))
        self._spec = spec
        self._dim = int(self._session.get_outputs()[0].shape[-1])

    @property
    def spec(self) -> str:
        """The SPEC it was exported from."""
        return self._spec

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors."""
        return self._embed(texts, PASSAGE.get(self._spec, ""))

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors; minilm and mpnet know no difference between the two."""
        return self._embed(texts, QUERY.get(self._spec, ""))

    def read_passages(self, texts: Sequence[str]) -> tuple[FloatArray, TokenStates]:
        """As `embed_passages`, and the states of their tokens, in one pass."""
        return self._read(texts, PASSAGE.get(self._spec, ""))

    def read_queries(self, texts: Sequence[str]) -> tuple[FloatArray, TokenStates]:
        """As `embed_queries`, and the states of their tokens, in one pass."""
        return self._read(texts, QUERY.get(self._spec, ""))

    def _read(self, texts: Sequence[str], prefix: str) -> tuple[FloatArray, TokenStates]:
        states: list[FloatArray] = [np.empty((0, self._dim), dtype=np.float32)] * len(texts)
        ids: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)] * len(texts)

        def keep(row: int, tokens: NDArray[np.int64], made: FloatArray) -> None:
            states[row], ids[row] = made, tokens

        vectors = self._embed(texts, prefix, keep)
        starts = np.cumsum([0, *map(len, ids)], dtype=np.int64)
        return vectors, TokenStates(np.concatenate([vectors[:0], *states]), np.concatenate([starts[:0], *ids]), starts)

    def _embed(
        self,
        texts: Sequence[str],
        prefix: str,
        keep: Callable[[int, NDArray[np.int64], FloatArray], None] | None = None,
    ) -> FloatArray:
        """The vectors of texts; `keep` is given the row, the tokens and their states of each."""
        vectors = np.empty((len(texts), self._dim), dtype=np.float32)
        encodings = self._tokenizer.encode_batch_fast([prefix + text for text in texts])
        # longest first: the last batches to finish are short ones
        by_length = sorted(range(len(texts)), key=lambda row: -len(encodings[row].ids))
        batches = [by_length[start : start + self._batch_size] for start in range(0, len(by_length), self._batch_size)]
        n_before = len(self._tokenizer.encode(prefix.rstrip(), add_special_tokens=False).ids) if prefix else 0

        def embed(rows: list[int], session: Any) -> None:
            width = len(encodings[rows[0]].ids)
            ids = np.zeros((len(rows), width), dtype=np.int64)
            mask = np.zeros((len(rows), width), dtype=np.int64)
            for line, row in enumerate(rows):
                tokens = encodings[row].ids
                ids[line, : len(tokens)] = tokens
                mask[line, : len(tokens)] = 1
            outputs = ["embedding"] if keep is None else ["embedding", "states"]
            found = session.run(outputs, {"input_ids": ids, "attention_mask": mask})
            vectors[rows] = found[0]
            if keep is not None:
                for line, row in enumerate(rows):
                    # without the first and the last token, which are special, and without what the prefix became
                    own = slice(1 + n_before, len(encodings[row].ids) - 1)
                    keep(row, ids[line, own], found[1][line, own])

        if len(batches) <= self._workers or self._workers == 1:
            for rows in batches:
                embed(rows, self._session)
            return vectors
        # many batches side by side, a thread each, wait for each other less than the threads within one batch
        serial = self._serial_session()
        with ThreadPoolExecutor(self._workers) as pool:
            for _ in pool.map(lambda rows: embed(rows, serial), batches):
                pass
        return vectors


class SentenceTransformerEmbedder:
    """Any sentence-transformers model, by folder or hub id; imports torch, so it starts slowly."""

    def __init__(self, spec: str, settings: EmbedSettings) -> None:
        self._model = load_sentence_transformer(spec)
        if settings.threads:
            import torch

            torch.set_num_threads(settings.threads)
        self._spec = spec
        self._batch_size = settings.batch_size

    @property
    def spec(self) -> str:
        """The folder or hub id."""
        return self._spec

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self._model.get_embedding_dimension())

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors, with the model's document prompt where it has one."""
        return self._encode(self._model.encode_document, texts)

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """(len(texts), dim) float32 unit vectors, with the model's query prompt where it has one."""
        return self._encode(self._model.encode_query, texts)

    def _encode(self, encode: Any, texts: Sequence[str]) -> FloatArray:
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        vectors = encode(list(texts), batch_size=self._batch_size, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)


def load_embedder(spec: str, models_dir: Path, settings: EmbedSettings) -> Embedder:
    """The embedder of a SPEC: `minilm`, `mpnet`, `e5`, or a sentence-transformers folder or hub id.

    Args:
        spec: as CONTRACT.md defines it; `auto` is settled by `choose_spec` before.
        models_dir: where exported networks are kept; they are exported there the first time (with torch).
        settings: batch size, token limit and threads.

    Raises:
        EmbedderError: not installed, not found, or unreadable.
    """
    if spec in EXPORTS:
        folder = export_folder(spec, models_dir)
        if not (folder / "model.onnx").is_file():
            EXPORTS[spec](folder)
        return OnnxEmbedder(spec, folder, settings)
    if is_dotted(spec) and not Path(spec).exists():
        own: Embedder = make(spec, "--embedder", settings)
        return own
    return SentenceTransformerEmbedder(spec, settings)


def token_limit(spec: str, settings: EmbedSettings) -> int:
    """Tokens at which the embedder of a SPEC cuts longer texts by these settings, 0 if it has a limit of its own."""
    return settings.max_tokens if spec in EXPORTS and spec != "e5" else 0


def export_folder(spec: str, models_dir: Path) -> Path:
    """Where the exported network of a SPEC is kept."""
    return models_dir / f"{spec}-{FORM}"


def readers_of(spec: str, accuracy: Accuracy) -> tuple[str, ...]:
    """SPECs of the models that compare word by word in a store with this embedder, as far as `accuracy` wants them.

    Raises:
        EmbedderError: it wants one that is not installed.
    """
    if accuracy == "plain" or spec not in EXPORTS:
        return ()
    if accuracy == "fast" or spec != "minilm":
        return (spec,)
    try:
        mpnet_parts()
    except EmbedderError:
        if accuracy == "accurate":
            raise
        return (spec,)
    return (spec, "mpnet")


def choose_spec(texts: Iterable[str]) -> str:
    """What `auto` means for these texts: `minilm` where they are in Latin script, else `e5`."""
    latin = letters = 0
    for text in texts:
        for char in text:
            if char.isalpha():
                letters += 1
                latin += char < "\u0250"
    return "minilm" if latin >= LATIN_SHARE * letters else "e5"
