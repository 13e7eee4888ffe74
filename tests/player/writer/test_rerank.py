"""Re-ranking as evidence with an error: worked by hand, and in whole games."""

from __future__ import annotations

import json

import numpy as np
import pytest

from configs.settings import GameSettings
from ingest.editions.piece import Piece
from player.player import Player
from player.protocol.messages import RoundStart
from player.questions.places import places_of
from player.writer import rerank as model
from player.writer.rerank import likelihood_of, rerank
from player.writer.writer import Writer
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import course, dense_player
from tests.player.writer.server import Recorder

START = RoundStart("M1", "b", "what grows where", "nature", "t")


def test_the_likelihood_of_each_reply_sums_over_what_the_writer_may_say() -> None:
    n = 4
    named_first = likelihood_of([2], n)
    assert named_first[2] == pytest.approx(n * model.PLACES[0])
    assert named_first[0] == pytest.approx(model.UNNAMED * n / (n - 1))
    assert named_first[-1] == pytest.approx(1.0 - model.REFUSED)
    nothing = likelihood_of([], n)
    assert nothing.tolist() == [model.MISSED] * n + [model.REFUSED]
    assert sum(model.PLACES) + model.UNNAMED + model.MISSED == pytest.approx(1.0)


def test_the_named_passage_and_the_pieces_that_hold_it_gain() -> None:
    ferns, reeds = "Ferns unroll their fronds slowly.", "Reeds fringe quiet ponds."
    passages = [paragraph("b:1:1", ferns), paragraph("b:2:1", reeds)]
    pieces = [
        Piece("pdfplumber:page", "b", 1, 2, f"{ferns} {reeds}"),
        Piece("pdfplumber:page", "b", 3, 3, "1234 5678"),
    ]
    places = places_of(passages, pieces)
    prior = np.full(len(places), 1.0 / len(places))
    likelihood = likelihood_of([0], 2)
    expected = np.array(
        [likelihood[0], likelihood[1], likelihood[:2].mean(), likelihood[-1]]
    )
    belief = rerank(prior, places, START, lambda _: '{"ids": [1]}')
    np.testing.assert_allclose(belief, expected / expected.sum())


@pytest.mark.parametrize("reply", ["", "no", '{"ids": [99]}'])
def test_an_invalid_reply_changes_nothing(reply: str) -> None:
    places = places_of(course())
    prior = np.full(len(places), 1.0 / len(places))
    np.testing.assert_array_equal(rerank(prior, places, START, lambda _: reply), prior)


def test_thirty_passages_at_most_are_shown_in_the_order_of_the_course() -> None:
    passages = [paragraph(f"b:1:{row}", f"Text {row} here.") for row in range(40)]
    places = places_of(passages)
    prior = np.arange(1.0, 41.0)
    ask = Recorder()
    rerank(prior / prior.sum(), places, START, ask)
    data = json.loads(ask.prompts[0].partition("<data>\n")[2].removesuffix("</data>"))
    texts = [each["text"] for each in data["passages"]]
    assert texts == [f"Text {row} here." for row in range(10, 40)]


class Scripted(Writer):
    """A writer that names the secret passage and words, and justifies nothing."""

    def __init__(self, secret: str) -> None:
        super().__init__(GameSettings())
        self._secret = secret

    def reply(self, prompt: str) -> str:
        """Return the id of the secret passage, or words."""
        if '"ids"' not in prompt:
            return '{"words": ["zebra"]}'
        data = json.loads(prompt.partition("<data>\n")[2].removesuffix("</data>"))
        ids = [each["id"] for each in data["passages"] if each["text"] == self._secret]
        return json.dumps({"ids": ids})


def test_a_game_with_a_writer_believes_its_passage_more_and_takes_its_word() -> None:
    plain, secret = dense_player(course()), course()[7]
    player = Player(
        plain.orchestrator,
        GameSettings(questions_pool=100),
        writer=Scripted(secret.text),
    )
    start = RoundStart("M1", "", "nothing in particular", "animal", "t")

    def odds(player: Player) -> float:
        plan = player.plan(start)
        row = plan.row_of(secret.opening_sentence)
        assert row is not None
        other = plan.row_of(course()[0].opening_sentence)
        return float(plan.prior[row] / plan.prior[other])

    likelihood = likelihood_of([7], 12)
    gain = odds(player) / odds(Player(plain.orchestrator, GameSettings()))
    assert gain == pytest.approx(likelihood[7] / likelihood[0])
    decision = player.decide(player.plan(start), [None] * 20)
    assert decision.guess.associative_word == "zebra"
    assert len(decision.associations) > 10
