"""The Cranfield collection becomes a course and games."""

from pathlib import Path

import pytest

from tools.cranfield import main

DOCUMENTS = """.I 1
.T
wings
.A
someone
.W
a wing in
a slipstream .
.I 2
.T
empty
.W
.I 3
.W
plates .
"""
QUESTIONS = """.I 004
.W
which wings
fly ?
.I 009
.W
unjudged ?
"""
PARAGRAPHS = """\
{"paragraph_id": "1", "book_name": "cranfield", "text": "a wing in a slipstream ."}
{"paragraph_id": "3", "book_name": "cranfield", "text": "plates ."}
"""
GAMES = """\
{"game_id": "1", "book_name": "", "hint": "which wings fly ?", "paragraph_id": "3"}
"""


def test_texts_and_questions_become_a_course_and_games(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("documents", "questions", "qrels", "out")]
    texts = (DOCUMENTS, QUESTIONS, "1 0 1 2\n1 0 3 3\n1 0 2 1\n")
    for path, text in zip(paths, texts, strict=False):
        path.write_text(text, encoding="utf-8")
    assert main([str(path) for path in paths]) == 0

    paragraphs = (paths[3] / "paragraphs.jsonl").read_text("utf-8")
    assert paragraphs == PARAGRAPHS
    assert (paths[3] / "games.jsonl").read_text("utf-8") == GAMES


def test_a_missing_file_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none")] * 4) == 2
    error = capsys.readouterr().err
    assert "none" in error
    assert error.count("\n") == 1
