"""Addresses by which workers open the store of another process."""

from pathlib import Path

from configs.errors import WorkerError
from quarry.addresses import is_url
from quarry.store import Course, open_store

StoreAddress = tuple[str, str, str]
"""Location, collection and fingerprint of a store."""


def get_store_address(course: Course) -> StoreAddress:
    """Return the arguments with which `open_same` opens the store of a course in another process."""
    location = course.location
    if not is_url(location):
        location = str(Path(location).resolve())
    return location, course.collection, course.fingerprint


def open_same(location: str, collection: str, fingerprint: str) -> Course:
    """Open a store that another process has opened, and check its content.

    Raises:
        WorkerError: the store has another fingerprint.
    """
    course = open_store(location, collection)
    if course.fingerprint != fingerprint:
        raise WorkerError(
            f"{location} holds the course {course.fingerprint} here and {fingerprint} on another machine; "
            "name a store on a Chroma server"
        )
    return course
