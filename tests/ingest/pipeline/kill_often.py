"""Kills an ingest at random moments and tells what each left: python -m tests.ingest.pipeline.kill_often FOLDER N SEED.

Everything is imported once and each ingest runs in a fork of this process, which is fast, and safe as long as Chroma is
not opened before the fork. FOLDER holds `store`, made from `lectures`, and `changed`, the lectures to be ingested now.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import chromadb  # noqa: F401
import datasketch  # noqa: F401
import pebble
import pytest
from chromadb.api.rust import RustBindingsAPI  # noqa: F401

from quarry.configs.settings import load
from quarry.ingest.pipeline import pipeline
from quarry.ingest.store import open_store
from tests import fakes

MOST_TRIES = 4
"""For each kill: an ingest that was over before it could be killed counts as a try."""


def main() -> None:
    folder, n_kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    patch = pytest.MonkeyPatch()
    patch.setattr(pebble, "ProcessPool", fakes.InlinePool)
    patch.setattr("quarry.ingest.embed.models.load_embedder", fakes.load_hashing_embedder)
    before = _told(partial(_fingerprint, str(folder / "store")))
    whole = _copy(folder, "whole")
    started = time.monotonic()
    after = _told(partial(_ingest, folder, whole))
    seconds = time.monotonic() - started
    moments = random.Random(seed)
    kills: list[dict[str, object]] = []
    number = 0
    while sum(bool(kill["killed"]) for kill in kills) < n_kills and number < MOST_TRIES * n_kills:
        number += 1
        store = _copy(folder, f"killed-{number}")
        child = os.fork()
        if child == 0:
            _ingest(folder, store)
            os._exit(0)
        moment = moments.uniform(0, seconds)
        time.sleep(moment)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status)
        if not killed:  # it was over before: the machine is quicker than it was when the whole run was timed
            seconds = moment
        left = _told(partial(_fingerprint, store))
        rerun = _told(partial(_ingest, folder, store))
        generations = len(list(Path(store).glob("chroma-*")))
        kills.append({"killed": killed, "left": left, "rerun": rerun, "generations": generations})
    print(json.dumps({"before": before, "after": after, "kills": kills}))


def _copy(folder: Path, name: str) -> str:
    shutil.copytree(folder / "store", folder / name)
    return str(folder / name)


def _ingest(folder: Path, store: str) -> str:
    return pipeline.ingest([folder / "changed"], store, load(), progress=False).fingerprint


def _fingerprint(store: str) -> str:
    return open_store(store).fingerprint


def _told(action: Callable[[], str]) -> str:
    """What an action in a fork of this process returns, or the error that it died of."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = action()
        except BaseException as error:
            answer = repr(error)
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as file:
        return file.read()


if __name__ == "__main__":
    main()
