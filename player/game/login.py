"""Becoming known to a game server: as the same player as before, where the journal has its token."""

from __future__ import annotations

from collections.abc import Callable

from quarry.player.errors import UnauthorizedError
from quarry.player.game.journal import Journal, digest
from quarry.player.game.ledger import Ledger
from quarry.player.protocol.client import HttpGameServer


def authenticate(server: HttpGameServer, name: str, journal: Journal | None, say: Callable[[str], None]) -> Ledger:
    """Make the server know the player: by its token, else by the journal's, else by registering; returns its ledger.

    Args:
        name: to register under, where there is no token.
        say: is told in a line what the journal cannot be used for.
    """
    saved = saved_token(journal, server.url, name) if journal is not None and not server.token else ""
    is_anothers = bool(saved) and journal is not None and not journal.claim(server.url, digest(saved))
    if saved and not is_anothers:
        server.use(saved)
        ledger = Ledger(journal, server.url, digest(saved))
        try:
            server.inbox(ledger.cursor(), 0.0)
            return ledger
        except UnauthorizedError:
            if running := ledger.running():
                say("the server no longer knows the player whose games were not over; they are given up")
            for record in running:
                ledger.end(record.key, "given up")
            server.use("")
    if not server.token:
        server.register(name)
        if journal is not None and not is_anothers:  # the other process comes back as who it is
            save_token(journal, server.url, name, server.token, server.player_id)
    if journal is not None and not journal.claim(server.url, digest(server.token)):
        say("the journal serves another process that plays as this player; these games are played without it")
        journal = None
    return Ledger(journal, server.url, digest(server.token))


def saved_token(journal: Journal, url: str, name: str) -> str:
    """Return the token that a server gave a player of this name, "" if none is known."""
    found = journal.rows("SELECT token FROM players WHERE server = ? AND name = ?", url, name)
    return str(found[0][0]) if found else ""


def save_token(journal: Journal, url: str, name: str, token: str, player_id: str) -> None:
    """Keep a token, to be the same player after a restart."""
    journal.write(("INSERT OR REPLACE INTO players VALUES (?, ?, ?, ?)", (url, name, token, player_id)))
