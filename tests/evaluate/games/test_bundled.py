"""The bundled games keep the game's rule, cover the bundled lectures, and are split so that nothing leaks."""

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

from quarry.evaluate.games.labelled import SPLITS, LabelledGame, load_games

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


def hebrew_letters(text: str) -> int:
    return sum("\u05d0" <= char <= "\u05ea" for char in text)


def test_game_ids_are_unique_over_all_courses() -> None:
    counts = Counter(game.game_id for name in COURSES for game in read(name).games)
    assert [game_id for game_id, count in counts.items() if count > 1] == []
    assert len(counts) >= 500


class TestRule:
    def test_hints_have_at_most_15_words(self, course: Course) -> None:
        assert [game.game_id for game in course.games if len(game.hint.split()) > MAX_HINT_WORDS] == []

    def test_hints_are_more_than_a_word(self, course: Course) -> None:
        assert [game.game_id for game in course.games if len(words(game.hint)) < 3] == []

    def test_no_word_of_a_hint_occurs_in_its_paragraph(self, course: Course) -> None:
        shared = {
            game.game_id: both
            for game in course.answerable
            if (both := set(words(game.hint)) & set(words(course.text_of(game))))
        }
        assert shared == {}

    def test_no_associative_word_occurs_in_its_paragraph(self, course: Course) -> None:
        shared = {
            game.game_id: both
            for game in course.answerable
            if (both := set(words(game.associative_word)) & set(words(course.text_of(game))))
        }
        assert shared == {}

    def test_every_game_has_a_book_name_a_domain_and_an_associative_word(self, course: Course) -> None:
        for game in course.games:
            assert words(game.book_name)
            assert words(game.association_domain)
            assert words(game.associative_word)

    def test_no_hint_comes_twice(self, course: Course) -> None:
        counts = Counter(" ".join(words(game.hint)) for game in course.games)
        assert [hint for hint, count in counts.items() if count > 1] == []


class TestCoverage:
    def test_every_answerable_game_is_about_a_playable_paragraph(self, course: Course) -> None:
        assert [
            game.game_id for game in course.answerable if (game.document, game.opening_sentence) not in course.truth
        ] == []

    def test_the_labelled_paragraph_is_the_one_that_the_pdf_prints(self, course: Course) -> None:
        different = [game.game_id for game in course.answerable if words(game.paragraph) != words(course.text_of(game))]
        assert different == []

    def test_every_playable_paragraph_has_a_game(self, course: Course) -> None:
        played = {(game.document, game.opening_sentence) for game in course.answerable}
        assert sorted(course.truth.keys() - played) == []

    def test_the_english_course_has_30_games_outside_the_corpus(self) -> None:
        outside = [game for game in read("english").games if not game.answerable]
        assert len(outside) == 30
        assert {game.document for game in outside} == {""}

    def test_the_hebrew_course_has_games_outside_the_corpus_too(self) -> None:
        assert sum(not game.answerable for game in read("hebrew").games) >= 5

    def test_about_a_third_of_the_book_names_are_exact_stems(self, course: Course) -> None:
        exact = sum(game.book_name == game.document for game in course.answerable)
        assert exact / len(course.answerable) == pytest.approx(1 / 3, abs=0.04)

    def test_no_game_outside_the_corpus_names_one_of_its_stems(self, course: Course) -> None:
        stems = {document for document, _ in course.truth}
        assert [game.game_id for game in course.games if not game.answerable and game.book_name in stems] == []

    def test_hebrew_paragraphs_have_english_and_hebrew_hints(self) -> None:
        games = read("hebrew").answerable
        in_hebrew = [game for game in games if hebrew_letters(game.hint) > 0.5 * len(game.hint.replace(" ", ""))]
        in_english = [game for game in games if hebrew_letters(game.hint) == 0]
        assert len(in_hebrew) >= 10
        assert len(in_english) >= 10
        assert len(in_hebrew) + len(in_english) == len(games)


class TestSplits:
    def test_every_game_names_its_split(self, course: Course) -> None:
        assert {game.split for game in course.games} == set(SPLITS)

    def test_no_paragraph_stands_in_two_splits(self, course: Course) -> None:
        splits: dict[str, set[str | None]] = {}
        for game in course.answerable:
            splits.setdefault(" ".join(words(game.paragraph)), set()).add(game.split)
        assert [text for text, found in splits.items() if len(found) > 1] == []

    @pytest.mark.parametrize("split", SPLITS)
    def test_every_lecture_stands_in_each_split(self, course: Course, split: str) -> None:
        lectures = {document for document, _ in course.truth}
        assert {game.document for game in course.answerable if game.split == split} == lectures

    @pytest.mark.parametrize(("split", "share"), [("train", 0.5), ("validation", 0.2), ("test", 0.3)])
    def test_half_a_fifth_and_three_tenths_stand_in_the_splits(self, course: Course, split: str, share: float) -> None:
        found = sum(game.split == split for game in course.games) / len(course.games)
        assert found == pytest.approx(share, abs=0.03)

    @pytest.mark.parametrize("split", SPLITS)
    def test_each_split_has_games_outside_the_corpus(self, course: Course, split: str) -> None:
        assert [game for game in course.games if game.split == split and not game.answerable]
