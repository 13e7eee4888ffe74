"""The bundled games keep the rule of the game, cover the lectures, name their kinds, and are split without leaks."""

import re
import unicodedata
from collections import Counter

import pytest

from evaluate.games.labelled import LabelledGame, load_games
from quarry.json_files import read_objects
from tests.fakes import ROOT, each

DATA = ROOT / "data"
COURSES = ("english", "hebrew")
GAMES = {name: load_games(DATA / f"games/{name}.jsonl") for name in COURSES}
ALL = GAMES["english"] + GAMES["hebrew"]


def words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.findall(r"[^\W_]+", folded)


def require_rule(game: LabelledGame, text: str) -> None:
    """A hint has at most 15 words, and no word of the text; nor has the associative word."""
    assert len(game.hint.split()) <= 15, game.game_id
    hidden = {*words(game.hint), *words(game.associative_word)}
    assert not hidden & {*words(text)}, game.game_id


def test_games_and_hints_are_unique() -> None:
    assert len(ALL) >= 500
    ids, hints = set(), set()
    for game in ALL:
        ids.add(game.game_id)
        hints.add(" ".join(words(game.hint)))
    assert len(ids) == len(hints) == len(ALL)


def test_every_game_keeps_the_rule_over_the_text_that_the_pdf_prints() -> None:
    printed = {}
    for name in COURSES:
        truth = DATA / "lectures" / name / "truth.jsonl"
        for _, record in read_objects(truth, ValueError):
            if record["playable"]:
                key = record["document"], record["opening_sentence"]
                printed[key] = record["text"]
    for game in ALL:
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
    shares = {"train": 0.5, "validation": 0.2, "test": 0.3}
    for split, share in shares.items():
        of_split = [game for game in games if game.split == split]
        answerable = [game for game in of_split if game.answerable]
        n_wanted = share * len(games)
        assert len(of_split) == pytest.approx(n_wanted, abs=0.03 * len(games))
        assert {*each(answerable, "document")} == lectures
        assert len(answerable) < len(of_split)
        for game in answerable:
            text = " ".join(words(game.paragraph))
            assert splits.setdefault(text, split) == split


def test_picks_keep_the_rule_and_are_split_evenly() -> None:
    for name, course, n_half in (
        ("picks", "english", 14),
        ("picks-hebrew", "hebrew", 6),
    ):
        games = load_games(DATA / f"games/{name}.jsonl")
        counts = Counter(each(games, "split"))
        assert counts == {"train": n_half, "test": n_half}
        for game in games:
            assert (DATA / "lectures" / course / game.pdf).is_file()
            assert game.paragraph.startswith(game.opening_sentence)
            require_rule(game, game.paragraph)
