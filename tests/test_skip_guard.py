"""The guard fails a strict run for a skip that nobody allowed."""

from pathlib import Path

from tests.fakes import ROOT, run_python
from tests.skip_guard import ALLOWED, allowed_reasons

REFUSED = f"skipped for a reason that {ALLOWED.name} does not list: "


def test_a_skip_passes_only_if_its_reason_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    environment = {
        "PYTHONPATH": str(ROOT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "QUARRY_STRICT_SKIPS": "1",
    }
    words = ["-m", "pytest", "-p", "tests.skip_guard", str(tmp_path)]

    for reason, is_refused in ((min(allowed_reasons()), False), ("not today", True)):
        skipped = f"@pytest.mark.skip(reason={reason!r})\ndef test_it(): pass\n"
        (tmp_path / "test_small.py").write_text(f"import pytest\n{skipped}")
        done = run_python(*words, folder=tmp_path, env=environment)
        assert done.returncode == is_refused
        assert "1 skipped" in done.stdout
        line = f"{REFUSED}test_small.py::test_it: {reason}\n"
        assert (line in done.stdout) == is_refused
