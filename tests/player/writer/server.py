"""A real HTTP server with the OpenAI interface on loopback."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from evaluate.practice.routes import serving

Respond = Callable[[Request, str], Response]
"""Answers a request for a completion, whose prompt it is given."""
SECRET = "sk-the-users-own-key"


@dataclass
class ModelServer:
    """A server's URL, and the prompts and keys that it has received."""

    url: str
    prompts: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


def use_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the user have a key; skip the test if the client of OpenAI is not installed."""
    pytest.importorskip("openai", reason="openai is not installed (make llm)")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)


def replying(reply: Callable[[str], object]) -> Respond:
    """Send completions with the text that a function returns for a prompt."""

    def respond(_: Request, prompt: str) -> Response:
        message = {"content": reply(prompt)}
        return JSONResponse({"choices": [{"message": message}]})

    return respond


@contextlib.contextmanager
def model_server(respond: Respond) -> Iterator[ModelServer]:
    """Serve completions on a free port."""
    app = FastAPI()

    @app.post("/v1/chat/completions")
    def complete(request: Request, body: dict[str, Any]) -> Response:
        assert not body.get("stream")
        prompt = body["messages"][0]["content"]
        server.prompts.append(prompt)
        server.keys.append(request.headers["Authorization"])
        response = respond(request, prompt)
        response.headers["Connection"] = "close"  # since a writer is never closed
        return response

    with serving(app) as url:
        server = ModelServer(f"{url}/v1")
        yield server
