"""`make bench`: every benchmark next to its baseline, as a table and as tools/benchmarks/results.json."""

import json
import multiprocessing
import os
import platform
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from quarry.version import commit
from tools.benchmarks import searching

RESULTS = Path(__file__).resolve().parent / "results.json"
"""File of the results."""

BENCHMARKS = {
    "start": searching.measure_start,
    "search": searching.measure_over_embedding,
    "chroma": searching.measure_against_chroma,
}
"""All benchmarks by name."""
LINE = "{name:36} {quarry:>11g} {unit:10} {baseline:>11g} {unit:10} {ratio:>7g}"
"""Format of a row of the printed table."""


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all; return 2 for an unknown name."""
    if unknown := set(names) - BENCHMARKS.keys():
        names_of_all = ", ".join(BENCHMARKS)
        print(f"{min(unknown)!r} is no benchmark; take {names_of_all}", file=sys.stderr)
        return 2

    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    machine = {
        "commit": commit(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    print(f"{'what':36} {'quarry':>22} {'baseline':>22} {'ratio':>7}")
    # each in a new process, since torch's threads of one benchmark slow down the next
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, max_tasks_per_child=1) as pool:
        for name in names or BENCHMARKS:
            row = pool.submit(BENCHMARKS[name]).result()
            results[name] = {**row, **machine}
            print(LINE.format(**row))
            print(f"    baseline: {row['baseline_is']}", flush=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
