"""A player that is killed at random moments of real games over HTTP finishes them all when it starts again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evaluate.practice.http import create_app, serving
from evaluate.practice.server import LocalGameServer, PracticeServer
from player.protocol.messages import Json
from tests.evaluate.fakes import small_repertoire

ROOT = Path(__file__).resolve().parents[3]
N_KILLS = 30


@pytest.mark.timeout(180)
def test_a_player_killed_30_times_loses_no_game_and_repeats_every_reply_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    came: list[Json] = []
    send = LocalGameServer.send

    def keep_and_send(self: LocalGameServer, envelope: Json) -> None:
        came.append(envelope)
        send(self, envelope)

    monkeypatch.setattr(LocalGameServer, "send", keep_and_send)
    practice = PracticeServer(small_repertoire(), seed=0)
    token = practice.register()
    with serving(create_app(practice)) as url:
        command = [
            sys.executable,
            "-m",
            "tests.player.game.kill_often",
            url,
            token,
            str(tmp_path / "games.sqlite"),
        ]
        done = subprocess.run(
            [*command, str(N_KILLS), "7"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=150,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")
    states = {game_id: match.state for game_id, match in practice.matches.items()}
    assert len(states) >= 2, (
        "the player lived too short to play"
    )  # a busy machine begins fewer
    assert set(states.values()) == {"over"}, states
    replies: dict[tuple[str, str], set[str]] = {}
    for envelope in came:
        replies.setdefault((envelope["game_id"], envelope["message_type"]), set()).add(
            json.dumps(envelope)
        )
    assert {len(told) for told in replies.values()} == {1}
