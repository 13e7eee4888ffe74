"""`python -m benchmarks.words`: what each part of search word by word is worth, by weights that were fitted elsewhere.

The weights of every row are fitted on the games of --fit-store, without that part, and the games of --store searched
with them; each row has its difference from the first one, game by game, with an interval.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.command import games_parser, run_benchmark
from quarry.configs.settings import Settings, load
from quarry.evaluate.fit.calibration import Choice, fit_choices, hints_about, labelled_course
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.runs.measures import bootstrap_interval
from quarry.evaluate.tuning.prepared import Prepared, prepare, search_all
from quarry.ingest.arrays import AnyFloatArray, IntArray
from quarry.ingest.embed.hint_bank import HINTS, load_hints
from quarry.ingest.store import open_store
from quarry.player.search.build import store_embedder
from quarry.player.search.core import combine
from quarry.player.search.strategies.dense import dense_weights

RULED_OUT = -0.5
"""Log-odds of the rule from which a paragraph is hardly an alternative any more."""
ROWS: Mapping[str, Sequence[str]] = {
    "whole": (),
    "without the words of {0}": ("words.{0}",),
    "without the hubs of {0}": ("hub.{0}",),
    "without the words of {1}": ("words.{1}",),
    "without the hubs of {1}": ("hub.{1}",),
    "without {1}": ("words.{1}", "hub.{1}"),
    "without {1} and hubs": ("words.{1}", "hub.{1}", "hub.{0}"),
    "without hubs": ("hub.{0}", "hub.{1}"),
    "without the similarity of the whole": ("similarity",),
    "without words and hubs": ("words.{0}", "hub.{0}", "words.{1}", "hub.{1}"),
}
"""What is taken away, {0} and {1} being the SPECs of the models."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = games_parser("words", __doc__)
    parser.add_argument("--fit-store", required=True, metavar="DIR", help="store of the games that are fitted on")
    parser.add_argument("--fit-games", required=True, type=Path, metavar="FILE", help="labelled games about it")
    return run_benchmark("words", parser.parse_args(arguments), _run)


def _run(options: argparse.Namespace) -> int:
    settings = load()
    shown, fitted_on = (
        _prepared(where, path, settings)
        for where, path in ((options.store, options.games), (options.fit_store, options.fit_games))
    )
    rows = _rows(fitted_on)
    print("| | Success@1 | Success@20 | RR | RR less that of the first [95%] |\n| --- | --- | --- | --- | --- |")
    first: AnyFloatArray | None = None
    for label, without in rows.items():
        names = [name for name in ("similarity", *_extra(fitted_on)) if name not in without]
        ranks = _ranks(shown, _fitted(fitted_on, names, settings), settings)
        reciprocal = np.where(ranks > 0, 1.0 / np.maximum(ranks, 1), 0.0)
        first = reciprocal if first is None else first
        low, high = bootstrap_interval(reciprocal - first, 0)
        cells = [
            f"{(ranks == 1).mean():.3f}",
            f"{((ranks > 0) & (ranks <= 20)).mean():.3f}",
            f"{reciprocal.mean():.3f}",
        ]
        print(
            f"| {label} | {' | '.join(cells)} | {(reciprocal - first).mean():+.3f} [{low:+.3f}, {high:+.3f}] |",
            flush=True,
        )
    return 0


def _prepared(where: str, path: Path, settings: Settings) -> Prepared:
    """The games over their store; a bank that is about that course is told which hint is for which document."""
    store, games = open_store(where), load_games(path)
    embedder = store_embedder(store, settings)
    hints = hints_about(labelled_course(store, embedder, games), load_hints(HINTS))
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        bank = Path(folder) / "hints.jsonl"
        lines = [
            {"hint": text, "document": document} for text, document in zip(hints.texts, hints.documents, strict=True)
        ]
        bank.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        search = dataclasses.replace(settings.search, hints=str(bank))
        known = locate_games(games, store.paragraphs)
        return prepare(games, known, store, dataclasses.replace(settings, search=search), embedder)


def _extra(prepared: Prepared) -> list[str]:
    return [name for name in prepared.parts if name.startswith(("words.", "hub."))]


def _rows(prepared: Prepared) -> dict[str, list[str]]:
    """What is taken away in each row, as far as the store has it."""
    specs = [name.removeprefix("words.") for name in _extra(prepared) if name.startswith("words.")]
    rows = {}
    for label, parts in ROWS.items():
        if "{1}" in label and len(specs) == 1:
            continue
        padded = (*specs, "")
        rows[label.format(*padded)] = [part.format(*padded) for part in parts]
    return rows


def _similarity(prepared: Prepared, settings: Settings) -> AnyFloatArray:
    search = settings.search
    weights = dense_weights(1.0, search.sentence_weight, search.sentence_mean_weight, 0.0)
    return combine(prepared.parts, weights)


def _fitted(prepared: Prepared, names: Sequence[str], settings: Settings) -> dict[str, float]:
    """Log-odds per unit of each score, by the games whose paragraph the rule does not speak against."""
    scores = {**prepared.parts, "similarity": _similarity(prepared, settings)}
    choices = []
    for game, row in enumerate(prepared.truth.tolist()):
        alternatives = np.flatnonzero(settings.search.rule_weight * prepared.parts["rule"][game] > RULED_OUT)
        if row in alternatives:
            features = np.column_stack([scores[name][game, alternatives] for name in names])
            choices.append(Choice(features.astype(np.float64), int(np.flatnonzero(alternatives == row)[0])))
    slopes, _ = fit_choices(choices, with_none=False)
    return dict(zip(names, slopes.tolist(), strict=True))


def _ranks(prepared: Prepared, weights: Mapping[str, float], settings: Settings) -> IntArray:
    """(n_games,) place of each answerable game's paragraph, 0 where it is not found."""
    parts = {name: weight for name, weight in weights.items() if name != "similarity"}
    # without a weight of its own the similarity counts next to nothing: its parts are in the sum by name
    nats = weights.get("similarity", 1e-6)
    calibration = dataclasses.replace(prepared.calibration.dense, nats=nats, parts=parts)
    found = search_all(
        dataclasses.replace(prepared, calibration=dataclasses.replace(prepared.calibration, dense=calibration)),
        settings.search,
    )
    ranks: IntArray = found.ranks[prepared.is_answerable]
    return ranks


if __name__ == "__main__":
    sys.exit(main())
