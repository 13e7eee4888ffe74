"""The version of the code: its number, which all other files read from here, its digest and its commit."""

import contextlib
import functools
import hashlib
import subprocess

from configs.directories import ROOT

__version__ = "0.5.0.dev0"


@functools.cache
def code_digest() -> str:
    """Return 16 hexadecimal digits that change with any .py, .json, .txt or .yaml file of the packages."""
    digest = hashlib.sha256()
    for package in ("configs", "quarry", "ingest", "player", "evaluate"):
        for path in sorted((ROOT / package).rglob("*")):
            if path.suffix in (".json", ".py", ".txt", ".yaml"):
                digest.update(str(path.relative_to(ROOT)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


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
