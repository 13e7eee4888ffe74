from __future__ import annotations

import pytest

from quarry.ingest.layout.lines import Word
from quarry.ingest.spool import Spool

WORDS = [Word(text, 10.0, 20.5, 9.0, 0.0, bold=False, mono=True) for text in ("one", "שתיים", "three")]


@pytest.mark.parametrize("n_in_memory", [0, 1, 3])
def test_values_come_back_in_order_wherever_they_are_kept(n_in_memory: int) -> None:
    spool: Spool[Word] = Spool(n_in_memory)
    for word in WORDS:
        spool.append(word)
    assert len(spool) == 3
    assert list(spool) == WORDS
    assert [spool[index] for index in (2, 0, 1)] == [WORDS[2], WORDS[0], WORDS[1]]


def test_two_readings_go_on_beside_each_other_and_adding_disturbs_neither() -> None:
    spool: Spool[str] = Spool(0)
    for text in ("a", "b"):
        spool.append(text)
    one, other = iter(spool), iter(spool)
    assert [next(one), next(other), next(one)] == ["a", "a", "b"]
    spool.append("c")
    assert next(other) == "b"
    assert spool[2] == "c"


def test_a_position_beyond_the_end_is_refused() -> None:
    spool: Spool[str] = Spool(0)
    spool.append("a")
    with pytest.raises(IndexError, match=r"index must be within 0\.\.0, got 1"):
        spool[1]
