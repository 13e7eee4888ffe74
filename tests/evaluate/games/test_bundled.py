"""The bundled games keep the rule of the game, cover the lectures, name their kinds, and are split without leaks."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evaluate.games.labelled import LabelledGame, load_games
from ingest.json_files import read_objects

DATA = Path(__file__).resolve().parents[3] / "data"
COURSES = ("english", "hebrew")
MAX_HINT_WORDS = 15


@dataclass(frozen=True)
class Course:
    """A course's games, and the playable paragraphs of its lectures by document and opening sentence."""

    games: list[LabelledGame]
    truth: dict[tuple[str, str], dict[str, Any]]

    @property
    def answerable(self) -> list[LabelledGame]:
        return [game for game in self.games if game.answerable]


@cache
def read(name: str) -> Course:
    truth = {}
    path = DATA / "lectures" / name / "truth.jsonl"
    for _, record in read_objects(path, ValueError):
        key = (record["document"], record["opening_sentence"])
        if record["playable"]:
            assert key not in truth
            truth[key] = record
    return Course(load_games(DATA / "games" / f"{name}.jsonl"), truth)


@pytest.fixture(params=COURSES)
def course(request: pytest.FixtureRequest) -> Course:
    return read(request.param)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


def test_game_ids_are_unique_over_all_courses() -> None:
    counts = Counter(game.game_id for name in COURSES for game in read(name).games)
    assert [game_id for game_id, count in counts.items() if count > 1] == []
    assert len(counts) >= 500


def test_every_game_keeps_the_rule_over_the_text_that_the_pdf_prints(
    course: Course,
) -> None:
    for game in course.games:
        assert len(words(game.hint)) >= 3, game.game_id
        assert len(game.hint.split()) <= MAX_HINT_WORDS, game.game_id
        for text in (game.book_name, game.association_domain, game.associative_word):
            assert words(text), game.game_id
    for game in course.answerable:
        # what the PDF prints, not what the games file says
        printed = words(course.truth[game.document, game.opening_sentence]["text"])
        assert words(game.paragraph) == printed, game.game_id
        hidden = {*words(game.hint), *words(game.associative_word)}
        assert not hidden & {*printed}, game.game_id


def test_no_hint_comes_twice(course: Course) -> None:
    counts = Counter(" ".join(words(game.hint)) for game in course.games)
    assert max(counts.values()) == 1


def test_no_paragraph_stands_in_two_splits(course: Course) -> None:
    splits: dict[str, set[str | None]] = {}
    for game in course.answerable:
        splits.setdefault(" ".join(words(game.paragraph)), set()).add(game.split)
    assert max(map(len, splits.values())) == 1


@pytest.mark.parametrize(
    ("split", "share"), [("train", 0.5), ("validation", 0.2), ("test", 0.3)]
)
def test_each_split_has_its_share_every_lecture_and_games_outside_the_corpus(
    course: Course, split: str, share: float
) -> None:
    of_split = []
    for game in course.games:
        if game.split == split:
            of_split.append(game)
    assert len(of_split) / len(course.games) == pytest.approx(share, abs=0.03)
    assert {game.document for game in of_split if game.answerable} == {
        document for document, _ in course.truth
    }
    assert any(not game.answerable for game in of_split)


@pytest.mark.parametrize(
    ("name", "course", "n_games"),
    [("picks", "english", 28), ("picks-hebrew", "hebrew", 12)],
)
def test_picks_keep_the_rule_and_are_split_evenly(
    name: str, course: str, n_games: int
) -> None:
    games = load_games(DATA / "games" / f"{name}.jsonl")
    counts = Counter(game.split for game in games)
    assert counts == {"train": n_games // 2, "test": n_games // 2}
    for game in games:
        assert (DATA / "lectures" / course / f"{game.document}.pdf").is_file()
        hidden = {*words(game.hint), *words(game.associative_word)}
        assert not hidden & {*words(game.paragraph)}
        assert len(game.hint.split()) <= MAX_HINT_WORDS
        assert game.paragraph.startswith(game.opening_sentence)
