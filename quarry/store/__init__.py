"""A course in Chroma: readers hold a frozen `Course`, and an ingest changes a `Store`."""

from quarry.course.course import Course
from quarry.store.content import StoredDocument
from quarry.store.store import (
    ChromaIndex,
    Store,
    current_identity,
    open_store,
)

__all__ = [
    "ChromaIndex",
    "Course",
    "Store",
    "StoredDocument",
    "current_identity",
    "open_store",
]
