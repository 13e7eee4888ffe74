"""Code is named by users alone: on the command line, in settings or in Python, never by a file of data."""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from configs.settings import load
from evaluate.replay.replay import Replay
from evaluate.runs.files import read_run, write_run
from evaluate.studio.app import create_studio_app
from evaluate.studio.state import StudioFiles
from quarry.store import open_store
from tests.evaluate.fakes import (
    labelled_game,
    make_store,
    use_hashing_embedder,
)
from tests.fakes import ROOT
from tests.player.fakes import course

LOOK_UPS = {
    "evaluate/referee/simulated.py": "--referee, after read_spec",
    "evaluate/referee/spec.py": "--referee; a run's by refuse_dotted",
    "evaluate/runs/measures.py": "--measure",
    "ingest/editions/editions.py": "ingest.editions and --edition",
    "quarry/embed/models.py": "--embedder; a store's by Models.embedder",
    "ingest/layout/extract.py": "ingest.reader",
    "ingest/pipeline/pipeline.py": "ingest.reader",
    "ingest/pipeline/read_document.py": "ingest.reader",
    "player/search/available.py": "search.strategies",
}
"""Modules that look parts up by name, and where the names come from."""
FIND = re.compile(r"from quarry\.plugins import (\([^)]*|.*)\b(find|make)\b")
IMPORTERS = {
    "quarry/plugins.py": "the look-up",
    "quarry/interrupts.py": "a module of ours",
    "quarry/__init__.py": "a module of ours",
    "player/warmup.py": "a sum, whose nodes are numbers and signs",
}
"""Modules that import by a name, or evaluate a text."""
BY_NAME = re.compile(
    r"(\bimport_module|__import__|\bresolve_name|(?<![\w.])(eval|exec))\("
)


def test_every_place_that_looks_up_or_imports_by_name_is_known() -> None:
    look_ups, importers = set(), set()
    for package in ("configs", "ingest", "player", "evaluate", "quarry"):
        for path in (ROOT / package).rglob("*.py"):
            text, name = path.read_text("utf-8"), path.relative_to(ROOT).as_posix()
            if FIND.search(text):
                look_ups.add(name)
            if BY_NAME.search(text):
                importers.add(name)
    assert look_ups == LOOK_UPS.keys()
    assert importers == IMPORTERS.keys()


SPEC = "evilmod.Referee"


def _run(client: TestClient) -> None:
    read_run(Path("runs/evil.json"))
    assert client.get("/report?run=evil.json").status_code < 500


def _preset_of_a_form(client: TestClient) -> None:
    Path("evil.yaml").write_text(f"search: {{strategies: [{SPEC}]}}")
    passage = open_store("store").paragraphs[0].paragraph_id
    data = {"passage": passage, "hint": "x", "preset": "evil.yaml"}
    assert client.post("/referee/replay", data=data).status_code == 422


def _referee_of_a_form(client: TestClient) -> None:
    passage = open_store("store").paragraphs[0].paragraph_id
    data = {"passage": passage, "hint": "x"}
    for spec in (SPEC, "os.getcwd", "os.path.join"):
        answer = client.post("/referee/replay", data=data | {"referee": spec})
        assert answer.status_code == 422


@pytest.mark.parametrize(
    "read",
    [_run, _preset_of_a_form, _referee_of_a_form],
)
def test_nothing_that_is_read_from_data_is_imported(
    read: Callable[[TestClient], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_hashing_embedder(monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("evilmod.py").write_text("class Referee:\n    pass\n")
    store = make_store("store", course())
    Path("runs").mkdir()
    passage = store.paragraphs[0].paragraph_id
    game = labelled_game(hint="zzz", paragraph_id=passage)
    run = Replay([game], store, load(), [("constant:A", 0)], name="plain").run()
    for name, referee in (("evil", SPEC), ("plain", run.referee)):
        write_run(Path(f"runs/{name}.json"), replace(run, referee=referee))
    files = StudioFiles(Path("games.jsonl"), Path("runs"), None, "store")
    client = TestClient(
        create_studio_app(open_store("store"), load(), files),
        base_url="http://localhost",
    )

    try:
        read(client)
        assert "evilmod" not in sys.modules
    finally:
        sys.modules.pop("evilmod", None)
