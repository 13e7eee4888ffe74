"""The root of all errors of Quarry, and the errors of settings and of workers.

QuarryError
├── SettingsError (ValueError)        a settings file, a flag or an environment variable holds a bad value
├── WorkerError (RuntimeError)        workers cannot do the work
├── StoreError, EmbedderError         quarry/errors.py
├── IngestError                       ingest/errors.py
├── PlayerError                       player/errors.py
└── EvaluateError                     evaluate/errors.py
"""


class QuarryError(Exception):
    """Base of all errors that Quarry raises on purpose. The text is one line, with a remedy if there is one."""


class WorkerError(QuarryError, RuntimeError):
    """Workers cannot do the work."""


class SettingsError(QuarryError, ValueError):
    """A settings file, a flag or an environment variable holds a bad value."""
