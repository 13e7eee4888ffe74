"""Pages read per second on one core, characters alone and with layout, next to pdfplumber's extract_text."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pdfplumber

from quarry.ingest.layout.arrange import arrange
from quarry.ingest.pdf.extract import extract, glyph_pages

ROOT = Path(__file__).resolve().parents[1]
N_RUNS = 3


def measure_layout() -> dict[str, Any]:
    """Extraction with layout: median pages per second over the bundled English lectures, and their ratio."""
    return _compare("extraction with layout", lambda path: arrange(extract(path)), target=4.0)


def measure_characters() -> dict[str, Any]:
    """Every character with its box, baseline, size and font: median pages per second, and their ratio."""
    return _compare("extraction of characters with boxes", _characters, target=8.0)


def lectures() -> Sequence[Path]:
    """The bundled English lectures, each once."""
    folder = ROOT / "data" / "lectures" / "english"
    return [path for path in sorted(folder.glob("*.pdf")) if path.name[0].isdigit()]


def _compare(name: str, read: Callable[[Path], object], target: float) -> dict[str, Any]:
    """CPU seconds, so that what else the machine does counts for neither side; runs interleaved."""
    paths = lectures()
    n_pages = sum(_n_pages(path) for path in paths)
    read(paths[0])
    _plumb(paths[0])
    times: dict[str, list[float]] = {"quarry": [], "baseline": []}
    for _ in range(N_RUNS):
        for side, action in (("quarry", read), ("baseline", _plumb)):
            gc.collect()
            started = time.process_time()
            for path in paths:
                action(path)
            times[side].append(time.process_time() - started)
    ours, theirs = (n_pages / statistics.median(times[side]) for side in ("quarry", "baseline"))
    return {
        "name": name,
        "quarry": round(ours, 1),
        "baseline": round(theirs, 1),
        "baseline_is": "pdfplumber extract_text with its defaults",
        "unit": "pages/s",
        "ratio": round(ours / theirs, 2),
        "target": f"at least {target:g}",
        "met": ours >= target * theirs,
        "runs": {side: [round(value, 2) for value in values] for side, values in times.items()},
    }


def _characters(path: Path) -> int:
    """Read a PDF's characters as the page model has them; how many there are."""
    return sum(len(page.glyphs) for page in glyph_pages(path))


def _plumb(path: Path) -> int:
    """Read a PDF with pdfplumber; the characters it found."""
    with pdfplumber.open(path) as pdf:
        return sum(len(page.extract_text() or "") for page in pdf.pages)


def _n_pages(path: Path) -> int:
    with pdfplumber.open(path) as pdf:
        return len(pdf.pages)
