"""A game on the terminal: one line a question, and the summary of a series."""

import io
import re

from hypothesis import example, given, settings
from hypothesis import strategies as some
from rich.console import Console

from player.game.record import Label, PlayedGame
from player.game.terminal import Terminal, question_stem, summary
from player.round import Score
from quarry.terminal import visible
from tests.player.fakes import FakeGameServer
from tests.player.game.test_loop import WHOLE, answers, report_of


def shown_game(width: int) -> tuple[list[str], PlayedGame]:
    out = io.StringIO()
    terminal = Terminal(Console(file=out, width=width))
    batches = list(WHOLE)
    batches[2] = [answers(letters=["B", "Not Relevant", None])]
    report = report_of(FakeGameServer(batches), spectator=terminal)
    return out.getvalue().splitlines(), report


def test_each_question_is_shown_with_its_answer_and_its_stem_once() -> None:
    lines, report = shown_game(width=500)
    numbered = re.findall(r"(?m)^ +(\d+)\. +(.+?) *$", "\n".join(lines))
    texts = {int(number): text.split(maxsplit=1) for number, text in numbered}
    questions = report.plan.questions
    assert sorted(texts) == [*range(1, 21)]
    assert texts[1] == ["B", questions[0].options[1]]
    assert texts[2] == ["Not", "Relevant"]
    assert texts[3] == ["no", "answer"]
    for stem in set(map(question_stem, questions)):
        assert lines.count(f"  {stem}") == 1
        assert '"' not in stem, "it names no option"


def test_no_line_is_wider_than_the_terminal_and_no_text_is_cut() -> None:
    lines, report = shown_game(width=70)
    assert max(map(len, lines)) <= 70
    shown = " ".join(" ".join(lines).split())
    assert report.decision.guess.opening_sentence in shown


def test_a_score_says_whether_the_game_was_won_and_no_points_that_the_server_did_not_give() -> (
    None
):
    outcomes = {100.0: "WON\n", 89.0: "LOST\n", 88.0: "", 75.0: "", 42.0: "LOST\n"}
    for points, outcome in outcomes.items():  # raw text wins with 88 or 75
        out = io.StringIO()
        terminal = Terminal(Console(file=out, width=80))
        breakdown = {"opening_sentence_score": points}
        terminal.scored("1", Score(80.0, 2, breakdown, {}))
        assert out.getvalue() == (
            f"{outcome}score 80.0 of 100, league points 2\n  opening sentence score: {points}\n"
        )


@settings(max_examples=200)
@example("[bold]a[/]\\[b]\\")
@given(some.text(some.characters(categories=None), max_size=40))
def test_a_foreign_text_is_shown_as_it_is(text: str) -> None:
    out = io.StringIO()
    console = Console(file=out, width=10_000, force_terminal=True)
    label = Label("a:1:1", "Opening.", "", won=False, explanation=(text,))
    Terminal(console).explain(label)
    assert out.getvalue() == f"{visible(text)}\n"


def test_a_series_is_summed_up_with_its_mean() -> None:
    scores = [Score(88.0, 3, {}, {}), Score(44.0, 3, {}, {})]
    says = "2 games scored, mean private score 66.0, 6 league points"
    assert summary(scores) == says
