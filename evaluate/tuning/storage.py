"""Where a study's trials are kept: in memory, in a journal file that many processes share, or in a database."""

from __future__ import annotations

import re
from pathlib import Path

from optuna.storages import BaseStorage, InMemoryStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend

from quarry.evaluate.errors import TuneError


def open_storage(spec: str | None) -> BaseStorage:
    """The storage of `--storage`: None is memory, a URL a database, anything else the path of a journal file.

    Raises:
        TuneError: it cannot be reached.
    """
    if spec is None:
        return InMemoryStorage()
    try:
        if "://" in spec:
            return RDBStorage(spec)
        if not Path(spec).parent.is_dir():
            raise FileNotFoundError(f"no folder {Path(spec).parent}")
        storage = JournalStorage(JournalFileBackend(spec))
        storage.get_all_studies()
        return storage
    except TuneError:
        raise
    except Exception as error:  # each database has its own errors, and a missing driver is an ImportError
        reason = without_password(" ".join(str(error).split())[:200])
        raise TuneError(
            "--storage must be a URL of a database that answers, or the path of a journal file, "
            f"got {without_password(spec)}: {reason}; start it, install its driver, or leave --storage out"
        ) from None  # the cause would tell the password


def without_password(text: str) -> str:
    """The text with the passwords of its URLs blotted out."""
    return re.sub(r"(://[^\s:/@]*):[^\s@]*@", r"\1:***@", text)
