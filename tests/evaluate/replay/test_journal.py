"""The journal of an unfinished replay: what was done is kept, and nothing of another run is taken for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quarry.configs.settings import Settings, SettingsError
from quarry.evaluate.replay import journal as journal_module
from quarry.evaluate.replay.journal import Journal, inputs_digest
from tests.contracts.records import game_record
from tests.evaluate.fakes import labelled_game

ONE, OTHER = game_record(game_id="g1"), game_record(game_id="g2", hint="זוחל על \u2028 הקיר")


def left_behind(path: Path) -> None:
    with Journal(path, "inputs") as journal:
        journal.add(ONE)
        journal.add(OTHER)


def test_what_was_done_is_there_again(tmp_path: Path) -> None:
    left_behind(tmp_path / "run.json.partial")
    with Journal(tmp_path / "run.json.partial", "inputs") as journal:
        assert journal.done == {"g1": ONE, "g2": OTHER}
        assert not journal.begun_anew


def test_it_is_there_again_after_a_second_interruption(tmp_path: Path) -> None:
    left_behind(tmp_path / "partial")
    with Journal(tmp_path / "partial", "inputs") as journal:
        journal.add(game_record(game_id="g3"))
    with Journal(tmp_path / "partial", "inputs") as journal:
        assert list(journal.done) == ["g1", "g2", "g3"]


def test_a_last_line_that_is_torn_is_played_again(tmp_path: Path) -> None:
    left_behind(tmp_path / "partial")
    text = (tmp_path / "partial").read_text(encoding="utf-8")
    (tmp_path / "partial").write_text(text[: len(text) - 20], encoding="utf-8")
    with Journal(tmp_path / "partial", "inputs") as journal:
        assert list(journal.done) == ["g1"]


@pytest.mark.parametrize(
    "change", [('"game_id"', '"gameid"'), ('"plays": []', '"plays": 7'), ('"record": ', '"rec": ')]
)
def test_a_game_that_was_altered_is_played_again(tmp_path: Path, change: tuple[str, str]) -> None:
    left_behind(tmp_path / "partial")
    head, first, *rest = (tmp_path / "partial").read_text(encoding="utf-8").split("\n")
    assert change[0] in first
    (tmp_path / "partial").write_text("\n".join([head, first.replace(*change, 1), *rest]), encoding="utf-8")
    with Journal(tmp_path / "partial", "inputs") as journal:
        assert list(journal.done) == ["g2"]


@pytest.mark.parametrize("text", ["", "no JSON\n", '{"format": "quarry replay journal 2", "inputs": "other"}\n'])
def test_a_journal_of_another_run_is_begun_anew(tmp_path: Path, text: str) -> None:
    (tmp_path / "partial").write_text(text, encoding="utf-8")
    with Journal(tmp_path / "partial", "inputs") as journal:
        assert journal.done == {}
        assert journal.begun_anew


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--out must be in a folder that can be written"):
        Journal(tmp_path / "nowhere" / "partial", "inputs")


def test_the_digest_changes_with_everything_a_run_depends_on(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [labelled_game()]
    digests = [
        inputs_digest(games, "store", settings, "none", 0, 1),
        inputs_digest([labelled_game(hint="another")], "store", settings, "none", 0, 1),
        inputs_digest(games, "other store", settings, "none", 0, 1),
        inputs_digest(games, "store", replace(settings, search=replace(settings.search, pdf_k=3)), "none", 0, 1),
        inputs_digest(games, "store", settings, "oracle", 0, 1),
        inputs_digest(games, "store", settings, "none", 1, 1),
        inputs_digest(games, "store", settings, "none", 0, 2),
    ]
    monkeypatch.setattr(journal_module, "code_digest", lambda: "other code")
    digests.append(inputs_digest(games, "store", settings, "none", 0, 1))
    assert len(set(digests)) == 8
    monkeypatch.undo()
    assert inputs_digest(games, "store", settings, "none", 0, 1) == digests[0]
