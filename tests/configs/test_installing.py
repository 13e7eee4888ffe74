from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from quarry.configs.installing import told

SCRIPT = Path(__file__).resolve().parents[2] / "configs" / "installing.py"
PIP = """\
Collecting torch==2.13.0 (from -r requirements.txt (line 3))
  Downloading torch-2.13.0-cp311-none-any.whl.metadata (29 kB)
Downloading torch-2.13.0-cp311-none-any.whl (180.2 MB)
Using cached numpy-2.4.6-cp311-none-any.whl (16 MB)
Installing collected packages: numpy, torch
Successfully installed numpy-2.4.6 torch-2.13.0
"""


def test_what_pip_fetches_and_installs_is_told_in_short_lines() -> None:
    said: list[str] = []
    assert list(told(PIP.splitlines(keepends=True), said)) == [
        "packages: looking for torch==2.13.0",
        "packages: 1, torch (180.2 MB)",
        "packages: 2, numpy (16 MB)",
        "packages: installing 2, which takes a minute",
        "packages: 2 installed",
    ]
    assert "".join(said) == PIP


def test_it_runs_alone_and_shows_what_pip_said_where_it_failed(tmp_path: Path) -> None:
    (tmp_path / "none.txt").write_text("no-such-package==0.0\n", encoding="utf-8")
    command = [sys.executable, str(SCRIPT), "--no-index", "-r", str(tmp_path / "none.txt")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1
    assert "No matching distribution found for no-such-package==0.0" in done.stderr
    assert done.stdout == ""
