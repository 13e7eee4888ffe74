"""The player against every kind of referee: its games, and the table of what it wins."""
