"""`python -m evaluate`: measure, compare, tune and serve."""

import sys

from ingest.console.interrupts import run_quietly

if __name__ == "__main__":
    sys.exit(run_quietly("evaluate.command"))
