"""Course: the frozen snapshot of a store for readers, read from Chroma once and cached on this machine."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import itertools
import os
import pickle
import re
import shutil
import tempfile
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from quarry.configs.places import cache, code_digest
from quarry.configs.terminal import visible
from quarry.ingest.arrays import Float32Array, IntArray
from quarry.ingest.embed import BUILT_IN
from quarry.ingest.embed.relevance import Relevance
from quarry.ingest.embed.vectors import Tokens, Words, form_of
from quarry.ingest.errors import StoreError, StoreMissingError
from quarry.ingest.paragraph import Alias, Document, Paragraph, Reading, RejectedParagraph
from quarry.ingest.paragraphs.near_identical import near_identical
from quarry.ingest.store.chroma import Collections, changed_meanwhile, folder_at, is_url, one_line, server_collections
from quarry.ingest.store.folder import CURRENT, current_generation, readable
from quarry.ingest.store.records import FORMAT, Record, digest_of, finite, rejected_of, unpacked, value_of

DEFAULT_COLLECTION = "course"

CHECK_S = 2.0
"""Seconds that a server has to return the token of the last generation; every search asks for it."""

ATTEMPTS = 4
"""Number of times that a course is read if ingests keep changing it meanwhile."""

CONTENTS = "course.pickle"

T = TypeVar("T")

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,200}[a-zA-Z0-9]")


class CachedParagraphs(tuple[Paragraph, ...]):
    """The paragraphs of a course that is in the cache.

    Attributes:
        folder: the folder of the course in the cache.
    """

    folder: Path


@dataclass(frozen=True, eq=False, kw_only=True)
class Course:
    """The content of a store when it was opened; later ingests do not change it.

    Attributes:
        location: folder or URL, as the user named it.
        collection: its name within the location.
        token: the token of the generation; "" before the first change.
        records: every document's record by doc_id, in the order of the paragraphs.
        record_ids: ids of these records in Chroma, by doc_id.
        paragraphs: every kept paragraph, sorted by document, page and ordinal.
        aliases: (doc_id, alias) of every name that has a vector, by document; a copy's names have the copy's doc_id.
        rejected_texts: rejected paragraphs as JSON, by doc_id.
        arrays: by name, memory-mapped if they are cached.
        relevance: the embedder's calibration on this course at ingest, None for the built-in embedders.
    """

    location: str
    collection: str
    token: str = ""
    records: dict[str, Record] = field(default_factory=dict)
    record_ids: dict[str, str] = field(default_factory=dict)
    paragraphs: tuple[Paragraph, ...] = ()
    aliases: tuple[tuple[str, Alias], ...] = ()
    rejected_texts: dict[str, str] = field(default_factory=dict, repr=False)
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)
    relevance: Relevance | None = None

    def __repr__(self) -> str:
        held = f"{len(self.records)} documents, {len(self.paragraphs)} paragraphs"
        return f"Course({self.location!r}, {self.collection!r}: {held})"

    def generation(self) -> Hashable:
        """Return a value that changes with every ingest, read anew; None if the store is gone.

        Costs one look at a file of a folder, or a small request to a server.

        Raises:
            StoreError: the server does not answer.
        """
        if not is_url(self.location):
            try:
                found = os.stat(os.path.join(self.location, CURRENT))  # faster than with a Path
            except OSError:
                return None
            return found.st_ino, found.st_mtime_ns
        return self._server.token() or None

    @cached_property
    def _server(self) -> Collections:
        return server_collections(self.location, self.collection, CHECK_S)

    @property
    def documents(self) -> tuple[Document, ...]:
        """Every document, sorted by doc_id."""
        return tuple(record.document for record in self.records.values())

    @property
    def embedder_spec(self) -> str:
        """SPEC of the embedder of its vectors, "" while it holds no paragraph."""
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
        """(n_aliases, dim) float32 unit vectors of `aliases`, embedded as queries."""
        return self._array("aliases")

    @property
    def sentence_vectors(self) -> Float32Array:
        """(n_sentences, dim) float32 unit vectors of every sentence, in the order of `paragraphs`, then of the text."""
        return self._array("sentences")

    @cached_property
    def sentence_rows(self) -> IntArray:
        """(n_sentences,) row in `paragraphs` of each sentence, ascending; every paragraph has at least one."""
        starts = self.arrays.get("sentences.starts", np.zeros(1, dtype=np.int64))
        return np.repeat(np.arange(len(self.paragraphs)), np.diff(starts))

    @property
    def word_specs(self) -> tuple[str, ...]:
        """SPECs of the models with token vectors of every paragraph; the store's own embedder first."""
        own = self.embedder_spec
        specs = (own, *(spec for spec in BUILT_IN if spec != own)) if own else ()
        return tuple(spec for spec in specs if all(record.holds_words(spec) for record in self.records.values()))

    def words(self, spec: str) -> Words:
        """Return the pooled vectors and token vectors of one of the models of `word_specs`."""
        tokens = Tokens(self.arrays[f"codes.{spec}"], self.arrays[f"codes.{spec}.starts"])
        return Words(np.asarray(self.arrays[f"pooled.{spec}"], dtype=np.float32), tokens)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with the paragraphs, their vectors, and the data of the documents."""
        digest = hashlib.sha256(f"{FORMAT}|{self.embedder_spec}|{self.max_tokens}".encode())
        links = {doc_id: dict[str, str]() for doc_id in self.records}
        for paragraph in self.paragraphs:
            if paragraph.same_as:
                links[paragraph.doc_id][paragraph.paragraph_id] = paragraph.same_as
        for doc_id, record in self.records.items():
            known = dataclasses.replace(record.document, path="")
            digest.update(f"|{known}|{sorted(links[doc_id].items())}".encode())
        return digest.hexdigest()[:16]

    @contextlib.contextmanager
    def chroma_index(self) -> Iterator[Callable[[Float32Array, int, str], dict[int, float]]]:
        """Open Chroma's own index over the passages, and yield a function that searches it.

        The function takes a (dim,) unit vector, a number of passages and a doc_id, "" for all. It returns the cosines
        of the nearest passages by their row in `paragraphs`, nearest first.

        Raises:
            StoreError: Chroma does not answer, or an ingest has replaced this generation.
        """
        passage_ids = itertools.chain.from_iterable(record.passage_ids for record in self.records.values())
        rows = {record_id: row for row, record_id in enumerate(passage_ids)}
        with _collections_of(self.location, self.collection, self.token) as collections:

            def nearest(vector: Float32Array, n: int, doc_id: str) -> dict[int, float]:
                n_asked = n = min(n, len(rows))
                while True:
                    found = collections.nearest(vector, n_asked, doc_id) if n else []
                    known = {rows[record_id]: cosine for record_id, cosine in found if record_id in rows}
                    # an ingest that broke off leaves records on a server that count for nothing
                    if len(known) >= n or len(found) < n_asked:
                        return dict(itertools.islice(known.items(), n))
                    n_asked *= 2

            yield nearest

    def rejected(self) -> Iterator[RejectedParagraph]:
        """Yield every rejected paragraph, by document, in reading order."""
        for text in self.rejected_texts.values():
            yield from rejected_of(text)

    def reading(self, doc_id: str) -> Reading:
        """Return the reading from which a document of the store was made."""
        paragraphs = tuple(paragraph for paragraph in self.paragraphs if paragraph.doc_id == doc_id)
        return Reading(self.records[doc_id].document, paragraphs, tuple(rejected_of(self.rejected_texts[doc_id])))

    def _array(self, name: str) -> Float32Array:
        return self.arrays.get(name, np.empty((0, 0), dtype=np.float32))


def open_store(location: str, collection: str = DEFAULT_COLLECTION, *, all_rejected_ok: bool = False) -> Course:
    """Open the store at a folder or URL for reading; an ingest must have made it.

    Args:
        location: folder or URL.
        collection: name within the store.
        all_rejected_ok: accept a store of documents without a kept paragraph.

    Raises:
        StoreMissingError: there is no store.
        StoreError: the store cannot be opened, or holds no paragraphs.
    """
    if not is_url(location) and current_generation(Path(location)) is None:
        raise StoreMissingError(
            f"--store must be a folder made by ingest, got {location}: no store there; "
            f"run: python -m ingest PATH... --store {location}"
        )
    course = course_at(location, collection)
    if not course.token:
        raise StoreMissingError(
            f"--collection must be one that {location} holds, got {collection!r}; "
            f"run: python -m ingest PATH... --store {location} --collection {collection}"
        )
    if not course.embedder_spec and not (all_rejected_ok and course.documents):
        raise StoreError(
            f"{location}: collection {collection!r} must hold paragraphs, it is empty; "
            f"run: python -m ingest PATH... --store {location}"
        )
    return course


def course_at(location: str, name: str) -> Course:
    """Return the present content of a location; a course without documents if no ingest has changed it.

    Raises:
        StoreError: the content has another format, or cannot be read.
    """
    if not _NAME.fullmatch(name):
        raise StoreError(
            f"--collection must be 3 to 202 of a-z, A-Z, 0-9, '.', '_' and '-', letters or digits at both ends, "
            f"got {name!r}; take another name"
        )
    try:
        for left in reversed(range(ATTEMPTS)):
            token = _token_at(location, name)
            try:
                return _course_of(location, name, token) if token else Course(location=location, collection=name)
            except StoreError:
                if not left or token == _token_at(location, name):
                    raise  # no ingest has changed the store meanwhile
    except StoreError:
        raise
    except Exception as error:  # chromadb raises many kinds, its own and those of SQLite and HTTP
        raise StoreError(f"--store {location} cannot be opened: {one_line(error)}") from error
    raise AssertionError("the last attempt returns or raises")


def _token_at(location: str, name: str) -> str:
    """Return the token of the last generation: of the course on a server, of the whole folder otherwise."""
    if is_url(location):
        return server_collections(location, name).token()
    current = current_generation(Path(location))
    return current.name if current else ""


def _course_of(location: str, name: str, token: str) -> Course:
    """Return the course of a generation, from the cache if it is there."""
    course = digest_of(location if is_url(location) else str(Path(location).resolve()), name)
    forms = {spec: form.digest for spec in BUILT_IN if (form := form_of(spec))}
    kinds = [kind.__annotations__ for kind in (Record, Document, Alias, Paragraph)]
    folder = cache() / "courses" / f"{course}-{digest_of(token, FORMAT, forms, kinds)}"
    if (content := _load(folder)) is None:
        with _collections_of(location, name, token) as collections:
            if not collections.exist:
                return Course(location=location, collection=name)
            content = _read(collections)
        with contextlib.suppress(OSError):  # the disk is full or read-only, or another process was faster
            _save(folder, content)
        content = _load(folder) or content
    return Course(location=location, collection=name, token=token, **content)


@contextlib.contextmanager
def _collections_of(location: str, name: str, token: str) -> Iterator[Collections]:
    """Open the collections of a generation to read them."""
    if is_url(location):
        collections = server_collections(location, name)
        yield collections
        if collections.token() != token:
            raise changed_meanwhile(location)
    elif not (Path(location) / token).is_dir():
        raise StoreError(f"{location}: must hold the folder {token}, it is gone; ingest into a new folder")
    else:
        with readable(Path(location) / token) as folder, folder_at(folder) as client:
            yield Collections(location, name, client)


def _read(collections: Collections) -> dict[str, Any]:
    """Return the fields of a Course, read from Chroma.

    Raises:
        StoreError: Chroma cannot be read, or holds records that ingest does not write.
    """
    try:
        return _content_of(collections)
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(
            f"{collections.location}: its records must be as ingest writes them, got {type(error).__name__}: "
            f"{visible(one_line(error))[:200]}; ingest anew"
        ) from error


def _content_of(collections: Collections) -> dict[str, Any]:
    generation = collections.generation()
    found = collections.get("-documents", sorted(generation.documents.values()), "metadatas")
    documents = {record_id: values["metadata"] for record_id, values in found}
    records = [value_of(Record, metadata) for metadata in documents.values()]
    forms = {spec: form for spec in BUILT_IN if (form := form_of(spec)) and all(r.holds_words(spec) for r in records)}
    wanted = list(itertools.chain.from_iterable(record.passage_ids for record in records))
    each: dict[str, list[NDArray[Any]]] = {}
    paragraphs = []
    passages = collections.get("", wanted, "embeddings", "metadatas", "documents")
    for _, passage in tqdm(passages, "opening", len(wanted), unit="paragraph", delay=1, disable=None):
        metadata = passage["metadata"]
        paragraphs.append(value_of(Paragraph, metadata, text=passage["document"]))
        vector = finite(np.asarray(passage["embedding"], dtype=np.float32))
        each.setdefault("vectors", []).append(vector[None, :])
        each.setdefault("sentences", []).append(unpacked(metadata["sentences"], np.float32, len(vector)))
        for spec, form in forms.items():
            codes = unpacked(metadata[f"codes.{spec}"], np.uint8, form.basis.shape[1])
            each.setdefault(f"codes.{spec}", []).append(codes)
            each.setdefault(f"pooled.{spec}", []).append(
                unpacked(metadata[f"pooled.{spec}"], np.float16).astype(np.float32)
            )
    starts = {}
    for name, rows in each.items():
        if not all(map(len, rows)):
            raise ValueError(f"every paragraph must have {name}, got one without")
        if name.startswith(("sentences", "codes.")):
            starts[f"{name}.starts"] = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    aliases: list[tuple[str, Alias]] = []
    for metadata, record in zip(documents.values(), records, strict=True):
        document = record.document
        if paragraphs and len(names := unpacked(metadata["alias_vectors"], np.float32, each["vectors"][0].shape[1])):
            each.setdefault("aliases", []).append(names)
            aliases += [(document.doc_id, alias) for alias, _ in zip(document.aliases, names, strict=True)]
    same_as = near_identical(sorted(paragraphs, key=lambda paragraph: paragraph.doc_id))
    doc_ids = [record.document.doc_id for record in records]
    return {
        "records": dict(zip(doc_ids, records, strict=True)),
        "record_ids": dict(zip(doc_ids, documents, strict=True)),
        "paragraphs": tuple(dataclasses.replace(p, same_as=same_as.get(p.paragraph_id, "")) for p in paragraphs),
        "aliases": tuple(aliases),
        "rejected_texts": {
            doc_id: metadata["rejected_texts"] for doc_id, metadata in zip(doc_ids, documents.values(), strict=True)
        },
        "relevance": generation.relevance,
        "arrays": {name: np.concatenate(rows) for name, rows in each.items()} | starts,
    }


def _load(folder: Path) -> dict[str, Any] | None:
    """Return the fields of a Course from the cache, its arrays memory-mapped; None if it is not there or damaged."""
    try:
        with (folder / CONTENTS).open("rb") as file:
            content: dict[str, Any] = pickle.load(file)
        for name in content["arrays"]:
            mapped = np.load(folder / f"{name}.npy", mmap_mode="r")
            content["arrays"][name] = mapped.view(np.ndarray)  # slices of a memmap take longer
        content["paragraphs"] = CachedParagraphs(content["paragraphs"])
        content["paragraphs"].folder = folder
    except Exception:  # a damaged pickle raises any error
        return None
    return content


def cached(paragraphs: Sequence[Paragraph], name: str, make: Callable[[], T]) -> T:
    """Return the result of `make`, from the cache if an earlier process has saved it there.

    Args:
        paragraphs: the paragraphs of a course; the result may hold this object, which is not saved with it.
        name: changes with everything else that the result depends on, except our code.
    """
    if not isinstance(paragraphs, CachedParagraphs):
        return make()
    path = paragraphs.folder / f"{digest_of(name)}-{code_digest()}.pickle"
    with contextlib.suppress(Exception), path.open("rb") as file:  # not there yet, or damaged
        unpickler = pickle.Unpickler(file)
        unpickler.persistent_load = lambda _: paragraphs  # type: ignore[method-assign]
        found: T = unpickler.load()
        return found
    made = make()
    with contextlib.suppress(OSError), tempfile.TemporaryDirectory(prefix=".making-", dir=path.parent) as work:
        with Path(work, path.name).open("wb") as file:
            pickler = pickle.Pickler(file, protocol=pickle.HIGHEST_PROTOCOL)
            pickler.persistent_id = lambda held: 1 if held is paragraphs else None  # type: ignore[method-assign]
            pickler.dump(made)
        for old in path.parent.glob(f"{digest_of(name)}-*"):  # of other code
            old.unlink()
        Path(work, path.name).replace(path)
    return made


def _save(folder: Path, content: dict[str, Any]) -> None:
    """Write the fields of a Course to the cache; remove earlier generations of the course.

    Raises:
        OSError: the cache cannot be written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    try:
        for name, array in content["arrays"].items():
            np.save(work / f"{name}.npy", array)
        with (work / CONTENTS).open("wb") as file:
            pickle.dump({**content, "arrays": dict.fromkeys(content["arrays"])}, file)
        shutil.rmtree(folder, ignore_errors=True)  # a damaged one
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    course = folder.name.partition("-")[0]
    for other in folder.parent.iterdir():
        if other != folder and other.name.startswith(course):
            shutil.rmtree(other, ignore_errors=True)
