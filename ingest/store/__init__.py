"""A course in Chroma: whoever looks things up holds a frozen `Course`, an ingest changes a `Store`."""

from quarry.ingest.store.codec import DocumentUpdate
from quarry.ingest.store.course import Course
from quarry.ingest.store.opening import DEFAULT_COLLECTION, create_store, open_store, store_to_change
from quarry.ingest.store.places import is_url
from quarry.ingest.store.writer import Store

__all__ = [
    "DEFAULT_COLLECTION",
    "Course",
    "DocumentUpdate",
    "Store",
    "create_store",
    "is_url",
    "open_store",
    "store_to_change",
]
