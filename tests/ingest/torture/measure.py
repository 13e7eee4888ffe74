"""`python -m tests.ingest.torture.measure dev`: how the torture course is read, by typesetter and by construct.

`once` is for a last look: who has seen its faults and mends them has made it material to develop on.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reading import token_f1
from quarry.configs.settings import load
from quarry.evaluate.games.text import same_text
from quarry.ingest.errors import SourceError
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.pipeline.read_document import read_pdf

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Result:
    """How one paragraph was read: by which typesetter it was set, what it tries, its opening sentence and its F1."""

    document: str
    construct: str
    exact: bool
    f1: float


def results(which: str, without: Collection[str] = ()) -> list[Result]:
    """How each paragraph of a set (dev, once, a folder) was read, compared with the piece most like it."""
    folder = FOLDER / which  # which may be an absolute path as well
    rows = [json.loads(line) for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
    found = []
    for document in dict.fromkeys(row["document"] for row in rows if row["document"] not in without):
        pieces = _paragraphs(folder / f"{document}.pdf")
        for row in (row for row in rows if row["document"] == document):
            best = max(pieces, key=lambda piece: token_f1(piece.text, row["text"]), default=None)
            exact = best is not None and same_text(best.opening_sentence, row["opening_sentence"])
            found.append(Result(document, row["construct"], exact, token_f1(best.text, row["text"]) if best else 0.0))
    return found


def _paragraphs(path: Path) -> tuple[Paragraph, ...]:
    try:
        return read_pdf(path, path.stem, "", load().ingest).paragraphs
    except SourceError as error:
        print(error, file=sys.stderr)
        return ()


def table(found: Iterable[Result], by: str) -> str:
    """A table in Markdown of opening sentences that are exact and of mean token F1, by an attribute of the results."""
    groups = defaultdict(list)
    for result in found:
        groups[getattr(result, by)].append(result)
    rows = [f"| {by} | opening exact | token F1 |", "| --- | --- | --- |"]
    for name, group in groups.items():
        mean = sum(result.f1 for result in group) / len(group)
        rows.append(f"| {name} | {sum(result.exact for result in group)}/{len(group)} | {mean:.3f} |")
    return "\n".join(rows)


if __name__ == "__main__":
    read = results(sys.argv[1] if len(sys.argv) > 1 else "dev")
    print(table(read, "document"), table(read, "construct"), sep="\n\n")
