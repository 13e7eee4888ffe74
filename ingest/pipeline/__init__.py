"""Plan, read and commit files to a store."""
