"""How probable words are, from a vocabulary with vectors, norms and a lexicon."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from player.answer.associations import (
    UNNAMED,
    Associations,
    Lexicon,
    Norms,
    load_associations,
)
from player.words import is_stop_word, stems

WORDS = ("music", "violin", "casino", "dice", "dices")
# music and violin along the first axis, casino and dice along the second
VECTORS = np.array(
    [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8], [0.6, 0.8]], dtype=np.float32
)
MADE = Associations(
    WORDS,
    VECTORS,
    np.array([1.0, 2.0, 1.0, 1.0, 1.0], dtype=np.float32),
    np.array([[0.0, 0.0, 0.0, 0.0, -5.0]] * 2, dtype=np.float32),
    Norms(
        ("music", "casino"),
        np.array([0, 1, 3], dtype=np.int32),
        np.array([1, 3, 2], dtype=np.uint16),
        np.array([0.5, 0.25, 0.5], dtype=np.float16),
    ),
    Lexicon(
        ("כינור", "קובייה", "כלי"),
        np.array([[1, 0], [3, 0], [1, 3]], dtype=np.uint16),
        np.array([[1.0, 0.0], [1.0, 0.0], [0.5, 0.5]], dtype=np.float16),
    ),
    (
        np.array([1.0, 0.1, 0.0, 0.0], dtype=np.float32),
        np.array([1.0, 0.1, 0, 0.1, 0, 0, 0], dtype=np.float32),
    ),
)


def test_the_norms_of_a_domain_count_by_its_nearness() -> None:
    # "music" is the first domain itself; the second is at cosine 0, which weighs exp(-1 / .05)
    named = np.exp(MADE.named("music"))
    assert named == pytest.approx([UNNAMED, 0.5, UNNAMED, UNNAMED, UNNAMED], abs=1e-4)


def test_close_columns_are_norms_and_nearness_as_a_whole_and_word_by_word() -> None:
    rows = np.array([0, 2])
    mean = np.array(
        [2 * 0.8 + 0.0, 2 * 0.6 + 1.0]
    )  # violin weighs twice as much as casino
    mean /= np.linalg.norm(mean)
    found = MADE.close(rows, "music", "violin casino", "Dice!")
    np.testing.assert_allclose(found[:, 1:3], [[10.0, 10.0], [0.0, 0.0]], atol=1e-5)
    np.testing.assert_allclose(found[:, 3], 10.0 * mean, atol=1e-4)
    np.testing.assert_allclose(
        found[:, 4], [10 * (0.8 + 0.0) / 2, 10 * (0.6 + 1.0) / 2], atol=1e-5
    )
    np.testing.assert_allclose(found[:, 5], [6.0, 8.0], atol=1e-5)
    np.testing.assert_allclose(found[:, 0], MADE.named("music")[rows])


def test_words_of_the_paragraph_and_of_the_domain_are_never_the_one() -> None:
    rows, shares = MADE.rank("music", "", "A casino.")
    probable = {
        WORDS[row] for row, share in zip(rows, shares, strict=True) if share > 0.0
    }
    assert probable == {"violin", "dice", "dices"}
    assert WORDS[rows[int(np.argmax(shares))]] == "violin"


def test_forms_of_one_word_are_wholly_alike() -> None:
    likeness = MADE.likeness(np.array([0, 2, 3, 4]))
    np.testing.assert_allclose(likeness[0], [1.0, 0.0, 0.6, 0.6], atol=1e-6)
    assert likeness[2, 3] == likeness[3, 2] == 1.0


def test_hebrew_is_read_by_what_it_means_with_its_prefixes() -> None:
    assert MADE.rows_of("והכינור").tolist() == [1]
    assert MADE.rows_of("violins, casino and קובייה").tolist() == [1, 2, 3]


def test_hebrew_words_share_what_their_meaning_has() -> None:
    # the violin's .6 is shared by the word that means nothing else and the one that means it half the time
    found = MADE.in_hebrew(np.array([1, 3]), np.array([0.6, 0.3], dtype=np.float32))
    assert found == pytest.approx(
        {"כינור": 0.4, "קובייה": 0.2, "כלי": 0.5 * 0.4 + 0.5 * 0.2}, abs=1e-3
    )


def test_the_first_look_weighs_norms_and_nearness_to_each_text() -> None:
    heavy = replace(
        MADE,
        weights=(np.array([0.5, 0.2, 0.3, 0.4], dtype=np.float32), MADE.weights[1]),
    )
    wanted = 10.0 * (
        0.2 * VECTORS[0] + 0.3 * VECTORS[2] + 0.4 * VECTORS[1]
    )  # music, casino and violin
    scores = 0.5 * heavy.named("music") + VECTORS @ wanted + heavy.prior[0]
    with pytest.MonkeyPatch.context() as patch:
        for n in range(1, 5):
            patch.setattr("player.answer.associations.N_NEAR", n)
            assert set(heavy.shortlist("music", "casino", "violin")) == set(
                np.argsort(-scores)[:n]
            )


def test_the_players_own_vocabulary_is_large_and_names_no_stop_word() -> None:
    own = load_associations()
    assert len(own.words) > 20_000
    assert len(own.norms.domains) > 500
    assert len(own.lexicon.words) > 2_000
    assert (
        len(own.words)
        == len(set(own.words))
        == len(own.vectors)
        == len(own.telling)
        == own.prior.shape[1]
    )
    assert not any(map(is_stop_word, own.words))
    assert all(len(stems(word)) == 1 for word in own.words)
    assert int(own.norms.rows.max()) < len(own.words)
