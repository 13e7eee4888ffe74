"""`python -m quarry`: the same as the command `quarry`."""

import sys

from quarry.command import main

if __name__ == "__main__":
    sys.exit(main())
