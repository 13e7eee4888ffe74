"""`calibrate rates`, from a player's questions and respondents' answers to rates that the player reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quarry.evaluate.__main__ import main
from quarry.evaluate.answers.batches import read_batches
from quarry.evaluate.referee import Secret, make_referee
from quarry.player.questions.kinds import KINDS
from quarry.player.questions.rates import load_logged, load_rates
from tests.evaluate.fakes import course_games, make_store, record_of, run_main, write_games
from tests.player.fakes import course

pytestmark = pytest.mark.usefixtures("fast_models")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("store"), course()).location


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return write_games(tmp_path / "games.jsonl", map(record_of, course_games(course())))


@pytest.fixture
def batches(tmp_path: Path, store: str, games: Path) -> Path:
    out = tmp_path / "batches.jsonl"
    assert run_main(main, "questions", "--store", store, "--games", str(games), "--out", str(out)) == 0
    return out


def answered(path: Path, batches: Path, *, wrong_kind: str = "") -> Path:
    """What a careful referee answers to all batches; of questions of one kind, always another letter."""
    oracle, lines = make_referee("oracle"), []
    assert oracle is not None
    for game_id, batch in read_batches(batches).items():
        answers = []
        posed = [(question.text, question.options) for question in batch.questions]
        given = oracle.answers(Secret(batch.paragraph, ""), posed)
        for number, (question, answer) in enumerate(zip(batch.questions, given, strict=True), 1):
            if question.kind == wrong_kind:
                assert answer is not None
                answer = "ABCD"[("ABCD".index(answer) + 1) % 4]
            answers.append({"question_number": number, "answer": answer})
        lines.append(json.dumps({"game_id": game_id, "answers": answers}) + "\n")
    path.write_text("".join(lines), encoding="utf-8")
    return path


def rates(store: str, games: Path, batches: Path, answers: Path, out: Path, *arguments: str) -> int:
    files = ("--games", str(games), "--batches", str(batches), "--answers", str(answers), "--out", str(out))
    return run_main(main, "calibrate", "rates", "--store", store, *files, *arguments)


def test_a_careful_reader_lowers_the_rates_and_a_wrong_one_raises_its_kinds(
    store: str, games: Path, batches: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, priors = tmp_path / "rates.yaml", {name: kind.wrong for name, kind in KINDS.items()}
    good = answered(tmp_path / "good.jsonl", batches)
    assert rates(store, games, batches, good, out) == 0
    found = json.loads(capsys.readouterr().out)
    n_answers = sum(kind["logged"]["given"] for kind in found.values())
    asked = [question for batch in read_batches(batches).values() for question in batch.questions]
    assert n_answers == sum(question.kind in KINDS for question in asked)
    assert found["paragraph opening"]["wrong"] < priors["opening"]
    careful = load_rates(priors, out)
    assert careful["paragraph", "opening"] == pytest.approx(found["paragraph opening"]["wrong"], abs=1e-3)
    bad = tmp_path / "bad.yaml"
    assert rates(store, games, batches, answered(tmp_path / "bad.jsonl", batches, wrong_kind="opening"), bad) == 0
    assert load_rates(priors, bad)["paragraph", "opening"] > priors["opening"]


def test_views_are_learned_one_by_one_and_answers_can_be_added(
    store: str, games: Path, batches: Path, tmp_path: Path
) -> None:
    out, good = tmp_path / "rates.yaml", answered(tmp_path / "good.jsonl", batches)
    bad = answered(tmp_path / "bad.jsonl", batches, wrong_kind="opening")
    assert rates(store, games, batches, good, out) == 0
    once = load_logged(out)["paragraph", "opening"]
    assert rates(store, games, batches, bad, out, "--view", "opening") == 0
    found = load_logged(out)
    assert found["paragraph", "opening"] == once
    assert found["opening", "opening"].wrong > 10.0 > once.wrong
    assert rates(store, games, batches, bad, out, "--add") == 0
    both = load_logged(out)["paragraph", "opening"]
    assert both.given == 2.0 * once.given
    assert both.wrong == pytest.approx(once.wrong + found["opening", "opening"].wrong, abs=2.0)
    assert rates(store, games, batches, good, out) == 0
    assert load_logged(out) == found


def test_a_file_that_is_no_rates_is_not_written_over(
    store: str, games: Path, batches: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, good = tmp_path / "notes.txt", answered(tmp_path / "good.jsonl", batches)
    for text in ("word: {prior: {wrong: 0.06}}", "some notes", ":\n\t- :"):
        out.write_text(text, encoding="utf-8")
        assert rates(store, games, batches, good, out) == 2
        assert "--out must be a file that calibrate rates wrote" in capsys.readouterr().err
        assert out.read_text(encoding="utf-8") == text


def test_bad_input_exits_with_2_and_nothing_is_written(
    store: str, games: Path, batches: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, empty = tmp_path / "rates.yaml", tmp_path / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    good = answered(tmp_path / "good.jsonl", batches)
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"game_id": "another", "answers": []}), encoding="utf-8")
    one = write_games(tmp_path / "one.jsonl", [record_of(course_games(course())[0])])
    for these, answers, says in (
        (games, empty, "must answer at least one game"),
        (games, tmp_path / "nowhere", "--answers must be a readable file"),
        (one, good, "every game_id must be in --games"),
        (games, other, "game_id must be that of a batch"),
    ):
        capsys.readouterr()
        assert rates(store, these, batches, answers, out) == 2
        assert says in capsys.readouterr().err
    assert not out.exists()
