"""The version of the package; all other files read it from here."""

__version__ = "0.5.0.dev0"
