"""The functions for notebooks, on a small course."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import quarry
from tests.evaluate.fakes import (
    course_games,
    make_store,
    record_of,
    use_hashing_embedder,
    write_games,
)
from tests.player.fakes import course

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def location(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    use_hashing_embedder(monkeypatch)
    return Path(make_store(tmp_path / "store", course()).location)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return write_games(tmp_path / "games.jsonl", map(record_of, course_games(course())))


def test_a_course_is_opened_by_its_path_and_shown_in_a_line(location: Path) -> None:
    opened = quarry.open_store(location)
    assert repr(opened) == f"Course('{location}', 'course': 2 documents, 12 paragraphs)"


def test_a_result_is_a_line_a_table_and_a_page(location: Path) -> None:
    found = quarry.search(location, "grammar <token> lookahead terminal")
    assert repr(found).startswith(
        "SearchResult('grammar <token> lookahead terminal', 12 hits, best '"
    )
    frame = found.to_dataframe()
    assert frame["opening_sentence"].tolist() == [
        hit.paragraph.opening_sentence for hit in found.hits
    ]
    assert frame["relevance"].tolist() == [hit.relevance for hit in found.hits]
    assert "&lt;token&gt;" in found._repr_html_()
    assert len(found._repr_html_()) < 20_000


def test_runs_are_compared_and_exported(
    location: Path, games: Path, tmp_path: Path
) -> None:
    compared = quarry.compare(
        location, games, ["default", "unfiltered"], measures=["nDCG@10"]
    )
    assert [run.name for run in compared.runs] == ["default", "unfiltered"]
    assert [run.referee for run in compared.runs] == ["none", "none"]
    assert set(compared.tests["preset"]) == {"unfiltered"}
    assert "nDCG@10" in set(compared.tests["measure"])
    alone = quarry.replay(
        location, games, settings=quarry.load_settings("unfiltered"), name="unfiltered"
    )
    assert alone.measures.items() < compared.runs[1].measures.items()
    files = quarry.export(compared.runs, tmp_path / "new" / "exported")
    assert files
    assert all(file.is_file() for file in files)


def test_the_search_is_tuned_and_its_settings_are_a_preset(
    location: Path, games: Path, tmp_path: Path
) -> None:
    found = quarry.tune(location, games, 2, out=tmp_path / "tuned.yaml")
    assert found["trials"] == 2
    assert (
        quarry.load_settings(str(tmp_path / "tuned.yaml")).search.k
        == found["tuned_settings"]["k"]
    )


def imported(cwd: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run code with an editable install, which leaves a finder that maps the packages to their folders."""
    finder = f"""
import importlib.util, sys

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in ("configs", "ingest", "player", "evaluate", "quarry"):
            return importlib.util.spec_from_file_location(name, {str(ROOT)!r} + f"/{{name}}/__init__.py")

sys.meta_path.append(Finder)
"""
    command = [sys.executable, "-c", f"{finder}\n{code}"]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_an_editable_install_is_imported_outside_the_checkout(tmp_path: Path) -> None:
    code = 'import quarry; print(quarry.load_settings("dual").preset, quarry.Course.__module__)'
    done = imported(tmp_path, code)
    assert (done.stdout, done.stderr) == ("dual ingest.store.course\n", "")


def test_the_other_project_called_evaluate_is_named(tmp_path: Path) -> None:
    (tmp_path / "evaluate").mkdir()
    (tmp_path / "evaluate" / "__init__.py").touch()
    last = imported(tmp_path, "import quarry; quarry.replay").stderr.splitlines()[-1]
    assert last.startswith("ImportError: The package 'evaluate' is ")
    assert last.endswith("Install Quarry into an environment of its own.")
