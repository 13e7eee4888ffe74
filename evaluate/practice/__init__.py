"""The practice game server: one game, many games over HTTP or in this process, and a person as the referee."""
