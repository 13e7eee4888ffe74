"""The recipes of docs/guides/extend.md: each passes the suite that ships, and a package of them is found by name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quarry.configs.registry import Table, installed
from quarry.configs.settings import load, preset_names
from quarry.evaluate.__main__ import main
from quarry.evaluate.referee.spec import REFEREES, spec_table
from quarry.evaluate.runs.measures import MEASURES, values_of
from quarry.evaluate.testing.records import game_record
from quarry.ingest.embed.models import EMBEDDERS, load_embedder
from quarry.ingest.pdf.extract import READERS, extract
from quarry.ingest.testing.handmade import Run, pdf
from quarry.player.questions.kinds import KINDS
from quarry.player.search.build import STRATEGIES
from tests.evaluate.fakes import course_games, make_store, record_of, run_main, use_hashing_embedder, write_games
from tests.player.fakes import course

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "guides" / "extend.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", TEXT, re.DOTALL))
PACKAGE = tomllib.loads(re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)[0])["project"]
TABLES: dict[str, Table[Any]] = {
    "quarry.strategies": STRATEGIES,
    "quarry.embedders": EMBEDDERS,
    "quarry.readers": READERS,
    "quarry.kinds": KINDS,
    "quarry.referees": REFEREES,
    "quarry.measures": MEASURES,
}


def write(folder: Path) -> None:
    for name, text in BLOCKS.items():
        (folder / name).write_text(text, encoding="utf-8")


def install(folder: Path) -> None:
    """The package as pip leaves it behind: its modules, and beside them what it is and what it brings."""
    write(folder)
    info = folder / "my_quarry_parts-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PACKAGE['name']}\nVersion: 1.0\n", encoding="utf-8")
    lines = []
    for group, points in PACKAGE["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "site"
    folder.mkdir()
    install(folder)
    monkeypatch.syspath_prepend(folder)
    installed.cache_clear()
    yield
    installed.cache_clear()


def test_every_recipe_is_short_and_has_its_suite() -> None:
    parts = [name for name in BLOCKS if not name.startswith("test_")]
    assert len(parts) == len(TABLES) + 1
    for name in parts:
        both = BLOCKS[name] + BLOCKS.get(f"test_{name}", "")
        assert len(both.strip().splitlines()) <= 40, name
        assert f"test_{name}" in BLOCKS or name == "my_preset.py"
    assert PACKAGE["entry-points"].keys() == TABLES.keys() | {"quarry.presets"}


def test_every_recipe_passes_its_suite(tmp_path: Path) -> None:
    write(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", ".", "."],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "skipped" not in done.stdout.splitlines()[-1]


@pytest.mark.usefixtures("package")
def test_an_installed_package_is_found_by_name_and_named_in_help() -> None:
    for group, table in TABLES.items():
        for name in PACKAGE["entry-points"][group]:
            assert name in table
            assert name in table.names
    assert "hasty" in spec_table()
    assert preset_names()[-1] == "short"
    assert (load("short").preset, load("short").search.k) == ("short", 10)
    assert load_embedder("hashed", Path(), load().embed).dim == 512
    assert KINDS["pairs"].name == "pairs"


@pytest.mark.usefixtures("package")
def test_an_installed_reader_reads(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf([[Run(50, 100, "plain"), Run(50, 300, "stamp", size=120)]]))
    lines = extract(tmp_path / "a.pdf", "without-stamps").pages[0].lines
    assert [line.text for line in lines] == ["plain"]


@pytest.mark.usefixtures("package")
def test_an_installed_measure_stands_beside_the_others() -> None:
    lost = game_record(game_id="g2", truth=None)
    values = values_of([game_record(), lost])
    assert list(values) == [*MEASURES]
    assert values["Document@5"].tolist() == [1.0, 0.0]
    assert values["nDCG@10"].tolist() == pytest.approx([0.6309, 0.0], abs=1e-4)
    assert values["RR"].tolist() == [0.5, 0.0]


@pytest.mark.parametrize("named", ["installed", "by dotted path"])
@pytest.mark.usefixtures("package")
def test_a_game_is_replayed_with_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    use_hashing_embedder(monkeypatch)
    strategy, referee = ("overlap", "hasty") if named == "installed" else ("my_strategy.Overlap", "my_referee.Hasty")
    store = make_store(tmp_path / "store", course()).location
    games = write_games(tmp_path / "games.jsonl", [record_of(game) for game in course_games(course())[:2]])
    config = tmp_path / "mine.yaml"
    config.write_text(f"search: {{strategies: [{strategy}]}}\ngame: {{questions_pool: 60}}\n", encoding="utf-8")
    arguments = ("--store", store, "--games", str(games), "--config", str(config), "--referee", referee, "--json")
    assert run_main(main, "replay", *arguments) == 0
    run = json.loads(capsys.readouterr().out)
    assert (run["referee"], run["games"]) == (referee, 2)
    assert run["measures"]["Success@5"] == 1.0
    assert run["measures"]["Document@5"] == 1.0
    assert {game["strategy"] for game in run["per_game"]} == {strategy}


@pytest.mark.usefixtures("package")
def test_a_name_that_nothing_has_is_refused_with_all_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = make_store(tmp_path / "store", course()).location
    config = tmp_path / "mine.yaml"
    config.write_text("search: {strategies: [overlapp]}\n", encoding="utf-8")
    games = write_games(tmp_path / "games.jsonl", [record_of(game) for game in course_games(course())[:2]])
    assert run_main(main, "replay", "--store", store, "--games", str(games), "--config", str(config)) == 2
    told = capsys.readouterr().err
    assert "search.strategies must be of dense, keyword, reranked, overlap, or the dotted path of your own" in told
    assert told.count("\n") == 1
