"""Which embedder a SPEC names, and where the networks that serve it are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from quarry.configs.imports import find, is_dotted, make
from quarry.configs.settings import Accuracy, EmbedSettings
from quarry.configs.suggest import meant
from quarry.ingest.embed.embedder import Embedder
from quarry.ingest.embed.exports import (
    EXPORT_S,
    EXPORTS,
    FORM,
    PACKAGED,
    load_sentence_transformer,
    mpnet_parts,
)
from quarry.ingest.embed.onnx import OnnxEmbedder
from quarry.ingest.embed.sentence_transformer import SentenceTransformerEmbedder
from quarry.ingest.errors import EmbedderError

BUILT_IN = tuple(EXPORTS)
"""The SPECs that are exported to ONNX and served from there."""

LATIN_SHARE = 0.8
"""Share of Latin letters from which `auto` takes the English model."""


@dataclass(frozen=True, slots=True)
class Models:
    """The embedders there are: networks in a folder, exported there when first asked for, and how they are run.

    Attributes:
        folder: of exported networks, and of what is worked out with them once for all.
        settings: token limit and threads.
    """

    folder: Path
    settings: EmbedSettings

    def embedder(self, spec: str, notice: Callable[[str], None] = lambda _: None) -> Embedder:
        """The embedder of a SPEC.

        Args:
            notice: gets one line before an export.

        Raises:
            EmbedderError: not installed, not found, or unreadable.
        """
        if spec in EXPORT_S and not export_folder(spec, self.folder).exists():
            notice(f"exporting the embedding model {spec} to ONNX, once (about {EXPORT_S[spec]} s)")
        return load_embedder(spec, self.folder, self.settings)


def load_embedder(spec: str, models_dir: Path, settings: EmbedSettings) -> Embedder:
    """The embedder of a SPEC: `minilm`, `mpnet`, `e5`, or a sentence-transformers folder or hub id.

    Args:
        spec: as docs/commands.md defines it; `auto` is settled by `choose_spec` before.
        models_dir: where exported networks are kept; they are exported there the first time (with torch).
        settings: token limit and threads.

    Raises:
        EmbedderError: not installed, not found, or unreadable.
    """
    if _is_named(spec) and not Path(spec).exists():
        found: Embedder = make(EMBEDDERS, spec, "--embedder", settings, models_dir)
        return found
    return SentenceTransformerEmbedder(spec, settings)


def fetch(spec: str) -> None:
    """Have a model by hub id on this machine, over the network if need be; others are there or are not.

    Raises:
        EmbedderError: there is no such model, or it cannot be fetched.
    """
    if not _is_named(spec) and not Path(spec).exists():
        load_sentence_transformer(spec, may_fetch=True)


def require_embedder(spec: str, models_dir: Path) -> None:
    """Pass if there is the embedder of a SPEC, before long work is done for it; one by hub id is fetched.

    Raises:
        EmbedderError: it is mistyped, not installed, or cannot be loaded or fetched.
        SettingsError: a dotted path leads nowhere.
    """
    if Path(spec).exists():
        load_sentence_transformer(spec)
    elif spec in EXPORTS:
        if not export_folder(spec, models_dir).exists():
            PACKAGED[spec]()
    elif _is_named(spec):
        find(EMBEDDERS, spec, "--embedder")
    elif near := meant(spec, EMBEDDERS):
        raise EmbedderError(
            f"--embedder must be auto, {', '.join(EMBEDDERS)}, a dotted path, or the folder or hub id of a "
            f"sentence-transformers model, got {spec!r}{near}"
        )
    else:
        fetch(spec)


def _is_named(spec: str) -> bool:
    """Return whether a SPEC is a name of the table or a dotted path, not a model's folder or hub id."""
    return spec in EMBEDDERS or is_dotted(spec)


def _exported(spec: str) -> Callable[[EmbedSettings, Path], Embedder]:
    """What makes the embedder of an exported network."""

    def make(settings: EmbedSettings, models_dir: Path) -> Embedder:
        folder = export_folder(spec, models_dir)
        if not (folder / "model.onnx").is_file():
            EXPORTS[spec](folder)
        return OnnxEmbedder(spec, folder, settings)

    return make


EMBEDDERS: dict[str, Callable[..., Embedder]] = {spec: _exported(spec) for spec in EXPORTS}
"""By SPEC; each is given the settings and the folder of models, or as much of these as it takes."""


def token_limit(spec: str, settings: EmbedSettings) -> int:
    """Tokens at which the embedder of a SPEC cuts longer texts by these settings, 0 if it has a limit of its own."""
    return settings.max_tokens if spec in EXPORTS and spec != "e5" else 0


def export_folder(spec: str, models_dir: Path) -> Path:
    """Where the exported network of a SPEC is kept."""
    return models_dir / f"{spec}-{FORM}"


def word_models_of(spec: str, accuracy: Accuracy) -> tuple[str, ...]:
    """SPECs of the models that compare word by word in a store with this embedder, as far as `accuracy` wants them.

    Raises:
        EmbedderError: it wants one that is not installed.
    """
    if accuracy == "plain" or spec not in EXPORTS:
        return ()
    if accuracy == "fast" or spec != "minilm":
        return (spec,)
    try:
        mpnet_parts()
    except EmbedderError:
        if accuracy == "accurate":
            raise
        return (spec,)
    return (spec, "mpnet")


def choose_spec(texts: Iterable[str]) -> str:
    """What `auto` means for these texts: `minilm` where they are in Latin script, else `e5`."""
    latin = letters = 0
    for text in texts:
        for char in text:
            if char.isalpha():
                letters += 1
                latin += char < "\u0250"
    return "minilm" if latin >= LATIN_SHARE * letters else "e5"
