"""A course in Chroma: readers hold a frozen `Course`, an ingest changes a `Store`."""

from quarry.store.chroma import is_url
from quarry.store.course import DEFAULT_COLLECTION, Course
from quarry.store.opening import open_store
from quarry.store.records import DocumentUpdate
from quarry.store.store import Store, create_store

__all__ = [
    "DEFAULT_COLLECTION",
    "Course",
    "DocumentUpdate",
    "Store",
    "create_store",
    "is_url",
    "open_store",
]
