"""A pytest plugin: with QUARRY_STRICT_SKIPS set, skips for reasons not in .ci/allowed-skips.txt fail the run."""

import os
from pathlib import Path

import pytest

ALLOWED = Path(__file__).resolve().parents[1] / ".ci/allowed-skips.txt"

_unexpected: list[str] = []


def allowed_reasons() -> set[str]:
    """The reasons that the committed list allows."""
    lines = ALLOWED.read_text("utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run if a skip was not allowed."""
    if _unexpected and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print each skip that was not allowed."""
    for line in _unexpected:
        terminalreporter.write_line(
            f"skipped for a reason that {ALLOWED.name} does not list: {line}", red=True
        )


def pytest_runtest_logreport(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Note a skip that is not allowed."""
    is_strict = os.environ.get("QUARRY_STRICT_SKIPS")
    if not is_strict or not report.skipped or hasattr(report, "wasxfail"):
        return
    place = report.longrepr
    reason = str(place[2] if isinstance(place, tuple) else place)
    reason = reason.removeprefix("Skipped: ")
    if reason not in allowed_reasons():
        _unexpected.append(f"{report.nodeid}: {reason}")


pytest_collectreport = pytest_runtest_logreport
"""A whole module may be skipped, too."""
