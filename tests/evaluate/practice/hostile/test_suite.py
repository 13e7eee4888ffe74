"""A game against every fault: each comes to its score, or to an orderly end where there can be none."""

from __future__ import annotations

import pytest

from quarry.evaluate.practice.hostile.fault import Fault
from quarry.evaluate.practice.hostile.faults import all_faults
from quarry.evaluate.practice.hostile.suite import Outcome, peak_memory_mb, try_faults
from tests.evaluate.fakes import small_repertoire
from tests.player.fakes import course, dense_player

MOST_MB = 600.0
"""Memory that the suite may add: four responses of 32 MB at once, each a few times as text, list and parts."""


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    before_mb = peak_memory_mb()
    player = dense_player(course(), questions_pool=60)
    found = {outcome.fault: outcome for outcome in try_faults(player, small_repertoire(), all_faults())}
    assert peak_memory_mb() - before_mb < MOST_MB
    return found


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", all_faults(), ids=lambda fault: fault.name)
def test_no_game_is_lost(fault: Fault, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[fault.name]
    assert outcome.survived, outcome
    assert outcome.ended == ("scored" if fault.scored else "ended"), outcome
    assert outcome.refused == 0, outcome
    assert outcome.seconds < 45.0


def test_every_fault_has_a_name_of_its_own() -> None:
    assert len({fault.name for fault in all_faults()}) == len(all_faults())


def test_a_fault_that_cannot_be_survived_is_told_as_lost() -> None:
    player, fault = dense_player(course(), questions_pool=60), Fault("no message", "message", lambda *_: [])
    (outcome,) = try_faults(player, small_repertoire(), [fault], timeout_s=1.0)
    assert (outcome.ended, outcome.survived) == ("lost", False)
