"""What the game's rule says: words that occur, words that occur in another form, words that everybody overlooks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from player.search.rules import (
    CONTENT,
    FUNCTION,
    RELATED,
    Likelihood,
    RuleEvidence,
    base_forms,
)
from tests.contracts.paragraphs import paragraph

PARAGRAPHS = [
    paragraph("a:1:1", "The heap sorts its keys."),
    paragraph("a:1:2", "A tree is searched in order."),
    paragraph("a:1:3", "Keys of a heap are never searched twice."),
]


def one(likelihood: Likelihood) -> float:
    """Log-odds of one shared word."""
    return float(likelihood.log_odds(np.array([1]))[0])


def test_the_log_odds_are_those_of_the_mixture() -> None:
    # keep * slip ** n + (1 - keep)
    likelihood = Likelihood(keep=0.9, slip=0.1)
    counts = np.array([0, 1, 2])
    assert likelihood.log_odds(counts) == pytest.approx(
        [0.0, math.log(0.09 + 0.1), math.log(0.009 + 0.1)], rel=1e-5
    )


def test_no_number_of_words_says_more_than_that_the_referee_does_not_care() -> None:
    lowest = math.log(1.0 - 0.99)
    assert CONTENT.log_odds(np.array([31, 500])) == pytest.approx(
        [lowest, lowest], rel=1e-3
    )


def test_a_word_counts_against_the_paragraphs_in_which_it_occurs() -> None:
    found = RuleEvidence(PARAGRAPHS).log_odds("HEAP memory")
    assert found == pytest.approx([one(CONTENT), 0.0, one(CONTENT)])


def test_another_form_of_a_word_counts_less_and_only_once() -> None:
    found = RuleEvidence(PARAGRAPHS).log_odds("sorting")
    assert found == pytest.approx([one(RELATED), 0.0, 0.0])
    assert one(CONTENT) < one(RELATED) < 0.0


def test_a_function_word_counts_by_itself() -> None:
    found = RuleEvidence(PARAGRAPHS).log_odds("is")
    assert found == pytest.approx([0.0, one(FUNCTION), 0.0])


def test_common_words_count_as_rare_ones_do() -> None:
    generator = np.random.default_rng(2)
    known = [
        "sort",
        "sorts",
        "sorted",
        "heap",
        "heaps",
        "the",
        "of",
        "key",
        "tree",
        "zygote",
    ]
    shares = [0.5, 0.3, 0.02, 0.05, 0.6, 0.9, 0.1, 0.04, 0.2, 0.005]
    held = generator.random((300, len(known))) < shares
    texts = [" ".join(["filler", *np.array(known)[row]]) for row in held]
    evidence = RuleEvidence(
        [paragraph(f"a:1:{number}", text) for number, text in enumerate(texts)]
    )
    for hint in (
        "the sort of a heap",
        "sorting the tree",
        "zygote keys",
        "the of " + "heap " * 3,
    ):
        said = dict.fromkeys(hint.split())
        expected = []
        for text in texts:
            there = set(text.split())
            stems_there = {form for word in there for form in base_forms(word)}
            content = [word for word in said if word not in ("the", "of", "a")]
            kin = [word for word in content if set(base_forms(word)) & stems_there]
            exact = sum(word in there for word in content)
            counts = (
                exact,
                sum(word in there for word in ("the", "of") if word in said),
                len(kin) - exact,
            )
            kinds = zip((CONTENT, FUNCTION, RELATED), counts, strict=True)
            expected.append(
                sum(float(kind.log_odds(np.array([count]))[0]) for kind, count in kinds)
            )
        np.testing.assert_allclose(
            evidence.log_odds(hint), expected, rtol=1e-5, atol=1e-6
        )


def test_a_hebrew_prefix_makes_another_form() -> None:
    texts = [paragraph("a:1:1", "המיון מהיר"), paragraph("a:1:2", "טבלת גיבוב")]
    assert RuleEvidence(texts).log_odds("במיון") == pytest.approx([one(RELATED), 0.0])


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("sorting", ("sort",)),
        ("מיון", ("מיון", "יון")),
        ("ובמיון", ("ובמיון", "במיון", "מיון")),
        ("של", ("של",)),
        ("גיבוב", ("גיבוב",)),
    ],
)
def test_base_forms(word: str, forms: tuple[str, ...]) -> None:
    assert base_forms(word) == forms
