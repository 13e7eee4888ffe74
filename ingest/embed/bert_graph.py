"""The ONNX graph of a BERT network, built from its weights without torch."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from ingest.errors import EmbedderError

OPSET = 17
IR_VERSION = 8
FUSED = "com.microsoft"
"""Domain of ONNX Runtime's own operators: whole steps of a layer at once."""
_TYPES = {"F32": np.float32, "F16": np.float16, "I64": np.int64}
Weights = Mapping[str, NDArray[Any]]


def read_safetensors(path: Path) -> dict[str, NDArray[Any]]:
    """Read the tensors of a file, by name.

    Raises:
        EmbedderError: the file is damaged.
    """
    try:
        content = path.read_bytes()
        (n_header,) = struct.unpack_from("<Q", content)
        header = json.loads(content[8 : 8 + n_header])
        header.pop("__metadata__", None)
        tensors = {}
        for name, entry in header.items():
            start, end = (8 + n_header + at for at in entry["data_offsets"])
            values = np.frombuffer(content[start:end], _TYPES[entry["dtype"]])
            tensors[name] = values.reshape(entry["shape"])
    except (OSError, struct.error, ValueError, KeyError, TypeError) as error:
        raise EmbedderError(
            f"{path}: must be a safetensors file, could not be read: {error}; install its package again"
        ) from error
    return tensors


def bert_graph(weights: Weights, sizes: Mapping[str, Any]) -> onnx.ModelProto:
    """Return a network whose outputs are the states of all tokens, and their mean as a unit vector.

    Args:
        weights: by the names of transformers' BertModel. The words' vectors are `embeddings.word_embeddings.weight`, or
            codes and scales, whose product they are: `word_codes` and `word_scales`.
        sizes: as in the config.json of a BERT network.
    """
    graph = _Graph(weights, sizes)
    graph.add_embeddings()
    for layer in range(sizes["num_hidden_layers"]):
        graph.add_layer(f"encoder.layer.{layer}")
    graph.add_outputs()
    return graph.model(sizes["hidden_size"])


class _Graph:
    """A graph that grows step by step; `states` names the output of the latest step."""

    def __init__(self, weights: Weights, sizes: Mapping[str, Any]) -> None:
        self._weights = weights
        self._n_heads = sizes["num_attention_heads"]
        self._epsilon = float(sizes["layer_norm_eps"])
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}
        self.states = ""

    def _add(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node, and return the name of its output."""
        output = f"{kind}_{len(self._nodes)}"
        node = helper.make_node(kind, inputs, [output], domain=domain, **attributes)
        self._nodes.append(node)
        return output

    def _constant(self, name: str, values: Any, dtype: Any = np.float32) -> str:
        array = np.ascontiguousarray(values, dtype=dtype)
        self._constants[name] = numpy_helper.from_array(array, name)
        return name

    def _weight(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _dense(self, states: str, name: str) -> str:
        """Multiply by the weights of a dense layer; its bias is added by the next, fused step."""
        weights = self._constant(f"{name}.weight", self._weights[f"{name}.weight"].T)
        return self._add("MatMul", states, weights)

    def add_embeddings(self) -> None:
        """Add the words, their positions and the type of the text."""
        if "word_codes" in self._weights:
            codes = self._weights["word_codes"]
            scales = self._weights["word_scales"]
            parts = []
            for name, table in (("word_codes", codes), ("word_scales", scales)):
                rows = self._constant(name, table, table.dtype)
                values = self._add("Gather", rows, "input_ids")
                parts.append(self._add("Cast", values, to=TensorProto.FLOAT))
            shape = self._constant("shape", [0, 0, codes[0].size], np.int64)
            words = self._add("Reshape", self._add("Mul", *parts), shape)
        else:
            rows = self._weight("embeddings.word_embeddings.weight")
            words = self._add("Gather", rows, "input_ids")

        positions = self._weights["embeddings.position_embeddings.weight"]
        types = self._weights["embeddings.token_type_embeddings.weight"]
        rows = self._constant("positions", positions + types[0])
        begin = self._constant("begin", [0], np.int64)
        length = self._add("Shape", "input_ids", start=1)
        first = self._add("Slice", rows, begin, length)
        self.states = self._add(
            "LayerNormalization",
            self._add("Add", words, first),
            self._weight("embeddings.LayerNorm.weight"),
            self._weight("embeddings.LayerNorm.bias"),
            epsilon=self._epsilon,
        )
        self._mask = self._add("Cast", "attention_mask", to=TensorProto.INT32)

    def add_layer(self, layer: str) -> None:
        """Add attention and the two dense layers after it."""
        parts = [f"{layer}.attention.self.{name}" for name in ("query", "key", "value")]
        weights = [self._weights[f"{part}.weight"].T for part in parts]
        biases = [self._weights[f"{part}.bias"] for part in parts]
        attention = self._add(
            "Attention",
            self.states,
            self._constant(f"{layer}.weight", np.concatenate(weights, axis=1)),
            self._constant(f"{layer}.bias", np.concatenate(biases)),
            self._mask,
            domain=FUSED,
            num_heads=self._n_heads,
        )
        self._add_normalised(attention, f"{layer}.attention.output")
        inner = self._add(
            "BiasGelu",
            self._dense(self.states, f"{layer}.intermediate.dense"),
            self._weight(f"{layer}.intermediate.dense.bias"),
            domain=FUSED,
        )
        self._add_normalised(inner, f"{layer}.output")

    def _add_normalised(self, change: str, name: str) -> None:
        """Add a dense layer's output to the states, and normalise the sum."""
        self.states = self._add(
            "SkipLayerNormalization",
            self._dense(change, f"{name}.dense"),
            self.states,
            self._weight(f"{name}.LayerNorm.weight"),
            self._weight(f"{name}.LayerNorm.bias"),
            self._weight(f"{name}.dense.bias"),
            domain=FUSED,
            epsilon=self._epsilon,
        )

    def add_outputs(self) -> None:
        """Add the unit mean of the states that the mask keeps."""
        last = self._constant("last", [-1], np.int64)
        tokens = self._constant("tokens", [1], np.int64)
        weights = self._add("Cast", "attention_mask", to=TensorProto.FLOAT)
        columns = self._add("Unsqueeze", weights, last)
        weighted = self._add("Mul", self.states, columns)
        # the length of the sum does not change its direction
        total = self._add("ReduceSum", weighted, tokens, keepdims=0)
        length = self._add("ReduceL2", total, axes=[1], keepdims=1)
        least = self._constant("least", 1e-12)
        length = self._add("Max", length, least)
        outputs = (
            ("embedding", self._add("Div", total, length)),
            ("states", self.states),
        )
        for name, value in outputs:
            self._nodes.append(helper.make_node("Identity", [value], [name]))

    def model(self, hidden: int) -> onnx.ModelProto:
        """Return the model."""
        ids = ("batch", "tokens")
        inputs = []
        for name in ("input_ids", "attention_mask"):
            info = helper.make_tensor_value_info(name, TensorProto.INT64, ids)
            inputs.append(info)
        shapes = {"embedding": ("batch", hidden), "states": (*ids, hidden)}
        outputs = []
        for name, shape in shapes.items():
            info = helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            outputs.append(info)

        graph = helper.make_graph(
            self._nodes, "bert", inputs, outputs, list(self._constants.values())
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
