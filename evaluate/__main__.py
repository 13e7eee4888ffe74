"""`python -m evaluate`: the same command line as `quarry`."""

import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback until it is handled

from quarry.interrupts import run_quietly

if __name__ == "__main__":
    sys.exit(run_quietly("quarry.command"))
