"""Reading of documents in random styles, printed anew."""

import shutil

import pytest

from tests.ingest.layout.styles import PHRASES, read_styles


@pytest.mark.parametrize("program", ["typst", "chromium"])
@pytest.mark.parametrize("language", PHRASES)
def test_passages_of_random_styles_are_read_whole(program: str, language: str) -> None:
    if program == "chromium" and shutil.which(program) is None:
        pytest.skip("no Chromium is installed: Typst prints the same contents")
    counts = read_styles(program, language, seed=1, n_documents=4)
    assert counts["begun"] >= 0.97 * counts["printed"]
    assert counts["whole"] >= 0.97 * counts["printed"]
    assert counts["false"] <= 0.02 * counts["printed"]
