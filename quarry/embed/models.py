"""Embedders by SPEC, and the folder of their exported networks."""

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from configs.directories import cache
from configs.settings import EmbedSettings
from quarry.embed.embedders import (
    Embedder,
    OnnxEmbedder,
    load_sentence_transformer,
    sentence_transformer,
)
from quarry.embed.exports import FORM, export
from quarry.embed.networks import BUILT_IN, NETWORKS
from quarry.errors import EmbedderError
from quarry.plugins import find, is_dotted, make
from quarry.terminal import visible

_log = logging.getLogger(__name__)


def _built_in(spec: str, settings: EmbedSettings, models_dir: Path) -> Embedder:
    """Return the embedder of a built-in network, which is exported first if it has not been."""
    network = NETWORKS[spec]
    folder = export_folder(spec, models_dir)
    if not (folder / "model.onnx").is_file():
        says = "exporting the embedding model %s to ONNX, once (about %s s)"
        _log.info(says, spec, network.export_s)
        export(spec, folder)
    return OnnxEmbedder(network, folder, settings)


EMBEDDERS: dict[str, Callable[..., Embedder]] = {
    "minilm": lambda settings, folder: _built_in("minilm", settings, folder),
    "e5": lambda settings, folder: _built_in("e5", settings, folder),
}
"""Factories by SPEC; each is called with the settings and the folder of models, or as many of these as it accepts."""


class Models:
    """The embedders of a user; their networks are in `models_dir`, else in the user's cache for all stores.

    Args:
        settings: threads, folder, and the embedder of the user's own.
        own: SPEC that the user has named, in place of that of the settings.

    Attributes:
        folder: the folder of exported networks and of vectors that are computed once with them.
    """

    def __init__(self, settings: EmbedSettings, own: str = "") -> None:
        self.folder = Path(settings.models_dir or cache() / "models")
        self._settings = replace(settings, own=own or settings.own)

    def embedder(self, spec: str) -> Embedder:
        """Return the embedder of a SPEC, which a store may have named.

        An embedder that is not built in may run any code. It is loaded only if the user has named it too.

        Raises:
            EmbedderError: not named by the user, not installed, not found, or unreadable.
        """
        if spec not in EMBEDDERS and spec != absolute_spec(self._settings.own):
            shown = visible(spec)[:100]
            raise EmbedderError(
                f"the store names the embedder {shown!r}, which may run any code; if you trust it, "
                f"name it yourself: --set embed.own={shown}"
            )
        return load_embedder(spec, self.folder, self._settings)


def absolute_spec(spec: str) -> str:
    """Return a SPEC as stores keep it: a model's folder has its absolute path."""
    if spec and spec not in EMBEDDERS and Path(spec).is_dir():
        return str(Path(spec).resolve())
    return spec


def load_embedder(spec: str, models_dir: Path, settings: EmbedSettings) -> Embedder:
    """Return the embedder of a SPEC that the user has named: a network, or a sentence-transformers folder or hub id.

    Args:
        spec: as docs/commands.md defines it, but not `auto`, for which `choose_spec` chooses one.
        models_dir: folder of exported networks; the first call exports a network.
        settings: threads.

    Raises:
        EmbedderError: not installed, not found, or unreadable.
    """
    if _is_named(spec) and not Path(spec).exists():
        embedder: Embedder = make(EMBEDDERS, spec, "--embedder", settings, models_dir)
        return embedder
    return sentence_transformer(spec, settings)


def require_embedder(spec: str, models_dir: Path) -> None:
    """Check that the embedder of a SPEC exists, before long work is done for it; a hub id is fetched.

    Raises:
        EmbedderError: it is mistyped, not installed, or cannot be loaded or fetched.
        SettingsError: a dotted path cannot be imported.
    """
    if Path(spec).exists():
        load_sentence_transformer(spec)
    elif spec in BUILT_IN:
        if not export_folder(spec, models_dir).exists():
            NETWORKS[spec].path()
    elif _is_named(spec):
        find(EMBEDDERS, spec, "--embedder")
    else:
        load_sentence_transformer(spec, may_fetch=True)


def _is_named(spec: str) -> bool:
    """Return whether a SPEC is a name of the table or a dotted path, not a model's folder or hub id."""
    return spec in EMBEDDERS or is_dotted(spec)


def export_folder(spec: str, models_dir: Path) -> Path:
    """Return the folder of the exported network of a SPEC."""
    return models_dir / f"{spec}-{FORM}"
