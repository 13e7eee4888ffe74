"""The game loop against a game server that says what the test tells it to say, in any order."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest

from player.answer import Answers
from player.deadlines import Runner
from player.errors import (
    GameTimeoutError,
    PlayerError,
    ServerError,
    UnauthorizedError,
    UnavailableError,
)
from player.game.client import GameServer, GameState
from player.game.deadline_player import DeadlinePlayer
from player.game.delivery import Delivery
from player.game.game import (
    STRICT,
    Game,
    Spectator,
    Timeouts,
)
from player.game.journal import Journal
from player.game.loop import Loop
from player.game.messages import read_message
from player.game.record import PlayedGame
from player.player import Contestant
from player.round import Json
from tests.fakes import each
from tests.player.fakes import FakeGameServer, dense_player

GAME = "0101001"
OTHER_GAME = "0101002"
HINT = "grammar token lookahead terminal"
REPLIES = ["Q21WARMUPRESPONSE", "Q21QUESTIONSBATCH", "Q21GUESSSUBMISSION"]


def message(
    message_type: str,
    payload: Json,
    game_id: str,
) -> Json:
    return {
        "message_type": message_type,
        "sender": {"logical_id": "referee-7"},
        "game_id": game_id,
        "payload": {"match_id": "M1", "auth_token": "t", **payload},
    }


def warmup(game_id: str = GAME, **fields: object) -> Json:
    payload = {"warmup_question": "What is 6 * 7?", **fields}
    return message("Q21WARMUPCALL", payload, game_id)


def round_start(game_id: str = GAME, **fields: object) -> Json:
    payload = {"book_name": "first", "book_hint": HINT, "association_word": "color"}
    return message("Q21ROUNDSTART", {**payload, **fields}, game_id)


def answers(game_id: str = GAME, letters: Answers = ("A",) * 20) -> Json:
    return message("Q21ANSWERSBATCH", {"answers": list(letters)}, game_id)


def score(game_id: str = GAME) -> Json:
    payload = {"private_score": 88.0, "league_points": 3}
    return message("Q21SCOREFEEDBACK", payload, game_id)


STAGES = (warmup, round_start, answers, score)
WHOLE = [[stage()] for stage in STAGES]
GONE = ServerError("no answer")
OVER = GameState(GAME, "over", 88.0, 3)


def outcomes_of(
    server: GameServer,
    n_games: int = 1,
    player: Contestant | None = None,
    **options: Any,
) -> list[PlayedGame | PlayerError]:
    player = player or dense_player()
    options = {"name": "me", "timeout_s": 60.0, **options}
    return list(Loop(server, player, **options).play(n_games))


def reports_of(*arguments: Any, **options: Any) -> list[PlayedGame]:
    reports = []
    for outcome in outcomes_of(*arguments, **options):
        assert isinstance(outcome, PlayedGame), outcome
        reports.append(outcome)
    return reports


def report_of(server: GameServer, **options: Any) -> PlayedGame:
    (report,) = reports_of(server, **options)
    return report


def test_a_game_that_is_not_over_in_time_is_given_up() -> None:
    call = warmup(deadline=7_200)
    server = FakeGameServer([[call], [round_start()]])
    says = rf"Game {GAME} timed out.*game\.game_timeout_s"
    with pytest.raises(GameTimeoutError, match=says):
        Loop(server, dense_player(), name="me", timeout_s=0.3).play_one()
    assert server.sent_types() == REPLIES[:2]


@pytest.mark.parametrize(
    ("deadline", "waited_s", "budget_s"),
    [
        (10, 0.0, 5.0),
        (10, 60.0, 0.5),
        (-3, 0.0, 20.0),
        (600, 200.0, 20.0),
        (600, 290.0, 10.0),
    ],
)
def test_a_reply_may_take_half_of_its_deadline_and_20_seconds_after_its_turn(
    deadline: int, waited_s: float, budget_s: float
) -> None:
    call = read_message(warmup(deadline=deadline))
    call = replace(call, arrived=call.arrived - waited_s)
    assert Timeouts().budget_s(call) == pytest.approx(budget_s, abs=0.1)


def game_of(player: Contestant, game_id: str = GAME, **options: Any) -> Game:
    journal = Journal(None)
    return Game(
        game_id=game_id,
        journal_key=journal.add_game(),
        player=DeadlinePlayer(player, game_id, Runner()),
        name="me",
        journal=journal,
        **options,
    )


def test_a_long_retry_after_silences_a_reply_for_half_of_a_phase_at_most() -> None:
    busy = UnavailableError("busy", retry_after_s=3_600.0)
    for deadline in (600, 7_200):
        server = FakeGameServer([], send=[busy])
        game = game_of(dense_player(), timeouts=Timeouts())
        delivery = Delivery(game, server)
        delivery.answer(read_message(warmup(deadline=deadline)), set())
        assert delivery.resend_at - time.monotonic() <= 20.0


def test_a_message_that_comes_many_times_costs_one_reply_a_batch() -> None:
    for at_once in (1, 3):
        batches = [[stage()] * 500 for stage in STAGES]
        again = [answers(), round_start(), *[answers(), round_start()] * 20]
        server = FakeGameServer([*batches[:3], again, *batches[3:]])
        report_of(server, at_once=at_once, timeouts=STRICT)
        sent = server.sent_types()
        assert {*sent} == {*REPLIES}, at_once
        assert len(sent) <= 5, "a thread may take two batches as one"


# faults that a game and a series survive


def test_a_server_that_is_gone_for_too_long_ends_the_game_and_not_the_process() -> None:
    ids = [GAME, OTHER_GAME, "0101003"]
    server = FakeGameServer(WHOLE, ids, inbox=[GONE] * 50)
    assert outcomes_of(server, timeouts=Timeouts(outage_s=0.3)) == [GONE]
    # a game that times out before blames the server
    (error,) = outcomes_of(server, timeout_s=0.3)
    says = "timed out; its inbox could not be read; check the server."
    assert str(error) == f"Game {OTHER_GAME} {says}"
    # without timeouts every fault is raised
    with pytest.raises(ServerError, match="no answer"):
        outcomes_of(server, timeouts=STRICT)


def test_a_server_that_gives_no_game_is_asked_three_times() -> None:
    server = FakeGameServer([], request_game=[GONE] * 9)
    assert outcomes_of(server, 9) == [GONE] * 3


class PlayedAtOnce(FakeGameServer):
    """A server that sends all messages of a game when it is requested."""

    def request_game(self) -> str:
        """The next game_id as given."""
        game_id = super().request_game()
        self._batches = [*self._batches, [stage(game_id) for stage in STAGES]]
        return game_id


def test_a_server_that_was_well_and_is_away_for_a_while_loses_no_game() -> None:
    away: list[ServerError | None] = [UnavailableError("away")] * 3
    ids = [GAME, OTHER_GAME]
    server = PlayedAtOnce([], ids, request_game=[None, *away, None])
    first, last = reports_of(server, 2)
    assert [first.game_id, last.game_id] == ids

    server = PlayedAtOnce([], [GAME], request_game=[None, *away * 9])
    _, *errors = outcomes_of(server, 9, timeouts=Timeouts(outage_s=0.3))
    assert errors == away


def test_many_messages_that_cannot_be_read_are_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    report_of(FakeGameServer([[7] * 1_000, *WHOLE]))  # type: ignore[list-item]
    *_, last = caplog.messages
    assert len(caplog.messages) == 6
    assert last == "995 more messages skipped"


def test_a_second_game_of_the_same_id_is_refused() -> None:
    server = FakeGameServer(WHOLE, [GAME] * 3)
    first, second, report = outcomes_of(server, 3, at_once=3)
    says = f"The server gave the id of the running game {GAME} to another game."
    assert str(first) == str(second) == says
    assert isinstance(report, PlayedGame)


def test_a_spectator_that_fails_disturbs_no_game(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = Mock(Spectator)
    broken.planned.side_effect = BrokenPipeError
    report_of(FakeGameServer(WHOLE), spectator=broken)
    says = f"game {GAME}: the spectator failed: BrokenPipeError: "
    assert caplog.messages == [says]


def test_a_game_id_with_escape_codes_is_printed_in_readable_form(
    caplog: pytest.LogCaptureFixture,
) -> None:
    evil = "\x1b[2Jowned"
    server = FakeGameServer([[warmup(evil)]], [evil], send=[GONE])
    (outcome,) = outcomes_of(server, timeout_s=0.3)
    assert "\\x1b[2Jowned" in str(outcome)
    assert "\x1b" not in str(outcome) + caplog.text


def test_a_server_that_lost_its_messages_is_read_from_the_start_once() -> None:
    class Forgetful(FakeGameServer):
        def inbox(
            self,
            cursor: str,
            wait_s: float,
        ) -> tuple[Sequence[Json], str]:
            if cursor == "57":
                return [], "2"
            return super().inbox(cursor, wait_s)

    journal = Journal(None)
    journal.move_cursor("57")
    server = Forgetful(WHOLE)
    report_of(server, journal=journal)
    assert server.sent_types() == REPLIES
    assert journal.cursor() == "4"


# after a restart


def test_a_game_of_a_killed_process_that_is_named_late_counts_as_one_of_the_games(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "player")
    journal = Journal(None)
    journal.add_game()  # the process was killed before the server named the game
    batches = [[], [warmup()], [warmup(OTHER_GAME)]]
    for stage in STAGES[1:]:
        batches.append([stage(), stage(OTHER_GAME)])
    server = FakeGameServer(batches, [GAME, "0101003"])
    reports = reports_of(server, n_games=2, journal=journal)
    assert {*each(reports, "game_id")} == {GAME, OTHER_GAME}
    (line,) = caplog.messages
    assert re.fullmatch(r"game \d+ of an earlier call goes on; then 0 new games", line)


def test_a_score_that_came_while_nobody_was_there_is_fetched_after_the_restart(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "player")
    journal = Journal(None)
    killed = [None] * 3 + [UnauthorizedError("killed")]
    with pytest.raises(UnauthorizedError):
        outcomes_of(FakeGameServer(WHOLE, inbox=killed), journal=journal)

    journal.move_cursor("4")
    server = FakeGameServer(WHOLE, [])
    server.states[GAME] = OVER
    spectator = Mock(Spectator)
    report = report_of(server, journal=journal, spectator=spectator)

    assert f"game {GAME} of an earlier call goes on; then 0 new games" in caplog.text
    shown = [name for name, *_ in spectator.method_calls]
    assert shown == ["started", "planned", "answered", "scored"]
    assert report.score.private_score == 88.0
    assert report.answers == ("A",) * 20
    assert sum(journal.editions("referee-7").values()) == pytest.approx(1.0)


def test_of_games_that_are_over_together_those_that_nobody_was_shown_are_shown_after_the_restart() -> (
    None
):
    journal = Journal(None)
    ids = [GAME, OTHER_GAME, "0101003"]
    phases = []
    for stage in STAGES:
        phases.append([stage(game_id) for game_id in ids])
    loop = Loop(
        FakeGameServer(phases, ids),
        dense_player(),
        name="me",
        timeout_s=60.0,
        at_once=3,
        journal=journal,
    )
    games = loop.play(3)
    shown = next(games)
    while not all(each(journal.running(), "score")):  # threads are answering
        time.sleep(0.01)
    games.close()
    assert isinstance(shown, PlayedGame)
    ids.remove(shown.game_id)
    assert each(journal.running(), "game_id") == ids

    server = FakeGameServer(phases, [])
    server.states = dict.fromkeys(ids, OVER)
    rest = reports_of(server, 2, journal=journal)
    assert sorted(each(rest, "game_id")) == ids
    assert journal.running() == []
