"""Decoding of a server's responses: limits of size, and the readable messages of a damaged inbox."""

import json
import re
from math import inf
from typing import Any

from configs.plain_yaml import HALF_PAIR
from player.errors import MessageError

MAX_BYTES = 32_000_000
"""The most bytes of a decompressed response that are kept; an inbox of hundreds of games has a few MB."""
MAX_MESSAGE_BYTES = 16_000_000
"""Longer messages of an inbox are skipped."""
MESSAGE_DEPTH = 3
"""Number of brackets that are open in a message of an inbox."""
_SIGN = re.compile(rb'\\.|["{}\[\]]', re.DOTALL)
"""An escape of a JSON text, or a sign that begins or ends something."""


class Body:
    """The body of a response, added piece by piece. The messages of an inbox are kept apart.

    Args:
        message_depth: number of brackets that are open in a message; infinite if the body is no inbox.

    Attributes:
        frame: the body with 0 in place of each message.
        messages: JSON of each message; of one that is too long, a note.
    """

    def __init__(self, message_depth: float = inf) -> None:
        self.frame = bytearray()
        self.messages: list[bytes] = []
        self._message_depth = message_depth
        self._depth = 0
        self._in_text = False
        self._message = bytearray()
        self._n_bytes = (
            0  # of the message, whose later bytes are not kept if it is too long
        )
        self._n_kept = 0
        self._carry = b""

    def add(self, piece: bytes) -> None:
        """Add the next bytes.

        Raises:
            MessageError: the body is too long.
        """
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
                if self._depth + 1 == self._message_depth:
                    self._keep(piece[done : match.start()])
                    done = match.start()
                self._depth += 1
            else:
                if self._depth == self._message_depth:
                    self._keep(piece[done : match.end()])
                    done = match.end()
                    self._end_message()
                self._depth -= 1
        self._keep(piece[done:end])

    def _keep(self, part: bytes) -> None:
        if self._depth < self._message_depth:
            self.frame += part
        else:
            self._n_bytes += len(part)
            if self._n_bytes > MAX_MESSAGE_BYTES:
                return
            self._message += part

        self._n_kept += len(part)
        if self._n_kept > MAX_BYTES:
            raise MessageError(f"it has more than {MAX_BYTES} bytes")

    def _end_message(self) -> None:
        message = bytes(self._message)
        if self._n_bytes > MAX_MESSAGE_BYTES:
            self._n_kept -= len(message)
            message = b'"one of %d bytes"' % self._n_bytes
        self.messages.append(message)
        self.frame += b"0"
        self._message, self._n_bytes = bytearray(), 0

    def document(self) -> Any:
        """Read the JSON document of a body that is no inbox.

        Raises:
            MessageError: it is not JSON, or nested too deeply.
        """
        return _read_json(bytes(self.frame))

    def inbox(self) -> tuple[list[Any], Any]:
        """Read messages and cursor; an unreadable message is a text about it.

        Raises:
            MessageError: there is no list of messages.
        """
        answer = self.document()
        listed = answer.get("messages") if isinstance(answer, dict) else None
        if not isinstance(listed, list):
            raise MessageError("the answer has no list of messages")

        messages = [item for item in listed if item != 0]
        for message in self.messages:
            try:
                messages.append(_read_json(message))
            except MessageError as error:
                messages.append(str(error))
        return messages, answer.get("cursor")


def _read_json(body: bytes) -> Any:
    """Read JSON; accept a byte order mark, bad UTF-8, raw control characters and NaN, and replace half characters."""
    text = body.decode("utf-8-sig", "replace")
    try:
        value = json.loads(text, strict=False)
        if HALF_PAIR.search(text):
            written = json.dumps(value, ensure_ascii=False)
            value = json.loads(written.encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise MessageError(f"the answer is not JSON: {type(error).__name__}") from error
    return value
