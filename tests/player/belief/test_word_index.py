"""Words by place, their probabilities to be found, and the words that questions may name."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from player.questions.candidates import LATER_WORD, OTHER_FORM, SEEN
from player.questions.kinds import ANYWHERE, OPENING, ListKind
from tests.contracts.kind import ENGLISH, candidates_of


def chances(
    kind: ListKind,
    texts: tuple[str, ...],
    *named: str,
) -> list[float]:
    """The probability that a referee finds one of the words in each paragraph, or in its opening."""
    candidates = candidates_of(texts)
    ids = candidates.index.ids
    lists = np.zeros((len(ids), 1), dtype=np.float32)
    for word in named:
        lists[ids[word]] = 1.0
    seen = kind.probability_found(csr_array(lists), candidates, "paragraph")
    return [float(chance) for chance in seen[:, 0]]


def test_a_list_is_found_by_any_of_its_words_and_rarely_by_another_form() -> None:
    texts = ("Heaps are here.", "Tries are heaps.", "Nothing.")
    either = 1.0 - (1.0 - SEEN) ** 2
    heaps = chances(ANYWHERE, texts, "heaps", "tries")
    assert heaps == pytest.approx([SEEN, either, 0.0])
    texts = ("Trees are here.", "A tree is here.", "Nothing of the kind.")
    trees = chances(ANYWHERE, texts, "trees")
    assert trees == pytest.approx([SEEN, OTHER_FORM, 0.0])


def test_a_word_further_down_may_stand_in_the_referees_longer_opening_sentence() -> (
    None
):
    below, nowhere, *_, in_opening = chances(OPENING, ENGLISH, "levers")
    assert below == pytest.approx(LATER_WORD)
    assert nowhere == pytest.approx(0.0)
    assert in_opening == pytest.approx(SEEN)


def test_opening_sentences_may_be_asked_for_stop_words_and_paragraphs_not() -> None:
    candidates = candidates_of(ENGLISH)
    ids = candidates.index.ids
    in_opening = OPENING.is_nameable(candidates)
    assert in_opening[ids["of"]]
    assert not in_opening[ids["1945"]]
    assert not ANYWHERE.is_nameable(candidates)[ids["of"]]
