"""Optuna's storages of studies, with heartbeats that show which trials have lost their process."""

import re
import warnings
import weakref
from typing import Any

import optuna
from optuna.exceptions import ExperimentalWarning
from optuna.storages import (
    BaseStorage,
    InMemoryStorage,
    RDBStorage,
)
from optuna.trial import FrozenTrial
from sqlalchemy import event
from sqlalchemy.engine import URL

from evaluate.errors import TuneError

HEARTBEAT_S = 3
"""Number of seconds between two heartbeats of a running trial."""
STALE_S = 10
"""Number of seconds without a heartbeat after which a trial is run again."""
IN_PLACE_OF = "in_place_of"
"""User attribute of a trial with the number of the lost trial that it repeats."""
_SECRETS = re.compile(
    r"(://[^\s:/@]*:)\S*(?=@)|((?:passw(?:or)?d|pwd|secret|token|key)\w*=)[^\s&]*",
    re.IGNORECASE,
)
"""The password of a URL, or a value of its query whose name says that it is secret."""
LOCKED_S = 120
"""Maximum number of seconds that a process waits for an SQLite file that another process writes."""


def open_storage(storage_url: str | None) -> BaseStorage:
    """Open the storage of `--storage`: None is memory, a URL a database, anything else the path of an SQLite file.

    Optuna's messages and warnings of experimental features are silenced in this process.

    Raises:
        TuneError: the storage cannot be opened.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore", category=ExperimentalWarning)
    if storage_url is None:
        return InMemoryStorage()

    url = storage_url
    if "://" not in storage_url:
        # quotes "?" and "%" in the path
        url = URL.create("sqlite", database=storage_url).render_as_string()
    is_file = url.startswith("sqlite")
    try:
        storage = RDBStorage(
            url,
            {"connect_args": {"timeout": LOCKED_S}} if is_file else None,
            heartbeat_interval=HEARTBEAT_S,
            grace_period=STALE_S,
            heartbeat_stale_trial_callback=run_again,
        )
    except Exception as error:  # each database has its own errors, and a missing driver is an ImportError
        reason = hide_passwords(" ".join(str(error.__cause__ or error).split()))
        raise TuneError(
            f"--storage {hide_passwords(storage_url)} cannot be opened: {reason[:200]}. Name the URL of a database "
            "that runs and whose driver is installed, or a file in an existing folder."
        ) from None  # the cause would show the password
    if is_file:
        # otherwise a commit would wait for the disk, longer than a trial takes
        event.listen(storage.engine, "connect", _write_behind)
        storage.engine.dispose()
    # Optuna leaves its connections open
    weakref.finalize(storage, storage.engine.dispose)
    return storage


def run_again(study: optuna.Study, lost: FrozenTrial) -> None:
    """Repeat a lost trial if its parameters were enqueued; others are drawn again from their seed.

    Optuna's own callback keeps the parameters that a lost trial has drawn, and then draws the others differently.
    """
    parameters = lost.system_attrs.get("fixed_params")
    if parameters is not None:
        number = lost.user_attrs.get(IN_PLACE_OF, lost.number)
        study.enqueue_trial(parameters, user_attrs={IN_PLACE_OF: number})


def _write_behind(connection: Any, _: object) -> None:
    """Let SQLite commit without waiting for the disk; it survives the death of a process, but not of the machine."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")


def hide_passwords(text: str) -> str:
    """Replace passwords and keys in URLs by asterisks."""
    return _SECRETS.sub(r"\1\2***", text)
