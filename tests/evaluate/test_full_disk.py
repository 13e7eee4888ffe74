"""Commands on a full disk: one line, and the file of an earlier call is as it was."""

import re
from pathlib import Path

import pytest

from tests.evaluate.fakes import ABOUT, Evaluate
from tests.fakes import small_disk

WRITERS = {
    "report": "report a.json --out new.html",
    "export": "export a.json --out new",
    "compare": "compare a.json b.json --out new",
    "questions": f"questions {ABOUT} --out new.jsonl",
    "tune": f"tune {ABOUT} --trials 2 --out new.yaml",
}
"""Command lines that write a file or a folder whose name begins with "new"."""


def content() -> dict[Path, bytes]:
    files = [path for path in Path().rglob("*") if path.is_file()]
    return {path: path.read_bytes() for path in files if "new" in str(path)}


@pytest.mark.parametrize("name", WRITERS)
def test_what_was_written_before_survives(name: str, evaluate: Evaluate) -> None:
    for run in ("a", "b"):
        assert evaluate(f"replay {ABOUT} --out {run}.json").code == 0
    assert evaluate(WRITERS[name]).code == 0
    before = content()
    assert before

    with small_disk(30):
        code, out, err = evaluate(WRITERS[name])
    assert (code, out) == (2, "")
    says = r".* cannot be written: .*; free some space"
    assert re.fullmatch(says, err.splitlines()[-1])
    assert content() == before
