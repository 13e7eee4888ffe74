"""A season: registration, assignments, rounds, standings, forfeits, and its record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quarry.evaluate.errors import GamesError
from quarry.evaluate.league.built_in import DeskGameServer, seat
from quarry.evaluate.league.league import League
from quarry.evaluate.league.record import Record, RecordError
from quarry.evaluate.practice.match import RefusedMessageError
from quarry.player.errors import RefusedError
from quarry.player.game.journal import Journal, Ledger
from quarry.player.game.play import GameReport, play_games
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.payloads import Json
from quarry.player.season import Season
from tests.evaluate.league.fakes import make_league
from tests.player.fakes import course, dense_player


def message(kind: str, payload: Json | None = None, game_id: str = "") -> Json:
    return protocol.write_message(kind, payload or {}, sender="p", recipient="l", game_id=game_id)


def enter(league: League, *names: str) -> list[str]:
    """Tokens of players who register for the season."""
    tokens = [league.register(name)[1] for name in names]
    for token in tokens:
        league.receive(token, message("SEASON_REGISTRATION_REQUEST"))
    return tokens


def told(league: League, token: str) -> list[str]:
    return [envelope["message_type"] for envelope in league.messages(token, 0)[0]]


def test_a_season_begins_when_all_have_registered() -> None:
    league = make_league(2)
    (one,) = enter(league, "one")
    assert told(league, one) == ["BROADCAST_START_SEASON", "SEASON_REGISTRATION_RESPONSE"]
    assert league.state == "registration"
    (two,) = enter(league, "two")
    for token in (one, two):
        assert told(league, token)[2:] == ["BROADCAST_ASSIGNMENT_TABLE", "BROADCAST_NEW_LEAGUE_ROUND", "Q21WARMUPCALL"]
    calls = [league.messages(token, 4)[0][0] for token in (one, two)]
    assert calls[0]["game_id"] == calls[1]["game_id"] == "0101001"


def test_who_comes_late_is_rejected_and_who_asks_twice_accepted_again() -> None:
    league = make_league(2)
    one, _ = enter(league, "one", "two")
    league.receive(one, message("SEASON_REGISTRATION_REQUEST"))
    assert league.messages(one, 5)[0][0]["payload"]["status"] == "ACCEPTED"
    (late,) = enter(league, "late")
    assert told(league, late) == ["SEASON_REGISTRATION_RESPONSE"]
    assert league.messages(late, 0)[0][0]["payload"]["status"] == "REJECTED"
    assert list(league.names.values()) == ["one", "two"]


def test_names_are_shown_harmless_and_never_twice() -> None:
    league = make_league(3)
    enter(league, "bot", "bot", "\x1b[2J<b>bot")
    assert list(league.names.values()) == ["bot", "bot-2", "\\x1b[2J<b>bot"]


def test_games_are_not_given_out_on_demand_and_others_games_are_none_of_ours() -> None:
    league = make_league(2)
    tokens = enter(league, "one", "two")
    (stranger,) = enter(league, "three")
    with pytest.raises(RefusedMessageError, match="come unasked"):
        league.start_game(tokens[0])
    with pytest.raises(RefusedMessageError, match="given to this player"):
        league.receive(stranger, message("Q21WARMUPRESPONSE", {"answer": "6"}, "0101001"))
    assert league.match(stranger, "0101001") is None


def test_a_silent_player_forfeits_and_the_season_goes_on() -> None:
    league = make_league(2, phase_s=0.001)
    one, two = enter(league, "one", "two")
    while league.state != "over":
        league.tick()
    for token in (one, two):
        assert told(league, token)[-3:] == ["Q21SCOREFEEDBACK", "BROADCAST_END_LEAGUE_ROUND", "LEAGUE_COMPLETED"]
    assert [(standing.points, standing.mean_score) for standing in league.standings()] == [(0, 0.0)] * 2


def test_nothing_of_a_game_is_shown_before_it_is_over_for_both() -> None:
    league = make_league(2)
    one, two = enter(league, "one", "two")
    server = DeskGameServer(league, one)
    games = play_games(
        server, dense_player(course(), questions_pool=60), 1, name="one", timeout_s=60.0, season=Season("one")
    )
    assert isinstance(next(games), GameReport)
    moves = league.moves("0101001")
    assert moves is not None
    assert [player["state"] for player in moves["players"]] == ["over", "warmup"]
    shown = json.dumps([moves, league.shown()])
    match = league.match(two, "0101001")
    assert match is not None
    assert moves["players"][0]["private_score"] is None
    for text in ("hint", "questions", "answers", "opening_sentence"):
        assert text not in shown
    games.close()


def test_a_built_in_season_is_played_to_its_end_and_every_move_is_shown() -> None:
    league = make_league(5)
    said: list[str] = []
    threads = seat(league, ["default"] * 5, {"default": dense_player(course(), questions_pool=60)}, said.append)
    for thread in threads:
        thread.join(100.0)
    assert league.state == "over"
    shown = league.shown()
    assert [len(part["games"]) for part in shown["rounds"]] == [3] * 5, "an odd one plays alone each round"
    assert [standing["played"] for standing in shown["standings"]] == [5] * 5
    moves = league.moves("0103002")
    assert moves is not None
    assert all(len(play["questions"]) == len(play["answers"]) == 20 for play in moves["players"])
    assert moves["told"]["hint"]
    assert said == []


def test_a_player_of_the_season_knows_its_end_and_plays_what_is_left_after_a_restart(tmp_path: Path) -> None:
    league = make_league(2)
    _, token = league.register("one")
    league.register("two", "2" * 20)
    league.receive("2" * 20, message("SEASON_REGISTRATION_REQUEST"))
    journal = Journal(tmp_path / "games.sqlite")
    ledger = Ledger(journal, "league", "one")
    player = dense_player(course(), questions_pool=60)
    season, server = Season("one"), DeskGameServer(league, token)
    games = play_games(server, player, 5, name="one", timeout_s=60.0, season=season, ledger=ledger)
    assert isinstance(next(games), GameReport)
    games.close()
    league._phase_s = 0.001
    for row in league._games.values():
        row.due = dict.fromkeys(row.due, 0.0)
    league.tick()
    assert league.state == "over"
    again = play_games(server, player, 5, name="one", timeout_s=60.0, season=Season("one"), ledger=ledger)
    assert list(again) == [], "nothing is played twice, and LEAGUE_COMPLETED ends it"
    journal.close()


class TestRecord:
    def test_a_restart_finds_everything_as_it_was(self, tmp_path: Path) -> None:
        path = tmp_path / "league.sqlite"
        league = make_league(2, path)
        one, two = enter(league, "one", "two")
        answer = message("Q21WARMUPRESPONSE", {"answer": "6"}, "0101001")
        league.receive(one, answer)
        before = [league.messages(token, 0)[0] for token in (one, two)], league.shown()
        league.close()
        again = make_league(2, path)
        assert ([again.messages(token, 0)[0] for token in (one, two)], again.shown()) == before
        again.receive(one, answer)
        assert told(again, one)[-1] == "Q21ROUNDSTART", "a message that was taken is not taken again"
        again.receive(two, message("Q21WARMUPRESPONSE", {"answer": "6"}, "0101001"))
        starts = [again.messages(token, 0)[0][-1]["payload"] for token in (one, two)]
        assert starts[0]["book_hint"] == starts[1]["book_hint"]
        again.close()

    def test_tokens_are_not_in_it_and_only_its_owner_may_read_it(self, tmp_path: Path) -> None:
        path = tmp_path / "league.sqlite"
        league = make_league(2, path)
        (token,) = enter(league, "one")
        held = b"".join(found.read_bytes() for found in tmp_path.iterdir())
        assert token.encode() not in held
        assert path.stat().st_mode & 0o077 == 0
        league.close()

    def test_a_change_that_fails_leaves_everything_as_it_was(self, tmp_path: Path) -> None:
        league = make_league(2, tmp_path / "league.sqlite")
        (one,) = enter(league, "one")
        _, two = league.register("two")
        before = league.messages(one, 0)

        def fail(number: int) -> None:
            raise RuntimeError("a bug")

        setter, league._setter = league._setter, type("Bad", (), {"set": staticmethod(fail)})()
        with pytest.raises(RuntimeError):
            league.receive(two, message("SEASON_REGISTRATION_REQUEST"))
        assert league.messages(one, 0) == before
        assert league.shown()["state"] == "registration"
        league._setter = setter
        league.receive(two, message("SEASON_REGISTRATION_REQUEST"))
        assert league.shown()["state"] == "running"
        league.close()

    def test_another_number_of_players_and_a_file_that_is_none_are_refused(self, tmp_path: Path) -> None:
        make_league(2, tmp_path / "league.sqlite").close()
        with pytest.raises(GamesError, match="--league must be 2"):
            make_league(3, tmp_path / "league.sqlite")
        (tmp_path / "other").write_text("not a database, and long enough to be one of some kind" * 50)
        with pytest.raises(RecordError, match="--record must be"):
            Record(tmp_path / "other")
        with pytest.raises(RecordError, match="--record must be"):
            Record(tmp_path)


def test_a_desk_refuses_as_a_server_does() -> None:
    league = make_league(2)
    _, token = league.register("one")
    server = DeskGameServer(league, token)
    with pytest.raises(RefusedError, match="message_id must be"):
        server.send({"message_type": "Q21WARMUPRESPONSE"})
    with pytest.raises(RefusedError, match="message_type"):
        server.send({})
