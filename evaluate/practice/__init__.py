"""The practice game server: games, and what runs one, in this process or over HTTP."""
