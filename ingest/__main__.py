"""`python -m ingest`: the command `quarry ingest`."""

import sys

from quarry.__main__ import main

if __name__ == "__main__":
    sys.exit(main("ingest"))
