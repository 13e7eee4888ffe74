"""The version of the code: its number, which all other files read from here, its digest and its commit."""

import contextlib
import functools
import hashlib
import subprocess
from collections.abc import Iterable
from pathlib import Path

from configs.directories import ROOT, fitted_folder
from quarry.interrupts import OUR_PACKAGES

DATA_SUFFIXES = (".gz", ".json", ".jsonl", ".npy", ".onnx", ".txt", ".yaml")
"""Suffixes of the data files of the packages on which results depend."""

__version__ = "0.5.0.dev0"


@functools.cache
def code_digest() -> str:
    """Return 16 hexadecimal digits that change with any code or data of the packages, and with the user's own fits."""
    files = []
    for package in OUR_PACKAGES:
        for path in (ROOT / package).rglob("*"):
            if path.suffix in (".py", *DATA_SUFFIXES):
                files.append(path)
    digests = digest_of(files) + digest_of(fitted_folder().glob("*"), fitted_folder())
    return hashlib.sha256(digests.encode()).hexdigest()[:16]


def digest_of(files: Iterable[Path], folder: Path | None = None) -> str:
    """Return a digest of the names and the contents of files below a folder; leave out folders and other non-files."""
    digest = hashlib.sha256()
    for path in sorted(filter(Path.is_file, files)):
        digest.update(str(path.relative_to(folder or ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def commit() -> str:
    """Return the commit of this checkout; "" outside a checkout."""
    command = ["git", "rev-parse", "HEAD"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        return subprocess.check_output(
            command,
            cwd=ROOT,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=10,
        ).strip()
    return ""
