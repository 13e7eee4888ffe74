"""`python configs/installing.py ARGUMENTS`: pip install with one line of progress, before anything is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator

FETCHED = re.compile(r"^\s*(?:Downloading|Using cached|Processing) (\S+)(?: \((.*)\))?$")


def main(arguments: list[str]) -> int:
    """Install; returns pip's exit code, and shows what pip said where it failed."""
    command = [sys.executable, "-m", "pip", "install", "--progress-bar", "off", *arguments]
    said: list[str] = []
    at_once = {**os.environ, "PYTHONUNBUFFERED": "1"}  # else pip's lines come in lumps
    with subprocess.Popen(command, env=at_once, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as pip:
        assert pip.stdout is not None
        for line in told(pip.stdout, said):
            show(line)
    if sys.stderr.isatty():
        show("")
    if pip.returncode:
        sys.stderr.write("".join(said))
    return pip.returncode


def told(lines: Iterable[str], said: list[str]) -> Iterator[str]:
    """What is going on, as pip says new things; every line goes into `said`."""
    n_fetched = 0
    for line in lines:
        said.append(line)
        if (found := FETCHED.match(line)) and ".metadata" not in line:
            n_fetched += 1
            name, size = found.groups()
            yield f"packages: {n_fetched}, {name.rpartition('/')[2].split('-')[0]}{f' ({size})' if size else ''}"
        elif line.startswith("Collecting "):
            yield f"packages: looking for {line.split()[1]}"
        elif line.startswith("Installing collected packages: "):
            yield f"packages: installing {line.count(',') + 1}, which takes a minute"
        elif line.startswith("Successfully installed"):
            yield f"packages: {len(line.split()) - 2} installed"


def show(line: str) -> None:
    """The line in the place of the one before; where nobody watches, a line of its own."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line[:78]}")
    elif "nstall" in line:
        sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
