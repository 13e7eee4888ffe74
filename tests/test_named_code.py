"""Code is named by users alone: on the command line, in settings or in Python, never by a file of data."""

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
