"""Writer: calls a language model on a server with the OpenAI interface, and logs its replies."""

import contextlib
import hashlib
import json
import logging
import os
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

from configs.errors import SettingsError
from configs.faults import fault_and_remedy
from configs.settings import GameSettings
from player.deadlines import Runner, due_after_share
from quarry.addresses import is_address
from quarry.json_files import read_objects
from quarry.terminal import MIN_SECRET_CHARS

_logger = logging.getLogger(__name__)
KEY = "OPENAI_API_KEY"
"""Environment variable of the key; no option and no file holds it."""
URL = "OPENAI_BASE_URL"
"""Environment variable of the server's URL, if no option names it."""
OPENAI = "https://api.openai.com/v1"
"""URL of the server, if neither an option nor the environment names one."""
MAX_CALL_S = 30.0
"""Maximum number of seconds of a call."""
TIME_SHARE = 0.5
"""Maximum share of the time until the next reply of a game is due that a call may take."""
MAX_REPLY_BYTES = 1_000_000
"""Maximum number of bytes of a response that are read."""
_BEGIN = b'{"model": '
"""The first bytes of each line that is added to a log."""


class Writer:
    """Replies to prompts; it is safe for many threads. A prompt is sent once, even if the call fails or is late.

    The log holds one JSON object a line: {"model", "prompt", "reply"}; the reply is null if there was none. A prompt
    with a reply in the log is not sent. Without a model nothing is sent, and new prompts are added to the log without a
    reply. Each reason of a failure is a warning of Python's logging, once.

    Args:
        settings: the model, the URL of its server and the log.

    Raises:
        SettingsError: the package is not installed, the URL is invalid, or the log cannot be used.
    """

    def __init__(self, settings: GameSettings) -> None:
        self._model = settings.writer
        self._key = os.environ.get(KEY, "")
        self._client: Any = None
        if self._model:
            self._client = _client(self._key, settings.writer_url)
        self._log = Path(settings.writer_log) if settings.writer_log else None
        self._replies = self._read_log()
        self._failures: set[str] = set()
        self._runner = Runner()
        self._lock = threading.Lock()

    @property
    def notice(self) -> str:
        """A line that names the data that are sent, and the server."""
        if self._client is None:
            return f"no writer is called: replies are read from {self._log}"
        return (
            f"the writer {self._model} at {self._client.base_url} is sent hints, domains, paragraphs of the "
            "lectures, the guess, and answers to questions"
        )

    def reply(self, prompt: str) -> str:
        """Return the reply to a prompt; "" if there was none in time."""
        key = _prompt_key(prompt)
        with self._lock:
            if key in self._replies:
                return self._replies[key] or ""
            # a later reply would change the plan of a running game
            self._replies[key] = None

        reply = self._ask_in_time(prompt) if self._client else None
        with self._lock:
            self._replies[key] = reply
            self._record({"model": self._model, "prompt": prompt, "reply": reply})
        return reply or ""

    def _ask_in_time(self, prompt: str) -> str | None:
        due = due_after_share(TIME_SHARE, MAX_CALL_S)
        call = self._runner.start("writer", lambda: self._ask(prompt, due), due)
        reply = call.value()
        if call.failure:
            self._complain("no reply in time" if call.is_late else call.failure)
        return reply and self._redact(reply)

    def _ask(self, prompt: str, due: float) -> str:
        """Send a prompt and return the text of the reply; an endless or slow response raises ValueError."""
        body = b""
        with self._client.chat.completions.with_streaming_response.create(
            model=self._model,
            messages=[{"role": "user", "content": prompt}],
            timeout=max(0.1, due - time.monotonic()),
        ) as response:
            for part in response.iter_bytes():
                body += part
                if len(body) > MAX_REPLY_BYTES or time.monotonic() > due:
                    raise ValueError("the response is too long or too slow")
        content = json.loads(body)["choices"][0]["message"]["content"]
        if not isinstance(content, str):
            raise ValueError("the response holds no text")
        return content

    def _redact(self, text: str) -> str:
        is_secret = len(self._key) >= MIN_SECRET_CHARS
        return text.replace(self._key, "*****") if is_secret else text

    def _complain(self, reason: str) -> None:
        if reason not in self._failures:
            self._failures.add(reason)
            reason = self._redact(reason)[:200]
            _logger.warning(
                "the writer failed: %s; the game goes on without it", reason
            )

    def _read_log(self) -> dict[bytes, str | None]:
        """Read the replies of the log, by `_prompt_key` of their prompts.

        If a model is set, replies of other models and prompts without a reply are left out, so that these are sent.
        """
        replies: dict[bytes, str | None] = {}
        if self._log is None:
            return replies
        if not self._log.exists():
            try:
                self._log.touch()  # refuses a bad path before the game
            except OSError as error:
                raise SettingsError(
                    f"--writer-log {self._log} cannot be written: {fault_and_remedy(error)}"
                ) from error
        if self._log.is_file():
            with contextlib.suppress(OSError), self._log.open("a+b", 0) as file:
                _remove_torn_line(file)

        for where, record in read_objects(
            self._log, SettingsError, flag="--writer-log"
        ):
            prompt, reply = record.get("prompt"), record.get("reply")
            if not isinstance(prompt, str) or not isinstance(reply, str | None):
                raise SettingsError(
                    f'{where}: no "prompt" and "reply" as --writer-log writes them; correct the line'
                )
            if not self._model:
                reply = reply or replies.get(_prompt_key(prompt))
            elif reply is None or record.get("model") != self._model:
                continue
            replies[_prompt_key(prompt)] = reply
        return replies

    def _record(self, record: dict[str, str | None]) -> None:
        """Append a line to the log in one write, since several processes may append to it."""
        if self._log is None:
            return
        line = json.dumps(record, ensure_ascii=False) + "\n"
        try:
            with self._log.open("a+b", buffering=0) as file:
                line_feed = _remove_torn_line(file)
                file.write(line_feed + line.encode("utf-8", "replace"))
        except OSError as error:
            self._complain(f"{self._log} cannot be written: {fault_and_remedy(error)}")


def make_writer(settings: GameSettings) -> Writer | None:
    """Build the writer of the settings; return None if they name neither a model nor a log."""
    return Writer(settings) if settings.writer or settings.writer_log else None


def _client(key: str, url: str) -> Any:
    """Return a client that follows no redirects, so that the key is sent to this server only."""
    url = url or os.environ.get(URL) or OPENAI  # openai takes an empty variable as URL
    if not is_address(url):
        raise SettingsError(
            f"--writer-url or {URL} is not an http:// or https:// URL with a valid host and port, and without a user, "
            f"password or query; the key is read from {KEY}."
        )
    try:
        import openai

        return openai.OpenAI(
            api_key=key or "none",  # a server of one's own needs none
            base_url=url,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(follow_redirects=False),
        )
    except ImportError:
        raise SettingsError(
            "--writer needs the package openai. Run `make llm`, or pip install 'quarry-lectures[llm]'."
        ) from None
    except Exception as error:  # its text may hold the password of a proxy
        raise SettingsError(
            f"--writer cannot be used: openai raised {type(error).__name__}; check --writer-url and the environment "
            "variables of OpenAI, proxies and certificates."
        ) from None


def _prompt_key(prompt: str) -> bytes:
    """Return the digest of a prompt; a prompt and its copy in a log have the same digest."""
    return hashlib.sha256(prompt.encode("utf-8", "replace")).digest()


def _remove_torn_line(file: BinaryIO) -> bytes:
    """Remove the last line of a log if a full disk or a kill has cut it off; return the line feed that it lacks."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
    if file.read(1) in {b"", b"\n"}:
        return b""
    file.seek(0)
    content = file.read()
    start = content.rfind(b"\n") + 1
    last = content[start:]
    try:
        json.loads(last)
    except ValueError:
        if last.startswith(_BEGIN[: len(last)]):
            file.truncate(start)
            return b""
    return b"\n"
