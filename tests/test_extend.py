"""The recipes of docs/guides/extend.md: each passes its suite, and is found by dotted path or in its table."""

import os
import re
from pathlib import Path

import pytest

from configs.settings import load
from ingest.layout.extract import extract
from quarry.embed.models import load_embedder
from tests.contracts.handmade import Run, pdf
from tests.evaluate.fakes import ABOUT, Evaluate
from tests.fakes import ROOT, each, read_page, run_python

pytestmark = pytest.mark.long

TEXT = read_page("docs/guides/extend.md")
BLOCKS = dict(re.findall(r"(?s)```python\n# (\w+\.py)\n(.*?)```", TEXT))
PARTS = {
    "my_strategy.py",
    "my_embedder.py",
    "my_reader.py",
    "my_kind.py",
    "my_referee.py",
    "my_measure.py",
}


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the recipes, which Python imports from."""
    folder = tmp_path / "site"
    folder.mkdir()
    for name, text in BLOCKS.items():
        (folder / name).write_text(text, "utf-8")
    monkeypatch.syspath_prepend(folder)
    return folder


def test_every_recipe_is_short_and_has_its_suite() -> None:
    assert set(BLOCKS) == PARTS | {f"test_{name}" for name in PARTS}
    for name in PARTS:
        both = BLOCKS[name] + BLOCKS[f"test_{name}"]
        assert len(both.strip().splitlines()) <= 40, name


def test_every_recipe_passes_its_suite(modules: Path) -> None:
    options = f"-q -p no:cacheprovider -c {os.devnull} --rootdir . ."
    environment = {"PYTHONPATH": f"{modules}{os.pathsep}{ROOT}"}
    words = ["-m", "pytest", *options.split()]
    done = run_python(*words, folder=modules, env=environment)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "skipped" not in done.stdout.splitlines()[-1]


@pytest.mark.usefixtures("modules")
def test_parts_are_found_by_dotted_path(tmp_path: Path) -> None:
    embedder = load_embedder("my_embedder.Hashed", Path(), load().embed)
    assert embedder.dim == 512
    page = [Run(50, 100, "plain"), Run(50, 300, "stamp", size=120)]
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf([page]))
    document = extract(path, "my_reader.WithoutStamps")
    assert each(document.pages[0].lines, "text") == ["plain"]


@pytest.mark.usefixtures("modules")
def test_a_game_is_replayed_with_them(evaluate: Evaluate) -> None:
    strategy, referee = "my_strategy.Overlap", "my_referee.Hasty"
    settings = f"--set search.strategies=[{strategy}] --set game.questions_pool=60"
    replay = f"replay {ABOUT} --referee {referee} {settings} --json"
    run = evaluate(replay).json
    assert (run["referee"], run["games"]) == (referee, 12)
    assert run["measures"]["Success@5"] == 1.0
    assert {*each(run["per_game"], "strategy")} == {strategy}
