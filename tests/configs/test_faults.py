"""Errors of the operating system: each is told with a remedy."""

import errno
import os

import pytest

from configs.faults import fault_and_remedy


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), "d; allow this user"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "; free some space"),
        (IsADirectoryError(errno.EISDIR, "Is a directory"), "y; name a file"),
        (OSError(0, "not a regular file"), "not a regular file; check the path"),
        (OSError("odd"), "odd; check the path"),
    ],
)
def test_the_remedy_follows_the_fault(error: OSError, says: str) -> None:
    assert says in fault_and_remedy(error)
