"""`python -m ingest`: put lectures into a store, and list what it holds."""

import sys

from ingest.console.interrupts import run_quietly

if __name__ == "__main__":
    sys.exit(run_quietly("ingest.command"))
