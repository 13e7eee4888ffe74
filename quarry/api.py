"""What a notebook needs in one line each: a course from a folder, a search, a replay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quarry.configs.settings import Settings, load
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.replay.replay import replay_store
from quarry.evaluate.runs.run import Run
from quarry.ingest.pipeline.pipeline import ingest
from quarry.ingest.store import Course, open_store
from quarry.player.search.build import build_orchestrator
from quarry.player.search.types import Query, SearchResult


def load_settings(preset: str = "default", config: str | Path | None = None) -> Settings:
    """The settings of a preset, with a YAML file of the user's laid over them.

    Raises:
        SettingsError: unknown preset or key, a value of the wrong type or out of range, unreadable YAML.
    """
    return load(preset, Path(config) if config is not None else None)


def ingest_folder(
    paths: str | Path | Sequence[str | Path],
    store: str,
    settings: Settings | None = None,
    *,
    embedder: str = "auto",
    progress: bool = True,
) -> Course:
    """The course that a store holds once these files are in it; what it holds already is left as it is.

    Args:
        paths: PDFs, folders of them, or paragraphs.jsonl files.
        store: folder or URL.
        embedder: SPEC; `auto` is the store's own, or chosen by script.

    Raises:
        IngestError: a path is not there, the store cannot be written, or no file could be read.
    """
    wanted = [paths] if isinstance(paths, str | Path) else paths
    ingest([Path(path) for path in wanted], store, settings or load(), embedder_spec=embedder, progress=progress)
    return open_store(store)


def search(
    course: Course | str, hint: str, book: str = "", *, k: int | None = None, settings: Settings | None = None
) -> SearchResult:
    """What a hint finds; many searches are quicker over one `build_orchestrator`.

    Args:
        course: or the location of its store.
        book: the lecture, however it is called; "" for the whole course.
        k: hits wanted; None takes what the settings say.

    Raises:
        PlayerError: the hint is empty, or every strategy failed.
    """
    return build_orchestrator(_opened(course), settings or load()).search(Query(hint, book, k))


def replay(
    course: Course | str,
    games: str | Path,
    *,
    referee: str = "oracle",
    n_games: int | None = None,
    seed: int = 0,
    settings: Settings | None = None,
) -> Run:
    """The labelled games of a file, played against a simulated referee.

    Args:
        course: or the location of its store.
        referee: SPEC; "none" searches and plays nothing.
        n_games: the first so many; None takes all.

    Raises:
        GamesError: the file cannot be used, or its games are another course's.
        RefereeError: the SPEC is none.
    """
    opened = _opened(course)
    return replay_store(
        load_games(Path(games))[:n_games],
        opened,
        settings or load(),
        referee=referee,
        seed=seed,
    )


def _opened(course: Course | str) -> Course:
    return open_store(course) if isinstance(course, str) else course
