"""The suite that every GameServer passes."""

import time
from collections.abc import Sequence
from typing import Any

import pytest

from player.errors import ServerError
from player.game import messages
from player.game.client import GameServer
from player.round import Json
from tests.evaluate.fakes import batch
from tests.fakes import each

GUESS: Json = {
    "opening_sentence": "No paragraph begins like this.",
    "sentence_justification": "",
    "associative_word": "nothing",
    "word_justification": "",
    "confidence": 0.1,
}


def reply_to(
    game_id: str,
    message_type: str = messages.WARMUP_RESPONSE,
    **payload: Any,
) -> Json:
    """Return a fresh message of a player: the answer to a warm-up call, unless another type is given."""
    return messages.write_message(
        message_type,
        payload or {"answer": "6"},
        sender="tester",
        recipient="referee",
        game_id=game_id,
    )


def kinds(envelopes: Sequence[Json]) -> list[str]:
    """Return the types of messages, in order."""
    return each(envelopes, "message_type")


def inbox_of(
    server: GameServer,
    game_id: str,
    n: int,
) -> list[Json]:
    """Return the first n messages of a game, once they are there."""
    deadline = time.monotonic() + 20.0
    cursor = ""
    inbox: list[Json] = []
    while len(inbox) < n and time.monotonic() < deadline:
        envelopes, cursor = server.inbox(cursor, 1.0)
        inbox += [message for message in envelopes if message["game_id"] == game_id]
    return inbox[:n]


class GameServerContract:
    """Suite that every GameServer passes; a subclass gives the fixtures `server` and `other`, players of one server."""

    def test_a_new_game_has_seven_digits_and_a_warm_up_call_in_the_inbox(
        self,
        server: GameServer,
        other: GameServer,
    ) -> None:
        game_id = server.request_game()
        assert len(game_id) == 7
        assert game_id.isdecimal()
        (message,), _ = server.inbox("", 5.0)
        assert message["message_type"] == messages.WARMUP_CALL
        assert message["game_id"] == game_id
        assert len({game_id, other.request_game(), server.request_game()}) == 3

    def test_a_cursor_gives_what_came_after_it_alone_and_always_the_same(
        self, server: GameServer
    ) -> None:
        server.request_game()
        (first,), cursor = server.inbox("", 5.0)
        for after, envelopes in (("", [first]), (cursor, [])):
            again, same = server.inbox(after, 0.0)
            assert list(again) == envelopes
            assert same == cursor
        game_id = server.request_game()
        (second,), _ = server.inbox(cursor, 5.0)
        assert second["game_id"] == game_id
        everything, _ = server.inbox("", 5.0)
        assert list(everything) == [first, second]

    def test_a_repeated_message_brings_no_second_reply(
        self, server: GameServer
    ) -> None:
        game_id = server.request_game()
        reply = reply_to(game_id)
        for changes in ({}, {}, {"message_id": "1"}, {"message_id": "2"}):
            server.send({**reply, **changes})
        inbox_of(server, game_id, 2)
        envelopes, _ = server.inbox("", 0.3)
        assert kinds(envelopes) == [messages.WARMUP_CALL, messages.ROUND_START]

    def test_messages_are_answered_in_turn_until_the_score_which_the_game_then_has(
        self, server: GameServer
    ) -> None:
        game_id = server.request_game()
        server.send(reply_to(game_id))
        server.send(reply_to(game_id, messages.QUESTIONS_BATCH, questions=batch()))
        before = server.game(game_id)
        assert before.game_id == game_id
        assert before.private_score is before.league_points is None

        server.send(reply_to(game_id, messages.GUESS_SUBMISSION, **GUESS))
        envelopes = inbox_of(server, game_id, 4)
        assert kinds(envelopes) == [
            "Q21WARMUPCALL",
            "Q21ROUNDSTART",
            "Q21ANSWERSBATCH",
            "Q21SCOREFEEDBACK",
        ]
        assert len(envelopes[2]["payload"]["answers"]) == 20
        feedback = envelopes[3]["payload"]
        after = server.game(game_id)
        assert after.state != before.state
        assert after.private_score == feedback["private_score"]
        assert after.league_points == feedback["league_points"] == 0

    def test_a_message_that_is_not_awaited_is_refused_and_the_game_goes_on(
        self, server: GameServer
    ) -> None:
        game_id = server.request_game()
        with pytest.raises(ServerError, match="waits for Q21WARMUPRESPONSE"):
            server.send(reply_to(game_id, messages.GUESS_SUBMISSION, **GUESS))
        server.send(reply_to(game_id))
        envelopes = inbox_of(server, game_id, 2)
        assert kinds(envelopes) == [messages.WARMUP_CALL, messages.ROUND_START]

    def test_a_message_without_an_id_is_refused(self, server: GameServer) -> None:
        reply = reply_to(server.request_game())
        says = "it must be a string that is not empty"
        with pytest.raises(ServerError, match=says):
            server.send({**reply, "message_id": ""})

    def test_an_unknown_game_and_another_players_are_refused(
        self,
        server: GameServer,
        other: GameServer,
    ) -> None:
        for game_id in (other.request_game(), "9999999", "nonsense"):
            with pytest.raises(ServerError, match="is no game of this player"):
                server.game(game_id)
            with pytest.raises(ServerError, match="is no game of this player"):
                server.send(reply_to(game_id))
        assert kinds(other.inbox("", 0.3)[0]) == [messages.WARMUP_CALL]
        assert list(server.inbox("", 0.0)[0]) == []
