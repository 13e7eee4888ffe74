"""The inbox of a player on a server: its new messages, and the cursor after those that are answered."""

import time
from collections.abc import Sequence

from player.errors import ServerError
from player.game.client import GameServer
from player.game.journal import Journal

PAUSE_S = 0.02
"""Pause in seconds after an empty inbox, for servers that do not wait for messages."""
STUCK_PAUSE_S = 0.25
"""Pause in seconds after an inbox with messages but the same cursor, and after a fault of the inbox."""


class Inbox:
    """Reads an inbox from the cursor of a journal on.

    Args:
        server: the server.
        journal: the journal of the player; it keeps the cursor.
        outage_s: seconds of faults after which the server is lost.

    Attributes:
        n_faults: number of readings that have failed since the last good one.
    """

    def __init__(self, server: GameServer, journal: Journal, outage_s: float) -> None:
        self.n_faults = 0
        self._server = server
        self._journal = journal
        self._outage_s = outage_s
        self._cursor = self._saved_cursor = journal.cursor()
        self._may_begin_again = True
        self._last_good = time.monotonic()

    @property
    def is_lost(self) -> bool:
        """Whether readings have failed for too long."""
        return time.monotonic() - self._last_good > self._outage_s

    def read(self, wait_s: float) -> Sequence[object]:
        """Return the messages after the cursor, for which the server may wait, and move the cursor after them.

        Raises:
            ServerError: the server cannot be reached or refuses.
        """
        try:
            messages, cursor = self._server.inbox(self._cursor, wait_s)
        except ServerError:
            self.n_faults += 1
            raise

        self._last_good, self.n_faults = time.monotonic(), 0
        if cursor == self._cursor:
            time.sleep(STUCK_PAUSE_S if messages else PAUSE_S)
        elif not messages and self._may_begin_again:
            # a server that does not know our cursor has restarted and lost its messages
            self._may_begin_again, cursor = False, ""
        self._cursor = cursor
        return messages

    def save_cursor(self) -> None:
        """Store the cursor in the journal, once all messages before it are answered."""
        if self._cursor != self._saved_cursor:
            self._journal.move_cursor(self._cursor)
            self._saved_cursor = self._cursor
