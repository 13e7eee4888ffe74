"""The errors of ingest.

IngestError
├── BadInputError (ValueError)         a path or an option of the caller cannot be used
└── SourceError (ValueError)           one file cannot be read; the others are ingested
"""

from configs.errors import QuarryError


class IngestError(QuarryError):
    """Base of all errors that ingest raises on purpose; the text is one line that ends in the remedy."""


class BadInputError(IngestError, ValueError):
    """A path or an option of the caller cannot be used."""


class SourceError(IngestError, ValueError):
    """One PDF or paragraphs file cannot be read."""
