"""A practice server that does what goes wrong in the wild, and what became of the games against it."""
