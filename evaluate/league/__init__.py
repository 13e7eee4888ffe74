"""A league in a box: a season between players over HTTP, by mail, and built in."""
