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
    lists = np.zeros((len(candidates.index.ids), 1), dtype=np.float32)
    lists[[candidates.index.ids[word] for word in named]] = 1.0
    return csr_array(lists)


@pytest.mark.parametrize(
    ("texts", "named", "chances"),
    [
        (
            ("Heaps are here.", "Tries are heaps.", "Nothing."),
            ("heaps", "tries"),
            [SEEN, 1.0 - (1.0 - SEEN) ** 2, 0.0],
        ),
        (
            ("Trees are here.", "A tree is here.", "Nothing of the kind."),
            ("trees",),
            [SEEN, OTHER_FORM, 0.0],
        ),
    ],
)
def test_a_list_is_found_by_any_of_its_words_and_rarely_by_another_form(
    texts: tuple[str, ...], named: tuple[str, ...], chances: list[float]
) -> None:
    candidates = candidates_of(texts)
    seen = candidates.in_paragraph(one_list(candidates, *named))[:, 0]
    assert seen.tolist() == pytest.approx(chances)


def test_a_word_further_down_may_stand_in_the_referees_longer_opening_sentence() -> (
    None
):
    candidates = candidates_of(ENGLISH)
    seen = candidates.in_opening(one_list(candidates, "levers"))[:, 0]
    assert seen[[0, 1, 5]].tolist() == pytest.approx([BELOW, 0.0, SEEN])


def test_opening_sentences_may_be_asked_for_stop_words_and_paragraphs_not() -> None:
    candidates = candidates_of(ENGLISH)
    of, year = candidates.index.ids["of"], candidates.index.ids["1945"]
    usable = [kind.usable(candidates)[[of, year]] for kind in (OPENING, ANYWHERE)]
    assert np.array(usable).tolist() == [[True, False], [False, False]]


def test_words_are_shown_as_they_are_written_most_often() -> None:
    texts = (
        "Malkov (with A. Yashunin) wrote it.",
        "HNSW grew. Malkov made tables. Tables grow.",
    )
    spelling = index_words([paragraph("b:1:1", text) for text in texts]).spelling
    for written in ("Malkov", "HNSW", "tables", "wrote"):
        assert spelling[written.casefold()] == written
