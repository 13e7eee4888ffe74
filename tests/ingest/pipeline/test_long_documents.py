"""What a document costs in memory must not grow with its pages, its paragraphs aside."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.contracts.handmade import lines, pdf

READ = """
import resource, sys
from pathlib import Path
from quarry.configs.settings import load
from quarry.ingest.pipeline.read_document import read_pdf

for name in sys.argv[1:]:
    reading = read_pdf(Path(name), "lecture", "", load().ingest)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(reading.document.n_pages, len(reading.paragraphs), peak)
"""
ROOT = Path(__file__).resolve().parents[2]


def write_lecture(path: Path, n_pages: int) -> None:
    """Pages of 30 lines of 10 words in three paragraphs."""
    texts = [
        [f"Page {page} row {row} tells of the trees that grow here." + " " * (row % 10 == 9) for row in range(30)]
        for page in range(n_pages)
    ]
    runs = [
        [run for part in range(3) for run in lines(rows[10 * part : 10 * part + 10], 50, 150 + 150 * part)]
        for rows in texts
    ]
    path.write_bytes(pdf(runs))


def test_five_hundred_more_pages_cost_less_memory_than_a_sixth_of_their_glyphs(tmp_path: Path) -> None:
    paths = [tmp_path / "short.pdf", tmp_path / "long.pdf"]
    for path, n_pages in zip(paths, (100, 600), strict=True):
        write_lecture(path, n_pages)
    output = subprocess.run(
        [sys.executable, "-c", READ, *map(str, paths)], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    (short_pages, short_paragraphs, short_peak), (long_pages, long_paragraphs, long_peak) = (
        map(int, line.split()) for line in output.splitlines()
    )
    assert (short_pages, short_paragraphs, long_pages, long_paragraphs) == (100, 300, 600, 1800)
    # 1,200 glyphs a page at some 150 bytes each are 180 kB; with them 500 pages cost 90,000 kB
    # without them 8,600 to 10,500 were measured
    assert long_peak - short_peak < 15_000
