"""`python -m evaluate`: the same command line as `quarry`."""

import sys

from quarry.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
