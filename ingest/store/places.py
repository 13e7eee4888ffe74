"""Where a store is, and where what belongs to it is kept: in its folder, or in the user's cache for one on a server."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from quarry.configs.settings import EmbedSettings
from quarry.ingest.embed import Models
from quarry.ingest.store.codec import digest_of
from quarry.ingest.store.generations import require_within


def is_url(location: str) -> bool:
    """Whether a store's location names a Chroma server, not a folder."""
    return location.startswith(("http://", "https://"))


def models_at(settings: EmbedSettings) -> Models:
    """Return the embedders, whose networks are where the settings say, else in the user's cache for all stores."""
    return Models(Path(settings.models_dir) if settings.models_dir else _user_cache() / "models", settings)


def staging_of(location: str, collection: str) -> Path:
    """Where an ingest keeps what it has not yet filed."""
    if is_url(location):
        return _user_cache() / "staged" / digest_of(location, collection)
    require_within(Path(location), "staged")
    return Path(location) / "staged" / collection


def words_on_server(location: str, collection: str) -> Path:
    """Where what models make of words is kept for a store on a server, which keeps no files."""
    return _user_cache() / "words" / digest_of(location, collection)


def _user_cache() -> Path:
    return Path(platformdirs.user_cache_dir("quarry", appauthor=False))
