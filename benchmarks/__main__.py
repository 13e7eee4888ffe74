"""`make bench`: every benchmark next to its baseline, as a table and as benchmarks/results.json."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks import searching
from evaluate.runs.run import commit

RESULTS = Path(__file__).resolve().parent / "results.json"
BENCHMARKS = {
    "start": searching.measure_start,
    "search": searching.measure_over_embedding,
    "chroma": searching.measure_against_chroma,
}
LINE = (
    "{name:36} {quarry:>11g} {unit:10} {baseline:>11g} {unit:10} {ratio:>7g}  "
    "{target}: {verdict}"
)


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all; return 1 if a target is missed, 2 for an unknown name."""
    if names[:1] == ["scale"]:
        from benchmarks import scale

        return scale.main(names[1:])
    if unknown := set(names) - BENCHMARKS.keys():
        print(
            f"benchmark must be one of {', '.join(BENCHMARKS)}, got {min(unknown)!r}",
            file=sys.stderr,
        )
        return 2
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    all_met = True
    machine = {
        "commit": commit(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    print(f"{'what':36} {'quarry':>22} {'baseline':>22} {'ratio':>7}  target")
    # each in a new process: what one has loaded, such as torch's threads, slows down the next
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, max_tasks_per_child=1) as pool:
        for name in names or BENCHMARKS:
            result = pool.submit(BENCHMARKS[name]).result()
            results[name] = {**result, **machine}
            all_met &= result["met"]
            print(LINE.format(verdict="met" if result["met"] else "MISSED", **result))
            print(f"    baseline: {result['baseline_is']}", flush=True)

    for name in results.keys() - BENCHMARKS.keys():
        del results[name]
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0 if all_met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
