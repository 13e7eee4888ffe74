"""`python -m player`: search by hand."""

import sys

from ingest.console.interrupts import run_quietly

if __name__ == "__main__":
    sys.exit(run_quietly("player.command"))
