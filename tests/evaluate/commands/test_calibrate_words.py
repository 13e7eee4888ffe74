"""`calibrate words`, from a games file to weights that the player reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quarry.evaluate.__main__ import main
from quarry.evaluate.fit.associations import fit_weights
from quarry.evaluate.referee import scoring
from quarry.player.answer.associations import ASSOCIATIONS_FILE, load_associations
from tests.evaluate.fakes import labelled_game, run_main, write_games

WORDS = {"music": "violin", "gambling": "dice", "weather": "storm", "cooking": "spice", "light": "candle"}


def games(tmp_path: Path, split: str = "train") -> str:
    """Games whose word is named for their domain."""
    records = [
        {
            "game_id": f"g{row}",
            "book_name": "alpha",
            "hint": "what climbs",
            "association_domain": domain,
            "associative_word": word,
            "paragraph": "A tree grows. It bends.",
            "opening_sentence": "A tree grows.",
            "split": split if row else "validation",
        }
        for row, (domain, word) in enumerate(WORDS.items())
    ]
    return str(write_games(tmp_path / "games.jsonl", records))


def fit(*arguments: str, models: Path) -> int:
    return run_main(main, "calibrate", "words", "--models", str(models), *arguments)


def test_weights_are_written_and_the_vocabulary_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "word_similarity", lambda *_: scoring.character_similarity)
    out = tmp_path / "made.npz"
    assert fit("--games", games(tmp_path), "--out", str(out), models=tmp_path) == 0
    assert "train         4 games, exact" in capsys.readouterr().out
    own, made = load_associations(ASSOCIATIONS_FILE), load_associations(out)
    assert made.words == own.words
    assert (made.vectors == own.vectors).all()
    assert (made.weights[0] == own.weights[0]).all()
    assert (made.weights[1] != own.weights[1]).any()


def test_fitted_weights_make_the_words_of_the_games_likelier() -> None:
    own = load_associations(ASSOCIATIONS_FILE)
    taught = [
        labelled_game(association_domain=domain, associative_word=word, hint="what climbs", paragraph="A tree grows.")
        for domain, word in WORDS.items()
    ]
    before = own.weights[1].copy()
    after = fit_weights(own, taught)

    def log_share(weights: object) -> float:
        total = 0.0
        for game in taught:
            told = game.association_domain, game.hint, game.paragraph
            rows = np.union1d(own.shortlist(*told), [own.words.index(game.associative_word)])
            scores = own.close(rows, *told).astype(float) @ weights + own.prior[1][rows]
            total += scores[np.searchsorted(rows, own.words.index(game.associative_word))]
            total -= np.log(np.exp(scores - scores.max()).sum()) + scores.max()
        return total

    assert log_share(after) > log_share(before)


def test_games_without_a_known_word_leave_the_weights_as_they_are() -> None:
    own = load_associations(ASSOCIATIONS_FILE)
    game = labelled_game(associative_word="xyzzyx", paragraph="A tree grows.")
    assert (fit_weights(own, [game]) == own.weights[1]).all()


def test_games_that_teach_nothing_are_refused_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "made.npz"
    assert fit("--games", games(tmp_path, "test"), "--out", str(out), models=tmp_path) == 2
    assert "--split train must hold at least one game, got none" in capsys.readouterr().err
    silent = str(write_games(tmp_path / "silent.jsonl", [{"game_id": "g", "hint": "h", "paragraph_id": "a:1:1"}]))
    assert fit("--games", silent, "--out", str(out), models=tmp_path) == 2
    assert "at least one game must have associative_word and paragraph, got none" in capsys.readouterr().err
    assert not out.exists()
