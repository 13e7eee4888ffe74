"""Accuracy of ingest on labelled paragraphs; `python -m tests.contracts.reading_accuracy LABELS...` prints it.

LABELS is a games.jsonl next to a folder `pdfs` of its PDFs, or a truth.jsonl in the folder of its PDFs.
"""

import functools
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from configs.settings import load
from evaluate.games.labelled import same_text, token_f1
from ingest.errors import SourceError
from ingest.pipeline.read_document import read_pdf
from quarry.course.paragraph import Paragraph
from quarry.json_files import read_objects

FOUND_FROM = 0.6
"""Token F1 from which on a labelled paragraph counts as found; below, it is missing."""


class Label(NamedTuple):
    """A labelled paragraph: its PDF, its opening sentence and its text."""

    pdf: Path
    opening_sentence: str
    text: str


def labels_of(path: Path) -> list[Label]:
    """Return the labelled paragraphs whose opening sentence is in the text layer, without blocks of other kinds."""
    labels = []
    for _, row in read_objects(path, ValueError):
        is_playable = row.get("playable", True) and row.get("in_text_layer", True)
        if not is_playable or row.get("paragraph_id", "") is None:
            continue
        if "pdf" in row:
            pdf, text = path.parent / "pdfs" / row["pdf"], row["paragraph"]
        else:
            pdf, text = path.parent / f"{row['document']}.pdf", row["text"]
        labels.append(Label(pdf, row["opening_sentence"], text))
    return labels


def read_labels(labels: Iterable[Label]) -> pd.DataFrame:
    """Compare each label with the paragraph of its PDF that is most like it.

    Returns:
        A row for each label: its document, whether its opening sentence is exact, the token F1 of its text, and
        whether it is missing.
    """
    rows = []
    for label in labels:
        best, exact = 0.0, False
        for paragraph in _paragraphs(label.pdf):
            f1 = token_f1(paragraph.text, label.text)
            if f1 > best:
                best, sentence = f1, paragraph.opening_sentence
                exact = same_text(sentence, label.opening_sentence)
        rows.append((label.pdf.stem, exact, best, best < FOUND_FROM))
    return pd.DataFrame(rows, columns=["document", "exact", "f1", "missing"])


@functools.cache
def _paragraphs(pdf: Path) -> tuple[Paragraph, ...]:
    try:
        return read_pdf(pdf, pdf.stem, "", load().ingest).paragraphs
    except SourceError as error:
        print(error, file=sys.stderr)
        return ()


def main(paths: Iterable[str]) -> None:
    """Print the table in Markdown."""
    labels = []
    for path in paths:
        labels += labels_of(Path(path))
    results = read_labels(labels)

    print("| PDF | opening exact | token F1 | missing |\n| --- | --- | --- | --- |")
    for name, part in (*results.groupby("document", sort=False), ("all", results)):
        exact = f"{part['exact'].sum()}/{len(part)}"
        f1, n_missing = part["f1"].mean(), part["missing"].sum()
        print(f"| {name} | {exact} | {f1:.3f} | {n_missing} |")


if __name__ == "__main__":
    main(sys.argv[1:])
