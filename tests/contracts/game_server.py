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
from tests.player.fakes import course, dense_player

GUESS: Json = {
    "opening_sentence": "No paragraph begins like this.",
    "sentence_justification": "",
    "associative_word": "nothing",
    "word_justification": "",
    "confidence": 0.1,
}


def player_message(message_type: str, game_id: str, payload: Json) -> Json:
    """A fresh message of a player's."""
    return protocol.write_message(
        message_type, payload, sender="tester", recipient="referee", game_id=game_id
    )


def questions() -> Json:
    """The payload of a valid batch."""
    options = {"A": "merge", "B": "bucket", "C": "vertex", "D": "None of these words"}
    text = "Which of these words occurs in the paragraph?"
    return {
        "questions": [
            {"question_number": number, "question_text": text, "options": options}
            for number in range(1, 21)
        ]
    }


def kinds(messages: Sequence[Json]) -> list[str]:
    """The types of messages, in order."""
    return [message["message_type"] for message in messages]


def inbox_of(server: GameServer, game_id: str, n: int) -> list[Json]:
    """The first n messages of a game, once they are there."""
    deadline = time.monotonic() + 20.0
    cursor = ""
    found: list[Json] = []
    while len(found) < n and time.monotonic() < deadline:
        messages, cursor = server.inbox(cursor, 1.0)
        found += [message for message in messages if message["game_id"] == game_id]
    return found[:n]


class GameServerContract:
    """What every GameServer does; a subclass gives the fixtures `server`, and `other`: another player's, same games."""

    @pytest.fixture
    def server(self) -> GameServer:
        raise NotImplementedError

    @pytest.fixture
    def other(self) -> GameServer:
        raise NotImplementedError

    def test_a_new_game_has_seven_digits_and_a_warm_up_call_in_the_inbox(
        self, server: GameServer
    ) -> None:
        game_id = server.request_game()
        assert len(game_id) == 7
        assert game_id.isdecimal()
        messages, _ = server.inbox("", 5.0)
        assert [
            (message["message_type"], message["game_id"]) for message in messages
        ] == [("Q21WARMUPCALL", game_id)]

    def test_every_game_has_an_id_of_its_own(
        self, server: GameServer, other: GameServer
    ) -> None:
        ids = [server.request_game(), other.request_game(), server.request_game()]
        assert len(set(ids)) == 3

    def test_an_empty_inbox_is_no_messages_and_no_error(
        self, server: GameServer
    ) -> None:
        messages, _ = server.inbox("", 0.0)
        assert list(messages) == []

    def test_the_same_cursor_gives_the_same_messages(self, server: GameServer) -> None:
        server.request_game()
        server.request_game()
        first, after = server.inbox("", 5.0)
        again, after_again = server.inbox("", 5.0)
        assert len(first) == 2
        assert (list(again), after_again) == (list(first), after)

    def test_a_cursor_gives_what_came_after_it_alone(self, server: GameServer) -> None:
        server.request_game()
        first, cursor = server.inbox("", 5.0)
        nothing, same = server.inbox(cursor, 0.0)
        assert (list(nothing), same) == ([], cursor)
        game_id = server.request_game()
        second, _ = server.inbox(cursor, 5.0)
        assert [message["game_id"] for message in second] == [game_id]
        everything, _ = server.inbox("", 5.0)
        assert list(everything) == [*first, *second]

    def test_messages_are_answered_in_turn_until_the_score(
        self, server: GameServer
    ) -> None:
        game_id = server.request_game()
        for message_type, payload in (
            ("Q21WARMUPRESPONSE", {"answer": "6"}),
            ("Q21QUESTIONSBATCH", questions()),
            ("Q21GUESSSUBMISSION", GUESS),
        ):
            server.send(player_message(message_type, game_id, payload))
        messages = inbox_of(server, game_id, 4)
        assert kinds(messages) == [
            "Q21WARMUPCALL",
            "Q21ROUNDSTART",
            "Q21ANSWERSBATCH",
            "Q21SCOREFEEDBACK",
        ]
        assert len(messages[2]["payload"]["answers"]) == 20

    def test_the_same_message_id_twice_is_one_message(self, server: GameServer) -> None:
        game_id = server.request_game()
        reply = player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"})
        server.send(reply)
        server.send(reply)
        inbox_of(server, game_id, 2)
        messages, _ = server.inbox("", 0.3)
        assert kinds(messages) == ["Q21WARMUPCALL", "Q21ROUNDSTART"]

    def test_a_repeated_message_under_a_new_id_brings_no_second_reply(
        self, server: GameServer
    ) -> None:
        game_id = server.request_game()
        for _ in range(3):
            server.send(player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}))
        inbox_of(server, game_id, 2)
        messages, _ = server.inbox("", 0.3)
        assert kinds(messages) == ["Q21WARMUPCALL", "Q21ROUNDSTART"]

    def test_a_game_has_no_score_before_the_guess_and_the_same_as_in_the_feedback_afterwards(
        self, server: GameServer
    ) -> None:
        game_id = server.request_game()
        server.send(player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}))
        server.send(player_message("Q21QUESTIONSBATCH", game_id, questions()))
        before = server.game(game_id)
        assert (before.game_id, before.private_score, before.league_points) == (
            game_id,
            None,
            None,
        )
        server.send(player_message("Q21GUESSSUBMISSION", game_id, GUESS))
        feedback = inbox_of(server, game_id, 4)[3]["payload"]
        after = server.game(game_id)
        assert after.state != before.state
        assert (after.private_score, after.league_points) == (
            feedback["private_score"],
            feedback["league_points"],
        )
        assert feedback["league_points"] == 0

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

    @pytest.mark.parametrize("game_id", ["9999999", "nonsense"])
    def test_an_unknown_game_is_refused(self, server: GameServer, game_id: str) -> None:
        with pytest.raises(ServerError, match="game_id must be of a game"):
            server.game(game_id)
        with pytest.raises(ServerError, match="game_id must be of a game"):
            server.send(player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}))

    def test_another_players_game_is_none_of_ours(
        self, server: GameServer, other: GameServer
    ) -> None:
        theirs = other.request_game()
        with pytest.raises(
            ServerError, match="game_id must be of a game of this player"
        ):
            server.game(theirs)
        with pytest.raises(
            ServerError, match="game_id must be of a game of this player"
        ):
            server.send(player_message("Q21WARMUPRESPONSE", theirs, {"answer": "6"}))
        assert kinds(other.inbox("", 0.3)[0]) == ["Q21WARMUPCALL"]
        assert list(server.inbox("", 0.0)[0]) == []

    def test_the_players_game_loop_plays_a_game_to_its_score(
        self, server: GameServer
    ) -> None:
        report = play(
            server,
            dense_player(course(), questions_pool=60),
            name="tester",
            timeout_s=60.0,
        )
        state = server.game(report.game_id)
        assert (state.private_score, state.league_points) == (
            report.score.private_score,
            report.score.league_points,
        )
        assert len(report.plan.questions) == len(report.answers) == 20

    def test_the_game_loop_passes_over_the_messages_of_other_games(
        self, server: GameServer
    ) -> None:
        left = server.request_game()
        report = play(
            server,
            dense_player(course(), questions_pool=60),
            name="tester",
            timeout_s=60.0,
        )
        assert report.game_id != left
        assert server.game(left).private_score is None
