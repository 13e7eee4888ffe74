"""The errors of the harness, drawn as one family.

EvaluateError
├── GamesError (ValueError)        a games file that cannot be used
├── RefereeError (ValueError)      a referee SPEC that cannot be used
└── PortError (OSError)            the practice server cannot listen
"""

from __future__ import annotations


class EvaluateError(Exception):
    """Base of everything that the harness raises on purpose; its text is one line that ends in the remedy."""


class GamesError(EvaluateError, ValueError):
    """A games file is missing, empty, broken, or belongs to another corpus."""


class RefereeError(EvaluateError, ValueError):
    """A referee SPEC is unknown, or needs what is not installed."""


class PortError(EvaluateError, OSError):
    """The practice server cannot listen where it was told to."""
