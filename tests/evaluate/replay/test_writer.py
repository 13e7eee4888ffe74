"""Replays with a writer: recorded, repeated without its server, and filled in by somebody else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.evaluate.fakes import (
    Evaluate,
    Options,
    course_games,
    record_of,
    write_games,
)
from tests.player.fakes import course
from tests.player.writer.server import model_server, replying

FEW = ("--set", "game.questions_pool=60", "--referee", "oracle", "--json")
SECRET = "sk-the-users-own-key"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Two games of the small course."""
    games = course_games(course())[:2]
    records = [record_of(replace(game, associative_word="zither")) for game in games]
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


def test_prompts_without_a_reply_are_written_for_somebody_else_to_fill_in(
    evaluate: Evaluate, about: Options, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    plain = evaluate("replay", *about, *FEW)
    first = evaluate("replay", *about, *FEW, "--writer-log", log)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert {line["reply"] for line in lines} == {None}
    for figure in ("private_score", "associative_word_exact"):
        assert json.loads(first.out)[figure] == json.loads(plain.out)[figure]

    for line in lines:
        if '"words"' in line["prompt"]:
            line["reply"] = reply_to(line["prompt"])
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    again = evaluate("replay", *about, *FEW, "--writer-log", log)
    assert json.loads(plain.out)["associative_word_top20"] == 0.0
    assert json.loads(again.out)["associative_word_top20"] == 1.0


def test_a_writer_that_cannot_be_called_is_one_line(
    evaluate: Evaluate, about: Options, tmp_path: Path
) -> None:
    outcome = evaluate("replay", *about, "--writer", "m", "--writer-url", "file:///x")
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
