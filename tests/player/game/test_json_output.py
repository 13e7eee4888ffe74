"""Games as JSON while they are played."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from quarry.player.game.game import GameReport
from quarry.player.game.json_output import GameStream, report_json
from tests.player.game.test_play import answers, played, round_start, score


def over() -> GameReport:
    return played([round_start()], [answers()], [score()])[0]


def test_games_come_one_a_line_in_one_document() -> None:
    written: list[str] = []
    stream = GameStream(written.append, lines=False)
    stream.add(over())
    stream.add(over())
    stream.close()
    assert len(json.loads("".join(written))["games"]) == 2
    assert [text.count("\n") for text in written] == [2, 1, 1]


def test_a_game_whose_search_found_nothing_has_no_belief() -> None:
    report = over()
    rescued = replace(
        report,
        plan=replace(report.plan, prior=np.empty(0)),
        decision=replace(report.decision, belief=np.empty(0), best=-1),
    )
    shown = report_json(rescued)
    assert (shown["belief_before"], shown["belief_after"]) == (None, None)


def test_a_disk_that_is_full_ends_the_writing_and_not_the_games() -> None:
    def full(_text: str) -> None:
        raise OSError(28, "No space left on device")

    stream = GameStream(full, lines=True)
    stream.add(over())
    stream.add(over())
    assert stream.failure is not None
