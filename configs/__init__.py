"""Typed settings, their files, and the errors of all packages."""
