"""configs/project.py: values of a project file."""

from pathlib import Path

import pytest

from configs.project import find_project


def test_a_path_may_start_in_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "quarry.toml").write_text(
        'store = "~/courses"\ngames = "games.jsonl"\n'
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/ada")
    project = find_project()
    assert project.store == "/home/ada/courses"
    assert project.games == str(tmp_path / "games.jsonl")
