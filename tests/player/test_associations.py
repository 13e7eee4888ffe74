"""How probable words are, from a vocabulary with vectors, norms and a lexicon."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from player import associations
from player.associations import UNNAMED, Associations, load_associations
from quarry.arrays import Float32Array
from quarry.languages.words import is_stop_word, stems


def floats(*values: object) -> Float32Array:
    return np.array(values, dtype=np.float32)


NORMS = floats(
    [0.0, 0.5, 0.0, 0.0, 0.0],  # of music
    [0.0, 0.0, 0.5, 0.25, 0.0],  # of casino
)
MEANINGS = floats(
    [0.0, 1.0, 0.0, 0.0, 0.0],  # a violin
    [0.0, 0.0, 0.0, 1.0, 0.0],  # a die
    [0.0, 0.5, 0.0, 0.5, 0.0],  # a tool, to play music or a game
)
MADE = Associations(
    words=("music", "violin", "casino", "dice", "dices"),
    # music and violin along the first axis, casino and dice along the second
    vectors=floats(
        [1.0, 0.0],
        [0.8, 0.6],
        [0.0, 1.0],
        [0.6, 0.8],
        [0.6, 0.8],
    ),
    telling=floats(1.0, 2.0, 1.0, 1.0, 1.0),
    prior=floats(
        [0.0, 0.0, 0.0, 0.0, -5.0],
        [0.0, 0.0, 0.0, 0.0, -5.0],
    ),
    domains=("music", "casino"),
    norms=csr_array(NORMS),
    hebrew=("כינור", "קובייה", "כלי"),
    meanings=csr_array(MEANINGS),
    weights=(
        floats(1.0, 0.1, 0.0, 0.0),
        floats(1.0, 0.1, 0.0, 0.1, 0.0, 0.0, 0.0),
    ),
)


def test_the_norms_of_a_domain_count_by_its_nearness() -> None:
    # "music" is the first domain itself; the second is at cosine 0, which weighs exp(-1 / .05)
    music, violin, *others = np.exp(MADE.named("music"))
    assert violin == pytest.approx(UNNAMED + 0.5)
    for other in (music, *others):
        assert other == pytest.approx(UNNAMED, rel=0.01)


def test_close_columns_are_norms_and_nearness_as_a_whole_and_word_by_word() -> None:
    rows = np.array([0, 2])
    named = MADE.named("music")
    parts = [MADE.rows_of(part) for part in ("music", "violin casino", "Dice!")]
    # of the hint: violin weighs twice as much as casino, 2 (.8, .6) + (0, 1); its two words count alike
    norm = np.hypot(1.6, 2.2)
    expected = [
        named[rows],
        # of the domain: "music" alone, as a whole and as its nearest word
        [10.0, 0.0],
        [10.0, 0.0],
        # of the hint
        [16.0 / norm, 22.0 / norm],
        [8.0 / 2, 16.0 / 2],
        # of the paragraph
        [6.0, 8.0],
    ]
    columns = MADE.close(rows, named, parts).T
    np.testing.assert_allclose(columns[:6], expected, rtol=1e-6)


def test_forms_of_one_word_are_wholly_alike() -> None:
    rows = np.array([0, 2, 3, 4])
    music, *_, dice, dices = MADE.likeness(rows)
    assert music == pytest.approx([1.0, 0.0, 0.6, 0.6])
    assert dice[3] == dices[2] == 1.0


def test_hebrew_is_read_by_what_it_means_with_its_prefixes() -> None:
    assert MADE.rows_of("והכינור").tolist() == [1]
    assert MADE.rows_of("violins, casino and קובייה").tolist() == [1, 2, 3]


def test_hebrew_words_share_what_their_meaning_has() -> None:
    rows = np.array([1, 3])
    shares = MADE.in_hebrew(rows, floats(0.6, 0.3))
    # 1 of the violin's 1.5 words is the one that means nothing else: .6 / 1.5
    violin, dice = 0.4, 0.2
    tool = 0.5 * violin + 0.5 * dice
    expected = {"כינור": violin, "קובייה": dice, "כלי": tool}
    assert shares == pytest.approx(expected, abs=1e-3)


def test_the_first_look_weighs_norms_and_nearness_to_each_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weights = floats(0.5, 0.2, 0.3, 0.4)
    made = replace(MADE, weights=(weights, MADE.weights[1]))
    music, violin, casino = MADE.vectors[:3]
    wanted = 10.0 * (0.2 * music + 0.3 * casino + 0.4 * violin)
    scores = made.prior[0] + MADE.vectors @ wanted
    scores += 0.5 * made.named("music")
    for n in range(1, 5):
        monkeypatch.setattr(associations, "N_NEAR", n)
        rows, _ = made.rank("music", "casino", "violin", [])
        best = np.argsort(-scores)[:n]
        assert set(rows) == set(best)


def test_the_bundled_vocabulary_is_large_and_names_no_stop_word() -> None:
    bundled = load_associations()
    n_words = len(set(bundled.words))
    n_domains = len(bundled.domains)
    n_hebrew = len(bundled.hebrew)
    assert n_words > 20_000
    assert n_domains > 500
    assert n_hebrew > 2_000
    assert bundled.norms.shape == (n_domains, n_words)
    assert bundled.meanings.shape == (n_hebrew, n_words)
    assert len(stems(" ".join(bundled.words))) == n_words
    assert not any(map(is_stop_word, bundled.words))
