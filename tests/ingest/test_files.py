"""Files that the program makes."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest

from ingest.files import read_own, write_whole
from ingest.json_files import read_objects


def test_a_link_is_replaced_and_its_target_keeps_content_and_permissions(
    tmp_path: Path,
) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("theirs")
    target.chmod(0o644)
    link.symlink_to(target)
    with pytest.raises(OSError, match="link"):
        read_own(link)
    write_whole(link, b"ours", mode=0o600, durable=True)
    assert read_own(link)[0] == b"ours"
    assert not link.is_symlink()
    assert stat.S_IMODE(link.stat().st_mode) == 0o600
    assert target.read_text() == "theirs"
    assert stat.S_IMODE(target.stat().st_mode) == 0o644


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("before")

    def write(file: BinaryIO) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_whole(path, write)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["file"]


def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe, device = tmp_path / "pipe", tmp_path / "device"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    with pytest.raises(OSError, match="not a regular file"):
        read_own(pipe)
    for path in (pipe, device):
        refused = f"^--games {path} cannot be read: not a regular file;"
        with pytest.raises(ValueError, match=refused):
            list(read_objects(path, ValueError, named="--games"))
