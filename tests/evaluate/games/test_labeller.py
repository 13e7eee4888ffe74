"""Labelling: the rule is checked, nothing written is lost, and what comes out is a games file."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from quarry.evaluate.__main__ import main
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.check import check_games
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.labeller import hint_wrong, in_order, label_games
from quarry.evaluate.games.locating import locate_games
from quarry.ingest.paragraph import Paragraph
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import make_store, run_main
from tests.player.fakes import course

IVY = paragraph("alpha:1:1", "Ivy scales brickwork. Tendrils grip mortar.")
MOSS = paragraph("alpha:1:2", "Moss carpets boulders. Shade keeps damp cushions.")
FERNS = paragraph("beta:1:1", "Ferns unroll fronds. Spores drift downhill.")
ALL = (IVY, MOSS, FERNS)


def labelled(out: Path, lines: Sequence[str], paragraphs: Sequence[Paragraph] = ALL, **how: Any) -> tuple[int, str]:
    """Games in the file after these lines were typed, and all that was shown."""
    typed, shown = iter(lines), StringIO()

    def ask(prompt: str) -> str:
        print(prompt)
        if (line := next(typed, None)) is None:
            raise EOFError
        return line

    with contextlib.redirect_stdout(shown):
        n_games = label_games(paragraphs, out, ask, **how)
    return n_games, shown.getvalue()


WHOLE = ("climber on walls", "plants 1", "", "garden", "botany")
"""Hint, book name, opening sentence as it was read, associative word, domain."""


class TestRule:
    @pytest.mark.parametrize(
        ("hint", "wrong"),
        [
            ("climber on walls", ""),
            ("a climber that grips", ""),
            ("IVY on walls", "in the paragraph: ivy"),
            ("mortar, tendrils", "in the paragraph: mortar, tendrils"),
            (" ".join(["wall"] * 16), "16 words, at most 15 are allowed"),
            (" ".join(["wall"] * 15 + ["ivy"]), "16 words, at most 15 are allowed; in the paragraph: ivy"),
        ],
    )
    def test_a_hint_has_15_words_at_most_and_none_of_the_paragraph(self, hint: str, wrong: str) -> None:
        assert hint_wrong(hint, IVY.text) == wrong


class TestGames:
    def test_a_game_is_written_with_the_paragraph_and_what_was_said(self, tmp_path: Path) -> None:
        assert labelled(tmp_path / "games.jsonl", WHOLE)[0] == 1
        assert json.loads((tmp_path / "games.jsonl").read_text(encoding="utf-8")) == {
            "game_id": "game-001",
            "book_name": "plants 1",
            "hint": "climber on walls",
            "association_domain": "botany",
            "associative_word": "garden",
            "paragraph_id": "alpha:1:1",
            "opening_sentence": IVY.opening_sentence,
            "paragraph": IVY.text,
            "pdf": "alpha.pdf",
            "page": 1,
        }

    def test_what_comes_out_has_nothing_wrong(self, tmp_path: Path) -> None:
        labelled(tmp_path / "games.jsonl", [*WHOLE, "", "feathery leaves", "", "", ""])
        games = load_games(tmp_path / "games.jsonl")
        assert [(game.paragraph_id, game.associative_word) for game in games] == [
            ("alpha:1:1", "garden"),
            ("beta:1:1", ""),
        ]
        assert check_games(games, locate_games(games, ALL)) == []

    def test_a_hint_that_breaks_the_rule_is_asked_for_again(self, tmp_path: Path) -> None:
        n_games, shown = labelled(tmp_path / "games.jsonl", ["ivy on walls", *WHOLE])
        assert n_games == 1
        assert "in the paragraph: ivy\n" in shown

    def test_an_associative_word_of_the_paragraph_is_asked_for_again(self, tmp_path: Path) -> None:
        _, shown = labelled(tmp_path / "games.jsonl", [*WHOLE[:3], "mortar", "garden", "botany"])
        assert "in the paragraph: mortar\n" in shown
        assert load_games(tmp_path / "games.jsonl")[0].associative_word == "garden"

    def test_an_opening_sentence_that_was_misread_is_corrected(self, tmp_path: Path) -> None:
        labelled(tmp_path / "games.jsonl", [*WHOLE[:2], "Ivy scales brick work.", *WHOLE[3:]])
        assert load_games(tmp_path / "games.jsonl")[0].opening_sentence == "Ivy scales brick work."

    def test_as_many_are_asked_for_as_are_wanted(self, tmp_path: Path) -> None:
        n_games, shown = labelled(tmp_path / "games.jsonl", [*WHOLE, *WHOLE], n_games=1)
        assert n_games == 1
        assert "[2 of 3]" not in shown


class TestGoingOn:
    def test_a_labelled_paragraph_is_not_shown_again(self, tmp_path: Path) -> None:
        out = tmp_path / "games.jsonl"
        labelled(out, WHOLE)
        n_games, shown = labelled(out, ["", "feathery leaves", "", "", ""])
        assert n_games == 2
        assert shown.startswith("\n[1 of 2] alpha, page 1")
        assert [game.game_id for game in load_games(out)] == ["game-001", "game-002"]

    def test_a_game_that_was_not_finished_is_not_written(self, tmp_path: Path) -> None:
        assert labelled(tmp_path / "games.jsonl", [*WHOLE[:2], ":q"])[0] == 0
        assert not (tmp_path / "games.jsonl").exists()

    def test_a_file_written_by_hand_is_added_to(self, tmp_path: Path) -> None:
        out = tmp_path / "games.jsonl"
        out.write_text('{"game_id": "game-002", "hint": "damp", "paragraph_id": "alpha:1:2"}', encoding="utf-8")
        assert labelled(out, WHOLE)[0] == 2
        assert [game.game_id for game in load_games(out)] == ["game-002", "game-003"]

    def test_a_file_that_is_no_games_file_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_text("buy milk", encoding="utf-8")
        with pytest.raises(GamesError, match="must be a JSON object"):
            labelled(tmp_path / "notes.txt", WHOLE)
        assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "buy milk"


class TestOrder:
    def test_a_document_is_taken_alone_and_as_it_stands(self) -> None:
        assert in_order(ALL, "alpha", None) == [IVY, MOSS]

    def test_chance_is_seeded(self) -> None:
        paragraphs = course()
        assert in_order(paragraphs, None, 1) == in_order(paragraphs, None, 1)
        assert in_order(paragraphs, None, 1) != in_order(paragraphs, None, 2)
        assert sorted(item.paragraph_id for item in in_order(paragraphs, None, 1)) == sorted(
            item.paragraph_id for item in paragraphs
        )

    def test_an_unknown_document_is_refused(self) -> None:
        with pytest.raises(GamesError, match="--document must be one of alpha, beta, got 'gamma'"):
            in_order(ALL, "gamma", None)


class TestCommand:
    def test_games_are_written_from_a_pipe(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        store = make_store(tmp_path / "store", ALL).location
        out = tmp_path / "games.jsonl"
        monkeypatch.setattr("sys.stdin", StringIO("\n".join([*WHOLE, ":q", ""])))
        assert run_main(main, "games", "label", "--store", store, "--out", str(out), "--in-order") == 0
        assert f"{out}: 1 games; the same command goes on from here" in capsys.readouterr().out
        assert load_games(out)[0].paragraph_id == "alpha:1:1"

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (["--out", "nowhere/games.jsonl"], "--out must be in a folder that is there"),
            (["--out", "games.jsonl", "--document", "gamma"], "--document must be one of alpha, beta, got 'gamma'"),
            (["--out", "games.jsonl", "--number", "0"], "--number must be at least 1, got 0"),
            (["--out", "games.jsonl", "--store", "nowhere"], "--store must be a folder made by ingest"),
        ],
    )
    def test_bad_input_exits_with_2_and_one_line(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        arguments: list[str],
        says: str,
    ) -> None:
        monkeypatch.chdir(tmp_path)
        make_store(tmp_path / "store", ALL)
        assert run_main(main, "games", "label", "--store", "store", *arguments) == 2
        captured = capsys.readouterr()
        assert says in captured.err
        assert captured.err.count("\n") == 1
