"""The report's plots as plotly's JSON, each with its values in words for screen readers."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from quarry.evaluate.runs.measures import interval
from quarry.evaluate.runs.run import Run

INK, GRID = "#1f2933", "#e3e8ee"
DARK_OF = {
    "#0b5fa5": "#5aa9e6", "#c2510c": "#f08a4b", "#2b8a5b": "#5cc795", "#8a3ea8": "#c58be0", "#9a7400": "#d9b64a",
    "#b3245e": "#f07aa8", "#4a5568": "#a3b1c2", "#007d8a": "#4cc3cf", INK: "#e4e9ee", GRID: "#33404d",
}  # fmt: skip
"""The colours of the plots, each with its colour on a dark ground (after Okabe and Ito)."""
PALETTE = tuple(DARK_OF)[:8]
OUTCOMES = {
    "held": ("found, or won", "#2b8a5b"),
    "answers": ("lost by the answers", "#9a7400"),
    "search": ("lost in the search", "#c2510c"),
    "book": ("lost at the book", "#8a3ea8"),
    "ingest": ("lost at ingest", "#4a5568"),
}
N_BINS = 10
MOST_SAID = 24
"""Values of a series that are read out; of a longer series only the first, the middle and the last."""
Figure = dict[str, Any]


def run_figures(runs: Sequence[Run], lectures: Sequence[Mapping[str, Any]]) -> dict[str, Figure]:
    """Return every plot of the runs by the id of its section; a plot without data is left out."""
    names = [html.escape(run.name, quote=False) for run in runs]  # plotly reads tags and entities
    figures = {
        "success": _figure(_success(runs, names), "k: the first k hits", "share of games", y_range=(0, 1)),
        "lost": _figure(_lost(runs, names), "games", "", bars=len(runs)),
        "documents": _figure(_lectures(names, lectures), "share of games", "", bars=len(lectures)),
        "confidence": _figure(_confidence(runs, names), "confidence of a guess", "share right", y_range=(0, 1)),
    }
    return {name: figure for name, figure in figures.items() if figure["data"]}


def _success(runs: Sequence[Run], names: Sequence[str]) -> list[Figure]:
    """Return Success@k over k with its 95% interval."""
    traces = []
    for place, run in enumerate(runs):
        ranks = [record["search"]["rank"] for record in run.answerable]
        cutoffs = list(range(1, 1 + max((len(record["search"]["hits"]) for record in run.records), default=0)))
        found = [np.array([float(rank is not None and rank <= cutoff) for rank in ranks]) for cutoff in cutoffs]
        if ranks and cutoffs:
            shares = [float(values.mean()) for values in found]
            bands = _error_bars(shares, [interval(values, 0) for values in found])
            traces.append(_points(names[place], place, cutoffs, shares, mode="lines+markers", error_y=bands))
    return traces


def _lost(runs: Sequence[Run], names: Sequence[str]) -> list[Figure]:
    """Return how many plays each run lost, and where."""
    traces = []
    for outcome, (title, colour) in OUTCOMES.items():
        counts = [sum((game["lost_at"] or "held") == outcome for game in run.per_game) for run in runs]
        if any(counts):
            bar = {"type": "bar", "orientation": "h", "y": list(names), "x": counts, "name": title}
            traces.append({**bar, "marker": {"color": colour}, "text": counts, "textangle": 0})
    return traces


def _lectures(names: Sequence[str], lectures: Sequence[Mapping[str, Any]]) -> list[Figure]:
    """Return the share of each lecture's games that were won or found, with its 95% interval."""
    traces = []
    for place, name in enumerate(names if len(lectures) > 1 else ()):
        known = [(row["document"], found) for row in lectures if (found := row["runs"][place])]
        shares = [found["share"] for _, found in known]
        bars = _error_bars(shares, [found["share_interval"] for _, found in known])
        titles = [html.escape(title, quote=False) for title, _ in known]
        traces.append(_points(name, place, shares, titles, mode="markers", error_x=bars))
    return traces


def _confidence(runs: Sequence[Run], names: Sequence[str]) -> list[Figure]:
    """Return the stated confidence of guesses in ten bins, next to the share of each bin that was right.

    The mean error is the expected calibration error: the distance of stated and true shares, weighted by guesses.

    Reference:
        Naeini, Cooper and Hauskrecht, Obtaining Well Calibrated Probabilities Using Bayesian Binning, 2015.
    """
    traces = []
    for place, run in enumerate(runs):
        plays = [play for record in run.records for play in record["plays"]]
        if plays:
            stated = np.array([float(play["guess"]["confidence"]) for play in plays])
            right = np.array([float(play["won"]) for play in plays])
            rows = np.minimum((stated * N_BINS).astype(int), N_BINS - 1)
            bins = [rows == row for row in np.unique(rows)]
            x, y = ([float(values[chosen].mean()) for chosen in bins] for values in (stated, right))
            error = sum(chosen.sum() * abs(a - b) for chosen, a, b in zip(bins, x, y, strict=True)) / len(plays)
            bars = _error_bars(y, [interval(right[chosen], 0) for chosen in bins])
            name = f"{names[place]} (mean error {error:.3f})"
            traces.append(_points(name, place, x, y, mode="lines+markers", error_y=bars))
    if traces:
        line = {"color": "#888", "dash": "dot"}
        traces.append(
            {"x": [0, 1], "y": [0, 1], "mode": "lines", "line": line, "name": "as stated", "hoverinfo": "skip"}
        )
    return traces


def _points(name: str, place: int, x: Sequence[Any], y: Sequence[Any], **options: Any) -> Figure:
    colour = PALETTE[place % len(PALETTE)]
    style = {"line": {"color": colour, "width": 2}, "marker": {"color": colour, "size": 6}}
    return {"type": "scatter", "name": name, "x": list(x), "y": list(y), **style, **options}


def _error_bars(values: Sequence[float], intervals: Sequence[Sequence[float]]) -> Figure:
    """Return bars from each value to the ends of its interval."""
    above = [round(high - value, 4) for value, (_, high) in zip(values, intervals, strict=True)]
    below = [round(value - low, 4) for value, (low, _) in zip(values, intervals, strict=True)]
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1}


def _figure(
    traces: list[Figure], x_title: str, y_title: str, *, y_range: tuple[float, float] | None = None, bars: int = 0
) -> Figure:
    """Return a figure in the page's style; `bars` rows have names on the vertical axis."""
    axis = {"gridcolor": GRID, "zeroline": False, "automargin": True}
    layout: Figure = {
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": INK},
        "margin": {"l": 56, "r": 12, "t": 8, "b": 48},
        "height": 140 + 34 * bars if bars else 340,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "barmode": "stack",
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "dragmode": False,
        "xaxis": {**axis, "title": {"text": x_title}},
        "yaxis": {**axis, "title": {"text": y_title}},
    }
    if y_range:
        layout["yaxis"]["range"] = list(y_range)
    if bars:
        layout["yaxis"] |= {"autorange": "reversed", "showgrid": False}
    return {"data": traces, "layout": layout}


def in_words(figure: Figure) -> str:
    """Return what a plot shows: each series with its values, or with the ends and the middle of a long one."""
    said = []
    for trace in figure["data"]:
        if trace.get("hoverinfo") == "skip":
            continue
        across, along = ("y", "x") if isinstance(next(iter(trace["y"]), None), str) else ("x", "y")
        pairs = list(zip(trace[across], trace[along], strict=True))
        if len(pairs) > MOST_SAID:
            pairs = [pairs[0], pairs[len(pairs) // 2], pairs[-1]]
        values = ", ".join(f"{_said(place)} {_said(value)}" for place, value in pairs)
        said.append(f"{html.unescape(trace['name'])}: {values}")
    return ". ".join(said)


def _said(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else html.unescape(str(value))
