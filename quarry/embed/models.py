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
from quarry.embed.exports import EXPORT_VERSION, export_network
from quarry.embed.networks import BUILT_IN, NETWORKS
from quarry.errors import EmbedderError
from quarry.plugins import find, is_dotted, make
from quarry.terminal import visible

_log = logging.getLogger(__name__)


def _built_in(spec: str, settings: EmbedSettings, models_dir: Path) -> Embedder:
    """Load the embedder of a built-in network; export the network if that has not been done."""
    network = NETWORKS[spec]
    folder = export_folder(spec, models_dir)
    if not (folder / "model.onnx").is_file():
        line = "exporting the embedding model %s to ONNX, once (about %s s)"
        _log.info(line, spec, network.export_s)
        export_network(spec, folder)
    return OnnxEmbedder(network, folder, settings)


def _factory(spec: str) -> Callable[..., Embedder]:
    """Return the factory of the embedder of a built-in network."""
    return lambda settings, folder: _built_in(spec, settings, folder)


EMBEDDERS = {spec: _factory(spec) for spec in NETWORKS}
"""Factories by SPEC; each takes the settings, or the settings and the folder of models."""


class Models:
    """Loads embedders by SPEC; exported networks are in the folder of the settings, or else in the user's cache.

    Args:
        settings: threads, folder, and the SPEC of an embedder that is not built in but allowed.
        own: such a SPEC that replaces that of the settings.

    Attributes:
        folder: folder of exported networks, and of vectors that were computed once with them.
    """

    def __init__(self, settings: EmbedSettings, own: str = "") -> None:
        self.folder = Path(settings.models_dir or cache() / "models")
        self._settings = replace(settings, own=own or settings.own)

    def embedder(self, spec: str) -> Embedder:
        """Load the embedder of a SPEC from a store.

        An embedder that is not built in may run any code, so it is loaded only if the user has named it too.

        Raises:
            EmbedderError: the embedder is not named by the user, not installed, not found, or unreadable.
        """
        if spec not in EMBEDDERS and spec != absolute_spec(self._settings.own):
            shown = visible(spec)[:100]
            raise EmbedderError(
                f"the store names the embedder {shown!r}, which may run any code; if you trust it, "
                f"name it yourself: --set embed.own={shown}"
            )
        return load_embedder(spec, self.folder, self._settings)


def absolute_spec(spec: str) -> str:
    """Return a SPEC as stores keep it, with the absolute path if it is the folder of a model."""
    if spec and spec not in EMBEDDERS and Path(spec).is_dir():
        return str(Path(spec).resolve())
    return spec


def load_embedder(spec: str, models_dir: Path, settings: EmbedSettings) -> Embedder:
    """Load the embedder of a SPEC that the user has named: a network, or a sentence-transformers folder or hub id.

    Args:
        spec: as docs/commands.md defines it, but not `auto`; `choose_spec` replaces that one.
        models_dir: folder of exported networks; the first call exports a network.
        settings: threads.

    Raises:
        EmbedderError: the embedder is not installed, not found, or unreadable.
    """
    if _is_named(spec):
        embedder: Embedder = make(EMBEDDERS, spec, "--embedder", settings, models_dir)
        return embedder
    return sentence_transformer(spec, settings)


def require_embedder(spec: str, models_dir: Path) -> None:
    """Check before long work that the embedder of a SPEC exists; fetch a hub id.

    Raises:
        EmbedderError: the SPEC is mistyped, or the model is not installed or cannot be loaded or fetched.
        SettingsError: a dotted path cannot be imported.
    """
    if spec in BUILT_IN:
        if not export_folder(spec, models_dir).exists():
            NETWORKS[spec].path()
    elif _is_named(spec):
        find(EMBEDDERS, spec, "--embedder")
    else:
        load_sentence_transformer(spec, may_fetch=not Path(spec).exists())


def _is_named(spec: str) -> bool:
    """Return whether a SPEC is a name in `EMBEDDERS` or a dotted path, rather than the folder or hub id of a model.

    A folder hides a dotted path, but never a name.
    """
    return spec in EMBEDDERS or (is_dotted(spec) and not Path(spec).exists())


def export_folder(spec: str, models_dir: Path) -> Path:
    """Return the folder of the exported network of a SPEC."""
    return models_dir / f"{spec}-{EXPORT_VERSION}"
