"""Messages of the game, and the HTTP client."""
