"""The game loop against a game server that says what the test tells it to say, in any order."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from player.deadlines import Pool
from player.errors import (
    GameTimeoutError,
    PlayerError,
    RefusedError,
    ServerError,
    UnauthorizedError,
)
from player.game import game, loop
from player.game.fallback import DeadlinePlayer
from player.game.game import STRICT, GameReport, Spectator, Timeouts, report_json
from player.game.journal import Journal
from player.game.loop import play, play_games
from player.player import Plan
from player.protocol.client import GameState
from player.protocol.messages import Json
from player.questions.answer import Answers
from tests.player.fakes import FakeGameServer, course, dense_player

GAME = "0101001"
OTHER_GAME = "0101002"
HINT = "grammar token lookahead terminal"
REPLIES = ["Q21WARMUPRESPONSE", "Q21QUESTIONSBATCH", "Q21GUESSSUBMISSION"]


def message(message_type: str, payload: object, game_id: str = GAME) -> Json:
    return {
        "protocol": "Q21G.v1",
        "message_type": message_type,
        "message_id": f"{message_type} of {game_id}",
        "sender": {"role": "referee", "logical_id": "referee-7"},
        "recipient_id": "me",
        "game_id": game_id,
        "payload": payload,
    }


def warmup(game_id: str = GAME, **fields: object) -> Json:
    payload = {"match_id": "M1", "warmup_question": "What is 6 * 7?", "auth_token": "t"}
    return message("Q21WARMUPCALL", {**payload, **fields}, game_id)


def round_start(game_id: str = GAME, **fields: object) -> Json:
    payload = {"match_id": "M1", "book_name": "first", "book_hint": HINT}
    payload |= {"association_word": "color", "auth_token": "t"}
    return message("Q21ROUNDSTART", {**payload, **fields}, game_id)


def answers(letters: Answers = ("A",) * 20, game_id: str = GAME) -> Json:
    items = []
    for number, letter in enumerate(letters, 1):
        if letter is not None:
            items.append({"question_number": number, "answer": letter})
    payload = {"match_id": "M1", "answers": items}
    return message("Q21ANSWERSBATCH", payload, game_id)


def score(points: float = 88.0, game_id: str = GAME) -> Json:
    payload = {"match_id": "M1", "private_score": points, "league_points": 3}
    return message("Q21SCOREFEEDBACK", payload, game_id)


WHOLE = [[warmup()], [round_start()], [answers()], [score()]]
GONE = ServerError("no answer")


def played(*batches: Sequence[Json]) -> tuple[GameReport, FakeGameServer]:
    server = FakeGameServer(batches, GAME)
    return play(server, dense_player(course()), name="me", timeout_s=20.0), server


def test_a_game_goes_from_warmup_to_score() -> None:
    report, server = played(*WHOLE)
    assert server.sent_types() == REPLIES
    warm, questions, guess = server.sent
    assert warm["payload"] == {"match_id": "M1", "auth_token": "t", "answer": "42"}
    assert len(questions["payload"]["questions"]) == 20
    sentence = guess["payload"]["opening_sentence"]
    assert sentence in {item.opening_sentence for item in course()}
    for sent in server.sent:
        assert (sent["recipient_id"], sent["game_id"]) == ("referee-7", GAME)
        assert sent["sender"]["logical_id"] == "me"
    assert (report.score.private_score, report.score.league_points) == (88.0, 3)
    assert report.answers == ("A",) * 20
    assert report.elapsed_s > 0.0

    shown = report_json(report)
    batch, parts = questions["payload"]["questions"], guess["payload"]
    for question, item in zip(shown["questions"], batch, strict=True):
        assert question.items() <= item.items()
    assert shown["guess"].items() <= parts.items()
    assert shown["answers"] == ["A"] * 20
    assert (shown["private_score"], shown["league_points"]) == (88.0, 3)


def test_a_round_start_that_tells_nothing_is_answered_over_the_whole_course() -> None:
    empty = message("Q21ROUNDSTART", {"book_name": "", "book_hint": None})
    report, server = played([empty], [empty], [answers()], [score()])
    assert server.sent_types() == [REPLIES[1], REPLIES[1], REPLIES[2]]
    assert server.sent[0] == server.sent[1]
    assert report.plan.result.answered_by == "course"


def test_a_game_that_is_not_over_in_time_is_given_up() -> None:
    server = FakeGameServer([[warmup(deadline=7_200)], [round_start()]], GAME)
    says = rf"Game {GAME} timed out.*game\.game_timeout_s"
    with pytest.raises(GameTimeoutError, match=says):
        play(server, dense_player(course()), name="me", timeout_s=0.3)
    assert server.sent_types() == REPLIES[:2]


# faults that a game and a series survive


class FaultyServer(FakeGameServer):
    """A game server that raises errors it was given, each once, before it does what it is asked.

    Args:
        faults: by method; None stands for no fault.

    Attributes:
        states: of games that are asked for.
    """

    def __init__(
        self,
        batches: Sequence[Sequence[Json]],
        game_ids: Sequence[str] = (GAME,),
        **faults: Any,
    ) -> None:
        super().__init__(batches)
        self._ids = list(game_ids)
        self._faults = {method: list(errors) for method, errors in faults.items()}
        self.states: dict[str, GameState] = {}

    def _perhaps(self, method: str) -> None:
        waiting = self._faults.get(method)
        error = waiting.pop(0) if waiting else None
        if error is not None:
            raise error

    def request_game(self) -> str:
        self._perhaps("request_game")
        return self._ids.pop(0)

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
        self._perhaps("inbox")
        return super().inbox(cursor, wait_s)

    def send(self, envelope: Mapping[str, Any]) -> None:
        self._perhaps("send")
        super().send(envelope)

    def game(self, game_id: str) -> GameState:
        return self.states.get(game_id) or super().game(game_id)


def outcomes_of(
    server: FaultyServer, n_games: int = 1, **options: Any
) -> list[GameReport | PlayerError]:
    player = dense_player(course(), questions_pool=60)
    options = {"name": "me", "timeout_s": 20.0, **options}
    return list(play_games(server, player, n_games, **options))


def report_of(server: FaultyServer, **options: Any) -> GameReport:
    (report,) = outcomes_of(server, **options)
    assert isinstance(report, GameReport), report
    return report


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Timeouts:
    """Timeouts after which replies are sent again at once."""
    monkeypatch.setattr(game, "LEAST_PAUSE_S", 0.05)
    return Timeouts(resend_s=0.1)


def test_a_server_that_is_gone_for_too_long_ends_the_game_and_not_the_process() -> None:
    server = FaultyServer(WHOLE, inbox=[GONE] * 50)
    assert outcomes_of(server, timeouts=Timeouts(outage_s=0.3)) == [GONE]


def test_a_repeated_reply_that_is_refused_as_known_is_delivered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    refusals = [None, RefusedError("409", 409), RefusedError("422", 422)]
    server = FaultyServer([[warmup(), warmup()], *WHOLE[1:]], send=refusals)
    report_of(server)
    assert caplog.messages == [f"game {GAME}: 422"]


def test_a_game_that_fails_ends_no_later_one() -> None:
    ids = [GAME, OTHER_GAME]
    batches = []
    for game_id in ids:
        middle, end = answers(game_id=game_id), score(game_id=game_id)
        batches.append([warmup(game_id), round_start(game_id), middle, end])
    server = FaultyServer(batches, ids, request_game=[None, GONE, None])
    first, error, last = outcomes_of(server, 3)
    assert isinstance(first, GameReport)
    assert isinstance(last, GameReport)
    assert [first.game_id, error, last.game_id] == [GAME, GONE, OTHER_GAME]


def test_a_server_that_gives_no_game_is_asked_three_times() -> None:
    assert outcomes_of(FaultyServer([], request_game=[GONE] * 9), 9) == [GONE] * 3


def test_without_timeouts_every_fault_is_raised() -> None:
    with pytest.raises(ServerError, match="no answer"):
        outcomes_of(FaultyServer(WHOLE, inbox=[GONE]), timeouts=STRICT)


def test_a_second_game_of_the_same_id_is_refused() -> None:
    server = FaultyServer([[*batch, *batch] for batch in WHOLE], [GAME] * 3)
    outcomes = outcomes_of(server, 3, at_once=3)
    errors = [str(outcome) for outcome in outcomes if isinstance(outcome, ServerError)]
    says = f"The server gave the id of the running game {GAME} to another game."
    assert (len(outcomes), errors) == (3, [says, says])


@pytest.mark.parametrize("points", [1e308, -1e9, float("nan"), 10**400])
def test_a_score_out_of_range_is_refused_and_the_server_is_asked(
    points: float, hasty: Timeouts, caplog: pytest.LogCaptureFixture
) -> None:
    server = FaultyServer([*WHOLE[:3], [score(points)]])
    server.states[GAME] = GameState(GAME, "over", 64.0, 1)
    report = report_of(server, timeouts=hasty)
    assert (report.score.private_score, report.score.league_points) == (64.0, 1)
    assert "private_score is" in caplog.messages[0]


def test_a_spectator_that_fails_disturbs_no_game(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken(Spectator):
        def planned(self, game_id: str, plan: Plan) -> None:
            raise BrokenPipeError

    report_of(FaultyServer(WHOLE), spectator=Broken())
    says = f"game {GAME}: the spectator failed: BrokenPipeError: "
    assert caplog.messages == [says]


def test_a_game_id_with_escape_codes_is_printed_in_readable_form(
    caplog: pytest.LogCaptureFixture,
) -> None:
    evil = "\x1b[2Jowned"
    server = FaultyServer([[message("Q21WARMUPCALL", {}, evil)]], [evil], send=[GONE])
    (outcome,) = outcomes_of(server, timeout_s=0.3)
    assert "\\x1b[2Jowned" in str(outcome)
    assert "\x1b" not in str(outcome) + caplog.text


def test_the_guess_is_sent_again_while_no_score_comes(hasty: Timeouts) -> None:
    class Slow(FaultyServer):
        """The score comes after the third guess."""

        def send(self, envelope: Mapping[str, Any]) -> None:
            super().send(envelope)
            if self.sent_types()[2:] == REPLIES[2:] * 3:
                self._batches.append([score()])

    server = Slow(WHOLE[:3])
    report_of(server, timeouts=hasty)
    assert server.sent_types() == [*REPLIES, REPLIES[2], REPLIES[2]]
    assert server.sent[2] == server.sent[3] == server.sent[4]


def test_a_server_that_lost_its_messages_is_read_from_the_start_once() -> None:
    class Forgetful(FaultyServer):
        def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
            return ([], "2") if cursor == "57" else super().inbox(cursor, wait_s)

    journal = Journal(None)
    journal.move_cursor("57")
    server = Forgetful(WHOLE)
    report_of(server, journal=journal)
    assert server.sent_types() == REPLIES
    assert journal.cursor() == "4"


@pytest.fixture
def budgets(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The times that warm-ups got."""
    budgets: list[float] = []
    warm = DeadlinePlayer.warmup

    def warmup(self: DeadlinePlayer, question: str, budget_s: float) -> str:
        budgets.append(budget_s)
        return warm(self, question, budget_s)

    monkeypatch.setattr(DeadlinePlayer, "warmup", warmup)
    return budgets


def test_a_deadline_of_the_message_shortens_the_time_for_the_reply(
    budgets: list[float],
) -> None:
    for deadline, most in ((10, 5.0), (600, 20.0), (-3, 20.0)):
        report_of(FaultyServer([[warmup(deadline=deadline)], *WHOLE[1:]]))
        assert most - 1.0 < budgets.pop() <= most


def test_a_reply_that_waits_for_its_turn_loses_none_of_the_time_for_its_work(
    budgets: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = Pool(1)
    monkeypatch.setattr(loop, "Pool", lambda most=9: pool if most < 9 else Pool())
    pool.start(lambda: time.sleep(0.3))
    patient = [[warmup(deadline=600)], *WHOLE[1:]]
    with ThreadPoolExecutor() as threads:
        game = threads.submit(report_of, FaultyServer(patient), at_once=2)
        assert game.result(60.0).score.private_score == 88.0
    assert budgets == [20.0]


# after a restart


def test_a_restart_goes_on_where_the_game_was_left_with_the_same_bytes() -> None:
    phases = [[warmup()], [round_start()], [answers(["B"] * 20)], [score()]]
    for stop in range(1, 4):
        journal = Journal(None)
        killed = [None] * stop + [UnauthorizedError("killed")]
        first = FaultyServer(phases[:stop], inbox=killed)
        with pytest.raises(UnauthorizedError):
            outcomes_of(first, journal=journal)

        journal.move_cursor("")
        again = FaultyServer(phases, [], request_game=[AssertionError("asked anew")])
        report = report_of(again, journal=journal)
        by_id = {sent["message_id"]: sent for sent in again.sent}
        assert len(by_id) == 3
        for sent in first.sent:
            assert by_id[sent["message_id"]] == sent
        assert report.answers == ("B",) * 20
        assert journal.running() == []


def test_a_score_that_came_while_nobody_was_there_is_fetched_after_the_restart() -> (
    None
):
    journal = Journal(None)
    killed = [None] * 3 + [UnauthorizedError("killed")]
    with pytest.raises(UnauthorizedError):
        outcomes_of(FaultyServer(WHOLE[:3], inbox=killed), journal=journal)
    journal.move_cursor("4")
    server = FaultyServer(WHOLE, [])
    server.states[GAME] = GameState(GAME, "over", 88.0, 3)
    assert report_of(server, journal=journal).score.private_score == 88.0
    assert sum(journal.editions("referee-7").values()) == pytest.approx(1.0)


def test_of_games_that_are_over_together_those_that_nobody_was_shown_are_shown_after_the_restart() -> (
    None
):
    journal, ids = Journal(None), ["0101001", "0101002", "0101003"]
    phases = []
    for kind in (warmup, round_start, answers, score):
        phases.append([kind(game_id=game_id) for game_id in ids])
    options: dict[str, Any] = {"name": "me", "timeout_s": 60.0, "journal": journal}
    server, player = FaultyServer(phases, ids), dense_player(course())
    games = play_games(server, player, 3, at_once=3, **options)
    shown = next(games)
    assert isinstance(shown, GameReport)
    games.close()
    remaining = set(ids) - {shown.game_id}
    assert {game.game_id for game in journal.running()} == remaining

    server = FaultyServer(phases, [])
    for game_id in ids:
        server.states[game_id] = GameState(game_id, "over", 88.0, 3)
    rest = outcomes_of(server, 2, journal=journal)
    assert {game.game_id for game in rest if isinstance(game, GameReport)} == remaining
    assert journal.running() == []
