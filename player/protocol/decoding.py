"""Decoding of a server's responses: limits of size, and recovery of the readable messages of broken JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx

from quarry.configs.json_files import HALF_PAIR
from quarry.player.errors import MessageError

MAX_BYTES = 32_000_000
"""The most bytes of a decompressed response; an inbox of hundreds of games has a few MB."""
MAX_DIGITS = 4_300
"""The most digits of an integer that Python reads."""
MOST_UNREADABLE = 100
"""The most unreadable places of an inbox after which the next message is searched."""


def read_body(response: httpx.Response) -> bytes:
    """Read and decompress a body, up to `MAX_BYTES`.

    Raises:
        MessageError: it is too long, or in an unknown encoding.
    """
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in {"", "identity", "gzip", "deflate"}:
        raise MessageError(f"a response must be plain, gzip or deflate, got {encoding[:20]!r}")
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > MAX_BYTES:
            raise MessageError(f"a response must hold at most {MAX_BYTES} bytes, got more")
    return bytes(body)


def read_json(body: bytes) -> Any:
    """Read a JSON document; accept bytes that are not UTF-8, raw control characters, NaN and very long integers.

    Raises:
        MessageError: it is not JSON, or nested too deeply.
    """
    text = body.decode("utf-8", "replace")
    try:
        return _whole(_DECODER.decode(text), text)
    except (ValueError, RecursionError) as error:
        raise MessageError(f"must answer with JSON: {type(error).__name__}") from error


def read_inbox(body: bytes) -> dict[str, Any]:
    """Read {"messages", "cursor"} of an inbox, without unreadable messages.

    Raises:
        MessageError: there is no list of messages.
    """
    try:
        answer = read_json(body)
    except MessageError as error:
        text = body.decode("utf-8", "replace")
        begins = _MESSAGES.search(text)
        if begins is None:
            raise MessageError("must answer with a list of messages, got invalid JSON") from error
        cursor = _CURSOR.search(text[-1_000:])
        answer = {
            "messages": list(_each_object(text, begins.end())),
            "cursor": cursor[1] or cursor[2] if cursor else None,
        }
    if not isinstance(answer, dict) or not isinstance(answer.get("messages"), list):
        came = type(answer.get("messages") if isinstance(answer, dict) else answer).__name__
        raise MessageError(f"must answer with a list of messages, got {came}")
    return answer


def _each_object(text: str, at: int) -> Iterator[Any]:
    """Yield the readable objects from a place on."""
    for _ in range(MOST_UNREADABLE):
        while (at := text.find("{", at)) >= 0:
            try:
                found, end = _DECODER.raw_decode(text, at)
            except (ValueError, RecursionError):
                at += 1
                break
            yield _whole(found, text[at:end])
            at = end


def _whole(found: Any, text: str) -> Any:
    """Replace halves of surrogate pairs, which json reads and UTF-8 cannot write, by question marks."""
    if HALF_PAIR.search(text):
        return json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    return found


_DECODER = json.JSONDecoder(strict=False, parse_int=lambda digits: int(digits) if len(digits) <= MAX_DIGITS else None)
_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_CURSOR = re.compile(r'"cursor"\s*:\s*(?:"([^"\\]{0,200})"|(\d{1,40}))\s*\}\s*$')
