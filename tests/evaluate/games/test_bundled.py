"""The bundled games and answers keep the rules, cover the lectures, and are split without leaks."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from evaluate.games.labelled import LabelledGame, load_games, tokens
from evaluate.games.locating import find_label_errors
from evaluate.replay.batches import read_answers_file, read_batches
from quarry.json_files import read_objects
from tests.fakes import ROOT, each

DATA = ROOT / "data"
COURSES = ("english", "hebrew")
GAMES = {name: load_games(DATA / f"games/{name}.jsonl") for name in COURSES}
ALL = GAMES["english"] + GAMES["hebrew"]


def require_rule(games: Iterable[LabelledGame]) -> None:
    """No hint or associative word shares a word with its paragraph, and hints have at most 15 words."""
    for game in games:
        text = game.paragraph if game.answerable else ""
        errors = find_label_errors(text, game.hint, game.associative_word)
        assert not [*errors], game.game_id


def test_games_keep_the_rule_and_name_book_word_and_field() -> None:
    assert len(ALL) >= 500
    require_rule(ALL)
    for game in ALL:
        assert len(tokens(game.hint)) >= 3, game.game_id
        fields = game.book_name, game.association_domain, game.associative_word
        assert all(map(tokens, fields)), game.game_id
    for key in ("game_id", "hint"):
        assert len({*each(ALL, key)}) == len(ALL)


def test_every_paragraph_is_as_the_pdf_prints_it() -> None:
    printed = {}
    for name in COURSES:
        truth = DATA / "lectures" / name / "truth.jsonl"
        for _, record in read_objects(truth, ValueError):
            key = record["document"], record["opening_sentence"]
            printed[key] = record["text"] if record["playable"] else ""
    for game in ALL:
        if game.answerable:
            text = printed[Path(game.pdf).stem, game.opening_sentence]
            assert tokens(game.paragraph) == tokens(text), game.game_id


def test_splits_have_their_shares_cover_the_lectures_and_share_no_paragraph() -> None:
    for name in COURSES:
        games = GAMES[name]
        lectures = {game.pdf for game in games if game.answerable}
        splits: dict[str, str] = {}
        for split, share in {"train": 0.5, "validation": 0.2, "test": 0.3}.items():
            of_split = [game for game in games if game.split == split]
            answerable = [game for game in of_split if game.answerable]
            assert len(of_split) / len(games) == pytest.approx(share, abs=0.03), name
            assert {*each(answerable, "pdf")} == lectures, name
            assert len(answerable) < len(of_split), name
            for game in answerable:
                text = " ".join(tokens(game.paragraph))
                assert splits.setdefault(text, split) == split, name


def test_picks_keep_the_rule_and_are_split_evenly() -> None:
    for name, course, n_half in (
        ("picks", "english", 14),
        ("picks-hebrew", "hebrew", 6),
    ):
        games = load_games(DATA / f"games/{name}.jsonl")
        counts = Counter(each(games, "split"))
        assert counts == {"train": n_half, "test": n_half}
        require_rule(games)
        for game in games:
            assert (DATA / "lectures" / course / game.pdf).is_file()
            assert game.paragraph.startswith(game.opening_sentence)


def test_answers_are_about_no_test_games_and_none_both_teaches_and_reports() -> None:
    for name in COURSES:
        answers = f"{DATA}/games/answers/{name}"
        batches = read_batches(Path(f"{answers}-batches.jsonl"))
        splits = {game.split for game in GAMES[name] if game.game_id in batches}
        assert splits <= {"train", "validation"}, name

        for view in ("paragraph", "opening", "passages"):
            learning, reported = (
                read_answers_file(Path(f"{answers}-{view}-{use}.jsonl"), batches)
                for use in ("learning", "reported")
            )
            assert learning.keys().isdisjoint(reported), view
            assert learning.keys() | reported.keys() == batches.keys(), view
