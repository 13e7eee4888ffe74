"""What the game's rule says: words that occur, words that occur in another form, words that everybody overlooks."""

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
    paragraph("a:1:1", "The heap sorts its keys. המיון"),
    paragraph("a:1:2", "A tree is searched in order."),
    paragraph("a:1:3", "Keys of a heap are never searched twice."),
]


def test_the_log_odds_are_those_of_the_mixture() -> None:
    # keep * slip ** n + (1 - keep)
    likelihood = Likelihood(keep=0.9, slip=0.1)
    log_odds = likelihood.log_odds(np.array([0, 1, 2]))
    expected = [0.0, math.log(0.09 + 0.1), math.log(0.009 + 0.1)]
    assert log_odds == pytest.approx(expected, rel=1e-5)


NONE, EXACT, TWO = CONTENT.log_odds(np.arange(3))
_, WEAK = FUNCTION.log_odds(np.arange(2))
_, KIN = RELATED.log_odds(np.arange(2))


def test_each_kind_of_shared_word_counts_by_itself() -> None:
    assert EXACT < KIN < NONE
    for hint, expected in {
        "HEAP memory": [EXACT, NONE, EXACT],
        "sorting": [KIN, NONE, NONE],  # another form
        "במיון": [KIN, NONE, NONE],  # another prefix
        "is": [NONE, WEAK, NONE],
        "heap of keys": [TWO, NONE, TWO + WEAK],
    }.items():
        log_odds = RuleEvidence(PARAGRAPHS).log_odds(hint)
        assert log_odds == pytest.approx(expected), hint


def test_a_word_counts_once_whatever_its_forms_and_however_often_it_is_said() -> None:
    evidence = RuleEvidence([paragraph("a:1:1", "Sort, sorts and sorted.")])
    assert evidence.log_odds("sorting") == pytest.approx(KIN)
    assert evidence.log_odds("sort sort") == pytest.approx(EXACT)
    assert evidence.log_odds("sorts sort") == pytest.approx(TWO)


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
