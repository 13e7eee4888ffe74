"""A study's part of the report: what was tuned to what, importance, history and slices."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from quarry.configs.json_files import read_object
from quarry.evaluate.errors import RunError
from quarry.evaluate.report.figures import PALETTE, POINT, Figure, finished

NEEDED = ("history", "importance", "settings", "untuned_settings", "tuned", "untuned", "verdict")
N_COLUMNS = 2
HEIGHT = 190


def read_sweep(path: Path) -> dict[str, Any]:
    """A study as `tune --study-out` writes it.

    Raises:
        RunError: the file is none.
    """
    remedy = "write it with python -m evaluate tune ... --study-out FILE"
    study = read_object(path, RunError, what="a study as JSON", needed=NEEDED, remedy=remedy)
    if not study["history"]:
        raise RunError(f"{path}: must be a study with trials, but has none; {remedy}")
    return study


def sweep_part(study: Mapping[str, Any]) -> dict[str, Any]:
    """What the page shows of a study: a sentence, a table and plots."""
    seconds = f"{study['seconds']} s" if "seconds" in study else "unknown time"
    return {
        "summary": f"{len(study['history'])} trials in {seconds}; objective: {study.get('objective', 'unknown')}; "
        f"on the test games: {study['verdict']}. {' '.join(study.get('warnings', []))}",
        "heads": ["", "untuned", "tuned"],
        "rows": [*_measures(study), *_settings(study)],
        "figures": {"importance": _importance(study), "history": _history(study), "slices": _slices(study)},
    }


def _measures(study: Mapping[str, Any]) -> list[list[str]]:
    rows = []
    for split in ("train", "validation", "test"):
        for name in study["tuned"][split]["measures"]:
            cells = []
            for kind in ("untuned", "tuned"):
                found = study[kind][split]
                low, high = found["intervals"][name]
                cells.append(f"{found['measures'][name]:.3f} [{low:.2f}, {high:.2f}]")
            rows.append([f"{name}, {split}", *cells])
    return rows


def _settings(study: Mapping[str, Any]) -> list[list[str]]:
    return [
        [f"search.{key}", f"{study['untuned_settings'].get(key, '')}", f"{value}"]
        for key, value in study["settings"].items()
    ]


def _importance(study: Mapping[str, Any]) -> Figure | None:
    names, shares = list(study["importance"]), list(study["importance"].values())
    figure = go.Figure()
    if names:
        figure.add_bar(y=names, x=shares, orientation="h", marker={"color": PALETTE[0]}, name="share", showlegend=False)
    return finished(figure, "share of the variance", "", bars=len(names))


def _history(study: Mapping[str, Any]) -> Figure | None:
    trials = study["history"]
    numbers, values = [trial["number"] for trial in trials], [trial["value"] for trial in trials]
    best: list[float] = []
    for value in values:
        best.append(max(value, best[-1]) if best else value)
    figure = go.Figure()
    figure.add_scatter(
        x=numbers, y=values, mode="markers", marker={"size": 3, "color": POINT}, name="a trial", hoverinfo="x+y"
    )
    figure.add_scatter(x=numbers, y=best, mode="lines", line={"color": PALETTE[0]}, name="best so far")
    return finished(figure, "trial", "objective")


def _slices(study: Mapping[str, Any]) -> Figure | None:
    trials = study["history"]
    names = list(trials[0]["params"])
    n_rows = -(-len(names) // N_COLUMNS)
    figure = make_subplots(rows=n_rows, cols=N_COLUMNS, subplot_titles=names, vertical_spacing=0.4 / n_rows)
    for place, name in enumerate(names):
        figure.add_scatter(
            x=[trial["params"].get(name) for trial in trials],
            y=[trial["value"] for trial in trials],
            mode="markers",
            name=name,
            marker={
                "size": 3,
                "color": [trial["number"] for trial in trials],
                "colorscale": "Blues",
                "cmin": -len(trials) / 2,
            },
            showlegend=False,
            hoverinfo="x+y",
            row=place // N_COLUMNS + 1,
            col=place % N_COLUMNS + 1,
        )
    drawn = finished(figure, "", "")
    if drawn is not None:
        drawn["layout"]["height"] = HEIGHT * n_rows
        drawn["layout"]["margin"]["t"] = 30
    return drawn
