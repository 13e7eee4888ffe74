"""What a run was made with: the commit, and a digest of the code as it stands on disk."""

from __future__ import annotations

import functools
import hashlib
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("configs", "ingest", "player", "evaluate")


def commit() -> str:
    """The commit of this checkout, "" outside one."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""


@functools.cache
def code_digest() -> str:
    """16 hexadecimal digits that change with any source or settings file, committed or not."""
    digest = hashlib.sha256()
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.suffix in (".py", ".yaml")]
    for path in sorted(paths):
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
