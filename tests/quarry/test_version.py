"""The digest of the code."""

import itertools
from pathlib import Path

import pytest

from configs.directories import ROOT, user_fitted_file
from quarry import version

SHOWN = {".css", ".html", ".js", ".ico", ".svg"}
"""Suffixes of files on which no result depends, but only how it is shown."""


def test_the_digest_of_the_code_changes_with_its_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(version, "ROOT", tmp_path)
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))
    folder = tmp_path / "player" / "search"
    folder.mkdir(parents=True)
    seen = {version.code_digest.__wrapped__()}
    files = itertools.chain(
        *((ROOT / name).rglob("*.*") for name in ("player", "quarry"))
    )
    suffixes = {path.suffix for path in files} - SHOWN - {".pyc", ".typed"}
    for suffix in suffixes:
        (folder / f"file{suffix}").write_text("x")
        seen.add(version.code_digest.__wrapped__())

    fit = user_fitted_file(tmp_path / "calibration.json")
    fit.parent.mkdir(parents=True)
    for text in ("{}", "[]"):
        fit.write_text(text)
        seen.add(version.code_digest.__wrapped__())
    (fit.parent / "old").mkdir()
    (fit.parent / "gone").symlink_to("nowhere")
    seen.add(version.code_digest.__wrapped__())
    assert len(seen) == len(suffixes) + 3 > 8
