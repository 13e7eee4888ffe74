"""The suites that embedders and readers pass, for whoever adds one (docs/extend.md); they need pytest."""
