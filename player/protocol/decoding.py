"""Decoding of a server's responses: limits of size, and recovery of the readable messages of broken JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx

from ingest.json_files import HALF_PAIR  # type: ignore[attr-defined]
from player.errors import MessageError

MAX_BYTES = 32_000_000
"""The most bytes of a decompressed response that are kept; an inbox of hundreds of games has a few MB."""
MAX_MESSAGE_BYTES = 16_000_000
"""Longer messages of an inbox are skipped."""
MESSAGE_DEPTH = 3
"""Number of brackets that are open in a message of an inbox."""
MAX_DIGITS = 4_300
"""The most digits of an integer that Python reads."""
MOST_UNREADABLE = 100
"""The most unreadable places of an inbox after which the next message is searched."""


class Skimmer:
    """Copies the body of an inbox piece by piece, with a note in place of each message that is too long.

    Attributes:
        kept: the copy so far.
    """

    def __init__(self) -> None:
        self.kept = bytearray()
        self._carry = b""
        self._depth = 0
        self._in_text = self._in_message = False
        self._begin = self._n_bytes = 0  # of the message in `kept`, and its length

    def add(self, piece: bytes) -> None:
        """Copy the next bytes of the body."""
        piece = self._carry + piece
        n_backslashes = len(piece) - len(piece.rstrip(b"\\"))
        end = len(piece) - n_backslashes % 2  # an escape may continue in the next piece
        self._carry = piece[end:]

        done = 0
        for match in _SIGN.finditer(piece, 0, end):
            sign = match[0]
            if sign == b'"':
                self._in_text = not self._in_text
            elif self._in_text or len(sign) > 1:
                continue
            elif sign in b"{[":
                self._depth += 1
                if self._depth == MESSAGE_DEPTH:
                    self._copy(piece[done : match.start()])
                    done = match.start()
                    self._in_message = True
                    self._begin, self._n_bytes = len(self.kept), 0
            else:
                self._depth -= 1
                if self._depth == MESSAGE_DEPTH - 1:
                    self._copy(piece[done : match.end()])
                    done = match.end()
                    self._end_message()
        self._copy(piece[done:end])

    def _copy(self, part: bytes) -> None:
        if self._in_message:
            self._n_bytes += len(part)
        if not self._in_message or self._n_bytes <= MAX_MESSAGE_BYTES:
            self.kept += part
        else:
            del self.kept[self._begin :]

    def _end_message(self) -> None:
        self._in_message = False
        if self._n_bytes > MAX_MESSAGE_BYTES:
            self.kept += b'"one of %d bytes"' % self._n_bytes


def read_body(response: httpx.Response, *, skim: bool) -> bytes:
    """Read and decompress a body, up to `MAX_BYTES`.

    Args:
        skim: skip messages that are too long.

    Raises:
        MessageError: it is too long, or in an unknown encoding.
    """
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in {"", "identity", "gzip", "deflate"}:
        raise MessageError(f"it must be plain, gzip or deflate, got {encoding[:20]!r}")

    body = Skimmer()
    for piece in response.iter_bytes():
        if skim:
            body.add(piece)
        else:
            body.kept += piece
        if len(body.kept) > MAX_BYTES:
            raise MessageError(f"it has more than {MAX_BYTES} bytes")
    return bytes(body.kept)


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
            raise MessageError(
                "must answer with a list of messages, got invalid JSON"
            ) from error
        cursor = _CURSOR.search(text[-1_000:])
        answer = {
            "messages": list(_each_object(text, begins.end())),
            "cursor": cursor[1] or cursor[2] if cursor else None,
        }
    if not isinstance(answer, dict) or not isinstance(answer.get("messages"), list):
        came = type(
            answer.get("messages") if isinstance(answer, dict) else answer
        ).__name__
        raise MessageError(f"must answer with a list of messages, got {came}")
    return answer


def _each_object(text: str, at: int) -> Iterator[Any]:
    """Yield the readable objects from a place on."""
    for _ in range(MOST_UNREADABLE):
        while (at := text.find("{", at)) >= 0:
            try:
                value, end = _DECODER.raw_decode(text, at)
            except (ValueError, RecursionError):
                at += 1
                break
            yield _whole(value, text[at:end])
            at = end


def _whole(value: Any, text: str) -> Any:
    """Replace halves of surrogate pairs, which json reads and UTF-8 cannot write, by question marks."""
    if HALF_PAIR.search(text):
        return json.loads(
            json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        )
    return value


_DECODER = json.JSONDecoder(
    strict=False,
    parse_int=lambda digits: int(digits) if len(digits) <= MAX_DIGITS else None,
)
_SIGN = re.compile(rb'\\.|["{}\[\]]', re.DOTALL)
_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_CURSOR = re.compile(r'"cursor"\s*:\s*(?:"([^"\\]{0,200})"|(\d{1,40}))\s*\}\s*$')
