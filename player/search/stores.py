"""Stores that are opened to be searched, and the embedders that they were built with."""

import logging

from configs.settings import Settings
from player.search.calibration import notice_of
from quarry.embed import Embedder, Models
from quarry.store import Course, open_store

_log = logging.getLogger(__name__)


def open_course(location: str, collection: str) -> Course:
    """Open a store to be searched, and log the notice about its embedder; see `open_store`."""
    course = open_store(location, collection)
    if notice := notice_of(course):
        _log.warning("%s", notice)
    return course


def store_embedder(course: Course, settings: Settings) -> Embedder:
    """Load the embedder that a store was built with.

    Raises:
        EmbedderError: the embedder cannot be loaded.
    """
    return Models(settings.embed).embedder(course.embedder_spec)
