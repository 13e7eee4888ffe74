"""The stored answers of respondents belong to the bundled games, and those that teach are not those reported."""

import pytest

from evaluate.games.labelled import load_games
from evaluate.replay.batches import read_answers_file, read_batches
from tests.fakes import ROOT

GAMES = ROOT / "data/games"


@pytest.mark.parametrize("language", ["english", "hebrew"])
@pytest.mark.parametrize("view", ["paragraph", "opening", "passages"])
def test_answers_are_about_no_test_games_and_none_both_teaches_and_reports(
    language: str, view: str
) -> None:
    batches = read_batches(GAMES / f"answers/{language}-batches.jsonl")
    games = load_games(GAMES / f"{language}.jsonl")
    splits = {game.split for game in games if game.game_id in batches}
    assert splits <= {"train", "validation"}

    path = GAMES / f"answers/{language}-{view}"
    learning = read_answers_file(path.with_name(f"{path.name}-learning.jsonl"), batches)
    reported = read_answers_file(path.with_name(f"{path.name}-reported.jsonl"), batches)
    assert learning.keys().isdisjoint(reported)
    assert learning.keys() | reported.keys() == batches.keys()
