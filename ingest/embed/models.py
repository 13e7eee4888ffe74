"""Embedders by SPEC, and the folder of their exported networks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from quarry.configs.imports import find, is_dotted, make
from quarry.configs.places import cache
from quarry.configs.settings import Accuracy, EmbedSettings
from quarry.ingest.embed.embedders import Embedder, OnnxEmbedder, SentenceTransformerEmbedder, load_sentence_transformer
from quarry.ingest.embed.exports import EXPORT_S, FORM, PACKAGED, export, mpnet_parts
from quarry.ingest.errors import EmbedderError

BUILT_IN = tuple(PACKAGED)
"""SPECs of the networks that are exported to ONNX."""

LATIN_SHARE = 0.8
"""Least share of Latin letters for which `auto` takes the English model."""


def _exported(spec: str) -> Callable[[EmbedSettings, Path], Embedder]:
    """Return the factory of the embedder of a built-in network, which is exported first if it has not been."""

    def make(settings: EmbedSettings, models_dir: Path) -> Embedder:
        folder = export_folder(spec, models_dir)
        if not (folder / "model.onnx").is_file():
            export(spec, folder)
        return OnnxEmbedder(spec, folder, settings)

    return make


EMBEDDERS: dict[str, Callable[..., Embedder]] = {spec: _exported(spec) for spec in BUILT_IN}
"""Factories by SPEC; each is called with the settings and the folder of models, or as many of these as it accepts."""


@dataclass(frozen=True, slots=True)
class Models:
    """The embedders of a user: a folder of exported networks, and how they are run.

    Attributes:
        folder: the folder of exported networks and of vectors that are computed once with them.
        settings: token limit and threads.
    """

    folder: Path
    settings: EmbedSettings

    @classmethod
    def of(cls, settings: EmbedSettings) -> Models:
        """Return the embedders; their networks are in `models_dir`, else in the user's cache for all stores."""
        return cls(Path(settings.models_dir) if settings.models_dir else cache() / "models", settings)

    def embedder(self, spec: str, notice: Callable[[str], None] = lambda _: None) -> Embedder:
        """Return the embedder of a SPEC.

        Args:
            notice: called with one line before an export.

        Raises:
            EmbedderError: not installed, not found, or unreadable.
        """
        if spec in BUILT_IN and not export_folder(spec, self.folder).exists():
            notice(f"exporting the embedding model {spec} to ONNX, once (about {EXPORT_S[spec]} s)")
        return load_embedder(spec, self.folder, self.settings)


def load_embedder(spec: str, models_dir: Path, settings: EmbedSettings) -> Embedder:
    """Return the embedder of a SPEC: `minilm`, `mpnet`, `e5`, or a sentence-transformers folder or hub id.

    Args:
        spec: as docs/commands.md defines it, but not `auto`, for which `choose_spec` chooses one.
        models_dir: folder of exported networks; the first call exports a network (with torch).
        settings: token limit and threads.

    Raises:
        EmbedderError: not installed, not found, or unreadable.
    """
    if _is_named(spec) and not Path(spec).exists():
        found: Embedder = make(EMBEDDERS, spec, "--embedder", settings, models_dir)
        return found
    return SentenceTransformerEmbedder(spec, settings)


def require_embedder(spec: str, models_dir: Path) -> None:
    """Pass if the embedder of a SPEC exists, before long work is done for it; a hub id is fetched.

    Raises:
        EmbedderError: it is mistyped, not installed, or cannot be loaded or fetched.
        SettingsError: a dotted path cannot be imported.
    """
    if Path(spec).exists():
        load_sentence_transformer(spec)
    elif spec in BUILT_IN:
        if not export_folder(spec, models_dir).exists():
            PACKAGED[spec]()
    elif _is_named(spec):
        find(EMBEDDERS, spec, "--embedder")
    else:
        load_sentence_transformer(spec, may_fetch=True)


def _is_named(spec: str) -> bool:
    """Return whether a SPEC is a name of the table or a dotted path, not a model's folder or hub id."""
    return spec in EMBEDDERS or is_dotted(spec)


def token_limit(spec: str, settings: EmbedSettings) -> int:
    """Return the number of tokens at which the embedder of a SPEC cuts texts, 0 if it has a limit of its own."""
    return settings.max_tokens if spec in BUILT_IN and spec != "e5" else 0


def export_folder(spec: str, models_dir: Path) -> Path:
    """Return the folder of the exported network of a SPEC."""
    return models_dir / f"{spec}-{FORM}"


def word_models_of(spec: str, accuracy: Accuracy) -> tuple[str, ...]:
    """Return the SPECs of the models of token vectors for a store with the embedder `spec`, as `accuracy` requires.

    Raises:
        EmbedderError: a required model is not installed.
    """
    if accuracy == "plain" or spec not in BUILT_IN:
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
    """Choose the embedder for `auto`: `minilm` for texts in Latin script, else `e5`."""
    latin = letters = 0
    for text in texts:
        for char in text:
            if char.isalpha():
                letters += 1
                latin += char < "\u0250"
    return "minilm" if latin >= LATIN_SHARE * letters else "e5"
