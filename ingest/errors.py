"""The errors of ingest.

IngestError
├── BadInputError (ValueError)         a path or an option of the caller cannot be used
├── SourceError (ValueError)           one file cannot be read; the others are ingested
├── StoreError (RuntimeError)          the store cannot be opened, read or written
│   ├── StoreMissingError (FileNotFoundError)
│   ├── StoreDamagedError             its files are not as the ingest wrote them
│   ├── StoreChangedError             another ingest has changed the store
│   └── EmbedderMismatchError (ValueError)
└── EmbedderError (RuntimeError)       the model cannot be loaded
"""

from configs.settings import QuarryError


class IngestError(QuarryError):
    """Base of all errors that ingest raises on purpose; the text is one line that ends in the remedy."""


class BadInputError(IngestError, ValueError):
    """A path or an option of the caller cannot be used."""


class SourceError(IngestError, ValueError):
    """One PDF or paragraphs file cannot be read."""


class StoreError(IngestError, RuntimeError):
    """The store cannot be opened, read or written."""


class StoreMissingError(StoreError, FileNotFoundError):
    """The named store does not exist."""


class StoreDamagedError(StoreError):
    """The files of the store are damaged, or were changed by another program."""


class StoreChangedError(StoreError):
    """Another ingest has changed the store since it was opened."""


class EmbedderMismatchError(StoreError, ValueError):
    """The store was made with another embedder than the requested one."""


class EmbedderError(IngestError, RuntimeError):
    """An embedding model is unknown, not installed or unreadable."""
