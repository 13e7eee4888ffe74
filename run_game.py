"""`python run_game.py`: play against a game server, or against a practice server that it starts itself."""

import sys

from ingest.console.interrupts import run_quietly

if __name__ == "__main__":
    sys.exit(run_quietly("quarry.play"))
