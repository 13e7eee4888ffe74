"""Authentication: a player logs in to a server with a token, or registers; the journal keeps the token."""

import logging

from player.errors import UnauthorizedError
from player.game.client import HttpGameServer
from player.game.journal import Journal

_log = logging.getLogger(__name__)


def authenticate(server: HttpGameServer, name: str, journal: Journal) -> Journal:
    """Log in with the client's token, or else the journal's token; without a token, register.

    Args:
        server: the server.
        name: name for the registration.
        journal: the journal, which stores a new token.

    Returns:
        The journal, used as the player; or one in memory if another process plays as the player.
    """
    if not server.token:
        saved = journal.token(server.url, name)
        is_free = not saved or journal.play_as(server.url, saved)
        if saved and is_free:
            server.use(saved)
            try:
                server.inbox(journal.cursor(), 0.0)
                return journal
            except UnauthorizedError:
                server.use("")
                if journal.give_up():
                    _log.warning(
                        "the server no longer knows the player of unfinished games; they are given up"
                    )
        server.register(name)
        if is_free:  # otherwise the other process needs its token after a restart
            journal.store_token(server.url, name, server.token)

    if journal.play_as(server.url, server.token):
        return journal
    _log.warning(
        "another process plays as this player with the journal; these games are played without it"
    )
    return Journal(None)
