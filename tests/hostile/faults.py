"""Faults of servers and referees, one for each way in which client, inbox and delivery react; a fault is one entry.

tests/player/game/test_client.py and test_messages.py hold the forms of each: statuses, bodies and fields.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from player.game import messages
from player.round import Json

Rewrite = Callable[[Json], Sequence[Json]]
"""Maps a message of the inbox to the messages that are delivered."""


@dataclass
class Reply:
    """A response that the server sends in place of the right one.

    Attributes:
        pause_s: seconds before the body.
        does: True carries the request out all the same.
        hangs_up: True cuts the connection after the body.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    pause_s: float = 0.0
    does: bool = False
    hangs_up: bool = False


@dataclass
class Fault:
    """One thing that a server or referee does wrong.

    Attributes:
        rewrite: changes the messages of the inbox.
        answers: sent in place of the first responses of a path.
        cursor: the inbox's cursor; "" is the right one.
        scored: False if a game cannot come to a score.
    """

    name: str
    rewrite: Rewrite = lambda message: [message]
    answers: Mapping[str, tuple[Reply, ...]] = field(default_factory=dict)
    cursor: str = ""
    scored: bool = True


INBOX = "/v1/inbox"
OUTBOX = "/v1/outbox"
GAMES = "/v1/games"
WARMUP = messages.WARMUP_CALL
ROUND = messages.ROUND_START
ANSWERS = messages.ANSWERS_BATCH
SCORE = messages.SCORE_FEEDBACK


def _filled(message: Json, **fields: Any) -> Json:
    """A message with other fields in its payload."""
    return {**message, "payload": {**message["payload"], **fields}}


def _changed(message_type: str, **fields: Any) -> Rewrite:
    """Messages of one type have other fields."""

    def rewrite(message: Json) -> list[Json]:
        is_changed = message["message_type"] == message_type
        return [_filled(message, **fields) if is_changed else message]

    return rewrite


def _twice_otherwise(message_type: str, **fields: Any) -> Rewrite:
    """A message of one type comes again, with a new id and other fields."""

    def rewrite(message: Json) -> list[Json]:
        again = {**_filled(message, **fields), "message_id": f"another {message_type}"}
        is_repeated = message["message_type"] == message_type
        return [message, again] if is_repeated else [message]

    return rewrite


def _moved(message: Json) -> list[Json]:
    """The game's id is in the payload alone."""
    moved = _filled(message, game_id=message["game_id"])
    del moved["game_id"]
    return [moved]


_STRANGER = {
    "message_type": ROUND,
    "message_id": "stranger",
    "game_id": "9909999",
    "payload": {"book_name": "another", "book_hint": "another game"},
}
_OF_REFEREES: dict[str, Rewrite] = {
    "a second round with another hint": _twice_otherwise(ROUND, book_hint="another"),
    "a second score": _twice_otherwise(SCORE, private_score=0),
    "a stranger's game between": lambda message: [_STRANGER, message],
    "no answer": _changed(ANSWERS, answers=[]),
    "neither hint nor book": _changed(ROUND, book_hint=None, book_name=""),
    "a score out of range": _changed(SCORE, private_score=1e308),
    "game_id in the payload alone": _moved,
    "payload as a text": lambda message: [
        {**message, "payload": json.dumps(message["payload"])}
    ],
}

_BUSY = Reply(503, {"Retry-After": "1"})
_HTML = Reply(body=b"<html>busy</html>")
_OF_SERVERS: dict[str, dict[str, tuple[Reply, ...]]] = {
    "silence": {INBOX: (Reply(pause_s=60.0),), OUTBOX: (Reply(pause_s=60.0),)},
    "503 once": {INBOX: (_BUSY,), OUTBOX: (_BUSY,), GAMES: (_BUSY,)},
    "409 to a reply that was taken": {OUTBOX: (Reply(409, does=True),)},
    "a hang-up after a reply was taken": {OUTBOX: (Reply(does=True, hangs_up=True),)},
    "HTML for a receipt, and no message taken": {OUTBOX: (_HTML, _HTML)},
    "a reply that is refused once": {OUTBOX: (Reply(422),)},
    "a redirection of the outbox": {OUTBOX: (Reply(307, {"Location": "/elsewhere"}),)},
    "HTML in place of the inbox": {INBOX: (_HTML,)},
    "half an inbox and a hang-up": {
        INBOX: (Reply(200, {"Content-Length": "99"}, b'{"mess', hangs_up=True),)
    },
}

FAULTS = (
    *(Fault(name, answers=answers) for name, answers in _OF_SERVERS.items()),
    *(Fault(name, rewrite) for name, rewrite in _OF_REFEREES.items()),
    Fault(
        "a Retry-After that is longer than the deadline",
        _changed(WARMUP, deadline=12),
        {OUTBOX: (Reply(429, {"Retry-After": "700"}),)},
    ),
    Fault("a cursor of 1 MB", cursor="7" * 1_000_000),
    Fault("no game", answers={GAMES: (Reply(500),) * 9}, scored=False),
    Fault("a token that is refused", answers={INBOX: (Reply(401),) * 99}, scored=False),
)
"""Every fault. The one that takes longest comes first, and others are tried meanwhile."""
