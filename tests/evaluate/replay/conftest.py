"""A small course in a store, and settings under which a game is quick."""

from __future__ import annotations

from dataclasses import replace

import pytest

from configs.settings import Settings, load


@pytest.fixture(scope="module")
def quick() -> Settings:
    settings = load()
    return replace(settings, game=replace(settings.game, questions_pool=60))
