"""Where a store is, and where what belongs to it is kept: in its folder, or in the user's cache for one on a server."""

from __future__ import annotations

from pathlib import Path

from quarry.configs.places import cache
from quarry.configs.settings import EmbedSettings
from quarry.ingest.embed import Models
from quarry.ingest.store.codec import digest_of
from quarry.ingest.store.generations import require_within


def is_url(location: str) -> bool:
    """Return whether a store's location names a Chroma server, not a folder."""
    return location.startswith(("http://", "https://"))


def models_at(settings: EmbedSettings) -> Models:
    """Return the embedders, whose networks are where the settings say, else in the user's cache for all stores."""
    return Models(Path(settings.models_dir) if settings.models_dir else cache() / "models", settings)


def staging_of(location: str, collection: str) -> Path:
    """Return where an ingest keeps what it has not yet put into the store."""
    if is_url(location):
        return cache() / "staged" / digest_of(location, collection)
    require_within(Path(location), "staged")
    return Path(location) / "staged" / collection


def cached_at(location: str, collection: str) -> str:
    """Return the beginning of the names of the folders in the user's cache that hold arrays of a course."""
    return digest_of(location if is_url(location) else str(Path(location).resolve()), collection)
