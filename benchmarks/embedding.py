"""Paragraphs embedded per second, next to SentenceTransformer.encode at its best batch size."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.extraction import lectures
from quarry.configs.settings import load
from quarry.ingest.embed import load_embedder
from quarry.ingest.embed.exports import load_sentence_transformer, minilm_folder
from quarry.ingest.pipeline.read_document import content_hash, read_pdf

N_PARAGRAPHS = 192
N_RUNS = 3
BATCH_SIZES = (4, 8, 16, 32, 64, 192)
TARGET = 1.3


def measure() -> dict[str, Any]:
    """Median paragraphs per second of both on the same texts, and their ratio; the vectors must be the same."""
    settings = load()
    texts: list[str] = []
    for path in lectures():
        reading = read_pdf(path, path.stem, content_hash(path), settings.ingest)
        texts += [paragraph.text for paragraph in reading.paragraphs]
    texts = texts[:N_PARAGRAPHS]
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        ours = load_embedder("minilm", Path(settings.embed.models_dir or folder), settings.embed)
        model = load_sentence_transformer(str(minilm_folder()))

        def encode(batch_size: int) -> Any:
            return model.encode(texts, batch_size=batch_size, normalize_embeddings=True, show_progress_bar=False)

        cosines = (ours.embed_passages(texts) * encode(32)).sum(axis=1)
        if float(np.min(cosines)) < 0.999:
            raise RuntimeError(f"both must give the same vectors, got cosine {float(np.min(cosines)):.4f}")
        trials = {size: _seconds(lambda size=size: encode(size)) for size in BATCH_SIZES}
        best = min(trials, key=lambda size: trials[size])
        runs: dict[str, list[float]] = {"quarry": [], "baseline": []}
        for _ in range(N_RUNS):
            runs["quarry"].append(_seconds(lambda: ours.embed_passages(texts)))
            runs["baseline"].append(_seconds(lambda: encode(best)))
    rates = {side: len(texts) / statistics.median(seconds) for side, seconds in runs.items()}
    return {
        "name": "embedding of paragraphs (minilm)",
        "quarry": round(rates["quarry"], 1),
        "baseline": round(rates["baseline"], 1),
        "baseline_is": f"SentenceTransformer.encode, batch size {best} (best of {', '.join(map(str, BATCH_SIZES))})",
        "unit": "paragraphs/s",
        "ratio": round(rates["quarry"] / rates["baseline"], 2),
        "target": f"at least {TARGET:g}",
        "met": rates["quarry"] >= TARGET * rates["baseline"],
        "runs": {side: [round(value, 2) for value in values] for side, values in runs.items()},
    }


def _seconds(action: Any) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started
