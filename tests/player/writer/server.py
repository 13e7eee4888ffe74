"""A real HTTP server with the OpenAI interface on loopback."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Respond = Callable[[BaseHTTPRequestHandler, str], None]
"""Answers a request for a completion, whose prompt it is given."""


@dataclass
class ModelServer:
    """What a server has received: the prompts, and the headers of the last request."""

    url: str
    prompts: list[str] = field(default_factory=list)
    headers: Message = field(default_factory=Message)


SECRET = "sk-the-users-own-key"


def use_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the user have a key; skip the test if the client of OpenAI is not installed."""
    pytest.importorskip("openai", reason="openai is not installed (make llm)")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)


def send(
    request: BaseHTTPRequestHandler,
    status: int,
    content: Any,
) -> None:
    """Send JSON, or bytes as they are."""
    body = content
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    request.send_response(status)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def replying(reply: Callable[[str], object]) -> Respond:
    """Send completions with the text that a function returns for a prompt."""

    def respond(request: BaseHTTPRequestHandler, prompt: str) -> None:
        message = {"content": reply(prompt)}
        send(request, 200, {"choices": [{"message": message}]})

    return respond


@contextlib.contextmanager
def model_server(respond: Respond) -> Iterator[ModelServer]:
    """Serve completions on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            asked = json.loads(self.rfile.read(length))
            assert self.path == "/v1/chat/completions"
            assert not asked.get("stream")
            prompt = asked["messages"][0]["content"]
            server.prompts.append(prompt)
            server.headers = self.headers
            with contextlib.suppress(OSError):  # the client may be gone
                respond(self, prompt)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        server = ModelServer(f"http://127.0.0.1:{http.server_port}/v1")
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        http.shutdown()
