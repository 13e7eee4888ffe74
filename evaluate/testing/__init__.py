"""The suites that referees and measures pass, for whoever adds one (docs/guides/extend.md); they need pytest."""
