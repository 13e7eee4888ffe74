"""Pages read and paragraphs embedded per second, next to pdfplumber and to SentenceTransformer.encode."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pdfplumber

from benchmarks.measure import DATA, Row, bundled_course, row, seconds, take_turns, uncached_settings
from quarry.ingest.embed import load_embedder
from quarry.ingest.embed.embedders import load_sentence_transformer
from quarry.ingest.embed.exports import minilm_folder
from quarry.ingest.layout.arrange import arrange
from quarry.ingest.layout.extract import extract

N_RUNS = 3
N_PARAGRAPHS = 192
BATCH_SIZES = (4, 8, 16, 32, 64, 192)


def measure_layout() -> Row:
    """Measure pages extracted with layout per second of CPU, over the bundled English lectures."""
    paths = [path for path in sorted((DATA / "lectures" / "english").glob("*.pdf")) if path.name[0].isdigit()]
    n_pages = sum(map(_n_pages, paths))

    def rate(action: Callable[[Path], object], run: int) -> float:
        gc.collect()
        chosen = paths if run else paths[:1]
        return n_pages / seconds(time.process_time, lambda: [action(path) for path in chosen])

    ours = partial(rate, lambda path: arrange(extract(path)))
    sides = take_turns(range(N_RUNS + 1), ours, partial(rate, _plumb))
    baseline_is = "pdfplumber extract_text with its defaults"
    return row("extraction with layout", sides, "pages/s", baseline_is, at_least=4.0)


def _plumb(path: Path) -> int:
    with pdfplumber.open(path) as pdf:
        return sum(len(page.extract_text() or "") for page in pdf.pages)


def _n_pages(path: Path) -> int:
    with pdfplumber.open(path) as pdf:
        return len(pdf.pages)


def measure_embedding() -> Row:
    """Measure paragraphs embedded per second; the vectors of both sides must be the same."""
    settings = uncached_settings()
    with bundled_course(settings) as (course, _), tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        texts = [paragraph.text for paragraph in course.paragraphs][:N_PARAGRAPHS]
        ours = load_embedder("minilm", Path(settings.embed.models_dir or folder), settings.embed)
        model = load_sentence_transformer(str(minilm_folder()))

        def encode(batch_size: int) -> Any:
            return model.encode(texts, batch_size=batch_size, normalize_embeddings=True, show_progress_bar=False)

        cosine = float(np.min((ours.embed_passages(texts) * encode(32)).sum(axis=1)))
        if cosine < 0.999:
            raise RuntimeError(f"both must give the same vectors, got cosine {cosine:.4f}")
        trials = {size: seconds(time.perf_counter, partial(encode, size)) for size in BATCH_SIZES}
        best = min(trials, key=trials.__getitem__)
        sides = take_turns(
            range(N_RUNS + 1),
            lambda _: len(texts) / seconds(time.perf_counter, lambda: ours.embed_passages(texts)),
            lambda _: len(texts) / seconds(time.perf_counter, partial(encode, best)),
        )
    baseline_is = f"SentenceTransformer.encode, its best batch size {best}"
    return row("embedding of paragraphs (minilm)", sides, "paragraphs/s", baseline_is, at_least=1.3)
