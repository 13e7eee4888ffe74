from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quarry.ingest.embed.tokens import Tokens
from quarry.ingest.store.token_files import TokenFiles, Words

CODES = np.arange(12, dtype=np.uint8).reshape(3, 4)
WORDS = Words(np.array([[0.6, 0.8], [1.0, 0.0]], dtype=np.float32), Tokens(CODES, np.array([0, 1, 3])))


def test_words_come_back_as_they_were_kept(tmp_path: Path) -> None:
    files = TokenFiles(tmp_path / "words")
    assert not files.holds("a")
    files.keep(WORDS, "a")
    assert files.holds("a")
    found = files.words("a")
    np.testing.assert_array_equal(found.tokens.codes, CODES)
    np.testing.assert_array_equal(found.tokens.starts, [0, 1, 3])
    np.testing.assert_allclose(found.pooled, WORDS.pooled, atol=1e-3)
    assert found.pooled.dtype == np.float32


def test_codes_are_read_through_the_memory_map(tmp_path: Path) -> None:
    files = TokenFiles(tmp_path)
    files.keep(WORDS, "a")
    assert isinstance(files.words("a").tokens.codes, np.memmap)


def test_sweep_leaves_what_is_still_in_force(tmp_path: Path) -> None:
    files = TokenFiles(tmp_path)
    for key in ("a", "b"):
        files.keep(WORDS, key)
    (tmp_path / "c.4711").write_bytes(b"left by a process that died")
    files.sweep({"b"})
    assert not files.holds("a")
    assert files.holds("b")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.npy", "b.npz"]
    assert files.n_bytes("a") == 0
    assert files.n_bytes("b") == sum(path.stat().st_size for path in tmp_path.iterdir())


def test_what_is_not_there_or_is_damaged_cannot_be_read(tmp_path: Path) -> None:
    files = TokenFiles(tmp_path)
    with pytest.raises(OSError, match="No such file"):
        files.words("a")
    files.keep(WORDS, "a")
    (tmp_path / "a.npy").write_bytes(b"torn")
    with pytest.raises((OSError, ValueError)):
        files.words("a")
