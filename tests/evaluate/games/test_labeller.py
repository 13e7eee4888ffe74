"""Labelling: the rule is checked, nothing written is lost, and what comes out is a games file."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest

from quarry.evaluate.__main__ import main
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.labeller import label_games
from quarry.evaluate.games.locating import check_games
from quarry.ingest.paragraph import Paragraph
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import make_store, run_main

IVY = paragraph("alpha:1:1", "Ivy scales brickwork. Tendrils grip mortar.")
MOSS = paragraph("alpha:1:2", "Moss carpets boulders. Shade keeps damp cushions.")
FERNS = paragraph("beta:1:1", "Ferns unroll fronds. Spores drift downhill.")
ALL = (IVY, MOSS, FERNS)


def labelled(out: Path, lines: Sequence[str], paragraphs: Sequence[Paragraph] = ALL) -> tuple[int, str]:
    """Games in the file after these lines were typed, and all that was shown."""
    typed, shown = iter(lines), StringIO()

    def ask(prompt: str) -> str:
        print(prompt)
        if (line := next(typed, None)) is None:
            raise EOFError
        return line

    with contextlib.redirect_stdout(shown):
        n_games = label_games(paragraphs, out, ask)
    return n_games, shown.getvalue()


WHOLE = ("climber on walls", "plants 1", "", "garden", "botany")
"""Hint, book name, opening sentence as it was read, associative word, domain."""


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
        labelled(tmp_path / "games.jsonl", [*WHOLE, "", "feathery leaves", "", "Ferns unroll fronts.", ""])
        games = load_games(tmp_path / "games.jsonl")
        assert games[1].opening_sentence == "Ferns unroll fronts.", "as it was typed"
        assert [(game.paragraph_id, game.associative_word) for game in games] == [
            ("alpha:1:1", "garden"),
            ("beta:1:1", ""),
        ]
        assert check_games(games, ALL) == []

    def test_a_hint_that_breaks_the_rule_is_asked_for_again(self, tmp_path: Path) -> None:
        typed = ["ivy on walls", "w " * 16, *WHOLE[:3], "mortar", *WHOLE[3:]]
        n_games, shown = labelled(tmp_path / "games.jsonl", typed)
        assert "the word must share no word with the paragraph, got mortar" in shown
        assert n_games == 1
        assert "hint must have at most 15 words, got 16" in shown
        assert "hint must share no word with the paragraph, got ivy; say it in other words\n" in shown

    def test_a_line_that_is_not_utf_8_is_asked_for_again(self, tmp_path: Path) -> None:
        n_games, shown = labelled(tmp_path / "games.jsonl", ["caf\udce9", *WHOLE])
        assert n_games == 1
        assert "the line must be UTF-8, got other bytes; type it again\n" in shown
        assert load_games(tmp_path / "games.jsonl")[0].hint == WHOLE[0]


class TestGoingOn:
    def test_a_labelled_paragraph_is_not_shown_again(self, tmp_path: Path) -> None:
        out = tmp_path / "games.jsonl"
        labelled(out, WHOLE)
        n_games, shown = labelled(out, ["", "feathery leaves", "", "", ""])
        assert n_games == 2
        assert shown.startswith("\n[1 of 2] alpha, page 1")
        assert [game.game_id for game in load_games(out)] == ["game-001", "game-002"]

    def test_a_file_written_by_hand_is_added_to(self, tmp_path: Path) -> None:
        out = tmp_path / "games.jsonl"
        out.write_text('{"game_id": "game-002", "hint": "damp", "paragraph_id": "alpha:1:2"}', encoding="utf-8")
        labelled(out, WHOLE)
        assert [game.game_id for game in load_games(out)] == ["game-002", "game-003"]


class TestCommand:
    def test_games_are_written_from_a_pipe(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        store = make_store(tmp_path / "store", ALL).location
        out = tmp_path / "games.jsonl"
        for _ in range(2):
            monkeypatch.setattr("sys.stdin", StringIO("\n".join(["feathery leaves", "", "", "", ":q", ""])))
            arguments = ("--store", store, "--out", str(out), "--seed", "1")
            assert run_main(main, "games", "label", *arguments) == 0
        assert f"{out}: 2 games; the same command goes on from here" in capsys.readouterr().out
        assert len({game.paragraph_id for game in load_games(out)}) == 2
