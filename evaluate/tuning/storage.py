"""Storages of studies: memory, SQLite or PostgreSQL, where heartbeats tell which trials have lost their process."""

import contextlib
import re
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import optuna
import sqlalchemy
import tenacity
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
from sqlalchemy.engine import URL
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
"""Attempts to create the tables of a database; another process may create the same ones at the same moment."""
FAILURES = (StorageInternalError, UpdateFinishedTrialError)
T = TypeVar("T")


class _Database(RDBStorage):
    """A database of studies, which tells by its own clock which running trials have lost their process."""

    def __init__(self, url: str, connect_args: Mapping[str, Any]) -> None:
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

    def record_heartbeat(self, trial_id: int) -> None:
        """Record a heartbeat; one that the database does not take is left out, and the trial goes on."""
        with contextlib.suppress(StorageInternalError, SQLAlchemyError):
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

    url = spec
    if "://" not in spec:
        folder = Path(spec).parent
        if not folder.is_dir():
            raise TuneError(
                f"--storage {spec}: the folder {folder} does not exist; make it"
            )
        # "?" and "%" of the path are quoted
        url = URL.create("sqlite", database=spec).render_as_string()
    connect_args: dict[str, float] = {}
    if url.startswith("postgresql"):
        connect_args = {
            "connect_timeout": CONNECT_S,
            "tcp_user_timeout": 1000 * GRACE_S,
        }
    elif url.startswith("sqlite"):
        connect_args = {"timeout": PATIENCE_S}
    try:
        storage = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type((IntegrityError, ProgrammingError)),
            stop=tenacity.stop_after_attempt(N_ATTEMPTS),
            wait=tenacity.wait_fixed(PAUSE_S),
            reraise=True,
        )(_Database, url, connect_args)
    except Exception as error:  # each database has its own errors, and a missing driver is an ImportError
        raise TuneError(
            f"--storage {without_password(spec)} cannot be used: {_reason(error)}; name the URL of a database or the "
            "path of an SQLite file, start the database, install its driver (for PostgreSQL: pip install -r "
            "requirements-postgresql.txt), or leave --storage out"
        ) from None  # the cause would show the password
    if url.startswith("sqlite"):
        # one write to the disk for each commit would take longer than a trial
        sqlalchemy.event.listen(storage.engine, "connect", _write_behind)
        storage.engine.dispose()
    return storage


@contextlib.contextmanager
def naming_failures() -> Iterator[None]:
    """Raise a TuneError in place of any error that follows from a failure of the storage."""
    try:
        yield
    except Exception as error:
        if cause := storage_error(error):
            raise TuneError(
                f"--storage failed: {_reason(cause)}; no finished trial is lost: when it answers again, the same "
                "command resumes the study"
            ) from None  # the cause would show the password
        raise


def when_it_answers(read: Callable[[], T]) -> T:
    """Return what is read from a storage; wait for `PATIENCE_S` while the storage does not answer."""
    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(lambda error: bool(storage_error(error))),
        stop=tenacity.stop_after_delay(PATIENCE_S),
        wait=tenacity.wait_fixed(PAUSE_S),
        reraise=True,
    )
    return retrying(read)


def storage_error(error: BaseException) -> BaseException | None:
    """Return the failure of a storage that an error follows from: Optuna masks it by errors of its own.

    It has failed too if it refuses the end of a trial that another process took for dead.
    """
    cause: BaseException | None = error
    while cause is not None:
        is_refused = isinstance(cause, ValueError) and "Cannot tell" in str(cause)
        if is_refused or isinstance(cause, FAILURES):
            return cause
        cause = cause.__cause__ or cause.__context__
    return None


def _write_behind(connection: Any, _: object) -> None:
    """Let SQLite survive the death of a process, but not that of the machine, without waiting for the disk."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")


def _reason(error: BaseException) -> str:
    """Return the first 200 characters of a database's error, in one line without passwords."""
    cause = error.__cause__ or error
    return without_password(" ".join(str(cause).split()))[:200]


def without_password(text: str) -> str:
    """Return a text with asterisks for passwords in URLs."""
    return re.sub(r"(://[^\s:/@]*:)\S*(?=@)|(password=)[^\s&]*", r"\1\2***", text)
