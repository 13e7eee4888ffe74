"""The ONNX graph of a BERT network, built from its weights without torch.

The steps of the graph are written in the text syntax of ONNX. `com.microsoft` are ONNX Runtime's own operators, each of
which does a whole step of a layer.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from onnx.parser import parse_model

Weights = Mapping[str, NDArray[Any]]

GRAPH = """
<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
bert (int64[batch, tokens] input_ids, int64[batch, tokens] attention_mask)
    => (float[batch, {hidden_size}] embedding, float[batch, tokens, {hidden_size}] states)
    <int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] last = {{-1}}, float tiny = {{1e-12}},
    int64[3] rows = {{0, 0, {hidden_size}}}>
{{
    {words}
    length = Shape<start: int = 1>(input_ids)
    positions = Slice(position_embeddings, zero, length)
    embedded = Add(words, positions)
    states_0 = LayerNormalization<epsilon: float = {layer_norm_eps}>(
        embedded, embeddings_LayerNorm_weight, embeddings_LayerNorm_bias)
    mask = Cast<to: int = 6>(attention_mask)
    {layers}
    states = Identity(states_{num_hidden_layers})

    weights = Cast<to: int = 1>(attention_mask)
    columns = Unsqueeze(weights, last)
    weighted = Mul(states, columns)
    total = ReduceSum<keepdims: int = 0>(weighted, one)
    norm = ReduceL2<axes: ints = [1], keepdims: int = 1>(total)
    divisor = Max(norm, tiny)
    embedding = Div(total, divisor)
}}
"""
"""The network; the embedding is the mean of the states that the mask keeps, as a unit vector."""

WORD_EMBEDDINGS = "words = Gather(embeddings_word_embeddings_weight, input_ids)"
"""Step that looks up the vectors of the tokens."""
WORDS_OF_FOUR_BITS = """
    code_rows = Gather(word_codes, input_ids)
    codes = Cast<to: int = 1>(code_rows)
    scale_rows = Gather(word_scales, input_ids)
    scales = Cast<to: int = 1>(scale_rows)
    product = Mul(codes, scales)
    words = Reshape(product, rows)
"""
"""Steps that unpack vectors of four-bit codes: `word_codes` of shape (n_words, n_blocks, 32) are multiplied by
`word_scales` of shape (n_words, n_blocks, 1)."""

LAYER = """
    attention_{n} = com.microsoft.Attention<num_heads: int = {num_attention_heads}>(
        states_{n}, {name}_attention_self_weight, {name}_attention_self_bias, mask)
    attended_{n} = MatMul(attention_{n}, {name}_attention_output_dense_weight)
    between_{n} = com.microsoft.SkipLayerNormalization<epsilon: float = {layer_norm_eps}>(
        attended_{n}, states_{n}, {name}_attention_output_LayerNorm_weight, {name}_attention_output_LayerNorm_bias,
        {name}_attention_output_dense_bias)
    inner_{n} = MatMul(between_{n}, {name}_intermediate_dense_weight)
    active_{n} = com.microsoft.BiasGelu(inner_{n}, {name}_intermediate_dense_bias)
    outer_{n} = MatMul(active_{n}, {name}_output_dense_weight)
    states_{next} = com.microsoft.SkipLayerNormalization<epsilon: float = {layer_norm_eps}>(
        outer_{n}, between_{n}, {name}_output_LayerNorm_weight, {name}_output_LayerNorm_bias, {name}_output_dense_bias)
"""
"""One layer: attention and two dense layers."""


def bert_graph(weights: Weights, sizes: Mapping[str, Any]) -> onnx.ModelProto:
    """Build a network whose outputs are the states of all tokens, and their mean as a unit vector.

    Args:
        weights: by the names of transformers' BertModel. The vectors of the words are
            `embeddings.word_embeddings.weight`, or the product of `word_codes` and `word_scales`.
        sizes: as in the config.json of a BERT network.
    """
    layers = ""
    constants = _constants(weights)
    for n in range(sizes["num_hidden_layers"]):
        name = f"encoder_layer_{n}"
        layers += LAYER.format(n=n, next=n + 1, name=name, **sizes)
        for kind in ("weight", "bias"):
            parts = [
                f"{name}_attention_self_{part}" for part in ("query", "key", "value")
            ]
            arrays = [constants[f"{part}_{kind}"] for part in parts]
            constants[f"{name}_attention_self_{kind}"] = np.concatenate(arrays, axis=-1)

    words = WORDS_OF_FOUR_BITS if "word_codes" in weights else WORD_EMBEDDINGS
    model = parse_model(GRAPH.format(words=words, layers=layers, **sizes))
    inputs = {name for node in model.graph.node for name in node.input}
    for name in sorted(inputs & constants.keys()):
        array = np.ascontiguousarray(constants[name])
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return model


def _constants(weights: Weights) -> dict[str, NDArray[Any]]:
    """Return the arrays of the graph by their names in its text; matrices of layers are transposed."""
    constants = {}
    for name, array in weights.items():
        is_matrix = name.startswith("encoder") and array.ndim > 1
        constants[name.replace(".", "_")] = array.T if is_matrix else array
    types = weights["embeddings.token_type_embeddings.weight"]
    positions = weights["embeddings.position_embeddings.weight"] + types[0]
    return {**constants, "position_embeddings": positions}
