"""`fit-associations`, from a games file to a vocabulary that the player reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluate import fit_associations
from evaluate.__main__ import main
from evaluate.commands import fit_associations as command
from player.associations import load_associations
from player.words import stems
from tests.evaluate.fakes import run_main, write_games
from tests.fakes import load_hashing_embedder

WORDS = [f"{letter}{vowel}nter" for letter in "bcdfghjk" for vowel in "aeiou"]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty words in place of twenty thousand, and no model."""
    monkeypatch.setattr(fit_associations, "general_words", lambda: (list(WORDS), np.linspace(3.0, 5.0, len(WORDS))))
    monkeypatch.setattr(command, "load_embedder", load_hashing_embedder)


def games(tmp_path: Path, split: str = "train") -> str:
    """Games whose word is what their domain says."""
    records = [
        {
            "game_id": f"g{row}",
            "book_name": "alpha",
            "hint": "what climbs",
            "association_domain": word,
            "associative_word": word,
            "paragraph": "A tree grows. It bends.",
            "opening_sentence": "A tree grows.",
            "split": split if row % 2 else "validation",
        }
        for row, word in enumerate(WORDS[:24])
    ]
    return str(write_games(tmp_path / "games.jsonl", records))


def fit(*arguments: str, models: Path) -> int:
    return run_main(main, "fit-associations", "--models", str(models), *arguments)


def test_a_vocabulary_is_written_that_ranks_words_near_the_domain_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, vectors = tmp_path / "made.npz", tmp_path / "vectors.npy"
    arguments = ("--games", games(tmp_path), "--out", str(out), "--vectors", str(vectors))
    assert fit(*arguments, models=tmp_path) == 0
    printed = capsys.readouterr().out
    assert "40 words" in printed
    assert "train        12 games" in printed
    made = load_associations(out)
    assert made.words == tuple(WORDS)
    embedder = load_hashing_embedder("minilm", tmp_path, None)  # type: ignore[arg-type]
    ranked = made.rank(embedder.embed_queries([WORDS[3], "what climbs", "A tree grows. It bends."]))
    assert ranked.index(WORDS[3]) < len(WORDS) // 4
    assert stems(ranked[0])
    assert np.load(vectors).shape == (len(WORDS), embedder.dim)
    # vectors on file are taken, not made again
    others = np.random.default_rng(0).normal(size=(len(WORDS), embedder.dim)).astype(np.float32)
    np.save(vectors, others / np.linalg.norm(others, axis=1, keepdims=True))
    again = tmp_path / "again.npz"
    assert fit("--games", games(tmp_path), "--out", str(again), "--vectors", str(vectors), models=tmp_path) == 0
    assert not np.array_equal(load_associations(again).vectors, made.vectors)


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


def test_without_its_word_list_it_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert fit("--games", games(tmp_path), "--out", str(tmp_path / "made.npz"), models=tmp_path) == 2
    assert "needs the package wordfreq; run: pip install -r requirements-dev.txt" in capsys.readouterr().err
