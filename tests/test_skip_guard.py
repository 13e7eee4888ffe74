"""The guard fails a strict run for a skip that nobody allowed, and leaves every other run alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.skip_guard import ALLOWED, allowed_reasons

ROOT = Path(__file__).resolve().parents[1]
REASON = sorted(allowed_reasons())[0]
PASSES = "def test_it_passes(): pass\n"


def run_pytest(folder: Path, text: str, strict: str = "1", options: tuple[str, ...] = ()) -> tuple[int, str]:
    """Exit code and output of pytest, with more options, over one file with this text."""
    (folder / "test_small.py").write_text(f"import pytest\n{text}", encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "QUARRY"))}
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
        env={**environment, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
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


def test_every_skip_is_named_however_it_came_about(tmp_path: Path) -> None:
    kinds = {
        "by_a_mark": skipping("not today"),
        "without_a_reason": skipping(""),
        "like_an_allowed_one": skipping(f"{REASON}, or so"),
        "within_the_test": "def test_it_is_skipped(): pytest.skip('not today')\n",
        "in_a_fixture": "@pytest.fixture\ndef no(): pytest.skip('not today')\ndef test_it_is_skipped(no): pass\n",
        "by_a_condition": "@pytest.mark.skipif(True, reason='not today')\ndef test_it_is_skipped(): pass\n",
        "no_module": "def test_it_is_skipped(): pytest.importorskip('no_such_module')\n",
    }
    text = "".join(kind.replace("test_it_is_skipped", f"test_{name}") for name, kind in kinds.items())
    code, output = run_pytest(tmp_path, PASSES + text)
    assert (code, "1 passed, 7 skipped" in output) == (1, True)
    assert sorted(re.findall(r"does not list: test_small\.py::test_(\w+): ", output)) == sorted(kinds)
