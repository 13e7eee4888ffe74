"""What referees of a store share."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarry.configs.settings import load
from quarry.evaluate.referee.encoders import BY_CHARACTERS
from quarry.evaluate.referee.factory import prepare, tools_of
from quarry.evaluate.referee.passages import Passages
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import make_store
from tests.player.fakes import course

pytestmark = pytest.mark.usefixtures("fast_models")
EMBED = load().embed


@pytest.fixture(autouse=True)
def both_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both embedding models are taken for installed."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)


def test_passages_are_retrieved_by_another_model_and_in_other_scripts_by_characters(tmp_path: Path) -> None:
    hebrew = [paragraph(f"book:1:{row}", f"מנוע חיפוש מספר {row}. הוא מהיר.") for row in range(3)]
    assert tools_of(make_store(tmp_path / "one", course()), EMBED).encoder.name == "e5"
    assert tools_of(make_store(tmp_path / "other", course(), spec="e5"), EMBED).encoder.name == "minilm"
    assert tools_of(make_store(tmp_path / "hebrew", hebrew, spec="e5"), EMBED).encoder is BY_CHARACTERS


def test_the_course_is_embedded_beforehand_only_for_referees_who_see_passages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(Passages, "__call__", lambda self, question: asked.append(question))
    store = make_store(tmp_path / "store", course())
    prepare(["oracle", "sees:opening,wrong:0.1", "none"], store, EMBED)
    assert asked == []
    prepare(["oracle", "sees:passages,answers:3"], store, EMBED)
    assert len(asked) == 1


def test_the_vectors_of_the_course_are_kept_beside_the_models(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", course())
    prepare(["sees:passages"], store, EMBED)
    folder = store.models(EMBED).folder / "passages"
    assert [file.suffix for file in folder.iterdir()] == [".npy"]
