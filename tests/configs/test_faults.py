"""Errors of the operating system: each is told with a remedy."""

import errno
import os

from configs.faults import fault_and_remedy


def test_the_remedy_follows_the_fault() -> None:
    for error, says in (
        (PermissionError(errno.EACCES, "Permission denied"), "d; allow this user"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "; free some space"),
        (IsADirectoryError(errno.EISDIR, "Is a directory"), "y; name a file"),
        (OSError(0, "not a regular file"), "not a regular file; check the path"),
        (OSError("odd"), "odd; check the path"),
    ):
        assert says in fault_and_remedy(error)
