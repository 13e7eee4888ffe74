"""Typed settings, and code that all commands share."""
