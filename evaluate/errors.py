"""The errors of the harness, drawn as one family.

EvaluateError
├── GamesError (ValueError)        a games file that cannot be used
├── BatchError (ValueError)        a file of questions or answers that cannot be used
├── RefereeError (ValueError)      a referee SPEC that cannot be used
├── PortError (OSError)            the practice server cannot listen
├── ReplayError (RuntimeError)     a replay that cannot go on
├── TuneError (ValueError)         a study that cannot be made, or not gone on with
└── RunError (ValueError)          a file that is no run, or runs that cannot stand side by side
"""

from __future__ import annotations


class EvaluateError(Exception):
    """Base of everything that the harness raises on purpose; its text is one line that ends in the remedy."""


class GamesError(EvaluateError, ValueError):
    """A games file is missing, empty, broken, or belongs to another corpus."""


class BatchError(EvaluateError, ValueError):
    """A file of questions or answers is unreadable, broken, or belongs to other games."""


class RefereeError(EvaluateError, ValueError):
    """A referee SPEC is unknown, or needs what is not installed."""


class PortError(EvaluateError, OSError):
    """The practice server cannot listen where it was told to."""


class TuneError(EvaluateError, ValueError):
    """A study cannot be made, or not gone on with."""


class ReplayError(EvaluateError, RuntimeError):
    """A replay cannot go on; what it has done is kept."""


class RunError(EvaluateError, ValueError):
    """A file holds no run, or runs are of different games or stores."""
