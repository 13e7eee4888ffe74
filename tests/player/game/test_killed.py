"""A player that is killed at random moments of real games over HTTP finishes them all when it starts again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from quarry.evaluate.practice.server import PracticeServer, create_app, serving
from quarry.player.protocol.messages import Json
from tests.evaluate.fakes import small_repertoire

ROOT = Path(__file__).resolve().parents[3]
N_KILLS = 30


class Recorder(PracticeServer):
    """A practice server that keeps every message it is sent, as it came."""

    def __init__(self) -> None:
        super().__init__(small_repertoire(), seed=0)
        self.came: list[Json] = []

    def receive(self, token: str, envelope: Json) -> str:
        self.came.append(envelope)
        return super().receive(token, envelope)


@pytest.mark.timeout(180)
def test_a_player_killed_30_times_loses_no_game_and_repeats_every_reply_byte_for_byte(tmp_path: Path) -> None:
    practice = Recorder()
    _, token = practice.register("killed")
    with serving(create_app(practice)) as url:
        command = [sys.executable, "-m", "tests.player.game.kill_often", url, token, str(tmp_path / "games.sqlite")]
        done = subprocess.run(
            [*command, str(N_KILLS), "7"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=150,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")
    begun = {message["game_id"] for message in practice.messages(token, 0)[0]}
    states = {game_id: getattr(practice.match(token, game_id), "state", "") for game_id in begun}
    assert len(begun) >= 2, "the player lived too short to play"  # a busy machine begins fewer
    assert set(states.values()) == {"over"}, states
    replies: dict[tuple[str, str], set[str]] = {}
    for envelope in practice.came:
        replies.setdefault((envelope["game_id"], envelope["message_type"]), set()).add(json.dumps(envelope))
    assert {len(told) for told in replies.values()} == {1}
