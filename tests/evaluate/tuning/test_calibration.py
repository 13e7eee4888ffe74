"""The numbers of search are fitted by hand-worked likelihoods, and `calibrate` writes them beside the others'."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

from quarry.evaluate.__main__ import main
from quarry.evaluate.tuning.calibration import fit_choices, fit_relevance
from quarry.ingest.embed.vectors import embed_reading
from quarry.ingest.paragraph import Alias, Document, Reading
from quarry.ingest.store import DocumentUpdate, create_store
from quarry.player.search.calibration import CALIBRATION
from tests.evaluate.fakes import course_games, make_store, record_of, run_main, write_games
from tests.fakes import HashingEmbedder
from tests.player.fakes import course

HINTS = ("teatime", "umbrella stand", "porcelain elephants", "velvet curtain", "lighthouse")


def test_a_feature_that_wins_three_times_in_four_weighs_the_logarithm_of_three() -> None:
    (weight,) = fit_choices([np.array([[1.0], [0.0]])] * 4, [np.array([row]) for row in (0, 0, 0, 1)])
    assert weight == pytest.approx(math.log(3.0), abs=1e-4)


def test_relevance_is_even_half_way_between_the_held_and_the_missing_however_many_there_are_of_each() -> None:
    held, missing = np.array([[0.9], [0.7]]), np.array([[0.3], [0.1]] * 5)
    (slope,), bias = fit_relevance(held, missing)
    assert slope > 0.0
    assert -bias / slope == pytest.approx(0.5, abs=1e-3)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("store"), course()).location


@pytest.fixture
def arguments(store: str, tmp_path: Path, fast_models: None) -> list[str]:
    """`calibrate` over the small course, with hints that keep the rule."""
    hints = [replace(game, hint=hint) for game, hint in zip(course_games(course()), cycle(HINTS), strict=False)]
    games = write_games(tmp_path / "games.jsonl", [record_of(game) for game in hints])
    return ["calibrate", "search", "--store", store, "--games", str(games), "--out", str(tmp_path / "out.json")]


class TestCommand:
    def test_own_games_are_enough_and_the_users_file_is_written(
        self, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))
        projects = CALIBRATION.read_bytes()
        assert run_main(main, *arguments[:6]) == 0
        captured = capsys.readouterr()
        own = tmp_path / "home" / "fitted" / "calibration.json"
        assert json.loads(own.read_text(encoding="utf-8")) == {"minilm": json.loads(captured.out)}
        assert f"written to {own}; used for every store of minilm" in captured.err
        assert CALIBRATION.read_bytes() == projects

    def test_numbers_are_printed_and_written_beside_those_of_other_embedders(
        self, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        before = json.loads(CALIBRATION.read_text(encoding="utf-8"))
        (tmp_path / "out.json").write_text(json.dumps(before), encoding="utf-8")
        assert run_main(main, *arguments) == 0
        printed = json.loads(capsys.readouterr().out)
        written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
        assert written == {**before, "minilm": printed}
        assert printed.keys() == before["minilm"].keys()
        assert printed["keyword"] == before["minilm"]["keyword"]
        assert printed["fused"]["dense"] > 0.0
        assert printed["references"]["weights"] == before["minilm"]["references"]["weights"]
        assert printed["references"]["unrelated"] != before["minilm"]["references"]["unrelated"]

    def test_models_that_compare_word_by_word_get_weights_for_their_scores(
        self, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("QUARRY_ACCURACY", "fast")
        model = HashingEmbedder()
        filings = []
        for doc_id in sorted({item.doc_id for item in course()}):
            paragraphs = tuple(item for item in course() if item.doc_id == doc_id)
            aliases = (Alias(doc_id, "stem"),)
            document = Document(doc_id, f"{doc_id}.pdf", f"hash of {doc_id}", "1", aliases, 9, len(paragraphs))
            reading = Reading(document, paragraphs, ())
            filings.append(DocumentUpdate(reading, embed_reading(reading, model, [model]), model.spec))
        create_store(str(tmp_path / "words")).change(filings)
        arguments[arguments.index("--store") + 1] = str(tmp_path / "words")
        assert run_main(main, *arguments) == 0
        dense = json.loads(capsys.readouterr().out)["words"]["minilm"]["dense"]
        assert dense["parts"].keys() == {"words.minilm", "hub.minilm"}

    def test_games_that_all_break_the_rule_and_a_store_of_one_document_end_with_2(
        self, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        asked = write_games(tmp_path / "asked.jsonl", [record_of(game) for game in course_games(course())])
        arguments[arguments.index("--games") + 1] = str(asked)
        assert run_main(main, *arguments) == 2
        assert "--games must hold a hint that shares no word with its paragraph" in capsys.readouterr().err
        make_store(tmp_path / "one", [item for item in course() if item.doc_id == course()[0].doc_id])
        arguments[arguments.index("--store") + 1] = str(tmp_path / "one")
        assert run_main(main, *arguments) == 2
        assert "--games must be about a store of at least 2 documents" in capsys.readouterr().err
