"""The errors of ingest, drawn as one family.

IngestError
├── BadInputError (ValueError)         the caller named something that cannot be ingested
├── SourceError (ValueError)           one file that cannot be read; the others go on
├── ReaderPoolError (RuntimeError)     the processes that read cannot be started
├── StoreError (RuntimeError)          the store cannot be opened, read or written
│   ├── StoreMissingError (FileNotFoundError)
│   └── EmbedderMismatchError (ValueError)
└── EmbedderError (RuntimeError)       the model cannot be loaded
"""

from __future__ import annotations


class IngestError(Exception):
    """Base of everything that ingest raises on purpose; its text is one line that ends in the remedy."""


class BadInputError(IngestError, ValueError):
    """A path or an option of the caller's cannot be used."""


class SourceError(IngestError, ValueError):
    """One PDF or paragraphs file cannot be read."""


class ReaderPoolError(IngestError, RuntimeError):
    """The processes that read PDFs cannot be started."""


class StoreError(IngestError, RuntimeError):
    """The store cannot be opened, read or written."""


class StoreMissingError(StoreError, FileNotFoundError):
    """There is no store where one was named."""


class EmbedderMismatchError(StoreError, ValueError):
    """The store was made with another embedder than the one asked for."""


class EmbedderError(IngestError, RuntimeError):
    """An embedding model is unknown, not installed or unreadable."""
