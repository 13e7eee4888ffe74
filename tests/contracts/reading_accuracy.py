"""Accuracy of ingest on labelled paragraphs; `python -m tests.contracts.reading_accuracy LABELS...` prints it.

LABELS is a games.jsonl next to a folder `pdfs` of its PDFs, or a truth.jsonl in the folder of its PDFs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path
from statistics import fmean

from configs.settings import load
from evaluate.games.labelled import same_text, token_f1
from ingest.errors import SourceError
from ingest.json_files import read_objects
from ingest.paragraph import Paragraph
from ingest.pipeline.read_document import read_pdf
from tests.fakes import each

FOUND_FROM = 0.6
"""Token F1 from which on a labelled paragraph counts as found; below, it is missing."""


@dataclass(frozen=True, slots=True)
class Label:
    """A labelled paragraph: its PDF, its opening sentence and its text."""

    pdf: Path
    opening_sentence: str
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """How a labelled paragraph was read: whether its opening sentence is exact, and the token F1 of its text."""

    document: str
    exact: bool
    f1: float


def labels_of(path: Path) -> list[Label]:
    """Return the labelled paragraphs whose opening sentence is in the text layer, without blocks of other kinds."""
    labels = []
    for where, row in read_objects(path, ValueError):
        row = {"playable": True, "in_text_layer": True, "paragraph_id": "", **row}
        is_playable = row["playable"] and row["in_text_layer"]
        if not is_playable or row["paragraph_id"] is None:
            continue
        try:
            if "pdf" in row:
                pdf, text = path.parent / "pdfs" / row["pdf"], row["paragraph"]
            else:
                pdf, text = path.parent / f"{row['document']}.pdf", row["text"]
            labels.append(Label(pdf, row["opening_sentence"], text))
        except KeyError as error:
            raise ValueError(
                f"{where}: must hold {error}; give a games.jsonl with texts, or a truth.jsonl"
            ) from error
    return labels


def read_labels(labels: Sequence[Label]) -> list[Result]:
    """Read the labels' PDFs and compare them with the labels."""
    by_pdf: dict[Path, list[Label]] = {}
    for label in labels:
        by_pdf.setdefault(label.pdf, []).append(label)
    results = []
    for pdf, of_pdf in by_pdf.items():
        results += compare(of_pdf, _paragraphs(pdf))
    return results


def compare(labels: Sequence[Label], paragraphs: Sequence[Paragraph]) -> list[Result]:
    """Compare each label with the paragraph of its PDF that is most like it."""
    results = []
    for label in labels:
        f1, exact = 0.0, False
        for paragraph in paragraphs:
            score = token_f1(paragraph.text, label.text)
            if score > f1:
                f1, sentence = score, paragraph.opening_sentence
                exact = same_text(sentence, label.opening_sentence)
        results.append(Result(label.pdf.stem, exact, f1))
    return results


def exact_share(results: Sequence[Result]) -> float:
    """Return the share of opening sentences that are exact."""
    return fmean(each(results, "exact"))


def mean_f1(results: Sequence[Result]) -> float:
    """Return the mean token F1."""
    return fmean(each(results, "f1"))


def _paragraphs(pdf: Path) -> tuple[Paragraph, ...]:
    try:
        return read_pdf(pdf, pdf.stem, "", load().ingest).paragraphs
    except SourceError as error:
        print(error, file=sys.stderr)
        return ()


def _row(name: str, results: Sequence[Result]) -> str:
    exact = sum(each(results, "exact"))
    missing = sum(result.f1 < FOUND_FROM for result in results)
    return f"| {name} | {exact}/{len(results)} | {mean_f1(results):.3f} | {missing} |"


def main(paths: Iterable[str]) -> None:
    """Print the table in Markdown."""
    results = read_labels([*chain(*map(labels_of, map(Path, paths)))])
    print("| PDF | opening exact | token F1 | missing |\n| --- | --- | --- | --- |")
    for name, of_document in groupby(results, attrgetter("document")):
        print(_row(name, [*of_document]))
    print(_row("all", results))


if __name__ == "__main__":
    main(sys.argv[1:])
