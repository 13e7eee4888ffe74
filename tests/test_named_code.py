"""Code is named by users alone: on the command line, in settings or in Python, never by a file of data."""

import re
import sys
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
from tests.evaluate.fakes import labelled_game
from tests.fakes import modules_with

LOOK_UPS = {
    "evaluate/referee/simulated.py": "--referee, after read_spec",
    "evaluate/referee/spec.py": "--referee; a form's after refuse_dotted",
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
    "evaluate/practice/playing.py": "the practice server",
}
"""Modules that import by a name, or evaluate a text."""
BY_NAME = re.compile(
    r"(\bimport_module|__import__|\bresolve_name|(?<![\w.])(eval|exec))\("
)


def test_every_place_that_looks_up_or_imports_by_name_is_known() -> None:
    assert modules_with(FIND) == LOOK_UPS.keys()
    assert modules_with(BY_NAME) == IMPORTERS.keys()


SPEC = "evilmod.Referee"


@pytest.mark.usefixtures("evaluate")
def test_nothing_that_is_read_from_data_is_imported() -> None:
    Path("evilmod.py").write_text("class Referee:\n    pass\n")
    Path("evil.yaml").write_text(f"search: {{strategies: [{SPEC}]}}")
    store = open_store("store")
    Path("runs").mkdir()
    form = {"paragraph": store.paragraphs[0].paragraph_id, "hint": "zzz"}
    game = labelled_game(hint="zzz", paragraph_id=form["paragraph"])
    run = Replay([game], store, load(), [("constant:A", 0)]).run()
    write_run(Path("runs/evil.json"), replace(run, referee=SPEC))
    files = StudioFiles(Path("games.jsonl"), Path("runs"), Path("journal"))
    app = create_studio_app(store, load(), files)
    client = TestClient(app, base_url="http://localhost")

    read_run(Path("runs/evil.json"))
    assert client.get("/report?run=evil.json").status_code < 500
    for key, value in (
        ("preset", "evil.yaml"),
        ("referee", SPEC),
        ("referee", "os.getcwd"),
        ("referee", "os.path.join"),
    ):
        answer = client.post("/referee/replay", data={**form, key: value})
        assert answer.status_code == 422
    assert "evilmod" not in sys.modules
