"""Record a journal of played games: `python -m tests.journals.record tests/journals/VERSION.sqlite`.

Record a new journal when a change is meant to change what the player sends, and keep those that still pass.
"""

import sys
from pathlib import Path

from evaluate.practice.server import RegisteredPlayer
from player.game.loop import Loop
from tests.evaluate.fakes import practice_server
from tests.player.fakes import course, dense_player, opened

N_GAMES = 3


def main(path: str) -> int:
    """Play games with the small course, and keep their journal as one file."""
    server = RegisteredPlayer(practice_server())
    player = dense_player(course(), questions_pool=60)
    with opened(Path(path), "practice", "recorded") as journal:
        loop = Loop(server, player, name="me", timeout_s=60.0, journal=journal)
        for outcome in loop.play(N_GAMES):
            print(outcome if isinstance(outcome, Exception) else outcome.game_id)
        journal.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        journal.rows("PRAGMA journal_mode = DELETE")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
