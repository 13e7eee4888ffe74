"""The stored answers of respondents belong to the bundled games, and those that teach are not those reported."""

from pathlib import Path

from evaluate.games.labelled import load_games
from evaluate.replay.batches import read_answers_file, read_batches
from tests.fakes import ROOT

GAMES = ROOT / "data/games"


def test_answers_are_about_no_test_games_and_none_both_teaches_and_reports() -> None:
    for language in ("english", "hebrew"):
        answers = f"{GAMES}/answers/{language}"
        batches = read_batches(Path(f"{answers}-batches.jsonl"))
        games = load_games(GAMES / f"{language}.jsonl")
        splits = {game.split for game in games if game.game_id in batches}
        assert splits <= {"train", "validation"}, language

        for view in ("paragraph", "opening", "passages"):
            learning, reported = (
                read_answers_file(Path(f"{answers}-{view}-{use}.jsonl"), batches)
                for use in ("learning", "reported")
            )
            assert learning.keys().isdisjoint(reported), view
            assert learning.keys() | reported.keys() == batches.keys(), view
