"""A network that was exported to ONNX, as an embedder; importing this loads no model and no heavy package."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from quarry.configs.settings import EmbedSettings
from quarry.ingest.arrays import Float32Array, IntArray
from quarry.ingest.embed.embedder import TokenStates
from quarry.ingest.errors import EmbedderError

QUERY = {"e5": "query: "}
PASSAGE = {"e5": "passage: "}
"""What a network wants to stand before a text, by SPEC."""

E5_TOKENS = 512
"""Tokens at which e5 cuts longer texts."""

BATCH_SIZE = 4
"""Texts of similar length that a thread embeds at once."""


class OnnxEmbedder:
    """A network exported to ONNX (exports.py): ONNX Runtime and tokenizers serve it, torch is not imported.

    Args:
        spec: the SPEC it was exported from.
        folder: holds model.onnx and tokenizer.json.
        settings: token limit and threads.

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
        self._tokenizer.enable_truncation(E5_TOKENS if spec == "e5" else settings.max_tokens)
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

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        """(len(texts), dim) float32 unit vectors."""
        return self._embed(texts, PASSAGE.get(self._spec, ""))

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        """(len(texts), dim) float32 unit vectors; minilm and mpnet know no difference between the two."""
        return self._embed(texts, QUERY.get(self._spec, ""))

    def read_passages(self, texts: Sequence[str]) -> tuple[Float32Array, TokenStates]:
        """As `embed_passages`, and the states of their tokens, in one pass."""
        return self._read(texts, PASSAGE.get(self._spec, ""))

    def read_queries(self, texts: Sequence[str]) -> tuple[Float32Array, TokenStates]:
        """As `embed_queries`, and the states of their tokens, in one pass."""
        return self._read(texts, QUERY.get(self._spec, ""))

    def _read(self, texts: Sequence[str], prefix: str) -> tuple[Float32Array, TokenStates]:
        states: list[Float32Array] = [np.empty((0, self._dim), dtype=np.float32)] * len(texts)
        ids: list[IntArray] = [np.empty(0, dtype=np.int64)] * len(texts)

        def keep(row: int, tokens: IntArray, made: Float32Array) -> None:
            states[row], ids[row] = made, tokens

        vectors = self._embed(texts, prefix, keep)
        starts = np.cumsum([0, *map(len, ids)], dtype=np.int64)
        return vectors, TokenStates(np.concatenate([vectors[:0], *states]), np.concatenate([starts[:0], *ids]), starts)

    def _embed(
        self,
        texts: Sequence[str],
        prefix: str,
        keep: Callable[[int, IntArray, Float32Array], None] | None = None,
    ) -> Float32Array:
        """The vectors of texts; `keep` is given the row, the tokens and their states of each."""
        vectors = np.empty((len(texts), self._dim), dtype=np.float32)
        encodings = self._tokenizer.encode_batch_fast([prefix + text for text in texts])
        # longest first: the last batches to finish are short ones
        by_length = sorted(range(len(texts)), key=lambda row: -len(encodings[row].ids))
        batches = [by_length[start : start + BATCH_SIZE] for start in range(0, len(by_length), BATCH_SIZE)]
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
