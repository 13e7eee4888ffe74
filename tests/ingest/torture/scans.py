"""Scans of lectures drawn by lot: `python -m tests.ingest.torture.scans SEED N FOLDER OUT` scans N files of FOLDER.

FOLDER is what `styles.py` wrote. Straight, turned by a degree or with a bad text layer, at 200 or 300 dots an inch: all
drawn by lot. Files of more than `MAX_PAGES` pages, such as slides, are left out.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from tests.ingest.torture import build as b

MAX_PAGES = 7


def scan(seed: int, n: int, folder: Path, out: Path) -> None:
    """Write N scans and what they truly say."""
    import pypdf

    out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    rows = [json.loads(line) for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
    short = [path for path in sorted(folder.glob("*.pdf")) if len(pypdf.PdfReader(str(path)).pages) <= MAX_PAGES]
    told = []
    for path in rng.sample(short, min(n, len(short))):
        degrees, dpi = rng.choice((0.0, 0.0, 1.0, -1.0, 0.4)), rng.choice((200, 300))
        badly = rng.random() < 0.3
        name = f"{path.stem}-{dpi}-{'bad' if badly else 'skewed' if degrees else 'straight'}"
        with tempfile.TemporaryDirectory() as work:
            made = b.scanned(path, Path(work), degrees, dpi)
            if badly:
                made = b.badly_recognised(made, Path(work))
            (out / f"{name}.pdf").write_bytes(made.read_bytes())
        told += [{**row, "document": name} for row in rows if row["document"] == path.stem]
    (out / "truth.jsonl").write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in told), encoding="utf-8"
    )


if __name__ == "__main__":
    scan(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))
