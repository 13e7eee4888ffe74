"""The calibrated scale, and the fitted numbers."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from configs.errors import SettingsError
from configs.settings import load
from player.command import result_json
from player.search.build import build_orchestrator
from player.search.calibration import (
    CALIBRATION,
    DEFAULT_EMBEDDER,
    TOKENS,
    USUAL_SIMILARITY,
    _fitted,
    embedder_calibration,
    is_calibrated,
    is_fitted,
    notice_of,
)
from player.search.results import Query
from quarry.course.course import EmbedderFit
from tests.evaluate.fakes import make_store
from tests.fakes import HashingEmbedder
from tests.player.fakes import course, course_with


def test_the_numbers_of_every_embedder_point_the_right_way() -> None:
    for spec in json.loads(CALIBRATION.read_text(encoding="utf-8")):
        plain = embedder_calibration(spec)
        late = plain.with_late_interaction()
        assert len(plain.books.weights) == 7
        assert late.books == plain.books
        assert late.dense != plain.dense
        assert 0.5 < plain.dense.separation < 1.0

        keyword = plain.keyword
        numbers = [
            keyword.share,
            keyword.log_odds_per_bm25,
            late.dense.late_weights[TOKENS],
        ]
        for dense, fused in ((plain.dense, plain.fused), (late.dense, late.fused)):
            slopes = dict(dense.slopes)
            # hints in the language of the course are similar to all of it
            assert slopes.pop(USUAL_SIMILARITY, 0.0) <= 0.0
            numbers += [
                dense.log_odds_per_similarity,
                *slopes.values(),
                *fused.values(),
            ]
        assert min(numbers) > 0.0


def test_an_embedder_that_is_not_calibrated_is_said_to_be_so() -> None:
    for spec, fit, notice in (
        (DEFAULT_EMBEDDER, None, ""),
        ("e5", None, ""),
        ("mine.Embedder", EmbedderFit(-3.0, 9.0), ""),
        ("mine.Embedder", None, "the embedder mine.Embedder is uncalibrated"),
    ):
        store = course_with(embedder_spec=spec, embedder_fit=fit)
        assert notice_of(store).partition(":")[0] == notice


def test_only_a_checkout_has_the_tool_that_calibrates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = course_with(embedder_spec="mine.Embedder")
    for is_checkout in (True, False):
        monkeypatch.setattr("player.search.calibration.IS_CHECKOUT", is_checkout)
        assert ("tools.calibration" in notice_of(store)) == is_checkout


def test_e5_separates_hints_well_with_late_interaction_alone() -> None:
    alone, store = embedder_calibration("e5"), course_with(embedder_spec="e5")
    assert not is_calibrated(store, alone)
    assert is_calibrated(store, alone.with_late_interaction())


def test_a_result_says_that_its_embedder_is_uncalibrated(tmp_path: Path) -> None:
    mine, query = "mine.Embedder", Query("a heap")
    store = make_store(tmp_path, course(), spec=mine)
    embedder = HashingEmbedder(mine)
    result = build_orchestrator(store, load(), embedder).search(query)
    assert result_json(result)["calibrated"] is False
    assert "uncalibrated" in repr(result)
    by_words = build_orchestrator(store, load("keyword")).search(query)
    assert by_words.calibrated, "words need no model"


def test_numbers_are_brought_to_another_embedders_scale_by_how_alike_paragraphs_are_to_it() -> (
    None
):
    random = np.random.default_rng(0)
    vectors = random.normal(size=(60, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    # an embedder to which all is alike: cosines from .8 to 1 for those from -1 to 1
    alike = np.full((60, 1), 0.9**0.5, dtype=np.float32)
    narrow = np.hstack([0.1**0.5 * vectors, alike])

    fitted = embedder_calibration(DEFAULT_EMBEDDER).with_late_interaction()
    rescaled, usual = fitted.rescaled(narrow).dense, fitted.rescaled(vectors).dense
    assert rescaled.log_odds_per_similarity == pytest.approx(
        10.0 * usual.log_odds_per_similarity, rel=1e-3
    )
    assert rescaled.late_weights[TOKENS] == pytest.approx(
        10.0 * usual.late_weights[TOKENS], rel=1e-3
    )
    cosine = {"paragraph": vectors[:1]}
    assert rescaled.relevance_log_odds(cosine).min() > 0.0, "nobody knows"
    assert fitted.rescaled(vectors[:3]) == fitted, "three paragraphs teach nothing"


@pytest.fixture
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of the user's own numbers, which is read anew."""
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path))
    (tmp_path / "fitted").mkdir()
    _fitted.cache_clear()
    yield tmp_path / "fitted" / "calibration.json"
    _fitted.cache_clear()


def test_the_user_s_own_numbers_go_before_the_projects(own_file: Path) -> None:
    trees = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    fused = {"dense": 0.125}
    mine = {"mine.Embedder": trees[DEFAULT_EMBEDDER] | {"fused": fused}}
    own_file.write_text(json.dumps(mine), encoding="utf-8")
    assert embedder_calibration("mine.Embedder").fused == fused
    assert is_fitted("mine.Embedder")
    assert embedder_calibration(DEFAULT_EMBEDDER).fused != fused


def test_a_file_of_ones_own_that_is_damaged_is_refused(own_file: Path) -> None:
    own_file.write_text('{"minilm": {}}', encoding="utf-8")
    with pytest.raises(SettingsError, match=r"is not as tools\.calibration"):
        embedder_calibration("minilm")
