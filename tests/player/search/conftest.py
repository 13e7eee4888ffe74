"""Fixtures of tests of search."""

from collections.abc import Iterator
from threading import Event

import pytest


@pytest.fixture
def never() -> Iterator[Event]:
    """An event to hang on until the end of the test."""
    never = Event()
    yield never
    never.set()
