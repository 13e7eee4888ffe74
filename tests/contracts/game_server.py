"""The suite that every GameServer passes."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from player.errors import ServerError
from player.game.loop import play
from player.protocol import messages as protocol
from player.protocol.client import GameServer
from player.protocol.messages import Json
from tests.evaluate.fakes import batch
from tests.fakes import each
from tests.player.fakes import course, dense_player

GUESS: Json = {
    "opening_sentence": "No paragraph begins like this.",
    "sentence_justification": "",
    "associative_word": "nothing",
    "word_justification": "",
    "confidence": 0.1,
}
QUESTIONS: Json = {"questions": batch()}
"""The payload of a valid batch."""


def player_message(message_type: str, game_id: str, payload: Json) -> Json:
    """A fresh message of a player's."""
    return protocol.write_message(
        message_type, payload, sender="tester", recipient="referee", game_id=game_id
    )


def kinds(messages: Sequence[Json]) -> list[str]:
    """The types of messages, in order."""
    return each(messages, "message_type")


def inbox_of(server: GameServer, game_id: str, n: int) -> list[Json]:
    """The first n messages of a game, once they are there."""
    deadline = time.monotonic() + 20.0
    cursor = ""
    inbox: list[Json] = []
    while len(inbox) < n and time.monotonic() < deadline:
        messages, cursor = server.inbox(cursor, 1.0)
        inbox += [message for message in messages if message["game_id"] == game_id]
    return inbox[:n]


class GameServerContract:
    """What every GameServer does; a subclass gives the fixtures `server`, and `other`: another player's, same games."""

    @pytest.fixture
    def server(self) -> GameServer:
        raise NotImplementedError

    @pytest.fixture
    def other(self) -> GameServer:
        raise NotImplementedError

    def test_a_new_game_has_seven_digits_and_a_warm_up_call_in_the_inbox(
        self, server: GameServer, other: GameServer
    ) -> None:
        game_id = server.request_game()
        assert len(game_id) == 7
        assert game_id.isdecimal()
        (message,), _ = server.inbox("", 5.0)
        assert (message["message_type"], message["game_id"]) == (
            "Q21WARMUPCALL",
            game_id,
        )
        assert len({game_id, other.request_game(), server.request_game()}) == 3

    def test_a_cursor_gives_what_came_after_it_alone_and_always_the_same(
        self, server: GameServer
    ) -> None:
        server.request_game()
        first, cursor = server.inbox("", 5.0)
        again, same = server.inbox("", 5.0)
        assert (list(again), same) == (list(first), cursor)
        nothing, same = server.inbox(cursor, 0.0)
        assert (list(nothing), same) == ([], cursor)
        game_id = server.request_game()
        (second,), _ = server.inbox(cursor, 5.0)
        assert second["game_id"] == game_id
        everything, _ = server.inbox("", 5.0)
        assert list(everything) == [*first, second]

    @pytest.mark.parametrize("is_new_id", [False, True])
    def test_a_repeated_message_brings_no_second_reply(
        self, server: GameServer, is_new_id: bool
    ) -> None:
        game_id = server.request_game()
        reply = player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"})
        for number in range(3):
            message_id = f"{number}" if is_new_id else reply["message_id"]
            server.send({**reply, "message_id": message_id})
        inbox_of(server, game_id, 2)
        messages, _ = server.inbox("", 0.3)
        assert kinds(messages) == ["Q21WARMUPCALL", "Q21ROUNDSTART"]

    def test_messages_are_answered_in_turn_until_the_score_which_the_game_then_has(
        self, server: GameServer
    ) -> None:
        game_id = server.request_game()
        server.send(player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}))
        server.send(player_message("Q21QUESTIONSBATCH", game_id, QUESTIONS))
        before = server.game(game_id)
        assert before.game_id == game_id
        assert before.private_score is before.league_points is None

        server.send(player_message("Q21GUESSSUBMISSION", game_id, GUESS))
        messages = inbox_of(server, game_id, 4)
        assert kinds(messages) == [
            "Q21WARMUPCALL",
            "Q21ROUNDSTART",
            "Q21ANSWERSBATCH",
            "Q21SCOREFEEDBACK",
        ]
        assert len(messages[2]["payload"]["answers"]) == 20
        feedback, after = messages[3]["payload"], server.game(game_id)
        assert after.state != before.state
        assert after.private_score == feedback["private_score"]
        assert after.league_points == feedback["league_points"] == 0

    def test_a_message_that_is_not_awaited_is_refused_and_the_game_goes_on(
        self, server: GameServer
    ) -> None:
        game_id = server.request_game()
        with pytest.raises(ServerError, match="Q21WARMUPRESPONSE must come first"):
            server.send(player_message("Q21GUESSSUBMISSION", game_id, GUESS))
        server.send(player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}))
        assert kinds(inbox_of(server, game_id, 2)) == ["Q21WARMUPCALL", "Q21ROUNDSTART"]

    def test_a_message_without_an_id_is_refused(self, server: GameServer) -> None:
        reply = player_message(
            "Q21WARMUPRESPONSE", server.request_game(), {"answer": "6"}
        )
        with pytest.raises(
            ServerError, match="message_id must be a string that is not empty"
        ):
            server.send({**reply, "message_id": ""})

    @pytest.mark.parametrize("game_id", ["9999999", "nonsense", ""])
    def test_an_unknown_game_and_another_players_are_refused(
        self, server: GameServer, other: GameServer, game_id: str
    ) -> None:
        theirs = other.request_game()
        game_id = game_id or theirs
        with pytest.raises(ServerError, match="game_id must be of a game of this"):
            server.game(game_id)
        with pytest.raises(ServerError, match="game_id must be of a game of this"):
            server.send(player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}))
        assert kinds(other.inbox("", 0.3)[0]) == ["Q21WARMUPCALL"]
        assert list(server.inbox("", 0.0)[0]) == []

    def test_the_game_loop_plays_a_game_to_its_score_and_passes_over_other_games(
        self, server: GameServer
    ) -> None:
        other_id = server.request_game()
        player = dense_player(course(), questions_pool=60)
        report = play(server, player, name="tester", timeout_s=60.0)
        state = server.game(report.game_id)
        assert state.private_score == report.score.private_score
        assert state.league_points == report.score.league_points
        assert len(report.plan.questions) == len(report.answers) == 20
        assert report.game_id != other_id
        assert server.game(other_id).private_score is None
