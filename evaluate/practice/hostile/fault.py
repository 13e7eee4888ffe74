"""Fault: one thing that a server or referee does wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from quarry.player.protocol.payloads import Json

Rewrite = Callable[[Json, int], Sequence[Json | bytes]]
"""From a message and how often it has been asked for so far, what is delivered in its place: messages, or raw bytes."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answers in place of what it should.

    Attributes:
        pieces: of the body, sent one by one; () answers nothing more.
        pause_s: before each piece.
        repeats: how often the last piece is sent.
        does: whether the request is carried out all the same.
        hangs_up: the connection is cut after the pieces.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: tuple[bytes, ...] = (b"",)
    pause_s: float = 0.0
    repeats: int = 1
    does: bool = False
    hangs_up: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault.

    Attributes:
        name: what is done.
        kind: "message" or "HTTP".
        rewrite: of the messages in the inbox.
        answers: what comes in place of the first answers of a path.
        cursor: how the inbox's cursor is written, from what it is.
        scored: whether a game can come to a score in spite of it.
    """

    name: str
    kind: str
    rewrite: Rewrite | None = None
    answers: Mapping[str, tuple[Reply, ...]] = field(default_factory=dict)
    cursor: Callable[[str], bytes] | None = None
    scored: bool = True
