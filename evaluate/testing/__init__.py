"""The suites that referees and measures pass, for whoever adds one (docs/extend.md); they need pytest."""
