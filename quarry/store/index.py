"""Search by Chroma's own index over the passages of a course."""

from __future__ import annotations

import contextlib
import threading
import weakref
from typing import TYPE_CHECKING

from quarry.arrays import Float32Array
from quarry.course.course import Course
from quarry.errors import StoreError
from quarry.store.generations import as_store_error
from quarry.store.store import generations_at

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection


class ChromaIndex:
    """The index of a course as it was opened; it is opened by the first search, and stays open."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._rows = {
            paragraph.paragraph_id: row
            for row, paragraph in enumerate(course.paragraphs)
        }
        self._lock = threading.Lock()
        self._opened: Collection | None = None
        self._stack = contextlib.ExitStack()
        weakref.finalize(self, self._stack.close)

    def nearest(
        self, vector: Float32Array, n: int, doc_id: str = ""
    ) -> dict[int, float]:
        """Return the cosines of the passages nearest to a vector by their row in the course, nearest first.

        Args:
            vector: (dim,) unit vector.
            n: number of passages.
            doc_id: the only document to search in, "" for all.

        Raises:
            StoreError: the database is damaged or gone, or the server does not answer.
        """
        n = min(n, len(self._rows))
        if not n:
            return {}
        with as_store_error(self._course.location):
            answer = self._collection().query(
                query_embeddings=vector[None, :],
                n_results=n,
                where={"doc_id": doc_id} if doc_id else None,
                include=["distances"],
            )
        assert answer["distances"] is not None
        nearest = zip(answer["ids"][0], answer["distances"][0], strict=True)
        return {self._rows[found]: 1.0 - distance for found, distance in nearest}

    def _collection(self) -> Collection:
        """Return the open collection.

        Raises:
            StoreError: it is damaged, or later ingests have removed it.
        """
        with self._lock:
            if self._opened is None:
                course = self._course
                generations = generations_at(course.location, course.collection)
                if generations.identity(course.generation) != course.identity:
                    name = generations.name_of(course.generation)
                    raise StoreError(f"{course.location}/{name} is gone; open it again")
                passages = generations.passages(course.generation)
                self._opened = self._stack.enter_context(passages)
            return self._opened
