"""A course in Chroma: readers hold a frozen `Course`, an ingest changes a `Store`."""

from quarry.ingest.store.chroma import is_url
from quarry.ingest.store.course import DEFAULT_COLLECTION, Course, open_store
from quarry.ingest.store.records import DocumentUpdate
from quarry.ingest.store.store import Store, create_store

__all__ = ["DEFAULT_COLLECTION", "Course", "DocumentUpdate", "Store", "create_store", "is_url", "open_store"]
