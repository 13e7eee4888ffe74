"""Late interaction: the similarity of hint and paragraph token by token, and hubness."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from player.search import late_interaction
from player.search.cache import CachingEmbedder
from player.search.late_interaction import Hubs, LateInteraction
from quarry.embed.hint_bank import EmbeddedHints, Hints
from quarry.embed.vectors import MIDDLE, STEPS, compact, load_basis, project
from tests.fakes import HashingEmbedder

MODEL, BASIS = HashingEmbedder(), load_basis("minilm")
PARAGRAPHS = [
    "one two three four five",
    "two",
    "six seven eight nine ten eleven",
    "one six",
    "",
]
POOLED, STATES = MODEL.embed_with_tokens(PARAGRAPHS, as_queries=False)
TOKENS = compact(STATES, BASIS)


@pytest.fixture
def scorer() -> LateInteraction:
    texts = ["one bell rings", "two bells ring", "six bells ring", "one more"]
    vectors, states = MODEL.embed_with_tokens(texts, as_queries=True)
    hints = Hints(dict.fromkeys(texts, ""))
    bank = EmbeddedHints(hints, vectors, states.ids, states.starts)
    hubs = Hubs(POOLED, ["a"] * len(PARAGRAPHS), bank)
    return LateInteraction(CachingEmbedder(MODEL), TOKENS, hubs, bank)


def test_similarity_is_the_mean_of_each_words_best_match_the_rare_ones_counting_more(
    scorer: LateInteraction,
) -> None:
    for hint, weights in (
        # of four hints "one" is in two, "bells" in two, "unheard" in none
        ("one bells unheard", [5 / 2.5, 5 / 2.5, 5 / 0.5]),
        # a hint of the bank does not count its own words: "one" is in one of the three others, "more" in none
        ("one more", [4 / 1.5, 4 / 0.5]),
    ):
        states = MODEL.embed_with_tokens([hint], as_queries=True)[1].states
        vectors = (TOKENS.codes.astype(float) - MIDDLE) / STEPS
        cosines = vectors @ project(states, BASIS).T
        expected = []

        for start, end in itertools.pairwise(TOKENS.starts):
            best = cosines[start:end].max(axis=0)
            mean = np.average(best, weights=np.log(weights))
            expected.append(mean)
        assert scorer.similarities(hint) == pytest.approx(expected, abs=0.01)


def test_some_rows_have_the_scores_that_they_have_in_the_whole_course(
    scorer: LateInteraction,
) -> None:
    rows = np.array([3, 0, 4, 2])
    whole = scorer.similarities("two bells")
    np.testing.assert_array_equal(scorer.similarities("two bells", rows), whole[rows])


def test_hubness_is_the_mean_cosine_of_the_nearest_hints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(late_interaction, "N_NEAREST", 2)
    plane = {
        "x": [1.0, 0.0],
        "y": [0.6, 0.8],
        "z": [0.0, 1.0],
    }
    paragraphs = np.eye(2, dtype=np.float32)
    nothing = np.zeros(0, dtype=np.int64)
    course = ["a", "b"]

    for documents, hint, expected in (
        # the mean of the two nearest hints
        (dict.fromkeys("xyz", ""), "unheard of", [0.8, 0.9]),
        # the hint that is searched for is never counted
        (dict.fromkeys("xyz", ""), " x ", [0.3, 0.9]),
        (dict.fromkeys("yz", ""), "x", [0.3, 0.9]),
        # nor are hints for the paragraph's own document
        ({"x": "a", "y": "", "z": "b"}, "unheard of", [0.3, 0.4]),
    ):
        hints = Hints(documents)
        vectors = np.array([plane[text] for text in documents], dtype=np.float32)
        bank = EmbeddedHints(hints, vectors, nothing, nothing)
        hubness = Hubs(paragraphs, course, bank).of(hint)
        assert hubness == pytest.approx(expected)
        # in a course that the bank is about all paragraphs are alike
        bank = replace(bank, hints=Hints(documents, frozenset("b")))
        assert not Hubs(paragraphs, course, bank).of(hint).any()
