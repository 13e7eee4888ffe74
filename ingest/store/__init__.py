"""A course in Chroma: readers hold a frozen `Course`, an ingest changes a `Store`."""

from ingest.store.chroma import is_url
from ingest.store.course import DEFAULT_COLLECTION, Course
from ingest.store.opening import open_store
from ingest.store.records import DocumentUpdate
from ingest.store.store import Store, create_store

__all__ = [
    "DEFAULT_COLLECTION",
    "Course",
    "DocumentUpdate",
    "Store",
    "create_store",
    "is_url",
    "open_store",
]
