"""The command `quarry`, also as `python -m quarry`."""

import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback until it is handled

from quarry.interrupts import run_quietly


def main(*command: str) -> int:
    """Run the command line of the process, after the words of a command."""
    return run_quietly("quarry.command", [*command, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
