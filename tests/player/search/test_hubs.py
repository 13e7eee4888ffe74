from __future__ import annotations

import numpy as np
import pytest

from quarry.ingest.embed.hint_bank import Bank, hints_of
from quarry.player.search import hubs
from quarry.player.search.hubs import Hubs

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
BETWEEN = [0.6, 0.8]


def bank(*entries: tuple[str, str, list[float]], course: tuple[str, ...] = ()) -> Bank:
    """Hints with the documents that they are for and their vectors."""
    hints = hints_of({text: document for text, document, _ in entries}, course)
    vectors = np.array([vector for *_, vector in entries], dtype=np.float32)
    return Bank(hints, vectors, np.empty(0, dtype=np.int64), np.zeros(len(entries) + 1, dtype=np.int64))


@pytest.fixture(autouse=True)
def two_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "N_NEAREST", 2)


PARAGRAPHS = np.array([EAST, NORTH], dtype=np.float32)


def test_hubness_is_the_mean_of_the_nearest_hints() -> None:
    found = Hubs(PARAGRAPHS, ["a", "a"], bank(("x", "", EAST), ("y", "", BETWEEN), ("z", "", NORTH)))
    assert found.of("unheard of") == pytest.approx([(1.0 + 0.6) / 2, (1.0 + 0.8) / 2])


def test_hint_that_is_searched_for_is_never_counted() -> None:
    found = Hubs(PARAGRAPHS, ["a", "a"], bank(("x", "", EAST), ("y", "", BETWEEN), ("z", "", NORTH)))
    assert found.of(" x ") == pytest.approx([(0.6 + 0.0) / 2, (1.0 + 0.8) / 2])
    without = Hubs(PARAGRAPHS, ["a", "a"], bank(("y", "", BETWEEN), ("z", "", NORTH)))
    assert found.of("x") == pytest.approx(without.of("x"))


def test_hints_for_the_paragraphs_own_document_are_not_counted() -> None:
    entries = ("x", "a", EAST), ("y", "", BETWEEN), ("z", "b", NORTH)
    found = Hubs(PARAGRAPHS, ["a", "b"], bank(*entries))
    assert found.of("unheard of") == pytest.approx([(0.6 + 0.0) / 2, (0.8 + 0.0) / 2])


def test_in_a_course_that_the_bank_is_about_all_paragraphs_are_alike() -> None:
    found = Hubs(PARAGRAPHS, ["a", "b"], bank(("x", "", EAST), ("y", "", NORTH), course=("b",)))
    assert found.of("unheard of").tolist() == [0.0, 0.0]


def test_blocks_do_not_change_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(2)
    vectors = generator.normal(size=(7, 3)).astype(np.float32)
    entries = [(f"hint {number}", "", generator.normal(size=3).tolist()) for number in range(5)]
    whole = Hubs(vectors, ["a"] * 7, bank(*entries)).of("any")
    monkeypatch.setattr(hubs, "BLOCK", 2)
    np.testing.assert_allclose(Hubs(vectors, ["a"] * 7, bank(*entries)).of("any"), whole, rtol=1e-6)
