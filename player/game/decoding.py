"""Readers of a server's responses, with limits of size."""

import json
from collections.abc import Iterable
from typing import Any

from configs.surrogates import HALF_PAIR
from player.errors import MessageError
from player.game.messages import read_text_field

MAX_RESPONSE_BYTES = 32_000_000
"""Maximum number of bytes of a decompressed response; an inbox of hundreds of games has a few MB."""
MAX_CURSOR_CHARS = 1_000
"""Maximum length of a cursor; a longer one is ignored."""
MAX_DIGITS = 300
"""Maximum number of digits of an integer that are read; Python refuses to read thousands of digits."""


def join_pieces(pieces: Iterable[bytes]) -> bytes:
    """Concatenate the pieces of a response body.

    Raises:
        MessageError: the body is too long.
    """
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > MAX_RESPONSE_BYTES:
            raise MessageError(f"it has more than {MAX_RESPONSE_BYTES} bytes")
    return bytes(body)


def read_json(body: bytes) -> Any:
    """Read JSON; accept a byte order mark, bad UTF-8, raw control characters and NaN, and replace lone surrogates.

    Raises:
        MessageError: the body is not JSON, or nested too deeply.
    """
    text = body.decode("utf-8-sig", "replace")
    try:
        value = json.loads(
            text, strict=False, parse_int=lambda digits: int(digits[:MAX_DIGITS])
        )
        if HALF_PAIR.search(text):
            plain_json = json.dumps(value, ensure_ascii=False)
            value = json.loads(plain_json.encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise MessageError(f"the answer is not JSON: {type(error).__name__}") from error
    return value


def read_inbox(body: bytes) -> tuple[list[Any], str]:
    """Read the messages and the cursor of an inbox; the cursor is "" if it is missing or too long.

    Raises:
        MessageError: the body is not JSON, or has no list of messages.
    """
    answer = read_json(body)
    messages = answer.get("messages") if isinstance(answer, dict) else None
    if not isinstance(messages, list):
        raise MessageError("the answer has no list of messages")
    cursor = read_text_field(answer, MAX_CURSOR_CHARS + 1, "cursor")
    return messages, cursor if len(cursor) <= MAX_CURSOR_CHARS else ""
