"""The game loop, its journal, and how games are shown."""
