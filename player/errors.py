"""The errors of the player, drawn as one family.

PlayerError
├── QueryError (ValueError)              a query that cannot be searched
├── SearchError (RuntimeError)           one strategy failed; goes into SearchResult.failures
│   └── LateStrategyError (TimeoutError) it did not answer by its deadline
├── AllStrategiesFailedError (RuntimeError)
├── MessageError (ValueError)            a message that cannot be read as the protocol asks
├── JournalError (OSError)               the journal cannot be used
└── ServerError (ConnectionError)        the game server is not there, refuses, or answers nonsense
    ├── UnauthorizedError (PermissionError)
    ├── UnavailableError                 it does not answer now, and may later
    ├── RefusedError                     it will not take this message, now or later
    └── GameTimeoutError (TimeoutError)
"""

from collections.abc import Sequence

from configs.errors import QuarryError


class PlayerError(QuarryError):
    """Base of all errors that the player raises on purpose; its text is one line."""


class QueryError(PlayerError, ValueError):
    """A query holds nothing to search for, or asks for an impossible number of hits."""


class SearchError(PlayerError, RuntimeError):
    """A strategy, or another part of a search, failed.

    Attributes:
        strategy: name of the strategy or the part.
    """

    def __init__(self, strategy: str, reason: str) -> None:
        super().__init__(f"strategy {strategy} failed: {reason}")
        self.strategy = strategy
        self.reason = reason


class LateStrategyError(SearchError, TimeoutError):
    """One strategy did not answer by its deadline."""


class AllStrategiesFailedError(PlayerError, RuntimeError):
    """No strategy answered.

    Attributes:
        failures: one of each strategy.
    """

    def __init__(self, failures: Sequence[SearchError]) -> None:
        super().__init__("; ".join(str(failure) for failure in failures))
        self.failures = tuple(failures)


class MessageError(PlayerError, ValueError):
    """A message lacks what the protocol asks for."""


class JournalError(PlayerError, OSError):
    """The journal cannot be opened, read or written."""


class ServerError(PlayerError, ConnectionError):
    """The game server cannot be reached, refuses, or answers what it must not.

    Attributes:
        retry_after_s: seconds that the server asked to be left alone, 0 if it did not.
    """

    retry_after_s: float = 0.0


class UnauthorizedError(ServerError, PermissionError):
    """The game server does not know the token."""


class UnavailableError(ServerError):
    """The game server does not answer, and may do so later."""


class RefusedError(ServerError):
    """The game server refuses a request, and would do so again.

    Attributes:
        status: HTTP status of its answer.
    """

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


class GameTimeoutError(ServerError, TimeoutError):
    """The game was not over when its time was."""
