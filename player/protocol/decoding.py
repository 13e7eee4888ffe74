"""Bytes from a server -> JSON: bounded, and as much of it as can be read."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx

from quarry.player.errors import MessageError

MAX_BYTES = 32_000_000
"""Of one response, decompressed. An inbox of hundreds of games is a few MB."""
MAX_DIGITS = 4_300
"""Of an integer; Python reads no longer ones."""

MAX_TOKENS = 2_000_000
"""Brackets and strings of an unreadable inbox that are looked at for its readable messages: two seconds of them."""


async def read_body(response: httpx.Response) -> bytes:
    """Read a body, decompressed, and never hold much more than `MAX_BYTES` of it.

    Raises:
        MessageError: it is too long, or compressed in a way that may unpack to anything.
    """
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in {"", "identity", "gzip", "deflate"}:
        raise MessageError(f"a response must be plain, gzip or deflate, got {encoding[:20]!r}")
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > MAX_BYTES:
            raise MessageError(f"a response must hold at most {MAX_BYTES} bytes, got more")
    return bytes(body)


def read_json(body: bytes) -> Any:
    """A JSON document, read with patience: bytes that are no UTF-8, raw control characters, NaN and endless integers.

    Raises:
        MessageError: it is no JSON, or nested too deeply.
    """
    return _parsed(body.decode("utf-8", "replace"))


def read_inbox(body: bytes) -> dict[str, Any]:
    """{"messages", "cursor"} of an inbox; messages that cannot be read are left out, and all others are there.

    Raises:
        MessageError: it holds no list of messages.
    """
    text = body.decode("utf-8", "replace")
    try:
        answer = _parsed(text)
    except MessageError:
        answer = {"messages": list(_each_message(text))} | _cursor(text)
    if not isinstance(answer, dict) or not isinstance(answer.get("messages"), list):
        came = type(answer.get("messages") if isinstance(answer, dict) else answer).__name__
        raise MessageError(f"must answer with a list of messages, got {came}")
    return answer


def _parsed(text: str) -> Any:
    try:
        found = json.loads(text, strict=False, parse_int=_integer)
        if _HALF_PAIR.search(text):  # json reads half a surrogate pair, and nothing can write it
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise MessageError(f"must answer with JSON: {type(error).__name__}") from error
    return found


def _integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= MAX_DIGITS else None


def _each_message(text: str) -> Iterator[Any]:
    """Each readable element of the list that "messages" names, found by its brackets alone."""
    begins = _MESSAGES.search(text)
    if begins is None:
        raise MessageError("must answer with a list of messages, got what is no JSON")
    depth, start = 0, begins.end()
    for token in itertools.islice(_TOKEN.finditer(text, begins.end()), MAX_TOKENS):
        sign = token[0][0]
        if sign in "{[":
            if depth == 0:
                start = token.start()
            depth += 1
        elif sign in "}]":
            depth -= 1
            if depth < 0:
                return
            if depth == 0:
                try:
                    yield _parsed(text[start : token.end()])
                except MessageError:
                    continue


def _cursor(text: str) -> dict[str, str]:
    """The cursor, if it stands where the list does not hide it."""
    found = list(_CURSOR.finditer(text[-1_000:])) or list(_CURSOR.finditer(text[:1_000]))
    return {"cursor": found[-1][1] or found[-1][2]} if found else {}


_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_CURSOR = re.compile(r'"cursor"\s*:\s*(?:"([^"\\]{0,200})"|(\d{1,40}))')
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\]]', re.DOTALL)
"""A string, or a bracket outside of one."""
