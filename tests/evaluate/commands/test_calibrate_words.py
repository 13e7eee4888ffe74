"""`calibrate words`, from a games file to a vocabulary that the player reads."""

from __future__ import annotations

import gzip
import itertools
from pathlib import Path

import numpy as np
import pytest

from quarry.evaluate.__main__ import main
from quarry.evaluate.fit import associations as fit_associations
from quarry.evaluate.fit import wordnet
from quarry.evaluate.referee import scoring
from quarry.player.answer.associations import load_associations
from tests.evaluate.fakes import run_main, write_games
from tests.fakes import load_hashing_embedder

WORDS = [f"{letter}{vowel}nter" for letter in "bcdfghjk" for vowel in "aeiou"]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty words in place of twenty thousand, no WordNet, no model, and likeness by characters."""
    zipf = np.linspace(5.0, 3.0, len(WORDS), dtype=np.float32)
    made = fit_associations.Vocabulary(tuple(WORDS), zipf, zipf[:, None])
    monkeypatch.setattr(fit_associations, "general_words", lambda wordnet, named: made)
    monkeypatch.setattr(wordnet, "read_wordnet", lambda folder: None)
    monkeypatch.setattr("quarry.ingest.embed.models.load_embedder", load_hashing_embedder)
    monkeypatch.setattr(scoring, "word_similarity", lambda *_: scoring.character_similarity)


@pytest.fixture
def tables(tmp_path: Path) -> str:
    """Norms in which every domain names itself and its neighbour, and two Hebrew words."""
    folder = tmp_path / "tables"
    folder.mkdir()
    lines = [f"{word}\t{word}:.5 {other}:.25 unheard:.1" for word, other in itertools.pairwise(WORDS)]
    (folder / "norms.tsv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (folder / "hebrew.tsv").write_text("כינור\tbanter:.9 unheard:.1\nאין\tunheard:1\n", encoding="utf-8")
    return str(folder)


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
    return run_main(main, "calibrate", "words", "--models", str(models), *arguments)


def test_a_vocabulary_is_written_that_prefers_what_the_norms_name(
    tmp_path: Path, tables: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "made.npz"
    arguments = ("--games", games(tmp_path), "--tables", tables, "--out", str(out))
    assert fit(*arguments, models=tmp_path) == 0
    printed = capsys.readouterr().out
    assert "40 words, norms of 39 domains, 1 Hebrew words" in printed
    assert "train        12 games, exact" in printed
    made = load_associations(out)
    assert made.words == tuple(WORDS)
    assert made.weights[1][0] > 0.0  # the norms of the domain speak for its words
    assert made.lexicon.rows[0, 0] == WORDS.index("banter")
    told = "what climbs", "A tree grows. It bends."
    share_of = {domain: dict(zip(*made.rank(domain, *told), strict=True)) for domain in (WORDS[3], WORDS[20])}
    assert share_of[WORDS[3]][3] == 0.0  # the domain itself is left out
    assert share_of[WORDS[3]][4] > 2.0 * share_of[WORDS[20]][4]  # its neighbour is named for it


@pytest.mark.parametrize(
    ("line", "said"), [("music violin", "line 1: must be KEY"), ("music\tviolin:often", "line 1: must be KEY")]
)
def test_a_table_with_a_bad_line_is_refused(
    tmp_path: Path, tables: str, line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (Path(tables) / "norms.tsv.gz").write_bytes(gzip.compress(line.encode()))
    arguments = ("--games", games(tmp_path), "--tables", tables, "--out", str(tmp_path / "made.npz"))
    assert fit(*arguments, models=tmp_path) == 2
    assert said in capsys.readouterr().err


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
