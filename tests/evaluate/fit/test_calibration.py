"""The numbers of search are fitted by hand-worked likelihoods, and `calibrate` writes them beside the others'."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quarry.evaluate.__main__ import main
from quarry.evaluate.fit.calibration import Choice, fit_choices, fit_relevance
from quarry.ingest.embed.vectors import embed_reading
from quarry.ingest.paragraph import Alias, Document, Reading
from quarry.ingest.store import DocumentUpdate, create_store
from quarry.player.search.build import build_references
from quarry.player.search.calibration import CALIBRATION
from quarry.player.search.references import FEATURES, MEANING
from tests.evaluate.fakes import course_games, make_store, record_of, run_main, write_games
from tests.fakes import HashingEmbedder
from tests.player.fakes import course

HINTS = ("teatime", "umbrella stand", "porcelain elephants", "velvet curtain", "lighthouse")
NEGATIVES = ("how tall is the tallest giraffe", "book a table for two tonight", "what is the weather in Oslo")


def test_a_feature_that_wins_three_times_in_four_weighs_the_logarithm_of_three() -> None:
    features = np.array([[1.0], [0.0]])
    (weight,), _ = fit_choices([Choice(features, row) for row in (0, 0, 0, 1)], with_none=False)
    assert weight == pytest.approx(math.log(3.0), abs=1e-4)


def test_none_of_these_chosen_once_in_four_has_a_third_of_the_odds() -> None:
    features = np.array([[0.0]])
    _, none = fit_choices([Choice(features, row) for row in (0, 0, 0, None)], with_none=True)
    assert none == pytest.approx(-math.log(3.0), abs=1e-4)


def test_a_penalty_draws_weights_to_nothing() -> None:
    choices = [Choice(np.array([[1.0], [0.0]]), row) for row in (0, 0, 0, 1)]
    free, drawn = (fit_choices(choices, with_none=False, l2=l2)[0][0] for l2 in (0.0, 5.0))
    assert 0.0 < drawn < 0.5 * free


def test_relevance_is_even_half_way_between_the_held_and_the_missing_however_many_there_are_of_each() -> None:
    held, missing = np.array([[0.9], [0.7]]), np.array([[0.3], [0.1]] * 5)
    (slope,), bias = fit_relevance(held, missing)
    assert slope > 0.0
    assert -bias / slope == pytest.approx(0.5, abs=1e-3)


def test_a_set_of_negatives_weighs_no_more_for_being_large() -> None:
    held, far, near = np.array([[0.9], [0.7]]), np.array([[0.0]] * 50), np.array([[0.6]])
    even = [-bias / slope for (slope,), bias in (fit_relevance(held, far, near), fit_relevance(held, far[:1], near))]
    assert even[0] == pytest.approx(even[1], abs=0.05)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("store"), course()).location


@pytest.fixture
def arguments(store: str, tmp_path: Path, fast_models: None) -> list[str]:
    """`calibrate` over the small course: hints that keep the rule, and its own sentences as questions."""
    asked = course_games(course())
    hints = [replace(game, hint=hint) for game, hint in zip(asked, cycle(HINTS), strict=False)]
    games = write_games(tmp_path / "games.jsonl", [record_of(game) for game in hints])
    questions = write_games(tmp_path / "questions.jsonl", [record_of(game) for game in asked])
    negatives = write_games(tmp_path / "negatives.jsonl", [{"text": text} for text in NEGATIVES])
    return [
        *("calibrate", "search", "--store", store, "--games", str(games), "--questions-store", store),
        *("--questions", str(questions), "--negatives", str(negatives), "--out", str(tmp_path / "out.json")),
    ]


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
        before = json.loads(projects)["minilm"]
        assert json.loads(captured.out)["keyword"] == before["keyword"]

    def test_questions_and_their_store_come_together(
        self, arguments: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run_main(main, *arguments[:8]) == 2
        assert "--questions and --questions-store must come together" in capsys.readouterr().err

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
        assert printed["keyword"]["nats"] > 0.0
        assert len(printed["references"]["weights"]) == len(printed["references"]["letters"]) == len(FEATURES)
        assert printed["references"]["letters"][MEANING] == 0.0
        assert printed["named"] > 0.0 > printed["unnamed"]

    @pytest.mark.parametrize(("more", "kinds"), [((), {"words", "near", "hub"}), (("--no-hubs",), {"words", "near"})])
    def test_models_that_have_read_the_words_get_weights_for_what_they_say(
        self,
        arguments: list[str],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        more: tuple[str, ...],
        kinds: set[str],
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
        assert run_main(main, *arguments, *more) == 2
        assert "must hold the words of the same models as --store, minilm, got none" in capsys.readouterr().err
        arguments[arguments.index("--questions-store") + 1] = str(tmp_path / "words")
        assert run_main(main, *arguments, *more) == 0
        dense = json.loads(capsys.readouterr().out)["words"]["minilm"]["dense"]
        assert {name.removesuffix(".minilm") for name in (*dense["parts"], *dense["glance"])} == kinds

    def test_the_same_games_give_the_same_numbers(
        self, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert [run_main(main, *arguments) for _ in range(2)] == [0, 0]
        first, second = capsys.readouterr().out.split("\n{")
        assert json.loads(first) == json.loads("{" + second)

    def test_references_are_made_once_for_the_course_and_once_without_each_document(
        self, arguments: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        left_out = []
        make = build_references

        def counted(*given: Any, without: str = "") -> Any:
            left_out.append(without)
            return make(*given, without=without)

        monkeypatch.setattr("quarry.evaluate.fit.calibration.references.build_references", counted)
        assert run_main(main, *arguments) == 0
        assert sorted(left_out) == ["", *sorted({item.doc_id for item in course()})]

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            ("", "--negatives must hold at least one"),
            ("{}\n", "negatives.jsonl line 1: text must be a string"),
            ("not JSON\n", "negatives.jsonl line 1: must be a JSON object"),
            (None, "--negatives must be a readable file"),
        ],
    )
    def test_negatives_that_cannot_be_used_end_with_2_and_one_line(
        self, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, says: str
    ) -> None:
        negatives = tmp_path / "negatives.jsonl"
        negatives.unlink()
        if content is not None:
            negatives.write_text(content, encoding="utf-8")
        assert run_main(main, *arguments) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        assert says in captured.err
        assert not (tmp_path / "out.json").exists()

    def test_stores_of_two_embedders_end_with_2(
        self, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        make_store(tmp_path / "other", course(), spec="e5")
        arguments[arguments.index("--questions-store") + 1] = str(tmp_path / "other")
        assert run_main(main, *arguments) == 2
        assert "--questions-store must be of the embedder 'minilm', got 'e5'" in capsys.readouterr().err

    def test_games_that_all_break_the_rule_end_with_2(
        self, arguments: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        arguments[arguments.index("--games") + 1] = arguments[arguments.index("--questions") + 1]
        assert run_main(main, *arguments) == 2
        assert "--games must hold a hint that shares no word with its paragraph" in capsys.readouterr().err

    def test_a_store_of_one_document_ends_with_2(
        self, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        one = [item for item in course() if item.doc_id == course()[0].doc_id]
        make_store(tmp_path / "one", one)
        arguments[arguments.index("--store") + 1] = str(tmp_path / "one")
        assert run_main(main, *arguments) == 2
        assert "--games must be about a store of at least 2 documents" in capsys.readouterr().err

    def test_questions_about_nothing_that_the_store_holds_end_with_2(
        self, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        lost = replace(course_games(course())[0], paragraph_id="elsewhere:1:1")
        path = write_games(tmp_path / "lost.jsonl", [record_of(lost)])
        arguments[arguments.index("--questions") + 1] = str(path)
        assert run_main(main, *arguments) == 2
        assert "--questions must hold one whose paragraph the store holds, got none of 1" in capsys.readouterr().err
