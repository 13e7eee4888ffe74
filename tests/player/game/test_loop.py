"""The game loop against a game server that says what the test tells it to say, in any order."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from player.deadlines import Turns
from player.errors import (
    GameTimeoutError,
    PlayerError,
    RefusedError,
    ServerError,
    UnauthorizedError,
)
from player.game import loop, outbox
from player.game.fallback import DeadlinePlayer, Planned
from player.game.game import GameReport, Spectator, Timeouts, report_json
from player.game.journal import Journal, Ledger
from player.game.loop import play, play_games
from player.player import Plan
from player.protocol import messages as protocol
from player.protocol.client import GameState
from player.protocol.messages import Json, RoundStart
from player.questions.answer import Answers
from player.questions.question import Question
from tests.player.fakes import FakeGameServer, course, dense_player

GAME = "0101001"
OTHER_GAME = "0101002"
HINT = "grammar token lookahead terminal"


def message(
    message_type: str, payload: object, *, game_id: str = GAME, message_id: str = ""
) -> Json:
    return {
        "protocol": "Q21G.v1",
        "message_type": message_type,
        "message_id": message_id or f"{message_type} of {game_id}",
        "sender": {
            "email": "referee@localhost",
            "role": "referee",
            "logical_id": "referee-7",
        },
        "recipient_id": "me",
        "game_id": game_id,
        "payload": payload,
    }


def warmup(game_id: str = GAME) -> Json:
    question = {
        "match_id": "M1",
        "warmup_question": "What is 6 * 7?",
        "auth_token": "round-token",
    }
    return message("Q21WARMUPCALL", question, game_id=game_id)


def round_start(hint: str = HINT, game_id: str = GAME, message_id: str = "") -> Json:
    payload = {
        "match_id": "M1",
        "book_name": "first",
        "book_hint": hint,
        "association_word": "color",
        "auth_token": "t",
    }
    return message("Q21ROUNDSTART", payload, game_id=game_id, message_id=message_id)


def answers(letters: Answers = ("A",) * 20, game_id: str = GAME) -> Json:
    given = [
        {"question_number": n, "answer": letter}
        for n, letter in enumerate(letters, 1)
        if letter is not None
    ]
    return message(
        "Q21ANSWERSBATCH", {"match_id": "M1", "answers": given}, game_id=game_id
    )


def score(points: float = 88.0, game_id: str = GAME) -> Json:
    return message(
        "Q21SCOREFEEDBACK",
        {"match_id": "M1", "private_score": points, "league_points": 3},
        game_id=game_id,
    )


def played(
    *batches: Sequence[Json], timeout_s: float = 20.0
) -> tuple[GameReport, FakeGameServer]:
    server = FakeGameServer(batches, GAME)
    return play(server, dense_player(course()), name="me", timeout_s=timeout_s), server


REPLIES = ["Q21WARMUPRESPONSE", "Q21QUESTIONSBATCH", "Q21GUESSSUBMISSION"]


def test_a_game_goes_from_warmup_to_score() -> None:
    report, server = played([warmup()], [round_start()], [answers()], [score()])
    assert server.sent_types() == REPLIES
    warm, questions, guess = server.sent
    assert warm["payload"] == {
        "match_id": "M1",
        "auth_token": "round-token",
        "answer": "42",
    }
    assert len(questions["payload"]["questions"]) == 20
    assert [
        question["question_number"] for question in questions["payload"]["questions"]
    ] == list(range(1, 21))
    assert guess["payload"]["opening_sentence"] in {
        item.opening_sentence for item in course()
    }
    assert (report.score.private_score, report.score.league_points) == (88.0, 3)
    assert report.answers == ("A",) * 20
    assert report.elapsed_s > 0.0
    assert {
        (sent["recipient_id"], sent["game_id"], sent["sender"]["logical_id"])
        for sent in server.sent
    } == {("referee-7", GAME, "me")}


def test_a_round_start_that_tells_nothing_is_answered_over_the_whole_course() -> None:
    empty = message("Q21ROUNDSTART", {"book_name": "", "book_hint": None})
    report, server = played([empty], [empty], [answers()], [score()])
    assert server.sent_types() == [
        "Q21QUESTIONSBATCH",
        "Q21QUESTIONSBATCH",
        "Q21GUESSSUBMISSION",
    ]
    assert server.sent[0] == server.sent[1]
    assert len(report.plan.places.paragraphs) == len(course())
    assert report.plan.result.answered_by == "course"


def test_a_game_that_is_not_over_in_time_is_given_up() -> None:
    server = FakeGameServer([[warmup()], [round_start()]], GAME)
    with pytest.raises(
        GameTimeoutError,
        match=rf"Game {GAME} timed out.*game\.game_timeout_s",
    ):
        play(server, dense_player(course()), name="me", timeout_s=0.3)
    assert server.sent_types() == REPLIES[:2]


def test_a_report_as_json_holds_the_questions_answers_guess_and_score() -> None:
    report, server = played([round_start()], [answers()], [score()])
    shown = report_json(report)
    assert shown["game_id"] == GAME
    sent = [
        {key: question[key] for key in ("question_number", "question_text", "options")}
        for question in server.sent[0]["payload"]["questions"]
    ]
    assert shown["questions"] == sent
    assert shown["answers"] == ["A"] * 20
    assert shown["guess"] == {
        key: server.sent[1]["payload"][key]
        for key in (
            "opening_sentence",
            "sentence_justification",
            "associative_word",
            "word_justification",
            "confidence",
        )
    }
    assert (shown["private_score"], shown["league_points"]) == (88.0, 3)
    assert protocol.questions_json(report.plan.questions) == shown["questions"]
    rescued = replace(
        report,
        plan=replace(report.plan, prior=np.empty(0)),
        decision=replace(report.decision, best=-1),
    )
    assert report_json(rescued)["belief_before"] is None


# faults that a game and a series survive


class FaultyServer(FakeGameServer):
    """A game server that raises errors it was given, each once, before it does what it is asked.

    Args:
        faults: by method; None stands for no fault.
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
        self._perhaps("game")
        return self.states.get(game_id) or super().game(game_id)


def series(
    server: FaultyServer, n_games: int = 1, timeout_s: float = 20.0, **options: Any
) -> tuple[list[GameReport | PlayerError], list[str]]:
    told: list[str] = []
    outcomes = play_games(
        server, dense_player(course(), questions_pool=60), n_games, name="me", timeout_s=timeout_s, say=told.append,
        **options,
    )  # fmt: skip
    return list(outcomes), told


WHOLE = [[warmup()], [round_start()], [answers()], [score()]]
GONE = ServerError("no answer")


def test_a_server_that_is_gone_for_too_long_ends_the_game_and_not_the_process() -> None:
    outcomes, _ = series(
        FaultyServer(WHOLE, inbox=[GONE] * 50), timeouts=Timeouts(outage_s=0.3)
    )
    assert outcomes == [GONE]


def test_a_repeated_reply_that_is_refused_as_known_is_delivered() -> None:
    server = FaultyServer(
        [[warmup(), warmup()], *WHOLE[1:]],
        send=[None, RefusedError("409", 409), RefusedError("422", 422)],
    )
    (report,), told = series(server)
    assert isinstance(report, GameReport)
    assert told == [f"game {GAME}: 422"]


def test_a_game_that_fails_ends_no_later_one() -> None:
    played_ids = [GAME, OTHER_GAME]
    whole = [
        [warmup(g), round_start(game_id=g), answers(game_id=g), score(game_id=g)]
        for g in played_ids
    ]
    server = FaultyServer(whole, played_ids, request_game=[None, GONE, None])
    outcomes, _ = series(server, 3)
    assert [getattr(outcome, "game_id", outcome) for outcome in outcomes] == [
        GAME,
        GONE,
        OTHER_GAME,
    ]


def test_a_server_that_gives_no_game_is_asked_three_times() -> None:
    outcomes, _ = series(FaultyServer([], request_game=[GONE] * 9), 9)
    assert outcomes == [GONE] * 3


def test_an_unknown_token_ends_all() -> None:
    with pytest.raises(UnauthorizedError):
        series(FaultyServer(WHOLE, inbox=[UnauthorizedError("401")]), 3)


def test_a_second_game_of_the_same_id_is_refused() -> None:
    whole = [[*batch, *batch] for batch in WHOLE]
    outcomes, _ = series(FaultyServer(whole, [GAME] * 3), 3, at_once=3)
    errors = [str(outcome) for outcome in outcomes if isinstance(outcome, ServerError)]
    assert len(outcomes) == 3
    assert (
        errors
        == [f"The server gave the id of the running game {GAME} to another game."] * 2
    )


def test_a_referee_that_allows_hours_and_says_nothing_ends_at_the_timeout() -> None:
    slow = warmup()
    slow["payload"]["deadline"] = 7_200
    began = time.monotonic()
    outcomes, _ = series(FaultyServer([[slow]]), timeout_s=0.5)
    assert isinstance(outcomes[0], GameTimeoutError)
    assert time.monotonic() - began < 10.0


@pytest.mark.parametrize("points", [1e308, -1e9, float("nan"), 10**400])
def test_a_score_out_of_range_is_refused_and_the_server_is_asked(
    points: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "LEAST_PAUSE_S", 0.05)
    server = FaultyServer([*WHOLE[:3], [score(points)]])
    server.states[GAME] = GameState(GAME, "over", 64.0, 1)
    (report,), told = series(server, timeouts=Timeouts(resend_s=0.1))
    assert isinstance(report, GameReport)
    assert report.score.private_score == 64.0
    assert "private_score is" in told[0]


def test_a_spectator_that_fails_disturbs_no_game() -> None:
    class Broken(Spectator):
        def planned(self, game_id: str, plan: Plan) -> None:
            raise BrokenPipeError

    (report,), told = series(FaultyServer(WHOLE), spectator=Broken())
    assert isinstance(report, GameReport)
    assert told == [f"game {GAME}: the spectator failed: BrokenPipeError: "]


def test_a_game_id_with_escape_codes_is_printed_in_readable_form(
    capsys: pytest.CaptureFixture[str],
) -> None:
    evil = "\x1b[2Jowned"
    server = FaultyServer([[message("Q21WARMUPCALL", {}, game_id=evil)]], [evil])
    player = dense_player(course(), questions_pool=60)
    (outcome,) = play_games(server, player, 1, name="me", timeout_s=0.3)
    assert "\\x1b[2Jowned" in str(outcome)
    assert "\x1b" not in str(outcome) + capsys.readouterr().err


def test_the_guess_is_sent_again_while_no_score_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outbox, "LEAST_PAUSE_S", 0.05)

    class Slow(FaultyServer):
        """The score comes after the third guess."""

        def send(self, envelope: Mapping[str, Any]) -> None:
            super().send(envelope)
            if self.sent_types()[2:] == REPLIES[2:] * 3:
                self._batches.append([score()])

    server = Slow(WHOLE[:3])
    (report,), _ = series(server, timeouts=Timeouts(resend_s=0.1))
    assert isinstance(report, GameReport)
    assert server.sent_types() == [*REPLIES, REPLIES[2], REPLIES[2]]
    assert server.sent[2] == server.sent[3] == server.sent[4]


def test_a_score_that_the_server_knows_and_never_sends_is_fetched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outbox, "LEAST_PAUSE_S", 0.05)
    server = FaultyServer(WHOLE[:3])
    server.states[GAME] = GameState(GAME, "over", 64.0, 1)
    (report,), _ = series(server, timeouts=Timeouts(resend_s=0.1))
    assert isinstance(report, GameReport)
    assert (report.score.private_score, report.score.league_points) == (64.0, 1)


def test_messages_that_name_the_match_alone_are_of_the_game_that_waits_for_one() -> (
    None
):
    bare = [
        {key: value for key, value in item.items() if key != "game_id"}
        for (item,) in WHOLE
    ]
    (report,), _ = series(FaultyServer([[item] for item in bare]))
    assert isinstance(report, GameReport)
    assert report.score.private_score == 88.0


def test_a_server_that_lost_its_messages_is_read_from_the_start_once(
    tmp_path: Path,
) -> None:
    class Forgetful(FaultyServer):
        def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
            return ([], "2") if cursor == "57" else super().inbox(cursor, wait_s)

    with contextlib.closing(Journal(tmp_path / "games.sqlite")) as journal:
        ledger = Ledger(journal, "server", "me")
        ledger.move_cursor("57")
        server = Forgetful(WHOLE)
        (report,), _ = series(server, ledger=ledger)
        assert isinstance(report, GameReport)
        assert server.sent_types() == REPLIES
        assert ledger.cursor() == "4"


def test_a_deadline_of_the_envelope_shortens_the_time_for_the_reply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[float | None] = []
    plan = DeadlinePlayer.plan

    def noted(
        self: DeadlinePlayer,
        start: RoundStart,
        budget_s: float | None,
        questions: Sequence[Question] | None = None,
    ) -> Planned:
        given.append(budget_s)
        return plan(self, start, budget_s, questions)

    monkeypatch.setattr(DeadlinePlayer, "plan", noted)
    for deadline, least, most in ((10, 4.0, 5.0), (600, 19.0, 20.0), (-3, 19.0, 20.0)):
        start = round_start()
        start["payload"]["deadline"] = deadline
        series(FaultyServer([[start], [answers()], [score()]]))
        assert least < (given.pop() or 0.0) <= most


def test_a_reply_that_waits_for_its_turn_loses_none_of_the_time_for_its_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns, budgets = Turns(1), list[float | None]()
    monkeypatch.setattr(loop, "Turns", lambda n: turns)
    warm = DeadlinePlayer.warmup

    def noted(self: DeadlinePlayer, question: str, budget_s: float | None) -> str:
        budgets.append(budget_s)
        return warm(self, question, budget_s)

    monkeypatch.setattr(DeadlinePlayer, "warmup", noted)
    patient = warmup()
    patient["payload"]["deadline"] = 600
    with ThreadPoolExecutor() as pool:
        with turns.turn(0.0):
            server = FaultyServer([[patient], *WHOLE[1:]])
            games = pool.submit(series, server, at_once=2)
            while not turns._waiting:
                time.sleep(0.001)
            time.sleep(0.05)
        (report,), told = games.result(60.0)
    assert isinstance(report, GameReport)
    assert (budgets, told) == ([20.0], [])


def test_without_a_pace_every_fault_passes() -> None:
    with pytest.raises(ServerError, match="no answer"):
        series(FaultyServer(WHOLE, inbox=[GONE]), timeouts=None)


# after a restart


def test_a_restart_goes_on_where_the_game_was_left_with_the_same_bytes(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path / "games.sqlite")
    for stop in range(1, 4):
        phases = [[warmup()], [round_start()], [answers(["B"] * 20)], [score()]]
        ledger = Ledger(journal, "server", f"player {stop}")
        first = FaultyServer(
            phases[:stop], inbox=[None] * stop + [UnauthorizedError("killed")]
        )
        with pytest.raises(UnauthorizedError):
            series(first, ledger=ledger)
        again = FaultyServer(phases, [], request_game=[AssertionError("asked anew")])
        ledger.move_cursor("")
        (report,), _ = series(again, ledger=ledger)
        assert isinstance(report, GameReport)
        assert [
            next(sent for sent in again.sent if sent["message_id"] == one["message_id"])
            for one in first.sent
        ] == (first.sent)
        assert len({sent["message_id"] for sent in again.sent}) == 3
        assert report.answers == ("B",) * 20
        assert ledger.running() == []
    journal.close()


def test_a_score_that_came_while_nobody_was_there_is_fetched_after_the_restart(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path / "games.sqlite")
    ledger = Ledger(journal, "server", "me")
    with pytest.raises(UnauthorizedError):
        series(
            FaultyServer(WHOLE[:3], inbox=[None] * 3 + [UnauthorizedError("killed")]),
            ledger=ledger,
        )
    ledger.move_cursor("4")
    server = FaultyServer(WHOLE, [])
    server.states[GAME] = GameState(GAME, "over", 88.0, 3)
    (report,), _ = series(server, ledger=ledger)
    assert isinstance(report, GameReport)
    assert report.score.private_score == 88.0
    assert sum(ledger.editions("referee-7").values()) == pytest.approx(1.0)
    journal.close()


def test_of_games_that_are_over_together_those_that_nobody_was_shown_are_shown_after_the_restart(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path / "games.sqlite")
    ledger = Ledger(journal, "server", "me")
    ids = ["0101001", "0101002", "0101003"]
    phases = [
        [kind(game_id=game_id) for game_id in ids]
        for kind in (warmup, round_start, answers, score)
    ]
    first = FaultyServer(phases, ids)
    games = play_games(
        first,
        dense_player(course()),
        3,
        name="me",
        timeout_s=60.0,
        at_once=3,
        ledger=ledger,
    )
    shown = next(games)
    assert isinstance(shown, GameReport)
    games.close()
    assert {kept.game_id for kept in ledger.running()} == set(ids) - {shown.game_id}
    server = FaultyServer(phases, [])
    for sent in first.sent:
        if sent["message_type"] == "Q21GUESSSUBMISSION":
            server.states[sent["game_id"]] = GameState(sent["game_id"], "over", 88.0, 3)
    rest, _ = series(server, 2, ledger=ledger)
    assert {game.game_id for game in rest if isinstance(game, GameReport)} == set(
        ids
    ) - {shown.game_id}
    assert ledger.running() == []
    journal.close()
