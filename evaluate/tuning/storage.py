"""Storages of studies: memory, SQLite or PostgreSQL, where heartbeats tell which trials have lost their process."""

from __future__ import annotations

import contextlib
import re
import time
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import optuna
import sqlalchemy
from optuna.exceptions import (
    ExperimentalWarning,
    StorageInternalError,
    UpdateFinishedTrialError,
)
from optuna.storages import (
    BaseStorage,
    InMemoryStorage,
    RDBStorage,
    RetryHeartbeatStaleTrialCallback,
)
from sqlalchemy.exc import IntegrityError, ProgrammingError, SQLAlchemyError

from evaluate.errors import TuneError

HEARTBEAT_S, GRACE_S = 3, 10
"""Seconds between two heartbeats of a running trial, and seconds without one after which the trial is run again."""
PATIENCE_S = 120.0
"""Seconds that a study waits for a database that has stopped answering, for example because it is restarted."""
CONNECT_S = 5
"""Seconds after which a database that does not answer counts as unreachable."""
PAUSE_S = 0.5
"""Seconds between two attempts to connect."""
N_ATTEMPTS = 5
"""Attempts to create the tables of a database before the last one."""


class _Patience:
    """Connects to a database, and waits while it does not answer.

    Attributes:
        failure: the error that ends the study, once the database has not answered for `PATIENCE_S`.
    """

    failure: TuneError | None = None

    def connect(
        self,
        dialect: Any,
        _: object,
        arguments: Sequence[Any],
        keywords: Mapping[str, Any],
    ) -> Any:
        """Return a connection of the driver."""
        until = time.monotonic() + PATIENCE_S
        while self.failure is None:
            try:
                return dialect.connect(*arguments, **keywords)
            except dialect.loaded_dbapi.Error as error:
                if time.monotonic() > until:
                    self.failure = TuneError(
                        f"--storage has not answered for {PATIENCE_S:g} s: {_reason(error)}; no finished trial is "
                        "lost: when it answers again, the same command resumes the study"
                    )
                time.sleep(PAUSE_S)
        raise self.failure


class _Database(RDBStorage):
    """A database of studies, which tells by its own clock which running trials have lost their process.

    Attributes:
        patience: connects again if a connection is lost.
    """

    def __init__(self, url: str, connect_args: Mapping[str, Any]) -> None:
        self.patience = _Patience()
        try:
            super().__init__(
                url,
                {"pool_pre_ping": True, "connect_args": dict(connect_args)},
                heartbeat_interval=HEARTBEAT_S,
                grace_period=GRACE_S,
                heartbeat_stale_trial_callback=RetryHeartbeatStaleTrialCallback(),
            )
        finally:  # Optuna leaves its connections open, also if it fails
            if hasattr(self, "engine"):
                weakref.finalize(self, self.engine.dispose)
        # from now on; a database that does not answer at first is refused at once
        sqlalchemy.event.listen(self.engine, "do_connect", self.patience.connect)

    def record_heartbeat(self, trial_id: int) -> None:
        """Record a heartbeat; one that the database does not take is left out, and the trial goes on."""
        with contextlib.suppress(StorageInternalError, SQLAlchemyError, TuneError):
            super().record_heartbeat(trial_id)


def open_storage(spec: str | None) -> BaseStorage:
    """Open the storage of `--storage`: None is memory, a URL a database, anything else the path of an SQLite file.

    Raises:
        TuneError: it cannot be reached.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore", category=ExperimentalWarning)
    if spec is None:
        return InMemoryStorage()

    url = spec if "://" in spec else f"sqlite:///{spec}"
    connect_args: dict[str, float] = {}
    if url.startswith("postgresql"):
        connect_args = {
            "connect_timeout": CONNECT_S,
            "tcp_user_timeout": 1000 * GRACE_S,
        }
    elif url.startswith("sqlite"):
        connect_args = {"timeout": PATIENCE_S}
    try:
        storage = _created(url, connect_args)
    except Exception as error:  # each database has its own errors, and a missing driver is an ImportError
        raise TuneError(
            "--storage must be a URL of a database that answers, or the path of an SQLite file, "
            f"got {without_password(spec)}: {_reason(error)}; start it, install its driver (for PostgreSQL: "
            "pip install -r requirements-postgresql.txt), or leave --storage out"
        ) from None  # the cause would show the password
    if url.startswith(
        "sqlite"
    ):  # one write to the disk for each commit would take longer than a trial
        sqlalchemy.event.listen(storage.engine, "connect", _write_behind)
        storage.engine.dispose()
    return storage


@contextlib.contextmanager
def naming_failures(storage: BaseStorage) -> Iterator[None]:
    """Raise a TuneError in place of any error that follows from a failure of the storage.

    Raises:
        TuneError: the storage has not answered for `PATIENCE_S`, or does not take what it is given.
    """
    try:
        yield
    except Exception as error:
        if isinstance(storage, _Database) and storage.patience.failure:
            # the cause would show the password
            raise storage.patience.failure from None
        if cause := storage_error(error):
            raise TuneError(
                f"--storage failed: {_reason(cause)}; the same command resumes the study"
            ) from None
        raise


def storage_error(error: BaseException) -> Exception | None:
    """Return the failure of a storage that an error follows from: Optuna masks it by errors of its own.

    It has failed too if it refuses the end of a trial that another process took for dead.
    """
    cause: BaseException | None = error
    while cause is not None:
        is_refused = isinstance(cause, ValueError) and "Cannot tell" in str(cause)
        is_failure = isinstance(cause, StorageInternalError | UpdateFinishedTrialError)
        if isinstance(cause, Exception) and (is_failure or is_refused):
            return cause
        cause = cause.__cause__ or cause.__context__
    return None


def _created(url: str, connect_args: Mapping[str, Any]) -> _Database:
    """Open a database; try again if another process creates the same tables at the same moment."""
    for _ in range(N_ATTEMPTS):
        with contextlib.suppress(IntegrityError, ProgrammingError):
            return _Database(url, connect_args)
        time.sleep(0.2)
    return _Database(url, connect_args)


def _write_behind(connection: Any, _: object) -> None:
    """Let SQLite survive the death of a process, but not that of the machine, without waiting for the disk."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")


def _reason(error: Exception) -> str:
    """Return the first 200 characters of a database's error, in one line without passwords."""
    cause = error.__cause__ or error
    return without_password(" ".join(str(cause).split()))[:200]


def without_password(text: str) -> str:
    """Return a text with asterisks for passwords in URLs."""
    return re.sub(r"(://[^\s:/@]*:)\S*(?=@)|(password=)[^\s&]*", r"\1\2***", text)
