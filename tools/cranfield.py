"""Convert the Cranfield collection to a course and games: `python -m tools.cranfield DOCUMENTS QUESTIONS QRELS OUT`.

DOCUMENTS is cran.all.1400, QUESTIONS cran.qry, and QRELS a file in TREC's format. docs/guides/measure.md shows the
commands that follow.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

DOCUMENT = "cranfield"
"""Name of the one document that holds all abstracts."""
N_PATHS = 4
"""Number of arguments."""
RECORD = re.compile(r"^\.I +(\d+)$", re.MULTILINE)
TEXT = re.compile(r"^\.W$", re.MULTILINE)


def read_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the number and the text of each record of a file, in order."""
    _, *parts = RECORD.split(path.read_text("utf-8"))
    for number, record in zip(parts[::2], parts[1::2], strict=True):
        _, _, text = TEXT.sub("\0", record, count=1).partition("\0")
        yield number, " ".join(text.split())


def convert(documents: Path, questions: Path, qrels: Path, out: Path) -> None:
    """Write paragraphs.jsonl and games.jsonl into a folder.

    The judgements number the questions from 1 in their order. A document without text is left out. A game has one right
    paragraph, the one with the highest judgement; the others count when the qrels are applied.
    """
    paragraphs = []
    for number, text in read_texts(documents):
        if text:
            names = {"paragraph_id": number, "book_name": DOCUMENT}
            paragraphs.append({**names, "text": text})

    best: dict[str, tuple[int, str]] = {}
    for line in qrels.read_text("utf-8").splitlines():
        question_id, _, document_id, judgement = line.split()
        pair = int(judgement), document_id
        best[question_id] = max(pair, best.get(question_id, pair))

    games = []
    for question_number, (_, text) in enumerate(read_texts(questions), 1):
        if right := best.get(str(question_number)):
            game = {"game_id": str(question_number), "book_name": "", "hint": text}
            games.append({**game, "paragraph_id": right[1]})

    out.mkdir(parents=True, exist_ok=True)
    _write(out / "paragraphs.jsonl", paragraphs)
    _write(out / "games.jsonl", games)


def _write(path: Path, records: Sequence[Mapping[str, str]]) -> None:
    lines = [f"{json.dumps(record)}\n" for record in records]
    path.write_text("".join(lines), "utf-8")
    print(f"{path}: {len(records)} lines")


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code, 2 for bad input."""
    if len(arguments) != N_PATHS:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        convert(*map(Path, arguments))
    except (OSError, ValueError) as error:
        print(f"tools.cranfield: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
