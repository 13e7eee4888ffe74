"""Labelling: the rule is checked, nothing written is lost, and what comes out is a games file."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from evaluate.errors import GamesError
from evaluate.games.labelled import load_games
from evaluate.games.labeller import choose_paragraphs, label_games
from evaluate.games.locating import check_games
from ingest.paragraph import Paragraph
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import Evaluate, make_store
from tests.fakes import each

IVY = paragraph("alpha:1:1", "Ivy scales brickwork. Tendrils grip mortar.")
MOSS = paragraph("alpha:1:2", "Moss carpets boulders. Shade keeps damp cushions.")
FERNS = paragraph("beta:1:1", "Ferns unroll fronds. Spores drift downhill.")
ALL = (IVY, MOSS, FERNS)


def labelled(
    out: Path, lines: Sequence[str], paragraphs: Sequence[Paragraph] = ALL
) -> tuple[int, str]:
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


def test_a_game_is_written_with_the_paragraph_and_what_was_said(tmp_path: Path) -> None:
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


def test_what_comes_out_has_nothing_wrong(tmp_path: Path) -> None:
    labelled(
        tmp_path / "games.jsonl",
        [*WHOLE, "", "feathery leaves", "", "Ferns unroll fronts.", ""],
    )
    games = load_games(tmp_path / "games.jsonl")
    assert games[1].opening_sentence == "Ferns unroll fronts.", "as it was typed"
    assert [(game.paragraph_id, game.associative_word) for game in games] == [
        ("alpha:1:1", "garden"),
        ("beta:1:1", ""),
    ]
    assert check_games(games, ALL) == []


def test_a_hint_that_breaks_the_rule_is_asked_for_again(tmp_path: Path) -> None:
    typed = ["ivy on walls", "w " * 16, *WHOLE[:3], "mortar", *WHOLE[3:]]
    n_games, shown = labelled(tmp_path / "games.jsonl", typed)
    assert 'The word shares the word "mortar" with the paragraph.' in shown
    assert n_games == 1
    assert "The hint has 16 words; at most 15 are allowed." in shown
    assert 'The hint shares the word "ivy" with the paragraph.\n' in shown


def test_a_line_that_is_not_utf_8_is_asked_for_again(tmp_path: Path) -> None:
    n_games, shown = labelled(tmp_path / "games.jsonl", ["caf\udce9", *WHOLE])
    assert n_games == 1
    assert "The line is not UTF-8. Type it again.\n" in shown
    assert load_games(tmp_path / "games.jsonl")[0].hint == WHOLE[0]


def test_a_labelled_paragraph_is_not_shown_again(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    labelled(out, WHOLE)
    n_games, shown = labelled(out, ["", "feathery leaves", "", "", ""])
    assert n_games == 2
    assert shown.startswith("\n[1 of 2] alpha, page 1, prose  Section 1\n")
    assert each(load_games(out), "game_id") == ["game-001", "game-002"]


def test_a_file_written_by_hand_is_added_to(tmp_path: Path) -> None:
    line = {"game_id": "game-002", "hint": "damp", "paragraph_id": "alpha:1:2"}
    out = tmp_path / "games.jsonl"
    out.write_text(json.dumps(line), encoding="utf-8")
    labelled(out, WHOLE)
    assert each(load_games(out), "game_id") == ["game-002", "game-003"]


def test_answers_and_games_can_be_given_again(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    typed = [WHOLE[0], "plans", ":b", *WHOLE[1:], ":b", "garden wall cover"]
    n_games, shown = labelled(out, [*typed, *WHOLE[1:]])
    assert n_games == 1
    (game,) = load_games(out)
    assert (game.hint, game.book_name) == ("garden wall cover", "plants 1")
    assert ":b goes back, :q ends" in shown


class TestChoice:
    PARAGRAPHS = (IVY, replace(MOSS, kind="heading"), replace(FERNS, kind="item"))

    def test_headings_are_left_out_unless_they_are_named(self) -> None:
        ivy, moss, ferns = self.PARAGRAPHS
        assert choose_paragraphs(self.PARAGRAPHS) == [ivy, ferns]
        assert choose_paragraphs(self.PARAGRAPHS, kinds=["heading"]) == [moss]
        assert choose_paragraphs(self.PARAGRAPHS, "BET") == [ferns]

    def test_an_unknown_lecture_is_answered_with_those_there_are(self) -> None:
        with pytest.raises(GamesError, match=r"Lectures: alpha, beta\. Kinds: heading"):
            choose_paragraphs(self.PARAGRAPHS, "gamma")


def test_games_are_written_from_a_pipe(
    evaluate: Evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(tmp_path / "store", ALL).location
    out = tmp_path / "games.jsonl"
    for n_games in (1, 2):
        typed = StringIO("feathery leaves\n\n\n\n:q\n")
        monkeypatch.setattr("sys.stdin", typed)
        options = ("--store", store, "--out", out, "--seed", 1)
        labelled = evaluate("games", "label", *options)
        assert labelled.code == 0
        assert f"{out}: {n_games} game" in labelled.out
        assert "; the same command goes on from here" in labelled.out
    assert len({*each(load_games(out), "paragraph_id")}) == 2
