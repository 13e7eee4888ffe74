"""Accuracy of ingest on labelled paragraphs; `python -m tests.contracts.reading_accuracy LABELS...` prints it.

LABELS is a games.jsonl next to a folder `pdfs` of its PDFs, or a truth.jsonl in the folder of its PDFs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from configs.settings import load
from evaluate.games.labelled import same_text, token_f1
from ingest.errors import SourceError
from ingest.json_files import read_objects
from ingest.paragraph import Paragraph
from ingest.pipeline.read_document import read_pdf

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
        if (
            not row.get("playable", True)
            or not row.get("in_text_layer", True)
            or row.get("paragraph_id", "") is None
        ):
            continue
        try:
            pdf = (
                path.parent / "pdfs" / row["pdf"]
                if "pdf" in row
                else path.parent / f"{row['document']}.pdf"
            )
            labels.append(
                Label(
                    pdf,
                    row["opening_sentence"],
                    row["paragraph"] if "pdf" in row else row["text"],
                )
            )
        except KeyError as error:
            raise ValueError(
                f"{where}: must hold {error}; give a games.jsonl with texts, or a truth.jsonl"
            ) from error
    return labels


def read_labels(labels: Sequence[Label]) -> list[Result]:
    """Read the labels' PDFs and compare them with the labels."""
    results = []
    for pdf in dict.fromkeys(label.pdf for label in labels):
        results += compare(
            [label for label in labels if label.pdf == pdf], _paragraphs(pdf)
        )
    return results


def compare(labels: Sequence[Label], paragraphs: Sequence[Paragraph]) -> list[Result]:
    """Compare each label with the paragraph of its PDF that is most like it."""
    results = []
    for label in labels:
        scores = [token_f1(paragraph.text, label.text) for paragraph in paragraphs]
        best = max(range(len(scores)), key=scores.__getitem__, default=None)
        exact = best is not None and same_text(
            paragraphs[best].opening_sentence, label.opening_sentence
        )
        results.append(
            Result(label.pdf.stem, exact, 0.0 if best is None else scores[best])
        )
    return results


def exact_share(results: Sequence[Result]) -> float:
    """Return the share of opening sentences that are exact."""
    return sum(result.exact for result in results) / len(results)


def mean_f1(results: Sequence[Result]) -> float:
    """Return the mean token F1."""
    return sum(result.f1 for result in results) / len(results)


def _paragraphs(pdf: Path) -> tuple[Paragraph, ...]:
    try:
        return read_pdf(pdf, pdf.stem, "", load().ingest).paragraphs
    except SourceError as error:
        print(error, file=sys.stderr)
        return ()


def _row(name: str, results: Sequence[Result]) -> str:
    exact, missing = (
        sum(result.exact for result in results),
        sum(result.f1 < FOUND_FROM for result in results),
    )
    return f"| {name} | {exact}/{len(results)} | {mean_f1(results):.3f} | {missing} |"


def main(paths: Iterable[str]) -> None:
    """Print the table in Markdown."""
    results = read_labels([label for path in paths for label in labels_of(Path(path))])
    print("| PDF | opening exact | token F1 | missing |\n| --- | --- | --- | --- |")
    for name in dict.fromkeys(result.document for result in results):
        print(_row(name, [result for result in results if result.document == name]))
    print(_row("all", results))


if __name__ == "__main__":
    main(sys.argv[1:])
