"""`python -m benchmarks.serving`: many games at once against the practice server, each of a player of its own.

The server runs in a process of its own; the players send fixed replies, so that its time is what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from benchmarks.command import games_parser, run_benchmark
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.payloads import Json

ROOT = Path(__file__).resolve().parents[1]
N_GAMES = 500
OPTIONS = {"A": "memory", "B": "query", "C": "method", "D": "none of these words"}
QUESTION = "Which of these words does the paragraph contain: memory; query; method? Choose the first that is there."
REPLIES: tuple[tuple[str, Json], ...] = (
    (protocol.WARMUP_RESPONSE, {"answer": "6"}),
    (
        protocol.QUESTIONS_BATCH,
        {"questions": [{"question_number": n, "question_text": QUESTION, "options": OPTIONS} for n in range(1, 21)]},
    ),
    (
        protocol.GUESS_SUBMISSION,
        {
            "opening_sentence": "A sentence that nobody wrote.",
            "sentence_justification": "The answers say so.",
            "associative_word": "river",
            "word_justification": "It is near.",
            "confidence": 0.1,
        },
    ),
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if a game was lost."""
    parser = games_parser("serving", __doc__)
    parser.add_argument("--n", type=int, default=N_GAMES, metavar="N", help="games at once (default: %(default)s)")
    options = parser.parse_args(arguments)
    return run_benchmark("serving", options, _run)


def _run(options: argparse.Namespace) -> int:
    with _server(options.store, options.games) as (url, process):
        seconds, elapsed_s = asyncio.run(_play_all(url, options.n))
        cpu_s = sum(int(ticks) for ticks in Path(f"/proc/{process.pid}/stat").read_text().rsplit(")")[1].split()[11:13])
        peak_kb = int(re.findall(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())[0])
    told = {
        "games": options.n,
        "lost": options.n - len(seconds) // len(REPLIES),
        "elapsed_s": round(elapsed_s, 1),
        "reply_s": {"p50": round(statistics.median(seconds), 3), "p95": round(_percentile(seconds, 0.95), 3)},
        "server_cpu_s": round(cpu_s / os.sysconf("SC_CLK_TCK"), 1),
        "server_peak_mb": peak_kb // 1_000,
    }
    print(json.dumps(told, indent=1))
    return 1 if told["lost"] else 0


@contextlib.contextmanager
def _server(store: str, games: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "evaluate", "serve", "--store", store, "--games", str(games), "--port", "0"]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        found = re.search(r"http://\S+:\d+", process.stderr.readline())
        assert found, "the server must say where it listens"
        yield found[0], process
    finally:
        process.terminate()
        process.wait(timeout=30)


async def _play_all(url: str, n_games: int) -> tuple[list[float], float]:
    """Seconds from each reply to the message that answers it, and from the first request to the last score."""
    started = time.perf_counter()
    played = await asyncio.gather(*(_play(url) for _ in range(n_games)))
    return [second for game in played for second in game], time.perf_counter() - started


async def _play(url: str) -> list[float]:
    """Seconds of each reply of one game; [] if it did not come to its score."""
    # a pool of 500 connections would take longer to look through than the server to answer
    async with httpx.AsyncClient(base_url=url, timeout=300.0, trust_env=False, verify=False) as client:
        return await _play_with(client)


async def _play_with(client: httpx.AsyncClient) -> list[float]:
    given = (await client.post("/v1/players", json={"name": "load"})).json()
    headers = {"Authorization": f"Bearer {given['token']}"}
    game_id = (await client.post("/v1/games", headers=headers)).json()["game_id"]
    cursor = (await client.get("/v1/inbox", headers=headers)).json()["cursor"]
    seconds = []
    for message_type, payload in REPLIES:
        envelope = protocol.write_message(message_type, payload, sender="load", recipient="referee", game_id=game_id)
        asked = time.perf_counter()
        await client.post("/v1/outbox", json=envelope, headers=headers)
        inbox = (await client.get(f"/v1/inbox?wait_s=30&after={cursor}", headers=headers)).json()
        seconds.append(time.perf_counter() - asked)
        cursor = inbox["cursor"]
    state = (await client.get(f"/v1/games/{game_id}", headers=headers)).json()["state"]
    return seconds if state == "over" else []


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[int(share * (len(values) - 1))]


if __name__ == "__main__":
    sys.exit(main())
