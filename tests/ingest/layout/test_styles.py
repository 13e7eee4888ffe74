"""Documents in random styles, printed anew and read; `styles.py` prints others."""

import shutil

import pytest

from tests.ingest.layout.styles import PHRASES, read_styles


@pytest.mark.parametrize("language", PHRASES)
@pytest.mark.parametrize(
    "program", ["typst", pytest.param("chromium", marks=pytest.mark.long)]
)
def test_paragraphs_of_random_styles_are_read_whole(
    program: str, language: str
) -> None:
    if shutil.which(program) is None and program == "chromium":
        pytest.skip("no Chromium is installed: Typst prints the same contents")
    counts = read_styles(program, language, seed=1, n_documents=5)
    assert counts["begun"] >= 0.96 * counts["printed"]
    assert counts["whole"] >= 0.95 * counts["printed"]
    assert counts["false"] <= 0.02 * counts["printed"]
