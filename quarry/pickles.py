"""Pickled values in the user's cache, signed with the user's key; a value of somebody else is not loaded.

A pickle may run any code when it is loaded.
"""

import functools
import hashlib
import hmac
import io
import os
import pickle
import secrets
from pathlib import Path
from typing import Any, BinaryIO

from configs.directories import cache
from quarry.files import read_own, write_whole

KEY = "key"
"""Name of the file with the key, in the cache folder; only the user may read it."""

N_BYTES = 32
"""Length of the key and of a signature."""

_NOTHING = object()


class UnsignedError(ValueError):
    """The file does not have the signature of this user."""


def save(value: object, path: Path, shared: object = _NOTHING) -> None:
    """Write a value with its signature.

    Args:
        shared: an object that the value may hold, and which is not saved with it.

    Raises:
        OSError: the value or the key cannot be written.
    """
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.shared = shared
    pickler.dump(value)
    content = buffer.getbuffer()
    signature = hmac.digest(_key(cache() / KEY), content, "sha256")

    def write(file: BinaryIO) -> None:
        file.write(signature)
        file.write(content)

    write_whole(path, write, mode=0o600)


def load(path: Path, shared: object = _NOTHING) -> Any:
    """Return a value that this user has saved.

    Args:
        shared: the object to put where the value held one that was not saved.

    Raises:
        OSError: the file is missing, or cannot be read.
        UnsignedError: the file is damaged, or was written by somebody else.
    """
    content = memoryview(read_own(path)[0])
    expected = hmac.digest(_key(cache() / KEY), content[N_BYTES:], "sha256")
    if not hmac.compare_digest(content[:N_BYTES], expected):
        raise UnsignedError(f"{path} does not have the signature of this user.")
    unpickler = _Unpickler(io.BytesIO(content[N_BYTES:]))
    unpickler.shared = shared
    return unpickler.load()


class _Pickler(pickle.Pickler):
    shared: object

    def persistent_id(self, value: object) -> str | None:
        return "shared" if value is self.shared else None


class _Unpickler(pickle.Unpickler):
    shared: object

    def persistent_load(self, _: object) -> object:
        return self.shared


@functools.lru_cache(maxsize=8)
def _key(path: Path) -> bytes:
    """Return the key in a file, which is made if it is missing or if others can read it.

    Raises:
        OSError: the file cannot be written.
    """
    try:
        return _read_key(path)
    except OSError:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, secrets.token_bytes(N_BYTES), mode=0o600)
    return _read_key(path)


def _read_key(path: Path) -> bytes:
    """Return the key in a file; it changes with the time of the file's creation, so that a copied folder has another.

    Raises:
        OSError: the file cannot be read, is not a key, or others can read it, as on a disk without permissions.
    """
    content, status = read_own(path)
    is_private = os.name == "nt" or (
        status.st_uid == os.getuid() and not status.st_mode & 0o077
    )
    if len(content) != N_BYTES or not is_private:
        raise OSError(f"{path} is not a key that only this user can read.")
    return hashlib.sha256(content + str(status.st_ctime_ns).encode()).digest()
