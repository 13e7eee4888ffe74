"""The numbered records that say which documents of a store count, and who may write.

Chroma leaves a record as it is when another one is added under its id. Of two writers that add the same number, the
first one therefore has it, and that one step puts a change in place: what was written before it counts from then on.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from quarry.ingest.errors import StoreError
from quarry.ingest.store.client import Collections
from quarry.ingest.store.codec import as_json

Kind = Literal["generation", "lease"]

LEASE_S = 20.0
"""Seconds without a sign of life after which a writer is taken for dead, by the clock of the one that waits."""
BEAT_S = 4.0
"""Seconds between two signs of life."""


@dataclass(frozen=True, slots=True)
class Generation:
    """What counts after one change.

    Attributes:
        number: 1 for the first change; 0 before it.
        token: unique, made up by the writer.
        documents: ids of the documents' records, by doc_id.
    """

    number: int = 0
    token: str = ""
    documents: Mapping[str, str] = field(default_factory=dict)


def latest_generation(collections: Collections) -> Generation:
    """Return what counts now."""
    if not collections.exist or not (known := _latest(collections, "generation")):
        return Generation()
    (_, values), *_ = collections.get("-commits", [f"generation-{known['number']}"], "documents")
    return Generation(known["number"], known["token"], json.loads(values["document"]))


def latest_token(collections: Collections) -> str:
    """Return the token of what counts now, "" before the first change; one small request."""
    return str(_latest(collections, "generation").get("token", "")) if collections.exist else ""


def publish(collections: Collections, generation: Generation) -> None:
    """Put a generation in place, and remove the records of those before it.

    Raises:
        StoreError: somebody else has put one in place under this number.
    """
    if not _take(collections, "generation", generation.number, generation.token, as_json(dict(generation.documents))):
        raise StoreError(f"{collections.location}: another ingest has changed it meanwhile; run this one again")


@contextlib.contextmanager
def leased(collections: Collections) -> Iterator[Callable[[], bool]]:
    """Hold the lease of a course on a server; yield what tells whether it is still held.

    Raises:
        StoreError: another ingest holds it.
    """
    at_work = StoreError(f"{collections.location}: another ingest is at work on it; wait until it ends")
    known = _latest(collections, "lease")
    deadline = time.monotonic() + LEASE_S
    while known and not known.get("free") and time.monotonic() < deadline:
        time.sleep(BEAT_S / 8)
        if (now := _latest(collections, "lease")) != known and not now.get("free"):
            raise at_work
        known = now
    token, number = uuid.uuid4().hex, known.get("number", 0) + 1
    if not _take(collections, "lease", number, token):
        raise at_work
    over = threading.Event()

    def beat(*, free: bool = False) -> None:
        with contextlib.suppress(Exception):  # a server that is away for a while; another writer would be noticed
            _put(collections, "lease", number, token, {"beat": time.time(), "free": free}, over=True)

    def beat_on() -> None:
        while not over.wait(BEAT_S):
            beat()

    beating = threading.Thread(target=beat_on, daemon=True, name="lease of a store")
    beating.start()
    try:
        yield lambda: _latest(collections, "lease").get("token") == token
    finally:
        over.set()
        beating.join()
        beat(free=True)


def _latest(collections: Collections, kind: Kind) -> dict[str, Any]:
    found = collections.find("-commits", {"kind": kind}, "metadatas")
    known = [
        {**metadata, "id": record_id} for record_id, metadata in zip(found["ids"], found["metadatas"], strict=True)
    ]
    return max(known, key=lambda metadata: int(metadata["number"]), default={})


def _take(collections: Collections, kind: Kind, number: int, token: str, text: str = "") -> bool:
    """Add the record of a number, and remove those before it; return whether the number was free."""
    _put(collections, kind, number, token, {}, text)
    (_, values), *_ = collections.get("-commits", [f"{kind}-{number}"], "metadatas")
    if values["metadata"]["token"] != token:
        return False
    found = collections.find("-commits", {"$and": [{"kind": kind}, {"number": {"$lt": number}}]})
    collections.delete("-commits", found["ids"])
    return True


def _put(
    collections: Collections,
    kind: Kind,
    number: int,
    token: str,
    more: Mapping[str, Any],
    text: str = "",
    *,
    over: bool = False,
) -> None:
    metadata = {"kind": kind, "number": number, "token": token, **more}
    collections.write("-commits", [f"{kind}-{number}"], [metadata], texts=[text] if text else None, over=over)
