"""Errors of the operating system in words, with their remedies."""

import errno
from pathlib import Path

MORE_FILES = "allow more open files: ulimit -n 1024"
MORE_MEMORY = "allow more memory: ulimit -v unlimited"
MORE_SPACE = "free some space"
OTHER_PATH = "allow this user to use it, or name another place"
FAULTS = {
    errno.EACCES: OTHER_PATH,
    errno.EPERM: OTHER_PATH,
    errno.EROFS: OTHER_PATH,
    errno.ENOSPC: MORE_SPACE,
    errno.EDQUOT: MORE_SPACE,
    errno.EFBIG: MORE_SPACE,
    errno.ENOMEM: MORE_MEMORY,
    errno.EMFILE: MORE_FILES,
    errno.ENFILE: MORE_FILES,
    errno.ENAMETOOLONG: "take a shorter path",
    errno.ELOOP: "take a path without such links",
    errno.EBUSY: "wait until it ends",
    errno.EISDIR: "name a file",
    errno.EEXIST: "name a folder",
    errno.ENOTDIR: "name a path below a folder",
}
"""Remedies of errors that any path or machine can cause."""


def require_regular(path: Path) -> None:
    """Raise an OSError if a path is a folder, a pipe or a device, which may never end."""
    if path.exists() and not path.is_file():
        raise OSError(0, "not a regular file")


def fault_and_remedy(error: OSError, remedy: str = "check the path") -> str:
    """Return the reason of an error and its remedy, such as "Permission denied; allow this user to use it".

    Args:
        remedy: the remedy of an error that is not in `FAULTS`.
    """
    return f"{error.strerror or error}; {FAULTS.get(error.errno or 0, remedy)}"
