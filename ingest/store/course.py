"""Course: the frozen snapshot of a store, held by whoever looks things up."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from quarry.configs.settings import EmbedSettings
from quarry.ingest.arrays import Float32Array, IntArray
from quarry.ingest.embed import BUILT_IN, Models
from quarry.ingest.embed.tokens import Tokens, Words, form_of
from quarry.ingest.errors import StoreError
from quarry.ingest.paragraph import Alias, Document, Paragraph, Reading, RejectedParagraph
from quarry.ingest.store.cached import DOCUMENTS, PARAGRAPHS, Arrays, arrays_of, broken_records, cached, lines_of, make
from quarry.ingest.store.client import Collections, folder_at, server_at
from quarry.ingest.store.codec import FORMAT, Record, digest_of, rejected_of, value_of
from quarry.ingest.store.commits import latest_generation, latest_token
from quarry.ingest.store.generations import CURRENT, current_generation, readable
from quarry.ingest.store.places import cached_at, is_url, models_at

CHECK_S = 2.0
"""Seconds that a server has to say which generation counts; asked by every search."""

ATTEMPTS = 4
"""Times that a course is read which an ingest changes again and again meanwhile."""


@dataclass(frozen=True, eq=False)
class Course:
    """One course as a store held it when it was opened; what an ingest does to the store since does not show.

    Attributes:
        location: folder or URL, as the user named it.
        collection: its name within the location.
        token: of the generation; "" where nothing was ever put into it.
        records: every document's record by doc_id, in its order.
        record_ids: of these in Chroma, by doc_id.
        paragraphs: every kept paragraph, sorted by document, page and ordinal.
        aliases: (doc_id, alias) of every name that has a vector, by document; a twin's names have its own doc_id.
    """

    location: str
    collection: str
    token: str = ""
    records: Mapping[str, Record] = field(default_factory=dict)
    record_ids: Mapping[str, str] = field(default_factory=dict)
    paragraphs: tuple[Paragraph, ...] = ()
    aliases: tuple[tuple[str, Alias], ...] = ()
    _rejected: Mapping[str, str] = field(default_factory=dict)
    _arrays: Arrays = field(default_factory=dict)

    @property
    def exists(self) -> bool:
        """Whether anything was ever put into it."""
        return bool(self.token)

    def generation(self) -> Hashable:
        """Return what changes with every ingest, read anew; None where there is no store any more.

        A look at one file of a folder, or a small request to a server.

        Raises:
            StoreError: the server does not answer.
        """
        if not is_url(self.location):
            try:
                found = os.stat(os.path.join(self.location, CURRENT))  # a Path takes longer than the system
            except OSError:
                return None
            return found.st_ino, found.st_mtime_ns
        with self._server.reading():
            return latest_token(self._server) or None

    @cached_property
    def _server(self) -> Collections:
        return Collections(self.location, self.collection, server_at(self.location, CHECK_S))

    def models(self, settings: EmbedSettings) -> Models:
        """The embedders of the store."""
        return models_at(settings)

    @property
    def documents(self) -> tuple[Document, ...]:
        """Every document, sorted by doc_id."""
        return tuple(record.document for record in self.records.values())

    @property
    def embedder_spec(self) -> str:
        """SPEC of the embedder that its vectors came from, "" while it holds no paragraph."""
        return self._embedding[0]

    @property
    def max_tokens(self) -> int:
        """Tokens at which that embedder cut longer texts, 0 if it has a limit of its own."""
        return self._embedding[1]

    @property
    def _embedding(self) -> tuple[str, int]:
        kept = (record for record in self.records.values() if record.document.n_paragraphs)
        return next(((record.embedder_spec, record.max_tokens) for record in kept), ("", 0))

    @property
    def vectors(self) -> Float32Array:
        """(n_paragraphs, dim) float32 unit vectors, in the order of `paragraphs`."""
        return self._array("vectors")

    @property
    def alias_vectors(self) -> Float32Array:
        """(n_aliases, dim) float32 unit vectors of `aliases`, embedded as queries are, for other names to compare."""
        return self._array("aliases")

    @property
    def sentence_vectors(self) -> Float32Array:
        """(n_sentences, dim) float32 unit vectors of every sentence, in the order of `paragraphs`, then of the text."""
        return self._array("sentences")

    @cached_property
    def sentence_rows(self) -> IntArray:
        """(n_sentences,) row in `paragraphs` of each sentence, ascending; every paragraph has at least one."""
        starts = self._arrays.get("sentences.starts", np.zeros(1, dtype=np.int64))
        return np.repeat(np.arange(len(self.paragraphs)), np.diff(starts))

    @property
    def word_specs(self) -> tuple[str, ...]:
        """SPECs of the models that have read the words of every paragraph; the store's own embedder first."""
        own = self.embedder_spec
        specs = (own, *(spec for spec in BUILT_IN if spec != own)) if own else ()
        return tuple(spec for spec in specs if all(record.holds_words(spec) for record in self.records.values()))

    def words(self, spec: str) -> Words:
        """Return what one of the models of `word_specs` makes of the words of each paragraph, its tokens mapped."""
        tokens = Tokens(self._arrays[f"codes.{spec}"], self._arrays[f"codes.{spec}.starts"])
        return Words(self._arrays[f"pooled.{spec}"].astype(np.float32), tokens)

    def word_bytes(self, spec: str) -> int:
        """Bytes of the words of a model."""
        return sum(self._arrays[f"{part}.{spec}"].nbytes for part in ("codes", "pooled"))

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with the paragraphs, their vectors, and what is known of the documents."""
        digest = hashlib.sha256(f"{FORMAT}|{self.embedder_spec}|{self.max_tokens}".encode())
        for record in self.records.values():
            known = dataclasses.replace(record.document, path="")
            digest.update(f"|{known}|{sorted(record.near_identical.items())}".encode())
        return digest.hexdigest()[:16]

    def rejected(self) -> Iterator[RejectedParagraph]:
        """Every rejected paragraph, by document, in reading order."""
        for text in self._rejected.values():
            yield from rejected_of(text)

    def reading(self, doc_id: str) -> Reading:
        """Return a document of the store as reading its file has yielded it."""
        paragraphs = tuple(paragraph for paragraph in self.paragraphs if paragraph.doc_id == doc_id)
        return Reading(self.records[doc_id].document, paragraphs, tuple(rejected_of(self._rejected[doc_id])))

    def _array(self, name: str) -> Float32Array:
        return self._arrays.get(name, np.empty((0, 0), dtype=np.float32))


def course_at(location: str, name: str) -> Course:
    """Return what a location holds now; a course without documents where nothing was ever put into it.

    Raises:
        StoreError: what is there is of another format, or cannot be read.
    """
    for left in reversed(range(ATTEMPTS)):
        token = _token_at(location, name)
        if not token:
            break
        forms = {spec: form.digest for spec in BUILT_IN if (form := form_of(spec))}
        folder = cached(cached_at(location, name), digest_of(token, FORMAT, forms))
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # not there yet, or damaged
            return _loaded(location, name, token, folder)
        try:
            with _collections_at(location, name) as collections:
                generation = latest_generation(collections)
                if not generation.number:
                    break
                folder = make(folder, collections, generation)
            with broken_records(location):
                return _loaded(location, name, token, folder)
        except StoreError:
            if not left or token == _token_at(location, name):
                raise  # it was not an ingest that has changed it meanwhile
    return Course(location, name)


def _loaded(location: str, name: str, token: str, folder: Path) -> Course:
    """Return the course that is in a folder of the cache."""
    documents = lines_of(folder, DOCUMENTS)
    records = {record.document.doc_id: record for record in (value_of(Record, line) for line in documents)}
    same_as: dict[str, str] = {}
    for record in records.values():
        same_as |= record.near_identical
    return Course(
        location,
        name,
        token,
        records,
        {doc_id: line["id"] for doc_id, line in zip(records, documents, strict=True)},
        tuple(
            value_of(Paragraph, line, same_as=same_as.get(line["paragraph_id"], ""))
            for line in lines_of(folder, PARAGRAPHS)
        ),
        tuple(
            (doc_id, alias)
            for (doc_id, record), line in zip(records.items(), documents, strict=True)
            for alias in record.document.aliases[: line["n_named"]]
        ),
        {doc_id: line["rejected_texts"] for doc_id, line in zip(records, documents, strict=True)},
        arrays_of(folder),
    )


@contextlib.contextmanager
def _collections_at(location: str, name: str) -> Iterator[Collections]:
    """Open the collections of a course to read them."""
    if is_url(location):
        yield Collections(location, name, server_at(location))
    elif (current := current_generation(Path(location))) is not None:
        with readable(current) as folder, folder_at(folder) as client:
            yield Collections(location, name, client)


def _token_at(location: str, name: str) -> str:
    """Return the token of the generation that counts: on a server that of the course, else of the whole folder."""
    if is_url(location):
        with _collections_at(location, name) as collections:
            return latest_token(collections)
    current = current_generation(Path(location))
    return current.name if current else ""
