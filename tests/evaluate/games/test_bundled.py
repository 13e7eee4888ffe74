"""The bundled games keep the rule of the game, cover the lectures, name their kinds, and are split without leaks."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from quarry.evaluate.games.labelled import LabelledGame, load_games
from quarry.evaluate.games.locating import shared_word_errors

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

    def text_of(self, game: LabelledGame) -> str:
        """What the PDF prints, not what the games file says."""
        text = self.truth[game.document, game.opening_sentence]["text"]
        assert isinstance(text, str)
        return text


@cache
def read(name: str) -> Course:
    lines = (DATA / "lectures" / name / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    playable = [record for record in map(json.loads, lines) if record["playable"]]
    truth = {(record["document"], record["opening_sentence"]): record for record in playable}
    assert len(truth) == len(playable)
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


class TestRule:
    def test_every_game_keeps_the_rule_over_the_text_that_the_pdf_prints(self, course: Course) -> None:
        for game in course.games:
            assert len(words(game.hint)) >= 3, game.game_id
            assert len(game.hint.split()) <= MAX_HINT_WORDS, game.game_id
            assert all(map(words, (game.book_name, game.association_domain, game.associative_word))), game.game_id
        for game in course.answerable:
            text = set(words(course.text_of(game)))
            assert not text & set(words(game.hint)), game.game_id
            assert not text & set(words(game.associative_word)), game.game_id

    def test_no_hint_comes_twice(self, course: Course) -> None:
        counts = Counter(" ".join(words(game.hint)) for game in course.games)
        assert [hint for hint, count in counts.items() if count > 1] == []


class TestCoverage:
    def test_every_answerable_game_is_about_a_playable_paragraph_as_the_pdf_prints_it(self, course: Course) -> None:
        for game in course.answerable:
            assert (game.document, game.opening_sentence) in course.truth, game.game_id
            assert words(game.paragraph) == words(course.text_of(game)), game.game_id


class TestSplits:
    def test_no_paragraph_stands_in_two_splits(self, course: Course) -> None:
        splits: dict[str, set[str | None]] = {}
        for game in course.answerable:
            splits.setdefault(" ".join(words(game.paragraph)), set()).add(game.split)
        assert [text for text, found in splits.items() if len(found) > 1] == []

    @pytest.mark.parametrize(("split", "share"), [("train", 0.5), ("validation", 0.2), ("test", 0.3)])
    def test_each_split_has_its_share_every_lecture_and_games_outside_the_corpus(
        self, course: Course, split: str, share: float
    ) -> None:
        found = [game for game in course.games if game.split == split]
        assert len(found) / len(course.games) == pytest.approx(share, abs=0.03)
        assert {game.document for game in found if game.answerable} == {document for document, _ in course.truth}
        assert any(not game.answerable for game in found)


@pytest.mark.parametrize(("name", "course", "n_games"), [("picks", "english", 28), ("picks-hebrew", "hebrew", 12)])
class TestPicks:
    def test_all_games_load_and_are_split_evenly(self, name: str, course: str, n_games: int) -> None:
        games = load_games(DATA / "games" / f"{name}.jsonl")
        assert Counter(game.split for game in games) == {"train": n_games // 2, "test": n_games // 2}
        assert all((DATA / "lectures" / course / f"{game.document}.pdf").is_file() for game in games)

    def test_no_hint_shares_a_word_with_its_passage(self, name: str, course: str, n_games: int) -> None:
        games = load_games(DATA / "games" / f"{name}.jsonl")
        for game in games:
            assert not list(shared_word_errors("hint", f"{game.hint} {game.associative_word}", game.paragraph))
        assert all(len(game.hint.split()) <= 15 for game in games)
        assert all(game.paragraph.startswith(game.opening_sentence) for game in games)
