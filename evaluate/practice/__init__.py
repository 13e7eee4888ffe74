"""The practice game server: one game, many games in this process or over HTTP, and a person as the referee."""
