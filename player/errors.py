"""Errors of the player.

PlayerError
├── QueryError (ValueError)              the query cannot be searched for
├── SearchError                          one step of a search failed; goes into SearchResult.failures
│   └── LateStrategyError (TimeoutError) it did not answer by its deadline
├── AllStrategiesFailedError (RuntimeError)
├── HangingError (TimeoutError)          a call, or earlier ones with its name, did not return by the deadline
├── MessageError (ValueError)            the message is not as the protocol requires
├── JournalError (OSError)               the journal cannot be used
└── ServerError (ConnectionError)        the game server cannot be reached, refuses, or sends an invalid answer
    ├── UnauthorizedError (PermissionError)
    ├── UnavailableError                 it does not answer now, but may later
    ├── RefusedError                     it refuses this message, now and later
    └── GameTimeoutError (TimeoutError)
"""

from configs.errors import QuarryError


class PlayerError(QuarryError):
    """Base of all errors that the player raises on purpose; its text is one line."""


class QueryError(PlayerError, ValueError):
    """A query is empty, or asks for an impossible number of hits."""


class SearchError(PlayerError):
    """A strategy, or another step of a search, failed.

    Attributes:
        strategy: name of the strategy or the step.
    """

    def __init__(self, strategy: str, reason: str) -> None:
        super().__init__(strategy, reason)
        self.strategy = strategy
        self.reason = reason

    def __str__(self) -> str:
        return f"search step {self.strategy} failed: {self.reason}"


class LateStrategyError(SearchError, TimeoutError):
    """One strategy did not answer by its deadline."""


class AllStrategiesFailedError(PlayerError, RuntimeError):
    """No strategy answered; its arguments are the failure of each."""

    def __str__(self) -> str:
        return "; ".join(map(str, self.args))


class HangingError(PlayerError, TimeoutError):
    """A call did not return by its deadline, or was refused, since earlier ones have not returned."""


class MessageError(PlayerError, ValueError):
    """A message is not as the protocol requires."""


class JournalError(PlayerError, OSError):
    """The journal cannot be opened, read or written."""


class ServerError(PlayerError, ConnectionError):
    """The game server cannot be reached, refuses, or sends an invalid answer.

    Attributes:
        retry_after_s: seconds to wait before the next request, if the server has named them; else 0.
        status: HTTP status of the answer; 0 without one.
    """

    def __init__(
        self, text: str, *, retry_after_s: float = 0.0, status: int = 0
    ) -> None:
        super().__init__(text)
        self.retry_after_s = retry_after_s
        self.status = status


class UnauthorizedError(ServerError, PermissionError):
    """The game server does not know the token."""


class UnavailableError(ServerError):
    """The game server does not answer now, but may later."""


class RefusedError(ServerError):
    """The game server refuses a request, and would refuse it again."""


class GameTimeoutError(ServerError, TimeoutError):
    """The game did not end within its time."""
