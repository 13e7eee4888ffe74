"""Ingest against the truth: our own lectures, whose sources we have, and real ones with hand-written labels."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from quarry.configs.settings import load
from quarry.evaluate.games.text import same_text, tokens
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.pipeline.read_document import read_pdf

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "data" / "lectures"
UNSEEN = Path(__file__).parent / "unseen"
CORPORA = ROOT.parent / "shared" / "corpora"
ABSENT = "../shared/corpora is absent: the same is tested on the bundled lectures"


@dataclass(frozen=True)
class Label:
    document: str
    opening_sentence: str
    text: str


@dataclass(frozen=True)
class Reading:
    opening_exact: float
    mean_f1: float
    missing: float


def our_labels(course: str) -> list[Label]:
    lines = (OURS / course / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    blocks = [json.loads(line) for line in lines]
    return [Label(block["document"], block["opening_sentence"], block["text"]) for block in blocks if block["playable"]]


def their_labels(course: str) -> list[Label]:
    lines = (CORPORA / course / "games.jsonl").read_text(encoding="utf-8").splitlines()
    games = [json.loads(line) for line in lines]
    return [
        Label(Path(game["pdf"]).stem, game["opening_sentence"], game["paragraph"])
        for game in games
        if game["in_text_layer"]
    ]


def unseen_labels(truth: str) -> list[Label]:
    blocks = [json.loads(line) for line in (UNSEEN / truth).read_text(encoding="utf-8").splitlines()]
    return [Label(block["document"], block["opening_sentence"], block["text"]) for block in blocks]


def f1(one: str, other: str) -> float:
    bag, rival = Counter(tokens(one)), Counter(tokens(other))
    return 2.0 * (bag & rival).total() / (bag.total() + rival.total())


def measured(folder: Path, labels: list[Label]) -> Reading:
    kept: dict[str, tuple[Paragraph, ...]] = {}
    for document in sorted({label.document for label in labels}):
        kept[document] = read_pdf(folder / f"{document}.pdf", document, "", load().ingest).paragraphs
    best = [max(kept[label.document], key=lambda paragraph: f1(paragraph.text, label.text)) for label in labels]
    scores = [f1(paragraph.text, label.text) for paragraph, label in zip(best, labels, strict=True)]
    exact = [
        same_text(paragraph.opening_sentence, label.opening_sentence)
        for paragraph, label in zip(best, labels, strict=True)
    ]
    return Reading(
        opening_exact=sum(exact) / len(labels),
        mean_f1=sum(scores) / len(labels),
        missing=sum(score < 0.6 for score in scores) / len(labels),
    )


def test_our_english_lectures_are_read_as_they_were_written() -> None:
    reading = measured(OURS / "english", our_labels("english"))
    assert reading.opening_exact >= 0.98
    assert reading.mean_f1 >= 0.98
    assert reading.missing <= 0.01


def test_our_hebrew_lecture_is_read_as_it_was_written() -> None:
    reading = measured(OURS / "hebrew", our_labels("hebrew"))
    assert reading.opening_exact >= 0.95
    assert reading.mean_f1 >= 0.95
    assert reading.missing <= 0.02


@pytest.mark.parametrize(
    ("truth", "opening_exact"), [("truth.jsonl", 1.0), ("truth_second.jsonl", 0.95), ("truth_third.jsonl", 0.94)]
)
def test_other_layouts_are_read_as_they_were_written(truth: str, opening_exact: float) -> None:
    reading = measured(UNSEEN, unseen_labels(truth))
    assert reading.opening_exact >= opening_exact
    assert reading.mean_f1 >= 0.99
    assert reading.missing == 0


@pytest.mark.skipif(not CORPORA.is_dir(), reason=ABSENT)
@pytest.mark.parametrize(("course", "opening_exact"), [("english", 0.95), ("hebrew", 0.90)])
def test_real_lectures_are_read_as_they_are_labelled(course: str, opening_exact: float) -> None:
    reading = measured(CORPORA / course / "pdfs", their_labels(course))
    assert reading.opening_exact >= opening_exact
    assert reading.mean_f1 >= 0.95
    assert reading.missing <= 0.01
