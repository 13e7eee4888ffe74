"""Games as JSON while they are played."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quarry.player.game.game import GameReport
from quarry.player.game.json_output import report_json
from tests.player.game.test_play import answers, played, round_start, score


def over() -> GameReport:
    return played([round_start()], [answers()], [score()])[0]


def test_a_game_whose_search_found_nothing_has_no_belief() -> None:
    report = over()
    rescued = replace(
        report,
        plan=replace(report.plan, prior=np.empty(0)),
        decision=replace(report.decision, belief=np.empty(0), best=-1),
    )
    shown = report_json(rescued)
    assert (shown["belief_before"], shown["belief_after"]) == (None, None)
