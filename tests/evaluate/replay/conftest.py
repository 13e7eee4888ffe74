"""A small course in a store, and settings under which a game is quick."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quarry.configs.settings import Settings, load
from quarry.ingest.store import Course
from tests.evaluate.fakes import make_store
from tests.player.fakes import course


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make_store(tmp_path_factory.mktemp("store"), course())


@pytest.fixture(scope="module")
def quick() -> Settings:
    settings = load()
    return replace(settings, game=replace(settings.game, questions_pool=60))
