"""The command `quarry`, also as `python -m quarry`."""

import sys

from ingest.console.interrupts import run_quietly


def main() -> int:
    """Run the command line of the process."""
    return run_quietly("quarry.command")


if __name__ == "__main__":
    sys.exit(main())
