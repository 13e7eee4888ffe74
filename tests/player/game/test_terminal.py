"""A game on the terminal: one line a question, and the summary of a series."""

from __future__ import annotations

import io
import itertools

from rich.console import Console

from player.game.game import GameReport
from player.game.loop import play
from player.game.terminal import Terminal, stem_of, summary
from player.protocol.messages import Score
from tests.player.fakes import FakeGameServer, course, dense_player
from tests.player.game.test_loop import GAME, answers, round_start, score, warmup


def shown_game(width: int = 70) -> tuple[list[str], GameReport]:
    out = io.StringIO()
    spectator = Terminal(Console(file=out, width=width))
    server = FakeGameServer(
        [
            [warmup()],
            [round_start()],
            [answers(["B", "Not Relevant", None])],
            [score()],
        ],
        GAME,
    )
    report = play(
        server, dense_player(course()), name="me", timeout_s=20.0, spectator=spectator
    )
    return out.getvalue().splitlines(), report


def test_each_question_takes_one_line_that_begins_with_its_answer() -> None:
    lines, report = shown_game()
    first, second, third = (
        next(line for line in lines if line.startswith(f"  {number:2}. "))
        for number in (1, 2, 3)
    )
    option = report.plan.questions[0].options[1]
    assert first.startswith(f"   1. B {option[:40]}")
    assert second.startswith("   2. Not Relevant  A ")
    assert third.startswith("   3. no answer  A ")
    assert (
        sum(
            line[:6].strip().rstrip(".").isdigit() and line[4:6] == ". "
            for line in lines
        )
        == 20
    )
    assert max(map(len, lines)) <= 70
    assert any(line.endswith("…") for line in lines)


def test_what_is_asked_is_shown_once_and_names_no_option() -> None:
    lines, report = shown_game(width=500)
    for stem in {stem_of(question) for question in report.plan.questions}:
        assert f"  {stem}" in lines
        assert '"' not in stem
    neighbours = [
        (one, other)
        for one, other in itertools.pairwise(lines)
        if one == other and "…" in one
    ]
    assert neighbours == []


def test_a_series_is_summed_up_with_its_mean() -> None:
    scores = [Score(88.0, 3, {}, {}), Score(44.0, 0, {}, {})]
    assert summary(scores) == "2 games scored, mean private score 66.0, 3 league points"
