"""The bundled games keep the rule of the game, cover the lectures, name their kinds, and are split without leaks."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from evaluate.games.labelled import LabelledGame, load_games
from ingest.json_files import read_objects

DATA = Path(__file__).resolve().parents[3] / "data"
COURSES = ("english", "hebrew")
GAMES = {name: load_games(DATA / "games" / f"{name}.jsonl") for name in COURSES}


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


def require_rule(game: LabelledGame, text: str) -> None:
    """A hint has at most 15 words, and no word of the text; nor has the associative word."""
    assert len(game.hint.split()) <= 15, game.game_id
    hidden = {*words(game.hint), *words(game.associative_word)}
    assert not hidden & {*words(text)}, game.game_id


def test_games_and_hints_are_unique() -> None:
    games = GAMES["english"] + GAMES["hebrew"]
    assert len({game.game_id for game in games}) == len(games) >= 500
    hints = Counter(" ".join(words(game.hint)) for game in games)
    assert max(hints.values()) == 1


@pytest.mark.parametrize("name", COURSES)
def test_every_game_keeps_the_rule_over_the_text_that_the_pdf_prints(name: str) -> None:
    printed = {}
    for _, record in read_objects(DATA / "lectures" / name / "truth.jsonl", ValueError):
        if record["playable"]:
            printed[record["document"], record["opening_sentence"]] = record["text"]
    for game in GAMES[name]:
        assert len(words(game.hint)) >= 3, game.game_id
        for value in (
            game.book_name,
            game.association_domain,
            game.associative_word,
        ):
            assert words(value), game.game_id
        text = ""
        if game.answerable:
            # what the PDF prints, not what the games file says
            text = printed[game.document, game.opening_sentence]
            assert words(game.paragraph) == words(text), game.game_id
        require_rule(game, text)


@pytest.mark.parametrize("name", COURSES)
def test_splits_have_their_shares_cover_the_lectures_and_share_no_paragraph(
    name: str,
) -> None:
    games = GAMES[name]
    lectures = {game.document for game in games if game.answerable}
    splits: dict[str, str | None] = {}
    for split, share in (("train", 0.5), ("validation", 0.2), ("test", 0.3)):
        of_split = [game for game in games if game.split == split]
        answerable = [game for game in of_split if game.answerable]
        assert len(of_split) / len(games) == pytest.approx(share, abs=0.03)
        assert {game.document for game in answerable} == lectures
        assert len(answerable) < len(of_split)
        for game in answerable:
            text = " ".join(words(game.paragraph))
            assert splits.setdefault(text, split) == split


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
        assert game.paragraph.startswith(game.opening_sentence)
        require_rule(game, game.paragraph)
