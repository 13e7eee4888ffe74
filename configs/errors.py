"""The root of all errors of Quarry, and the errors of settings and of workers."""


class QuarryError(Exception):
    """Base of all errors that Quarry raises on purpose; the text is one line that ends in the remedy."""


class WorkerError(QuarryError, RuntimeError):
    """Workers cannot do the work."""


class SettingsError(QuarryError, ValueError):
    """A settings file, a flag or an environment variable holds a bad value."""
