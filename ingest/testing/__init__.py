"""The suites that embedders and readers pass, for whoever adds one (docs/guides/extend.md); they need pytest."""
