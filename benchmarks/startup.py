"""From process start to the first search answer, next to the usual way of doing it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.baselines.chroma_search import HINT
from quarry.configs.settings import load
from quarry.ingest.pipeline.pipeline import ingest
from quarry.ingest.store import open_store

ROOT = Path(__file__).resolve().parents[1]
LECTURES = ROOT / "data" / "lectures" / "english"
N_RUNS = 5
TARGET = 1 / 3


def measure() -> dict[str, Any]:
    """Median seconds of both, interleaved after one warm-up each, and their ratio.

    Both search the same paragraphs with the same model from a store on disk; both have their hub look-ups switched off.
    """
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        ours, baseline = Path(folder) / "store", Path(folder) / "baseline"
        ingest([LECTURES], str(ours), load(), progress=False)
        records = [
            {"id": paragraph.paragraph_id, "text": paragraph.text} for paragraph in open_store(str(ours)).paragraphs
        ]
        their_script = [sys.executable, "-m", "benchmarks.baselines.chroma_search", str(baseline)]
        _run([*their_script, "build"], "\n".join(json.dumps(record) for record in records))
        our_command = [
            sys.executable,
            "-m",
            "player",
            "search",
            "--store",
            str(ours),
            "--hint",
            HINT,
            "--preset",
            "unfiltered",
            "--json",
        ]
        times: Mapping[str, list[float]] = {"quarry": [], "baseline": []}
        answers = {}
        for run in range(N_RUNS + 1):
            for name, command in (("quarry", our_command), ("baseline", [*their_script, "query"])):
                started = time.perf_counter()
                answers[name] = _run(command)
                if run:
                    times[name].append(time.perf_counter() - started)
    found = json.loads(answers["quarry"])["hits"][0]["paragraph_id"]
    if found != answers["baseline"].strip():
        raise RuntimeError(f"both must find the same paragraph first, got {found} and {answers['baseline'].strip()}")
    ours_s, theirs_s = (statistics.median(times[name]) for name in ("quarry", "baseline"))
    return {
        "name": "process start to first search answer",
        "quarry": round(ours_s, 3),
        "baseline": round(theirs_s, 3),
        "baseline_is": "import sentence_transformers, Chroma query with its embedding function",
        "unit": "s",
        "ratio": round(ours_s / theirs_s, 3),
        "target": f"at most {TARGET:.3f}",
        "met": ours_s <= TARGET * theirs_s,
        "runs": {name: [round(value, 3) for value in values] for name, values in times.items()},
    }


def _run(command: Sequence[str], stdin: str | None = None) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout
