from __future__ import annotations

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


def test_similarity_is_the_mean_of_each_words_best_match_the_rare_ones_counting_more() -> (
    None
):
    tokens = compact(Model().read_queries(list(PARAGRAPHS))[1], FORM)
    scorer = scorer_of(PARAGRAPHS, BANK)
    # of four hints "one" is in two, "bells" in two, "unheard" in none
    weights = [np.log(5 / 2.5), np.log(5 / 2.5), np.log(5 / 0.5)]
    expected = by_hand("one bells unheard", tokens, weights)
    assert scorer.similarities("one bells unheard") == pytest.approx(expected, abs=0.01)


def test_hint_that_is_in_the_bank_does_not_count_its_own_words() -> None:
    tokens = compact(Model().read_queries(list(PARAGRAPHS))[1], FORM)
    scorer = scorer_of(PARAGRAPHS, BANK)
    # "one" stands in one of the three other hints, "more" in none
    expected = by_hand("one more", tokens, [np.log(4 / 1.5), np.log(4 / 0.5)])
    assert scorer.similarities("one more") == pytest.approx(expected, abs=0.01)


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


def plane_bank(
    *entries: tuple[str, str, list[float]], course: tuple[str, ...] = ()
) -> Bank:
    """Hints with the documents that they are for and their vectors."""
    hints = hints_of({text: document for text, document, _ in entries}, course)
    vectors = np.array([vector for *_, vector in entries], dtype=np.float32)
    return Bank(
        hints,
        vectors,
        np.empty(0, dtype=np.int64),
        np.zeros(len(entries) + 1, dtype=np.int64),
    )


@pytest.fixture
def two_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_interaction, "N_NEAREST", 2)


PLANE = np.array([EAST, NORTH], dtype=np.float32)


def test_hubness_is_the_mean_of_the_nearest_hints(two_nearest: None) -> None:
    found = Hubs(
        PLANE,
        ["a", "a"],
        plane_bank(("x", "", EAST), ("y", "", BETWEEN), ("z", "", NORTH)),
    )
    assert found.of("unheard of") == pytest.approx([(1.0 + 0.6) / 2, (1.0 + 0.8) / 2])


def test_hint_that_is_searched_for_is_never_counted(two_nearest: None) -> None:
    found = Hubs(
        PLANE,
        ["a", "a"],
        plane_bank(("x", "", EAST), ("y", "", BETWEEN), ("z", "", NORTH)),
    )
    assert found.of(" x ") == pytest.approx([(0.6 + 0.0) / 2, (1.0 + 0.8) / 2])
    without = Hubs(PLANE, ["a", "a"], plane_bank(("y", "", BETWEEN), ("z", "", NORTH)))
    assert found.of("x") == pytest.approx(without.of("x"))


def test_hints_for_the_paragraphs_own_document_are_not_counted(
    two_nearest: None,
) -> None:
    entries = ("x", "a", EAST), ("y", "", BETWEEN), ("z", "b", NORTH)
    found = Hubs(PLANE, ["a", "b"], plane_bank(*entries))
    assert found.of("unheard of") == pytest.approx([(0.6 + 0.0) / 2, (0.8 + 0.0) / 2])


def test_in_a_course_that_the_bank_is_about_all_paragraphs_are_alike(
    two_nearest: None,
) -> None:
    found = Hubs(
        PLANE, ["a", "b"], plane_bank(("x", "", EAST), ("y", "", NORTH), course=("b",))
    )
    assert found.of("unheard of").tolist() == [0.0, 0.0]
