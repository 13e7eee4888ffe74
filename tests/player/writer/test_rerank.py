"""Re-ranking as evidence with an error: worked by hand, and in whole games."""

import json
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

from configs.settings import GameSettings
from player.belief.places import find_places
from player.player import Player
from player.round import RoundStart
from player.writer import rerank as model
from player.writer.rerank import reply_likelihood, rerank
from player.writer.writer import Writer
from quarry.course.piece import Piece
from tests.contracts.paragraphs import paragraph
from tests.fakes import each
from tests.player.fakes import course, dense_player

START = RoundStart("M1", "b", "what grows where", "nature", "t")


def test_the_likelihood_of_each_reply_sums_over_what_the_writer_may_say() -> None:
    others = model.NAMES_OTHERS * 4 / 3
    first = model.RANK_SHARES[0] * 4
    elsewhere = 1.0 - model.REFUSED
    expected = [others, others, first, others, elsewhere]
    assert reply_likelihood([2], 4) == pytest.approx(expected)
    nothing = [model.NAMES_NONE, model.NAMES_NONE, model.REFUSED]
    assert reply_likelihood([], 2) == pytest.approx(nothing)
    total = sum(model.RANK_SHARES) + model.NAMES_OTHERS + model.NAMES_NONE
    assert total == pytest.approx(1.0)


FERNS, REEDS = "Ferns unroll their fronds slowly.", "Reeds fringe quiet ponds."
PAGES = [
    Piece("pdfplumber:page", "b", 1, 1, f"{FERNS} {REEDS}"),
    Piece("pdfplumber:page", "b", 3, 3, "1234 5678"),
]
PIECES = [Piece("pymupdf:page:2000", "b", 1, 1, f"{FERNS} {REEDS}")]


def test_the_named_paragraph_and_the_pieces_that_hold_it_gain() -> None:
    paragraphs = [paragraph("b:1:1", FERNS), paragraph("b:1:2", REEDS)]
    first, second, elsewhere = reply_likelihood([0], 2)
    both = (first + second) / 2

    for pieces, held in (
        # one place a page, of which the second holds neither paragraph
        (PAGES, [both, elsewhere]),
        # a place for each sentence that may open a piece
        (PIECES, [both, both]),
    ):
        places = find_places(paragraphs, pieces)
        belief = rerank(np.full(4, 0.25), places, START, lambda _: '{"ids": [1]}')
        expected = [first, second, *held]
        np.testing.assert_allclose(belief, expected / np.sum(expected))


def test_thirty_paragraphs_at_most_are_shown_in_the_order_of_the_course() -> None:
    paragraphs = [paragraph(f"b:1:{row}", f"Text {row} here.") for row in range(40)]
    prior = np.arange(1.0, 41.0)
    refuse = Mock(return_value="no")
    assert rerank(prior, find_places(paragraphs), START, refuse) is prior
    (prompt,) = refuse.call_args.args
    _, _, data = prompt.partition("<data>\n")
    shown = json.loads(data.removesuffix("</data>"))["passages"]
    assert each(shown, "text") == each(paragraphs[10:], "text")


class Scripted(Writer):
    """A writer that names the eighth paragraph and a word, and justifies nothing."""

    def reply(self, prompt: str) -> str:
        """Return an id, or words."""
        return '{"ids": [8]}' if '"ids"' in prompt else '{"words": ["zebra"]}'


def test_a_game_with_a_writer_believes_its_paragraph_more_and_takes_its_word() -> None:
    orchestrator = dense_player().orchestrator
    settings = GameSettings()
    start = replace(START, book_name="", association_domain="animal")
    other, *_, named = course()[:8]
    odds = []
    for writer in (None, Scripted(settings)):
        player = Player(orchestrator, settings, writer=writer)
        plan = player.plan(start)
        row = plan.find_candidate(named.opening_sentence)
        other_row = plan.find_candidate(other.opening_sentence)
        odds.append(plan.prior[row] / plan.prior[other_row])

    likelihood = reply_likelihood([7], 12)
    gain = likelihood[7] / likelihood[0]
    without, with_writer = odds
    assert with_writer / without == pytest.approx(gain)
    decision = player.decide(plan, [None] * 20)
    assert decision.guess.associative_word == "zebra"
    assert len(decision.associations) > 10


def test_a_rehearsal_asks_no_writer(caplog: pytest.LogCaptureFixture) -> None:
    writer = Mock()
    player = Player(dense_player().orchestrator, GameSettings(), writer=writer)
    player.preload()
    assert not caplog.messages
    writer.reply.assert_not_called()
