"""The player: search, questions, belief, guess, and games against a server."""
