"""The stored answers of respondents belong to the bundled games, and those that teach are not those reported."""

from evaluate.games.labelled import load_games, same_text
from evaluate.replay.batches import read_answers, read_batches
from player.questions.kinds import KINDS
from tests.fakes import ROOT, each

GAMES = ROOT / "data/games"
ANSWERS = GAMES / "answers"
FORMER_KINDS = {"beginning", "ending"}


def test_batches_are_about_no_test_games_and_none_both_teaches_and_reports() -> None:
    for language, n_games, n_learning in (("english", 32, 10), ("hebrew", 14, 4)):
        labelled = load_games(GAMES / f"{language}.jsonl")
        games = {game.game_id: game for game in labelled}
        batches = read_batches(ANSWERS / f"{language}-batches.jsonl")
        assert len(batches) == n_games
        for game_id, batch in batches.items():
            assert games[game_id].split in ("train", "validation")
            assert same_text(batch.paragraph, games[game_id].paragraph)
            assert len(batch.questions) == 20
            assert len({*each(batch.questions, "text")}) == 20
            assert {*each(batch.questions, "kind")} <= {*KINDS} | FORMER_KINDS

        for view in ("paragraph", "opening", "passages"):
            name = f"{language}-{view}"
            learning = read_answers(ANSWERS / f"{name}-learning.jsonl", batches)
            reported = read_answers(ANSWERS / f"{name}-reported.jsonl", batches)
            assert len(learning) == n_learning
            assert len(learning) + len(reported) == n_games
            answered = learning | reported
            assert answered.keys() == batches.keys()
            for letters in answered.values():
                assert None not in letters
