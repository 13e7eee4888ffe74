"""The suites that strategies and kinds of questions pass, for whoever adds one (docs/extend.md); they need pytest."""
