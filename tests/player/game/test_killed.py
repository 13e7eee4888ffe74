"""A player that is killed at random moments of real games over HTTP finishes them all when it starts again."""

import json
from pathlib import Path

import pytest

from evaluate.practice.routes import create_server_app, serving
from evaluate.practice.server import LocalGameServer
from player.round import Json
from tests.evaluate.fakes import practice_server
from tests.fakes import each, run_python

pytestmark = pytest.mark.long


@pytest.mark.timeout(180)
def test_a_player_killed_30_times_loses_no_game_and_repeats_every_reply_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies: dict[tuple[str, str], set[str]] = {}
    send = LocalGameServer.send

    def keep_and_send(self: LocalGameServer, envelope: Json) -> None:
        key = envelope["game_id"], envelope["message_type"]
        replies.setdefault(key, set()).add(json.dumps(envelope))
        send(self, envelope)

    monkeypatch.setattr(LocalGameServer, "send", keep_and_send)
    practice = practice_server()
    token = practice.register()
    journal = str(tmp_path / "games.sqlite")
    with serving(create_server_app(practice)) as url:
        done = run_python(
            "-m", "tests.player.game.kill_often", url, token, journal, timeout=280
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(practice.matches) >= 2, "a busy machine begins fewer"
    assert set(each(practice.matches.values(), "state")) == {"over"}
    assert {len(texts) for texts in replies.values()} == {1}
