"""How probable words are, from a vocabulary with vectors, norms and a lexicon."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from ingest.arrays import Float32Array
from player.answer import associations
from player.answer.associations import UNNAMED, Associations, load_associations
from player.words import is_stop_word, stems


def floats(*values: object) -> Float32Array:
    return np.array(values, dtype=np.float32)


# music and violin along the first axis, casino and dice along the second
VECTORS = floats([1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8], [0.6, 0.8])
MADE = Associations(
    words=("music", "violin", "casino", "dice", "dices"),
    vectors=VECTORS,
    telling=floats(1.0, 2.0, 1.0, 1.0, 1.0),
    prior=floats(*[[0.0, 0.0, 0.0, 0.0, -5.0]] * 2),
    domains=("music", "casino"),
    norms=csr_array(floats([0.0, 0.5, 0.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.25, 0.0])),
    hebrew=("כינור", "קובייה", "כלי"),
    meanings=csr_array(floats([0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0.5, 0, 0.5, 0])),
    weights=(floats(1.0, 0.1, 0.0, 0.0), floats(1.0, 0.1, 0, 0.1, 0, 0, 0)),
)


def test_the_norms_of_a_domain_count_by_its_nearness() -> None:
    # "music" is the first domain itself; the second is at cosine 0, which weighs exp(-1 / .05)
    named = np.exp(MADE.named("music"))
    assert named == pytest.approx([UNNAMED, 0.5, UNNAMED, UNNAMED, UNNAMED], abs=1e-4)


def test_close_columns_are_norms_and_nearness_as_a_whole_and_word_by_word() -> None:
    rows = np.array([0, 2])
    # violin weighs twice as much as casino
    mean = np.array([2 * 0.8 + 0.0, 2 * 0.6 + 1.0])
    mean /= np.linalg.norm(mean)
    parts = [MADE.rows_of(part) for part in ("music", "violin casino", "Dice!")]
    columns = MADE.close(rows, MADE.named("music"), parts).T
    np.testing.assert_allclose(columns[0], MADE.named("music")[rows])
    np.testing.assert_allclose(columns[1:3], [[10.0, 0.0], [10.0, 0.0]], atol=1e-5)
    np.testing.assert_allclose(columns[3], 10.0 * mean, atol=1e-4)
    nearest = [10 * (0.8 + 0.0) / 2, 10 * (0.6 + 1.0) / 2]
    np.testing.assert_allclose(columns[4], nearest, atol=1e-5)
    np.testing.assert_allclose(columns[5], [6.0, 8.0], atol=1e-5)


def test_words_of_the_paragraph_and_of_the_domain_are_never_the_one() -> None:
    rows, shares = MADE.rank("music", "", "A casino.")
    assert rows[shares > 0.0].tolist() == [1, 3, 4]
    assert rows[int(np.argmax(shares))] == 1


def test_forms_of_one_word_are_wholly_alike() -> None:
    likeness = MADE.likeness(np.array([0, 2, 3, 4]))
    np.testing.assert_allclose(likeness[0], [1.0, 0.0, 0.6, 0.6], atol=1e-6)
    assert likeness[2, 3] == likeness[3, 2] == 1.0


def test_hebrew_is_read_by_what_it_means_with_its_prefixes() -> None:
    assert MADE.rows_of("והכינור").tolist() == [1]
    assert MADE.rows_of("violins, casino and קובייה").tolist() == [1, 2, 3]


def test_hebrew_words_share_what_their_meaning_has() -> None:
    # the violin's .6 is shared by the word that means nothing else and the one that means it half the time
    shares = MADE.in_hebrew(np.array([1, 3]), floats(0.6, 0.3))
    expected = {"כינור": 0.4, "קובייה": 0.2, "כלי": 0.5 * 0.4 + 0.5 * 0.2}
    assert shares == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("n", range(1, 5))
def test_the_first_look_weighs_norms_and_nearness_to_each_text(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    heavy = replace(MADE, weights=(floats(0.5, 0.2, 0.3, 0.4), MADE.weights[1]))
    # music, casino and violin
    wanted = 10.0 * (0.2 * VECTORS[0] + 0.3 * VECTORS[2] + 0.4 * VECTORS[1])
    scores = 0.5 * heavy.named("music") + VECTORS @ wanted + heavy.prior[0]
    monkeypatch.setattr(associations, "N_NEAR", n)
    parts = [np.array([row]) for row in (0, 2, 1)]
    listed = heavy.shortlist(heavy.named("music"), parts)
    assert set(listed) == set(np.argsort(-scores)[:n])


def test_the_bundled_vocabulary_is_large_and_names_no_stop_word() -> None:
    bundled = load_associations()
    n_words = len(bundled.words)
    assert n_words > 20_000
    assert bundled.norms.shape == (len(bundled.domains), n_words)
    assert bundled.meanings.shape == (len(bundled.hebrew), n_words)
    assert len(bundled.domains) > 500
    assert len(bundled.hebrew) > 2_000
    assert n_words == len(set(bundled.words)) == len(stems(" ".join(bundled.words)))
    assert not any(map(is_stop_word, bundled.words))
