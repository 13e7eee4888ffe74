"""Command lines and terminals: options, escaped text, and Ctrl-C."""
