"""The ONNX graph of a BERT network, built from its weights without torch."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8
"""Versions of ONNX's operators and format."""
FUSED = "com.microsoft"
"""Domain of ONNX Runtime's own operators, each of which does a whole step of a layer."""
Weights = Mapping[str, NDArray[Any]]


def bert_graph(weights: Weights, sizes: Mapping[str, Any]) -> onnx.ModelProto:
    """Build a network whose outputs are the states of all tokens, and their mean as a unit vector.

    Args:
        weights: by the names of transformers' BertModel. The vectors of the words are
            `embeddings.word_embeddings.weight`, or the product of `word_codes` and `word_scales`.
        sizes: as in the config.json of a BERT network.
    """
    graph = _Graph(weights, sizes)
    graph.add_embeddings()
    for layer in range(sizes["num_hidden_layers"]):
        graph.add_layer(f"encoder.layer.{layer}")
    return graph.model_with_outputs(sizes["hidden_size"])


class _Graph:
    """A graph that grows step by step; `states` names the output of the latest step."""

    def __init__(self, weights: Weights, sizes: Mapping[str, Any]) -> None:
        self._weights = weights
        self._n_heads = sizes["num_attention_heads"]
        self._epsilon = float(sizes["layer_norm_eps"])
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self.states = ""

    def _add(
        self,
        kind: str,
        *inputs: str | NDArray[Any],
        domain: str = "",
        **attributes: Any,
    ) -> str:
        """Add a node, and return the name of its output; an array among the inputs becomes a constant."""
        names = []
        for item in inputs:
            if isinstance(item, str):
                names.append(item)
                continue
            names.append(f"constant_{len(self._constants)}")
            array = np.ascontiguousarray(item)
            self._constants.append(numpy_helper.from_array(array, names[-1]))
        output = f"{kind}_{len(self._nodes)}"
        node = helper.make_node(kind, names, [output], domain=domain, **attributes)
        self._nodes.append(node)
        return output

    def _layer(self, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the weights and the bias of a layer."""
        return self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]

    def add_embeddings(self) -> None:
        """Add the words, their positions and the type of the text."""
        weights = self._weights
        if "word_codes" in weights:
            parts = []
            for table in ("word_codes", "word_scales"):
                rows = self._add("Gather", weights[table], "input_ids")
                parts.append(self._add("Cast", rows, to=TensorProto.FLOAT))
            product = self._add("Mul", *parts)
            width = weights["word_codes"][0].size
            words = self._add("Reshape", product, np.array([0, 0, width]))
        else:
            vectors = weights["embeddings.word_embeddings.weight"]
            words = self._add("Gather", vectors, "input_ids")

        positions = weights["embeddings.position_embeddings.weight"]
        types = weights["embeddings.token_type_embeddings.weight"]
        length = self._add("Shape", "input_ids", start=1)
        first = self._add(
            "Slice",
            positions + types[0],
            np.array([0]),
            length,
        )
        self.states = self._add(
            "LayerNormalization",
            self._add("Add", words, first),
            *self._layer("embeddings.LayerNorm"),
            epsilon=self._epsilon,
        )
        self._mask = self._add("Cast", "attention_mask", to=TensorProto.INT32)

    def add_layer(self, layer: str) -> None:
        """Add attention and the two dense layers after it."""
        weights, biases = [], []
        for name in ("query", "key", "value"):
            weight, bias = self._layer(f"{layer}.attention.self.{name}")
            weights.append(weight.T)
            biases.append(bias)

        attention = self._add(
            "Attention",
            self.states,
            np.concatenate(weights, axis=1),
            np.concatenate(biases),
            self._mask,
            domain=FUSED,
            num_heads=self._n_heads,
        )
        self._add_normalised(attention, f"{layer}.attention.output")

        weight, bias = self._layer(f"{layer}.intermediate.dense")
        product = self._add("MatMul", self.states, weight.T)
        inner = self._add("BiasGelu", product, bias, domain=FUSED)
        self._add_normalised(inner, f"{layer}.output")

    def _add_normalised(self, change: str, name: str) -> None:
        """Add a dense layer's output to the states, and normalise the sum."""
        weight, bias = self._layer(f"{name}.dense")
        self.states = self._add(
            "SkipLayerNormalization",
            self._add("MatMul", change, weight.T),
            self.states,
            *self._layer(f"{name}.LayerNorm"),
            bias,
            domain=FUSED,
            epsilon=self._epsilon,
        )

    def model_with_outputs(self, hidden: int) -> onnx.ModelProto:
        """Add the unit mean of the states that the mask keeps, and return the model."""
        weights = self._add("Cast", "attention_mask", to=TensorProto.FLOAT)
        columns = self._add("Unsqueeze", weights, np.array([-1]))
        weighted = self._add("Mul", self.states, columns)
        # the length of the sum does not change its direction
        total = self._add("ReduceSum", weighted, np.array([1]), keepdims=0)
        length = self._add("ReduceL2", total, axes=[1], keepdims=1)
        length = self._add("Max", length, np.array(1e-12, dtype=np.float32))
        embedding = self._add("Div", total, length)
        for name, value in (("embedding", embedding), ("states", self.states)):
            self._nodes.append(helper.make_node("Identity", [value], [name]))

        ids = ("batch", "tokens")
        value_info = helper.make_tensor_value_info
        inputs = [
            value_info("input_ids", TensorProto.INT64, ids),
            value_info("attention_mask", TensorProto.INT64, ids),
        ]
        outputs = [
            value_info("embedding", TensorProto.FLOAT, ("batch", hidden)),
            value_info("states", TensorProto.FLOAT, (*ids, hidden)),
        ]
        graph = helper.make_graph(self._nodes, "bert", inputs, outputs, self._constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
