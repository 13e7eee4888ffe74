"""Functions for notebooks: ingest, open, search and play. Those that measure are in quarry/measuring.py.

Each raises a SettingsError if an argument is of a wrong type.
"""

import logging
import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import NonNegativeInt, PositiveInt

from configs.directories import DEFAULT_COLLECTION
from configs.settings import Settings, load
from ingest.errors import IngestError
from ingest.pipeline import pipeline
from player.game.record import PlayedGame
from player.player import build_player
from player.search.build import build_orchestrator
from player.search.results import Query, SearchResult
from quarry import store as stores
from quarry.addresses import is_url
from quarry.arguments import checked
from quarry.errors import StoreError
from quarry.store import Course

_log = logging.getLogger(__name__)


@checked
def load_settings(
    preset: str = "default", config: str | Path | None = None
) -> Settings:
    """Load the settings of a preset, and merge a YAML file over them.

    Raises:
        SettingsError: unknown preset or key, a value of the wrong type or out of range, unreadable YAML.
    """
    return load(preset, Path(config) if config is not None else None)


@checked
def open_store(location: str | Path, collection: str = DEFAULT_COLLECTION) -> Course:
    """Open the course of a store.

    Args:
        location: folder or URL.

    Raises:
        StoreError: there is no such store, or it holds no paragraphs.
    """
    return stores.open_store(_absolute_location(location), collection)


@checked
def ingest_folder(
    paths: str | Path | Sequence[str | Path],
    store: str | Path,
    settings: Settings | None = None,
    *,
    embedder: str = "auto",
    progress: bool = True,
) -> Course:
    """Add files to a store, unless it holds them already, and open its course; log a warning for each unreadable file.

    Args:
        paths: PDFs, folders of them, or paragraphs.jsonl files.
        store: folder or URL.
        embedder: SPEC; `auto` is the store's own, or chosen by script.

    Raises:
        IngestError: a path does not exist, or no file could be read.
        StoreError: the store has no name, or cannot be written.
    """
    location = _absolute_location(store)
    sources = [paths] if isinstance(paths, str | Path) else paths
    summary = pipeline.ingest(
        [Path(source) for source in sources],
        location,
        settings or load(),
        embedder_spec=embedder,
        progress=progress,
    )
    if summary.failed and len(summary.failed) == len(summary.outcomes):
        raise IngestError(summary.failed[0].detail)
    for outcome in summary.failed:
        _log.warning("%s", outcome.detail)
    return open_store(location)


@checked
def search(
    course: Course | str | Path,
    hint: str,
    book: str = "",
    *,
    k: PositiveInt | None = None,
    settings: Settings | None = None,
) -> SearchResult:
    """Search for a hint; for many searches, use one `build_orchestrator`.

    Args:
        course: a course, or the location of its store.
        book: name of the lecture in any spelling; "" for the whole course.
        k: number of hits; None takes that of the settings.

    Raises:
        PlayerError: the hint is empty, or every strategy failed.
    """
    orchestrator = build_orchestrator(as_course(course), settings or load())
    return orchestrator.search(Query(hint, book, k))


@checked
def play(
    course: Course | str | Path,
    server: str | None = None,
    *,
    n_games: PositiveInt = 1,
    player: str = "quarry",
    token: str = "",
    games: str | Path | None = None,
    referee: str | None = None,
    seed: NonNegativeInt | None = None,
    settings: Settings | None = None,
) -> list[PlayedGame]:
    """Play games as the command `play` does, without printing, and log an error for each that could not be played.

    Args:
        course: a course, or the location of its store.
        server: URL of a game server; None plays practice games, which need the extra `evaluate`.
        player: name to play under.
        token: token of a player whom the server knows; "" takes QUARRY_TOKEN or that of the journal, or registers.
        games: labelled games of the practice server; None takes the bundled ones.
        referee: SPEC of the practice server's simulated referee; None takes the usual one.
        seed: seed of the practice server; None takes one by chance.

    Raises:
        SettingsError: an argument would have no effect, or the name of the player is empty.
        RefereeError: the SPEC is invalid.
        GamesError: the file cannot be used, or its games belong to another course.
        PlayerError: the URL is not one of HTTP, or no game could be played.
    """
    from evaluate.practice.playing import GameSource, play_games

    source = GameSource(
        server=server,
        token=token,
        player=player,
        games=None if games is None else Path(games),
        referee=referee,
        seed=seed,
    )
    source.check()
    course, settings = as_course(course), settings or load()
    contestant = build_player(course, settings)
    contestant.preload()
    with source.connect(course, settings) as connection:
        return play_games(connection.loop(contestant, settings), n_games)


def _absolute_location(location: str | Path) -> str:
    """Return the location of a store, a folder as an absolute path; raise a StoreError if it is empty."""
    named = str(location)
    if not named:
        raise StoreError("store is empty; name a folder or a URL")
    return named if is_url(named) else os.path.abspath(os.path.expanduser(named))


def as_course(course: Course | str | Path) -> Course:
    """Return a course, or open that of a store."""
    return course if isinstance(course, Course) else open_store(course)
