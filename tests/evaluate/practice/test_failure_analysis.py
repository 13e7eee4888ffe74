"""A lost practice game says which paragraph it was, where it stood, and which answers misled."""

from __future__ import annotations

import re

from quarry.evaluate.practice.failure_analysis import why_lost
from quarry.player.game.game import GameReport
from quarry.player.game.play import play
from quarry.player.questions.answer import LETTERS, Answer
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import FakeGameServer, course, dense_player
from tests.player.game.test_play import GAME, answers, round_start, score, warmup


def report_with(letters: list[Answer]) -> GameReport:
    server = FakeGameServer([[warmup()], [round_start()], [answers(letters)], [score()]], GAME)
    return play(server, dense_player(course()), name="me", timeout_s=20.0)


def answers_about(row: int) -> list[Answer]:
    """What a respondent of this candidate answers."""
    plan = report_with(["A"] * 20).plan
    return [LETTERS[int(plan.fits[0, number, row].argmax())] for number in range(len(plan.questions))]


def test_a_game_that_was_won_has_nothing_to_say() -> None:
    report = report_with(answers_about(1))
    assert why_lost(report, report.plan.paragraph(report.decision.best)) == []


def test_a_lost_one_names_the_paragraph_its_places_and_the_answers_that_misled() -> None:
    letters = answers_about(1)
    report = report_with(letters)
    truth = report.plan.paragraph(0)
    which, places, misled = why_lost(report, truth)
    assert truth.opening_sentence in which
    assert f"{truth.doc_id} p{truth.page}" in which
    assert re.match(r"place \d+ of \d+ before the answers with belief 0\.\d{3}, place \d+ after", places)
    named = {int(number) for number in re.findall(r"(\d+) \([A-D]\)", misled)}
    about_truth = answers_about(0)
    assert named
    assert named <= {number for number in range(1, 21) if letters[number - 1] != about_truth[number - 1]}


def test_a_paragraph_that_was_no_candidate_was_lost_by_the_search() -> None:
    lines = why_lost(report_with(["A"] * 20), paragraph("elsewhere:1:1"))
    assert "the search lost it" in lines[-1]
