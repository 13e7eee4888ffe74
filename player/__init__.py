"""Search, questions, belief, guess, and the game against a server."""
