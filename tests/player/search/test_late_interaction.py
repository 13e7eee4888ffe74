from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ingest.arrays import Float32Array
from ingest.embed import TokenStates
from ingest.embed.hint_bank import Bank, hints_of
from ingest.embed.vectors import MIDDLE, STEPS, TokenForm, Tokens, Words, compact
from player.search import late_interaction
from player.search.cache import CachingEmbedder
from player.search.late_interaction import PRODUCTS, Hubs, WordByWord
from tests.fakes import HashingEmbedder

DIM = 24
FORM = TokenForm(np.eye(DIM, dtype=np.float32), "plain")
PARAGRAPHS = (
    "one two three four five",
    "two",
    "six seven eight nine ten eleven",
    "one six",
    "",
)


class Model(HashingEmbedder):
    """Knows words as vectors of its own."""

    def read_queries(self, texts: list[str]) -> tuple[Float32Array, TokenStates]:  # type: ignore[override]
        words = [text.split() for text in texts]
        ids = np.array(
            [sum(map(ord, word)) for line in words for word in line], dtype=np.int64
        )
        states = [np.random.default_rng(number).normal(size=DIM) for number in ids]
        starts = np.cumsum([0, *map(len, words)])
        return self.embed_queries(texts), TokenStates(
            np.array(states, dtype=np.float32).reshape(-1, DIM), ids, starts
        )


def bank_of(*texts: str) -> Bank:
    vectors, states = Model().read_queries(list(texts))
    return Bank(hints_of(dict.fromkeys(texts, "")), vectors, states.ids, states.starts)


def scorer_of(paragraphs: tuple[str, ...], bank: Bank) -> WordByWord:
    vectors, states = Model().read_queries(list(paragraphs))
    words = Words(vectors, compact(states, FORM))
    return WordByWord(
        CachingEmbedder(Model()),
        words,
        Hubs(vectors, ["a"] * len(paragraphs), bank),
        FORM,
        bank,
    )


BANK = bank_of("one bell rings", "two bells ring", "six bells ring", "one more")


def by_hand(hint: str, tokens: Tokens, weights: list[float]) -> list[float]:
    """The weighted mean of best cosines, token by token."""
    states = Model().read_queries([hint])[1].states
    unit = states / np.linalg.norm(states, axis=1, keepdims=True)
    kept = (tokens.codes.astype(float) - MIDDLE) / STEPS
    found = []
    for start, end in zip(tokens.starts[:-1], tokens.starts[1:], strict=True):
        best = [
            max(float(token @ other) for other in kept[start:end]) for token in unit
        ]
        found.append(
            sum(w * b for w, b in zip(weights, best, strict=True)) / sum(weights)
        )
    return found


@pytest.mark.parametrize(
    ("hint", "weights"),
    [
        # of four hints "one" is in two, "bells" in two, "unheard" in none
        ("one bells unheard", [5 / 2.5, 5 / 2.5, 5 / 0.5]),
        # a hint of the bank does not count its own words: "one" is in one of the three others, "more" in none
        ("one more", [4 / 1.5, 4 / 0.5]),
    ],
)
def test_similarity_is_the_mean_of_each_words_best_match_the_rare_ones_counting_more(
    hint: str, weights: list[float]
) -> None:
    tokens = compact(Model().read_queries(list(PARAGRAPHS))[1], FORM)
    expected = by_hand(hint, tokens, [math.log(weight) for weight in weights])
    similarities = scorer_of(PARAGRAPHS, BANK).similarities(hint)
    assert similarities == pytest.approx(expected, abs=0.01)


def test_some_rows_have_the_scores_that_they_have_in_the_whole_course() -> None:
    scorer = scorer_of(PARAGRAPHS, BANK)
    whole = scorer.parts("two bells")
    some = scorer.parts("two bells", np.array([3, 0, 4, 2]))
    assert whole.keys() == some.keys() == {"words.minilm", "hub.minilm"}
    for name, scores in whole.items():
        np.testing.assert_array_equal(some[name], scores[[3, 0, 4, 2]])


def test_estimates_are_made_of_the_cosines_of_paragraph_and_best_sentence() -> None:
    scorer = scorer_of(PARAGRAPHS, BANK)
    model = Model()
    cosines = (
        model.embed_passages(list(PARAGRAPHS)) @ model.embed_queries(["two bells"])[0]
    )

    sentence = np.linspace(0.0, 0.5, len(PARAGRAPHS), dtype=np.float32)
    estimates = scorer.estimates("two bells", sentence)
    assert estimates.keys() == {"words.minilm", "hub.minilm"}
    assert estimates["words.minilm"] == pytest.approx(
        0.4 * (cosines + sentence), abs=0.01
    )
    assert scorer.estimates("two bells", None)["words.minilm"] == pytest.approx(
        0.4 * cosines, abs=0.01
    )
    np.testing.assert_array_equal(
        estimates["hub.minilm"], scorer.parts("two bells")["hub.minilm"]
    )


def test_product_is_the_one_that_onnx_makes() -> None:
    from onnx import TensorProto, helper

    def value(name: str, kind: int, shape: list[str]) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["codes", "hint", "middle"], ["products"])],
        "products",
        [
            value("codes", TensorProto.UINT8, ["tokens", "n"]),
            value("hint", TensorProto.INT8, ["n", "words"]),
        ],
        [value("products", TensorProto.INT32, ["tokens", "words"])],
        [helper.make_tensor("middle", TensorProto.UINT8, [], [MIDDLE])],
    )
    opset = [helper.make_opsetid("", 17)]
    model = helper.make_model(
        graph, opset_imports=opset, ir_version=8, producer_name="quarry"
    )
    assert PRODUCTS.read_bytes() == model.SerializeToString()


EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
BETWEEN = [0.6, 0.8]


@pytest.mark.parametrize(
    ("entries", "hint", "course", "expected"),
    [
        # the mean of the two nearest hints
        ("x y z", "unheard of", (), [(1.0 + 0.6) / 2, (1.0 + 0.8) / 2]),
        # the hint that is searched for is never counted
        ("x y z", " x ", (), [(0.6 + 0.0) / 2, (1.0 + 0.8) / 2]),
        ("y z", "x", (), [(0.6 + 0.0) / 2, (1.0 + 0.8) / 2]),
        # nor are hints for the paragraph's own document
        ("x:a y z:b", "unheard of", (), [(0.6 + 0.0) / 2, (0.8 + 0.0) / 2]),
        # in a course that the bank is about all paragraphs are alike
        ("x z", "unheard of", ("b",), [0.0, 0.0]),
    ],
)
def test_hubness_is_the_mean_cosine_of_the_nearest_hints(
    entries: str,
    hint: str,
    course: tuple[str, ...],
    expected: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(late_interaction, "N_NEAREST", 2)
    documents, vectors = {}, []
    for entry in entries.split():
        text, _, document = entry.partition(":")
        documents[text] = document
        vectors.append({"x": EAST, "y": BETWEEN, "z": NORTH}[text])
    bank = Bank(
        hints_of(documents, course),
        np.array(vectors, dtype=np.float32),
        np.empty(0, dtype=np.int64),
        np.zeros(len(vectors) + 1, dtype=np.int64),
    )
    hubs = Hubs(np.array([EAST, NORTH], dtype=np.float32), ["a", "b"], bank)
    assert hubs.of(hint) == pytest.approx(expected)
