"""Errors of the store and of embedders.

StoreError                        the store cannot be opened, read or written
├── StoreMissingError (FileNotFoundError)
├── StoreDamagedError             its files differ from what the ingest wrote
├── StoreChangedError             another ingest has changed the store
└── EmbedderMismatchError (ValueError)
EmbedderError (RuntimeError)      the model cannot be loaded
"""

from configs.errors import QuarryError


class StoreError(QuarryError):
    """The store cannot be opened, read or written."""


class StoreMissingError(StoreError, FileNotFoundError):
    """The named store does not exist."""


class StoreDamagedError(StoreError):
    """The files of the store are damaged, or were changed by another program."""


class StoreChangedError(StoreError):
    """Another ingest has changed the store since it was opened."""


class EmbedderMismatchError(StoreError, ValueError):
    """The store was made with another embedder than the requested one."""


class EmbedderError(QuarryError, RuntimeError):
    """An embedding model is unknown, not installed or unreadable."""
