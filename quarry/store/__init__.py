"""A course in Chroma: readers hold a frozen `Course`, an ingest changes a `Store`."""

from quarry.course.course import Course
from quarry.store.content import StoredDocument
from quarry.store.store import (
    DEFAULT_COLLECTION,
    ChromaIndex,
    Store,
    identity_of,
    is_url,
    open_store,
)

__all__ = [
    "DEFAULT_COLLECTION",
    "ChromaIndex",
    "Course",
    "Store",
    "StoredDocument",
    "identity_of",
    "is_url",
    "open_store",
]
