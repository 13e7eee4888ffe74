"""Ingest against the truth: our own lectures, other typesetters, other layouts, and real ones labelled by hand."""

import os
from pathlib import Path

import pytest

from tests.contracts.reading_accuracy import labels_of, read_labels
from tests.fakes import ROOT

OURS = ROOT / "data" / "lectures"
UNSEEN = Path(__file__).parent / "unseen"
TORTURE = Path(__file__).parent / "torture"
CORPORA = Path(os.environ.get("QUARRY_TEST_LECTURES", "absent"))
"""A folder of real lectures with the labelled games english/games.jsonl and hebrew/games.jsonl."""
ABSENT = (
    "QUARRY_TEST_LECTURES names no lectures: the same is tested on the bundled ones"
)
IMAGES = ("scan", "scan-skewed", "scan-badly-read", "scan-he", "redistilled-unicode")
"""Files whose text layer is absent, bad or without meaning: what is read of them depends on OCR."""


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
    labels: Path,
    exact: float,
    f1: float,
    missing: float,
) -> None:
    if not labels.exists():
        pytest.skip(ABSENT)
    results = read_labels(labels_of(labels))
    assert results["exact"].mean() >= exact
    assert results["f1"].mean() >= f1
    assert results["missing"].mean() <= missing


def test_every_typesetter_is_read_as_it_prints() -> None:
    labels = labels_of(TORTURE / "dev" / "truth.jsonl")
    results = read_labels(label for label in labels if label.pdf.stem not in IMAGES)
    exact = results.groupby("document")["exact"].mean()
    assert len(exact) >= 15
    assert exact.min() >= 0.88, exact
    assert exact.mean() >= 0.97
    assert results["f1"].mean() >= 0.985
