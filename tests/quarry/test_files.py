"""Files that the program makes."""

import os
import re
import stat
from pathlib import Path

import pytest

from quarry.files import (
    append_whole,
    make_private,
    replace_together,
    write_named,
    write_whole,
)
from quarry.json_files import read_objects
from tests.fakes import modules_with, small_disk


def test_a_link_is_replaced_and_its_target_keeps_content_and_permissions(
    tmp_path: Path,
) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("theirs")
    target.chmod(0o644)
    link.symlink_to(target)
    with pytest.raises(OSError, match="link"):
        make_private(link)
    write_whole(link, b"ours", mode=0o600)
    assert link.read_bytes() == b"ours"
    assert not link.is_symlink()
    assert stat.S_IMODE(link.stat().st_mode) == 0o600
    assert target.read_text() == "theirs"
    assert stat.S_IMODE(target.stat().st_mode) == 0o644


def _write_two(folder: Path) -> None:
    with replace_together(folder) as work:
        (work / "other").write_bytes(b"x")
        (work / "report.html").write_bytes(b"x" * 200)


def test_a_full_disk_leaves_the_file_that_a_user_named(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(b"before\n")
    path.chmod(0o664)
    with small_disk(100):
        for write in (write_named, append_whole):
            with pytest.raises(OSError, match=r"large|space"):
                write(path, b"x" * 200)
        with pytest.raises(OSError, match="large"):
            _write_two(tmp_path)
    assert path.read_bytes() == b"before\n"
    assert os.listdir(tmp_path) == ["report.html"]

    append_whole(path, b"more\n")
    assert path.read_bytes() == b"before\nmore\n"
    write_named(path, b"after")
    assert path.read_bytes() == b"after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


def test_what_a_user_names_may_be_a_link_or_a_pipe_but_no_loop(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(target)
    write_named(link, b"ours")
    assert link.is_symlink()
    assert target.read_bytes() == b"ours"

    os.mkfifo(pipe)
    read = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_named(pipe, lambda file: file.write(b"piped"))
    assert os.read(read, 10) == b"piped"
    os.close(read)
    assert stat.S_ISFIFO(pipe.stat().st_mode)

    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"):
        write_named(loop, b"ours")
    assert loop.is_symlink()


def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe, device = tmp_path / "pipe", tmp_path / "device"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    with pytest.raises(OSError, match="not a regular file"):
        make_private(pipe)
    for path in (pipe, device):
        refused = f"^--games {path} cannot be read: not a regular file;"
        with pytest.raises(ValueError, match=refused):
            list(read_objects(path, ValueError, flag="--games"))


def test_files_are_private_or_at_least_opened_where_a_system_lacks_flags_and_owners(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.sqlite"
    path.touch(mode=0o644)
    make_private(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

    for name in ("O_NOFOLLOW", "O_NONBLOCK", "geteuid", "fchmod"):  # as on Windows
        monkeypatch.delattr(os, name)
    other = tmp_path / "other.sqlite"
    make_private(other)
    assert other.read_bytes() == b""


WRITERS = {
    "evaluate/runs/export.py": "a new folder",
    "quarry/embed/exports.py": "a new folder",
    "quarry/files.py": "the whole write",
    "ingest/pipeline/read.py": "a temporary file",
    "quarry/store/folder.py": "a new folder",
}
"""Modules that write files by themselves, and what they write."""
WRITES = re.compile(
    r"(?<!shared)\.write_(?:text|bytes)\(|open\([^)\n]*[\"'](?:w|a|x)b?[\"']|copyfile|np\.save\((?!file)"
)


def test_everything_else_is_written_by_the_whole_write() -> None:
    assert modules_with(WRITES) == WRITERS.keys()
