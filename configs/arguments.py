"""Command lines whose errors are one line."""

from __future__ import annotations

import argparse
from typing import NoReturn


class OneLineParser(argparse.ArgumentParser):
    """An ArgumentParser that says what is wrong in one line on standard error, without the usage, and exits with 2."""

    def error(self, message: str) -> NoReturn:
        """Exit with 2 and one line that names the command and where its help is."""
        self.exit(2, f"{self.prog.removeprefix('python -m ')}: {' '.join(message.split())}; see {self.prog} --help\n")
