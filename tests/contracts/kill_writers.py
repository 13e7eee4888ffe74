"""Writers of a store that are killed: `python -m tests.contracts.kill_writers LOCATION COLLECTION KILLS`.

Everything is imported once; each writer and each reader is a fork of this process, which opens no database itself.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable

import chromadb  # noqa: F401

from quarry.errors import StoreMissingError
from quarry.store import Store, StoredDocument, open_store
from tests.fakes import embedded, make_reading

MAX_LIFE_S = 1.5
"""Maximum life of a writer."""


def state(number: int) -> list[StoredDocument]:
    """Return two documents that only ever change together."""
    readings = [make_reading(doc_id, [f"State {number}."]) for doc_id in ("a", "b")]
    return [embedded(reading) for reading in readings]


def write_often(location: str, collection: str) -> None:
    """Change a store until the process is killed; two states take turns with a third document."""
    store = Store(location, collection)
    while True:
        number = store.course.generation + 1
        extra = [embedded(make_reading("c", ["More."]))] if number % 2 else []
        dropped = [] if number % 2 else ["c"]
        updates = [*state(number), *extra]
        store.change(updates, dropped, embedder_spec="minilm")


def read(location: str, collection: str) -> None:
    """Check that the store holds one whole state."""
    try:
        course = open_store(location, collection)
    except StoreMissingError:
        return
    expected = [f"State {course.generation}."] * 2 + ["More."] * (course.generation % 2)
    assert [item.text for item in course.paragraphs] == expected
    assert len(course.vectors) == len(expected)


def forked(act: Callable[[str, str], None], *place: str) -> int:
    """Start a process; return its id."""
    process = os.fork()
    if not process:
        try:
            act(*place)
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    return process


def main(location: str, collection: str, kills: str) -> None:
    """Kill writers at random moments, and read the store after each."""
    moments = random.Random(7)
    for _ in range(int(kills)):
        writer = forked(write_often, location, collection)
        time.sleep(moments.uniform(0.0, MAX_LIFE_S))
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        _, status = os.waitpid(forked(read, location, collection), 0)
        if status:
            sys.exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
