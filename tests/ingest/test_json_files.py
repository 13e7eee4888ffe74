"""Files of JSON: what is no file of text is refused, and never read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingest.json_files import read_objects


def test_a_pipe_or_a_device_is_refused_at_once_in_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("pipe", "link"):
        with pytest.raises(
            ValueError,
            match=r"^--games must be a readable file, got .*: not a regular file;",
        ):
            list(read_objects(tmp_path / name, ValueError, named="--games"))
