"""A course in Chroma: readers hold a frozen `Course`, an ingest changes a `Store`."""

from ingest.store.codec import Filing
from ingest.store.course import Course
from ingest.store.opening import DEFAULT_COLLECTION, create_store, open_store
from ingest.store.places import is_url
from ingest.store.writer import Store

ParagraphStore = Course
"""The name that those who annotate still use."""

__all__ = [
    "DEFAULT_COLLECTION",
    "Course",
    "Filing",
    "ParagraphStore",
    "Store",
    "create_store",
    "is_url",
    "open_store",
]
