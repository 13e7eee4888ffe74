"""`python -m benchmarks.naming --store S --games FILE [--pairs FILE]`: is the confidence in a book's name right?

Of names resolved with confidence c, a share c should be right. Three tables: the names of labelled games; names of
works in courses of 20 titles drawn from the pairs, one name in six being of a title that the course lacks; and, much
harder, names among the titles that the pairs put next to them for being most like them, most of them of other works.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.command import games_parser, run_benchmark
from quarry.configs.json_files import read_objects
from quarry.configs.settings import load
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.runs.measures import interval
from quarry.ingest.embed import Embedder
from quarry.ingest.paragraph import Alias, Document
from quarry.ingest.store import Course, open_store
from quarry.player.search.build import build_references, store_embedder
from quarry.player.search.cache import RememberingEmbedder
from quarry.player.search.calibration import calibration_of
from quarry.player.search.references import References

EDGES = (0.0, 0.6, 0.8, 0.9, 0.97, 1.0)
N_COURSES = 100
N_TITLES = 20
N_NAMES = 5
"""Names of a course's own titles, for each of another's."""
N_AMONG_LIKE = 1_000
SEED = 0

Resolved = tuple[float, bool]
"""Confidence of the best candidate, and whether it is right."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = games_parser("naming", __doc__)
    parser.add_argument("--pairs", type=Path, metavar="FILE", help='{"title", "mention", "match", "split"} a line')
    return run_benchmark("naming", parser.parse_args(arguments), _run)


def _run(options: argparse.Namespace) -> int:
    store = open_store(options.store)
    embedder = RememberingEmbedder(store_embedder(store, load()))
    _show(f"names of {options.games}", list(_of_games(store, embedder, options.games)))
    if options.pairs:
        pairs = [pair for _, pair in read_objects(options.pairs, ValueError) if pair["split"] == "test"]
        _show(f"courses of {N_TITLES} titles", list(_of_courses(pairs, embedder)))
        _show("names among the titles most like them", list(_among_like(pairs, embedder)))
    return 0


def _of_games(store: Course, embedder: Embedder, path: Path) -> Iterator[Resolved]:
    calibration = calibration_of(store.embedder_spec).references
    references = build_references(store, load().search, embedder, calibration)
    games = load_games(path)
    located = locate_games(games, store.paragraphs)
    for game in games:
        found = located.get(game.game_id)
        if found is not None or not game.answerable:
            yield _resolved(references, game.book_name, {found.doc_id} if found is not None else set())


def _of_courses(pairs: Sequence[dict[str, str]], embedder: Embedder) -> Iterator[Resolved]:
    chance = random.Random(SEED)
    names: dict[str, list[str]] = {}
    for pair in pairs:
        if pair["match"]:
            names.setdefault(pair["title"], []).append(pair["mention"])
    for _ in range(N_COURSES):
        *titles, other = chance.sample(sorted(names), N_TITLES + 1)
        references = _course(titles, embedder)
        for title in titles[:N_NAMES]:
            yield _resolved(references, chance.choice(names[title]), {title})
        yield _resolved(references, chance.choice(names[other]), set())


def _among_like(pairs: Sequence[dict[str, str]], embedder: Embedder) -> Iterator[Resolved]:
    chance = random.Random(SEED)
    every = sorted({pair["title"] for pair in pairs})
    beside: dict[str, list[dict[str, str]]] = {}
    for pair in pairs:
        beside.setdefault(pair["mention"], []).append(pair)
    for name in chance.sample(sorted(beside), min(N_AMONG_LIKE, len(beside))):
        titles = {pair["title"] for pair in beside[name]}
        more = [title for title in chance.sample(every, N_TITLES) if title not in titles]
        references = _course([*sorted(titles), *more[: max(0, N_TITLES - len(titles))]], embedder)
        yield _resolved(references, name, {pair["title"] for pair in beside[name] if pair["match"]})


def _course(titles: Sequence[str], embedder: Embedder) -> References:
    """Documents whose doc_id is the title, which is all that they are known by."""
    aliases = [Alias(title, "title") for title in titles]
    search = load().search
    return References(
        [Document(alias.text, "", "", "", (alias,), 1, 1) for alias in aliases],
        search.filter_confidence,
        search.boost_confidence,
        embedder=embedder,
        alias_vectors=([(alias.text, alias) for alias in aliases], embedder.embed_queries(titles)),
        calibration=calibration_of(embedder.spec).references,
    )


def _resolved(references: References, name: str, right: set[str]) -> Resolved:
    best = next(iter(references.resolve(name)), None)
    return (best.confidence, best.doc_id in right) if best is not None else (0.0, False)


def _show(title: str, names: Sequence[Resolved]) -> None:
    confidences = np.array([confidence for confidence, _ in names])
    right = np.array([float(is_right) for _, is_right in names])
    places = np.minimum(np.searchsorted(EDGES, confidences, side="right") - 1, len(EDGES) - 2)
    print(f"\n{title}\n| confidence | names | mean confidence | right [95%] |\n| --- | --- | --- | --- |")
    for place in np.unique(places):
        chosen = places == place
        low, high = interval(right[chosen], SEED)
        share = f"{right[chosen].mean():.2f} [{low:.2f}, {high:.2f}]"
        bounds = f"{EDGES[place]:g} to {EDGES[place + 1]:g}"
        print(f"| {bounds} | {np.count_nonzero(chosen)} | {confidences[chosen].mean():.2f} | {share} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
