"""`python -m benchmarks.reading LABELS...`: what ingest reads of each labelled PDF, next to the naive pipeline.

LABELS is a games.jsonl that holds the paragraphs' text, its PDFs in the folder `pdfs` beside it, or a truth.jsonl
beside the PDFs. The naive pipeline is pdfplumber's extract_text split on blank lines; on both sides the same code finds
the opening sentences and matches the texts.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pdfplumber

from quarry.configs.json_files import read_objects
from quarry.configs.settings import load
from quarry.evaluate.games.text import same_text, tokens
from quarry.ingest.paragraphs.sentence import opening_sentence
from quarry.ingest.pipeline.read_document import read_pdf

FOUND_FROM = 0.6
"""Token F1 from which on a labelled paragraph counts as found; below, it is missing."""


@dataclass(frozen=True, slots=True)
class Label:
    """A true paragraph: the PDF that it stands in, its opening sentence and its text."""

    pdf: Path
    opening_sentence: str
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph as some pipeline read it."""

    opening_sentence: str
    text: str


@dataclass(frozen=True, slots=True)
class Read:
    """What a pipeline made of one PDF: the pieces it kept, how many it rejected by reason, pages, CPU seconds."""

    pieces: tuple[Piece, ...]
    rejected: dict[str, int]
    n_pages: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Quality:
    """How well labelled paragraphs were read: shares and a mean, 0..1; `missing` counts."""

    opening_exact: float
    mean_f1: float
    missing: int
    n_labels: int


def labels_of(path: Path) -> list[Label]:
    """The labelled paragraphs of a games.jsonl or truth.jsonl whose opening sentence is in the text layer.

    Raises:
        ValueError: a line has neither `pdf` and `paragraph` nor `document` and `text`.
    """
    labels = []
    for where, record in read_objects(path, ValueError):
        if "playable" in record:
            if record["playable"]:
                pdf = path.parent / f"{record['document']}.pdf"
                labels.append(Label(pdf, record["opening_sentence"], record["text"]))
        elif "paragraph" in record and "pdf" in record:
            if record.get("in_text_layer", True):
                pdf = path.parent / "pdfs" / record["pdf"]
                labels.append(Label(pdf, record["opening_sentence"], record["paragraph"]))
        else:
            raise ValueError(f"{where}: must hold `pdf` and `paragraph`, or be a line of a truth.jsonl")
    return labels


def read_by_us(pdf: Path) -> Read:
    """A PDF as ingest reads it."""
    settings = load().ingest
    started = time.process_time()
    reading = read_pdf(pdf, pdf.stem, "", settings)
    seconds = time.process_time() - started
    pieces = tuple(Piece(paragraph.opening_sentence, paragraph.text) for paragraph in reading.paragraphs)
    return Read(pieces, reading.document.rejected, reading.document.n_pages, seconds)


def read_naively(pdf: Path) -> Read:
    """A PDF as pdfplumber's text split on blank lines; pieces as short as ingest rejects are left out."""
    started = time.process_time()
    texts = []
    with pdfplumber.open(pdf) as document:
        n_pages = len(document.pages)
        for page in document.pages:
            texts += [" ".join(piece.split()) for piece in re.split(r"\n\s*\n", page.extract_text() or "")]
            page.close()
    seconds = time.process_time() - started
    kept = [text for text in texts if len(text.split()) >= load().ingest.min_words]
    return Read(tuple(Piece(opening_sentence(text), text) for text in kept), {}, n_pages, seconds)


def token_f1(one: str, other: str) -> float:
    """F1 of two texts as bags of tokens, 0..1."""
    bag, rival = Counter(tokens(one)), Counter(tokens(other))
    return 2.0 * (bag & rival).total() / max(1, bag.total() + rival.total())


def quality(labels: Sequence[Label], pieces: Sequence[Piece]) -> Quality:
    """How well the labelled paragraphs of one or more PDFs were read: each is compared with the piece most like it."""
    exact, scores = 0, []
    for label in labels:
        best = max(pieces, key=lambda piece: token_f1(piece.text, label.text), default=Piece("", ""))
        exact += same_text(best.opening_sentence, label.opening_sentence)
        scores.append(token_f1(best.text, label.text))
    n_labels = max(1, len(labels))
    return Quality(exact / n_labels, sum(scores) / n_labels, sum(score < FOUND_FROM for score in scores), len(labels))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, one PDF a row, in Markdown; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reading",
        description="What ingest reads of labelled PDFs, next to pdfplumber's text split on blank lines.",
        epilog="example: python -m benchmarks.reading data/lectures/english/truth.jsonl",
    )
    parser.add_argument("labels", nargs="+", type=Path, metavar="LABELS", help="games.jsonl or truth.jsonl")
    options = parser.parse_args(arguments)
    try:
        labels = [label for path in options.labels for label in labels_of(path)]
    except (OSError, ValueError) as error:
        print(f"benchmarks.reading: {error}", file=sys.stderr)
        return 2
    figures = ["kept", "opening exact", "token F1", "missing", "pages/s"]
    heads = ["PDF", "kept", "rejected", *figures[1:], *(f"naive: {figure}" for figure in figures)]
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    for pdf in dict.fromkeys(label.pdf for label in labels):
        own = [label for label in labels if label.pdf == pdf]
        cells = [pdf.stem]
        for read in (read_by_us(pdf), read_naively(pdf)):
            cells += _cells(read, quality(own, read.pieces))
        print(f"| {' | '.join(cell for cell in cells if cell)} |", flush=True)
    return 0


def _cells(read: Read, found: Quality) -> list[str]:
    total = sum(read.rejected.values())
    by_reason = sorted(read.rejected.items(), key=lambda item: (-item[1], item[0]))
    reasons = f"{total} ({', '.join(f'{reason} {count}' for reason, count in by_reason)})" if total else ""
    return [
        str(len(read.pieces)),
        reasons,
        f"{round(found.opening_exact * found.n_labels)}/{found.n_labels}",
        f"{found.mean_f1:.3f}",
        str(found.missing),
        f"{read.n_pages / read.seconds:.1f}",
    ]


if __name__ == "__main__":
    sys.exit(main())
