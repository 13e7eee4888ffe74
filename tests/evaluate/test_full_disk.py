"""Commands on a full disk: one line, and the file of an earlier call is as it was."""

import re
from pathlib import Path

from tests.evaluate.fakes import ABOUT, Evaluate
from tests.fakes import small_disk

WRITERS = (
    "report a.json --out new.html",
    "export a.json --out new",
    "compare a.json b.json --out new",
    f"questions {ABOUT} --out new.jsonl",
)
"""Command lines that write a file or a folder whose name begins with "new"."""


def content() -> dict[Path, bytes]:
    files = [path for path in Path().rglob("*") if path.is_file()]
    return {path: path.read_bytes() for path in files if "new" in str(path)}


def test_what_was_written_before_survives(evaluate: Evaluate) -> None:
    for run in ("a", "b"):
        assert evaluate(f"replay {ABOUT} --out {run}.json").code == 0

    n_before = 0
    for line in WRITERS:
        assert evaluate(line).code == 0
        before = content()
        assert len(before) > n_before, "it is a file of its own"
        n_before = len(before)
        with small_disk(30):
            code, out, err = evaluate(line)
        assert (code, out) == (2, ""), line
        says = r".* cannot be written: .*; free some space"
        assert re.fullmatch(says, err.splitlines()[-1])
        assert content() == before, line
