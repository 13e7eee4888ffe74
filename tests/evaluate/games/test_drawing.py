"""`games draw`, and games of raw text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluate.command import main
from evaluate.games.labelled import load_games
from evaluate.games.locating import as_held
from evaluate.referee.scoring import score_raw_sentence
from evaluate.referee.simulated import make_referee
from evaluate.referee.spec import secret_of
from evaluate.referee.text import is_glued, readable
from tests.evaluate.fakes import labelled_game, run_main
from tests.fakes import CACHES, lecture_pdf


def test_secrets_are_drawn_as_a_program_holds_them(tmp_path: Path) -> None:
    (tmp_path / "caches.pdf").write_bytes(lecture_pdf("caches", CACHES))
    out = tmp_path / "secrets.jsonl"
    arguments = ("games", "draw", str(tmp_path / "caches.pdf"), "--out", str(out))
    assert run_main(main, *arguments, "--reader", "pypdf", "--cut", "page") == 0
    (secret,) = map(json.loads, out.read_text().splitlines())
    assert (secret["reader"], secret["cut"], secret["page"]) == ("pypdf", "page", 1)
    assert secret["paragraph"].startswith(secret["opening_sentence"])

    out.write_text(json.dumps({**secret, "hint": "what remembers"}) + "\n")
    (game,) = load_games(out)
    assert game.edition == "pypdf:page"
    assert as_held(game).text == secret["paragraph"]


def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("games", "draw", str(tmp_path / "no.pdf"), "--out", "x.jsonl")
    assert run_main(main, *arguments) == 2
    assert "no.pdf cannot be read as pdfplumber:page" in capsys.readouterr().err


def test_a_referee_reads_reversed_lines_and_glued_words() -> None:
    raw = "ןושאר קרפ\n.Python תפשב םיצע ונא"
    assert readable(raw, raw) == "פרק ראשון\nאנו עצים בשפת Python."
    assert readable("abc", "abc") == "abc"
    glued = "Thetreeisbalancedafterwards andthenitgrowsoncemore again"
    assert is_glued(glued)

    game = labelled_game(paragraph=glued, reader="r", cut="page")
    question = (
        'Which of these words occur anywhere in the paragraph: "stack"; "balanced"; "heap"? Choose the first option '
        "with a word that is there."
    )
    options = ['"stack"', '"balanced"', '"heap"', "none of these words"]
    secret = secret_of(game, as_held(game))
    assert make_referee("oracle").answers(secret, [(question, options)]) == ["B"]


def test_raw_sentences_earn_points_by_similarity() -> None:
    for guess, points in (("abcdefghij ", 98.0), ("abcdefgh", 88.0), ("abcde", 0.0)):
        assert score_raw_sentence(guess, "abcdefghij") == points
