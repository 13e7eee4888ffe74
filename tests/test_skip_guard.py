"""The guard fails a strict run for a skip that nobody allowed, and leaves every other run alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.skip_guard import ALLOWED, allowed_reasons

ROOT = Path(__file__).resolve().parents[1]
REASON = sorted(allowed_reasons())[0]
PASSES = "def test_it_passes(): pass\n"


def run_pytest(
    folder: Path, text: str, strict: str = "1", options: tuple[str, ...] = ()
) -> tuple[int, str]:
    """Exit code and output of pytest, with more options, over one file with this text."""
    (folder / "test_small.py").write_text(f"import pytest\n{text}", encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    environment = {}
    for key, value in os.environ.items():
        if not key.startswith(("PYTEST", "QUARRY")):
            environment[key] = value
    if strict:
        environment["QUARRY_STRICT_SKIPS"] = strict
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "tests.skip_guard",
            "-p",
            "no:cacheprovider",
            *options,
            str(folder),
        ],
        cwd=folder,
        env={
            **environment,
            "PYTHONPATH": str(ROOT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    return done.returncode, done.stdout


def skipping(reason: str) -> str:
    return f"@pytest.mark.skip(reason={reason!r})\ndef test_it_is_skipped(): pass\n"


def test_an_allowed_skip_passes(tmp_path: Path) -> None:
    code, output = run_pytest(tmp_path, skipping(REASON))
    assert (code, "1 skipped" in output) == (0, True)


def test_any_other_skip_fails_the_run(tmp_path: Path) -> None:
    code, output = run_pytest(tmp_path, PASSES + skipping("not today"))
    assert code == 1, output
    assert "1 passed, 1 skipped" in output
    assert (
        f"skipped for a reason that {ALLOWED.name} does not list: test_small.py::test_it_is_skipped: not today\n"
        in output
    )
