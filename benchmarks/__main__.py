"""`make bench`: every benchmark next to its baseline, as a table and as benchmarks/results.json."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import accuracies, embedding, extraction, playing, searching, startup, tuning
from quarry.evaluate.runs.provenance import commit
from quarry.ingest.embed import word_models_of

RESULTS = Path(__file__).resolve().parent / "results.json"
BENCHMARKS = {
    "startup": startup.measure,
    "characters": extraction.measure_characters,
    "layout": extraction.measure_layout,
    "embedding": embedding.measure,
    "search": searching.measure_over_embedding,
    "chroma": searching.measure_against_chroma,
    "fast": accuracies.measure_fast,
    "accurate": accuracies.measure_accurate,
    "ingest": accuracies.measure_ingest,
    "tuning": tuning.measure,
    "questions": playing.measure_questions,
    "deciding": playing.measure_english,
    "deciding_hebrew": playing.measure_hebrew,
}


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all; returns 1 if a target is missed, 2 for an unknown name."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"benchmark must be one of {', '.join(BENCHMARKS)}, got {unknown[0]!r}", file=sys.stderr)
        return 2
    possible = [name for name in BENCHMARKS if name != "accurate" or "mpnet" in word_models_of("minilm", "auto")]
    results = []
    # each in a new process: what one has loaded, such as torch's threads, slows down the next
    fresh = multiprocessing.get_context("spawn")
    print(f"{'what':44} {'quarry':>18} {'baseline':>18} {'ratio':>7}  target")
    with ProcessPoolExecutor(max_workers=1, mp_context=fresh, max_tasks_per_child=1) as pool:
        for name in names or possible:
            print(f"measuring {name} ...", file=sys.stderr)
            result = pool.submit(BENCHMARKS[name]).result()
            results.append(result)
            ours, theirs = (f"{result[side]} {result['unit']}" for side in ("quarry", "baseline"))
            verdict = "met" if result["met"] else "MISSED"
            print(f"{result['name']:44} {ours:>18} {theirs:>18} {result['ratio']:>7}  {result['target']}: {verdict}")
            print(f"{'':4}baseline: {result['baseline_is']}", flush=True)
    _keep(results)
    return 0 if all(result["met"] for result in results) else 1


def _keep(results: Sequence[dict[str, Any]]) -> None:
    """Write the results in the place of earlier ones of the same names; each says of which commit and machine it is."""
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "machine": platform.machine()}
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    by_name = known | {result["name"]: {**result, "commit": commit(), **machine} for result in results}
    RESULTS.write_text(json.dumps(by_name, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
