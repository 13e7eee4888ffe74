"""Replays with a writer are recorded, and repeated without its server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.evaluate.fakes import (
    Evaluate,
    Options,
    course_records,
    write_games,
)
from tests.player.writer.server import model_server, replying

FEW = ("--set", "game.questions_pool=60", "--referee", "oracle", "--json")
SECRET = "sk-the-users-own-key"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Two games of the small course."""
    records = course_records()[:2]
    for record in records:
        record["associative_word"] = "zither"
    return write_games(tmp_path / "games.jsonl", records)


def reply_to(prompt: str) -> str:
    return '{"words": ["zither"]}' if '"words"' in prompt else '{"ids": [1]}'


def without_times(out: str) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(out)
    del run["latency_ms"]
    return run


def test_a_recorded_replay_is_repeated_byte_for_byte_without_the_server(
    evaluate: Evaluate,
    about: Options,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("openai", reason="openai is not installed (make llm)")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    log = tmp_path / "log.jsonl"
    with model_server(replying(reply_to)) as server:
        named = ("--writer", "m", "--writer-url", server.url, "--writer-log", log)
        first = evaluate("replay", *about, *FEW, *named)
    assert first.code == 0
    assert f"evaluate replay: the writer m at {server.url}/ is sent" in first.err
    assert first.err.count("the writer") == 1
    recorded = log.read_bytes()
    assert b"zither" in recorded

    again = evaluate("replay", *about, *FEW, *named)
    assert without_times(again.out) == without_times(first.out)
    assert log.read_bytes() == recorded
    assert SECRET not in first.out + first.err + again.err + log.read_text()
