"""Which words stand where, how they are written, and what is doubtful."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from player.questions.candidates import BELOW, OTHER_FORM, SEEN, Candidates
from player.questions.kinds import ANYWHERE, OPENING
from player.questions.word_index import index_words
from tests.contracts.kind import ENGLISH, candidates_of
from tests.contracts.paragraphs import paragraph


def one_list(candidates: Candidates, *named: str) -> csr_array:
    """The (n_words, 1) table of one list of words."""
    rows = [candidates.index.ids[word] for word in named]
    ones = np.ones(len(rows), dtype=np.float32)
    shape = (len(candidates.index.words), 1)
    return csr_array((ones, (rows, np.zeros_like(rows))), shape=shape)


def test_a_list_is_found_by_any_of_its_words() -> None:
    candidates = candidates_of(("Heaps are here.", "Tries are heaps.", "Nothing."))
    seen = candidates.in_paragraph(one_list(candidates, "heaps", "tries"))[:, 0]
    assert seen.tolist() == pytest.approx([SEEN, 1.0 - (1.0 - SEEN) ** 2, 0.0])


def test_a_word_that_occurs_in_another_form_is_a_doubtful_one() -> None:
    candidates = candidates_of(
        ("Trees are here.", "A tree is here.", "Nothing of the kind.")
    )
    seen = candidates.in_paragraph(one_list(candidates, "trees"))[:, 0]
    assert seen.tolist() == pytest.approx([SEEN, OTHER_FORM, 0.0])


def test_a_word_further_down_may_stand_in_the_referees_longer_opening_sentence() -> (
    None
):
    candidates = candidates_of(ENGLISH)
    seen = candidates.in_opening(one_list(candidates, "levers"))[:, 0]
    assert seen[0] == pytest.approx(BELOW)
    assert seen[5] == pytest.approx(SEEN)
    assert seen[1] == 0.0


def test_opening_sentences_may_be_asked_for_stop_words_and_paragraphs_not() -> None:
    candidates = candidates_of(ENGLISH)
    words = np.array(candidates.index.words)
    opening, whole = (
        set(words[kind.usable(candidates)]) for kind in (OPENING, ANYWHERE)
    )
    assert "of" in opening
    assert "of" not in whole
    assert "1945" not in opening | whole


@pytest.mark.parametrize(
    ("word", "written"),
    [("malkov", "Malkov"), ("hnsw", "HNSW"), ("tables", "tables"), ("wrote", "wrote")],
)
def test_words_are_shown_as_they_are_written_most_often(
    word: str, written: str
) -> None:
    index = index_words(
        [
            paragraph("b:1:1", "Malkov (with A. Yashunin) wrote it."),
            paragraph("b:1:2", "HNSW grew. Malkov made tables. Tables grow."),
        ]
    )
    assert index.spelling[word] == written
