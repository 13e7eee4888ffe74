"""Embedders: their protocol, networks exported to ONNX, and sentence-transformers models.

Importing this module loads no model and no heavy package.
"""

import functools
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from configs.settings import EmbedSettings
from quarry.arrays import Float32Array, IntArray
from quarry.embed.networks import Network
from quarry.errors import EmbedderError

BATCH_SIZE = 4
"""Number of texts, of similar length, that a thread embeds at once."""


class Embedder(Protocol):
    """Turns texts into vectors; all implementations pass tests/contracts/embedder.py."""

    @property
    def spec(self) -> str:
        """The SPEC of this embedder in a store, e.g. "minilm"."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        """Return (len(texts), dim) float32 unit vectors of paragraphs."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        """Return (len(texts), dim) float32 unit vectors of queries."""
        ...


@dataclass(frozen=True, slots=True)
class TokenStates:
    """States of the tokens of some texts in the last layer of a network.

    Attributes:
        states: (n_tokens, dim) float32, in the order of the texts, without special tokens.
        ids: (n_tokens,) token ids in the network's vocabulary.
        starts: (n_texts + 1,) text i has the tokens from starts[i] up to starts[i + 1].
    """

    states: Float32Array
    ids: IntArray
    starts: IntArray


def token_states(states: list[Float32Array], ids: list[IntArray]) -> TokenStates:
    """Concatenate the states and the ids of the tokens of each text."""
    starts = np.cumsum([0, *map(len, ids)], dtype=np.int64)
    if not ids:
        return TokenStates(np.empty((0, 0), dtype=np.float32), starts[:0], starts)
    return TokenStates(np.concatenate(states), np.concatenate(ids), starts)


WithTokens = tuple[Float32Array, TokenStates]
"""The vectors of texts, and the states of their tokens."""


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also returns the states of tokens."""

    def embed_with_tokens(
        self, texts: Sequence[str], *, as_queries: bool
    ) -> WithTokens:
        """Return the result of `embed_queries` or `embed_passages`, and the states of the tokens."""
        ...


def onnx_session(graph: Path, threads: int) -> Any:
    """Load an ONNX graph to run on the CPU; 0 threads are all cores."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        str(graph), options, providers=["CPUExecutionProvider"]
    )


class OnnxEmbedder:
    """A network exported to ONNX (exports.py), run by ONNX Runtime and tokenizers without torch.

    Args:
        network: the exported network.
        folder: holds model.onnx and tokenizer.json.
        settings: threads.
    """

    def __init__(self, network: Network, folder: Path, settings: EmbedSettings) -> None:
        from tokenizers import Tokenizer

        graph = folder / "model.onnx"
        try:
            self._session = onnx_session(graph, settings.threads)
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except ImportError:  # no fault of the folder
            raise
        except Exception as error:  # both libraries raise bare or private classes
            reason = " ".join(str(error).split())
            raise EmbedderError(
                f"{folder} holds no readable exported model: {reason}; delete it and run again"
            ) from error
        # tokenizer.json of MiniLM pads and truncates to 128 tokens by itself
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(network.max_tokens)
        self._workers = settings.threads or os.cpu_count() or 1
        self._serial_session = functools.cache(lambda: onnx_session(graph, threads=1))
        self._network = network
        self.spec = network.spec
        self.dim = int(self._session.get_outputs()[0].shape[-1])

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        """Return (len(texts), dim) float32 unit vectors."""
        return self._run(texts, self._network.passage, ["embedding"])[0]

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        """Return (len(texts), dim) float32 unit vectors; minilm embeds queries like paragraphs."""
        return self._run(texts, self._network.query, ["embedding"])[0]

    def embed_with_tokens(
        self, texts: Sequence[str], *, as_queries: bool
    ) -> WithTokens:
        """Return the result of `embed_queries` or `embed_passages`, and the states of the tokens."""
        prefix = self._network.query if as_queries else self._network.passage
        return self._run(texts, prefix, ["embedding", "states"])

    def _run(self, texts: Sequence[str], prefix: str, outputs: list[str]) -> WithTokens:
        """Return the vectors of texts after a prefix, and the states of their tokens if they are an output."""
        special = self._tokenizer.encode(prefix.rstrip(), add_special_tokens=False)
        encodings = self._tokenizer.encode_batch_fast([prefix + text for text in texts])
        lengths = [len(encoding.ids) for encoding in encodings]
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        states: list[Float32Array] = [vectors[:0]] * len(texts)
        token_ids: list[IntArray] = [np.empty(0, dtype=np.int64)] * len(texts)

        def embed(rows: list[int], session: Any) -> None:
            for row in rows:
                encodings[row].pad(lengths[rows[0]])
            ids = np.array([encodings[row].ids for row in rows])
            mask = np.array([encodings[row].attention_mask for row in rows])
            feed = {"input_ids": ids, "attention_mask": mask}
            vectors[rows], *layers = session.run(outputs, feed)
            for layer in layers:
                for line, row in enumerate(rows):
                    # without the prefix and the special tokens, the first and the last
                    inner = slice(1 + len(special.ids), lengths[row] - 1)
                    states[row] = layer[line, inner]
                    token_ids[row] = ids[line, inner]

        # batches of texts of similar length, longest first: the last batches to finish are short ones
        longest = np.argsort(-np.array(lengths, dtype=int), kind="stable").tolist()
        starts = range(0, len(longest), BATCH_SIZE)
        batches = [longest[start : start + BATCH_SIZE] for start in starts]
        if len(batches) <= self._workers or self._workers == 1:
            for batch in batches:
                embed(batch, self._session)
        else:
            # threads with a batch each wait less for each other than threads that share one batch
            serial = self._serial_session()
            with ThreadPoolExecutor(self._workers) as pool:
                list(pool.map(lambda batch: embed(batch, serial), batches))
        return vectors, token_states(states, token_ids)


class SentenceTransformerEmbedder:
    """A sentence-transformers model; it starts slowly, since it imports torch.

    Args:
        spec: its folder or hub id.
        model: the SentenceTransformer.
        settings: threads.
    """

    def __init__(self, spec: str, model: Any, settings: EmbedSettings) -> None:
        self._model = model
        if settings.threads:
            import torch

            torch.set_num_threads(settings.threads)
        self.spec = spec
        self.dim = int(model.get_embedding_dimension())

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        """Return (len(texts), dim) float32 unit vectors, with the model's document prompt if it has one."""
        return self._encode(self._model.encode_document, texts)

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        """Return (len(texts), dim) float32 unit vectors, with the model's query prompt if it has one."""
        return self._encode(self._model.encode_query, texts)

    def _encode(self, encode: Any, texts: Sequence[str]) -> Float32Array:
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        vectors = encode(
            list(texts),
            batch_size=BATCH_SIZE,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32)


class TransformerEmbedder(SentenceTransformerEmbedder):
    """A sentence-transformers model that also returns the states of tokens, as all transformers do."""

    def embed_with_tokens(
        self, texts: Sequence[str], *, as_queries: bool
    ) -> WithTokens:
        """Return the result of `embed_queries` or `embed_passages`, and the states of the tokens."""
        model = self._model
        encode = model.encode_query if as_queries else model.encode_document
        outputs = encode(
            list(texts),
            batch_size=BATCH_SIZE,
            output_value=None,
            show_progress_bar=False,
        )

        special_ids = model.tokenizer.all_special_ids
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        states, ids = [], []
        for row, output in enumerate(outputs):
            vector = output["sentence_embedding"].numpy()
            vectors[row] = vector / np.linalg.norm(vector)
            text_ids = output["input_ids"].numpy()
            is_token = output["attention_mask"].numpy().astype(np.bool_)
            is_token &= ~np.isin(text_ids, special_ids)
            states.append(output["token_embeddings"].numpy()[is_token])
            ids.append(text_ids[is_token])
        return vectors, token_states(states, ids)


def sentence_transformer(
    spec: str, settings: EmbedSettings
) -> SentenceTransformerEmbedder:
    """Return the embedder of a sentence-transformers folder or hub id.

    Raises:
        EmbedderError: the model is not on this machine.
    """
    model = load_sentence_transformer(spec)
    (output,) = model.encode(["a"], output_value=None, show_progress_bar=False)
    has_tokens = "token_embeddings" in output
    kind = TransformerEmbedder if has_tokens else SentenceTransformerEmbedder
    return kind(spec, model, settings)


def load_sentence_transformer(spec: str, *, may_fetch: bool = False) -> Any:
    """Load a SentenceTransformer by folder or hub id, on the CPU.

    Args:
        spec: the folder or hub id.
        may_fetch: whether to fetch a hub id over the network if it is not on this machine.

    Raises:
        EmbedderError: the model does not exist, or cannot be fetched.
    """
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(spec, device="cpu", local_files_only=not may_fetch)
    except Exception as error:  # a damaged folder raises any error
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        if not may_fetch:
            reason += " (a hub id is fetched by ingest --embedder alone, never because a store names it)"

        raise EmbedderError(
            f"embedder {spec!r} cannot be used: {reason}; take auto, minilm, e5, or the folder or hub id of a "
            "sentence-transformers model"
        ) from error
