"""Ingest against the truth: our own lectures, other typesetters, other layouts, and real ones labelled by hand."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from tests.contracts.reading_accuracy import (
    FOUND_FROM,
    exact_share,
    labels_of,
    mean_f1,
    read_labels,
)

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "data" / "lectures"
UNSEEN = Path(__file__).parent / "unseen"
TORTURE = Path(__file__).parent / "torture"
CORPORA = ROOT.parent / "shared" / "corpora"
ABSENT = "../shared/corpora is absent: the same is tested on the bundled lectures"
IMAGES = ("scan", "scan-skewed", "scan-badly-read", "scan-he", "redistilled-unicode")
"""Files whose text layer is absent, bad or without meaning: what is read of them depends on Tesseract."""


@pytest.mark.parametrize(
    ("labels", "exact", "f1", "missing"),
    [
        (OURS / "english" / "truth.jsonl", 0.98, 0.98, 0.01),
        (OURS / "hebrew" / "truth.jsonl", 0.95, 0.95, 0.02),
        (UNSEEN / "truth.jsonl", 1.0, 0.99, 0.0),
        (UNSEEN / "truth_second.jsonl", 0.95, 0.99, 0.0),
        (UNSEEN / "truth_third.jsonl", 0.94, 0.99, 0.0),
        (CORPORA / "english" / "games.jsonl", 0.95, 0.95, 0.01),
        (CORPORA / "hebrew" / "games.jsonl", 0.90, 0.95, 0.01),
    ],
)
def test_lectures_are_read_as_they_were_written(
    labels: Path, exact: float, f1: float, missing: float
) -> None:
    if not labels.exists():
        pytest.skip(ABSENT)
    results = read_labels(labels_of(labels))
    assert exact_share(results) >= exact
    assert mean_f1(results) >= f1
    assert sum(result.f1 < FOUND_FROM for result in results) <= missing * len(results)


def test_every_typesetter_is_read_as_it_prints() -> None:
    labels = labels_of(TORTURE / "dev" / "truth.jsonl")
    results = read_labels([label for label in labels if label.pdf.stem not in IMAGES])
    exact = {}
    for name, of_document in groupby(results, lambda result: result.document):
        exact[name] = exact_share([*of_document])
    assert len(exact) >= 15
    assert min(exact.values()) >= 0.88, exact
    assert sum(exact.values()) / len(exact) >= 0.97
    assert mean_f1(results) >= 0.985
