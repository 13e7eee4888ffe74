"""`python run_game.py`: play against a game server, or against a practice server that it starts itself."""

import sys

from quarry.__main__ import main

if __name__ == "__main__":
    sys.exit(main("play"))
