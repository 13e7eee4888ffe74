"""Suites that strategies and kinds of questions pass, for who adds one (docs/guides/extend.md); pytest runs them."""
