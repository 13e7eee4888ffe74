"""The report's plots, as plotly's JSON."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from quarry.evaluate.report.calibration import expected_calibration_error, reliability
from quarry.evaluate.report.documents import Lecture
from quarry.evaluate.runs.measures import interval
from quarry.evaluate.runs.record import GameRecord
from quarry.evaluate.runs.run import Run

PALETTE = ("#0b5fa5", "#c2510c", "#2b8a5b", "#8a3ea8", "#9a7400", "#b3245e", "#4a5568", "#007d8a")
"""Told apart by the colour-blind as well (after Okabe and Ito), dark enough for print."""
INK, GRID, POINT = "#1f2933", "#e3e8ee", "#75818d"
DARK = {
    **dict(
        zip(
            PALETTE,
            ("#5aa9e6", "#f08a4b", "#5cc795", "#c58be0", "#d9b64a", "#f07aa8", "#a3b1c2", "#4cc3cf"),
            strict=True,
        )
    ),
    INK: "#e4e9ee",
    GRID: "#33404d",
    POINT: "#9aa5b1",
}
"""What each colour becomes on a dark ground."""
FATES = {
    "held": ("found, or won", "#2b8a5b"),
    "answers": ("lost by the answers", "#9a7400"),
    "search": ("lost in the search", "#c2510c"),
    "book": ("lost at the book", "#8a3ea8"),
    "ingest": ("lost at ingest", "#4a5568"),
}
MOST_SAID = 24
"""Values of a series that are read out; of longer ones the first, the middle and the last."""
LATENCIES: Mapping[str, Callable[[GameRecord], float | None]] = {
    "embed": lambda record: record["search"]["embed_ms"],
    "search": lambda record: record["search"]["search_ms"],
    "questions": lambda record: record["questions_ms"],
    "decide": lambda record: record["decide_ms"],
}

Figure = dict[str, Any]


def run_figures(runs: Sequence[Run], lectures: Sequence[Lecture]) -> dict[str, Figure]:
    """Every plot of the runs, by the id of its place on the page; one without data is left out."""
    found = {
        "success": success_curves(runs),
        "lost": lost_games(runs),
        "documents": by_document(runs, lectures),
        "provenance": provenance(runs),
        "relevance": relevance_calibration(runs),
        "confidence": confidence_calibration(runs),
        "latency": latencies(runs),
    }
    return {name: figure for name, figure in found.items() if figure is not None}


def success_curves(runs: Sequence[Run]) -> Figure | None:
    """Success@k over k, with 95% bands."""
    figure = go.Figure()
    for place, run in enumerate(runs):
        ranks = [record["search"]["rank"] for record in run.records if record["answerable"]]
        depth = max((len(record["search"]["hits"]) for record in run.records), default=0)
        if not ranks or not depth:
            continue
        found = [np.array([float(rank is not None and rank <= k) for rank in ranks]) for k in range(1, depth + 1)]
        bands = [interval(values, 0) for values in found]
        cutoffs, colour = list(range(1, depth + 1)), coloured(place)
        figure.add_scatter(
            x=cutoffs + cutoffs[::-1],
            y=[high for _, high in bands] + [low for low, _ in bands][::-1],
            fill="toself",
            fillcolor=colour,
            opacity=0.12,
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
            legendgroup=str(place),
        )
        figure.add_scatter(
            x=cutoffs,
            y=[float(values.mean()) for values in found],
            name=shown_as_text(run.name),
            line={"color": colour, "width": 2},
            marker={"size": 5},
            mode="lines+markers",
            legendgroup=str(place),
            hovertemplate="Success@%{x} = %{y:.3f}",
        )
    return finished(figure, "k: the first k hits", "share of games", y_range=(0, 1))


def lost_games(runs: Sequence[Run]) -> Figure | None:
    """How many plays each run lost, and where."""
    figure = go.Figure()
    names = [shown_as_text(run.name) for run in runs]
    for fate, (title, colour) in FATES.items():
        counts = [sum((game["lost_at"] or "held") == fate for game in run.per_game) for run in runs]
        if any(counts):
            figure.add_bar(
                y=names, x=counts, name=title, orientation="h", marker={"color": colour}, text=counts, textangle=0
            )
    figure.update_layout(barmode="stack")
    return finished(figure, "games", "", bars=len(runs))


def by_document(runs: Sequence[Run], lectures: Sequence[Lecture]) -> Figure | None:
    """The share of each lecture's games that were won, or whose paragraph was found, with its 95% interval."""
    figure = go.Figure()
    for place, run in enumerate(runs):
        known = [(row["document"], found) for row in lectures if (found := row["runs"][place])]
        figure.add_scatter(
            y=[shown_as_text(name) for name, _ in known],
            x=[found["share"] for _, found in known],
            error_x=reaching([found["share"] for _, found in known], [found["share_interval"] for _, found in known]),
            text=[f"{found['games']} games" for _, found in known],
            name=shown_as_text(run.name),
            mode="markers",
            marker={"color": coloured(place), "size": 8},
            hovertemplate="%{y}: %{x:.3f} of %{text}",
        )
    figure.update_xaxes(range=[0, 1.02])
    if len(lectures) < 2:
        return None
    return finished(figure, "share of games", "", bars=len(lectures))


def provenance(runs: Sequence[Run]) -> Figure | None:
    """In which slot, and by which strategy, the labelled paragraphs were found."""
    figure = go.Figure()
    names = [shown_as_text(run.name) for run in runs]
    counts = [
        Counter((game["slot"], game["strategy"]) for game in run.per_game if game["rank"] and not game["repeat"])
        for run in runs
    ]
    kinds = sorted({kind for counted in counts for kind in counted})
    for place, (slot, strategy) in enumerate(kinds):
        values = [counted[slot, strategy] for counted in counts]
        title = shown_as_text(f"{slot or 'no'} slot, {strategy}")
        figure.add_bar(
            y=names, x=values, name=title, orientation="h", marker={"color": coloured(place)}, text=values, textangle=0
        )
    figure.update_layout(barmode="stack")
    return finished(figure, "games", "", bars=len(runs))


def relevance_calibration(runs: Sequence[Run]) -> Figure | None:
    """The relevance of the hits, next to how many of them are right."""
    cases = []
    for run in runs:
        pairs = [
            (hit["relevance"], float((truth := record["truth"]) is not None and _is(hit, truth)))
            for record in run.records
            for hit in record["search"]["hits"]
        ]
        cases.append((run.name, pairs))
    return _reliability(cases, "relevance of a hit", "share of hits that are right")


def confidence_calibration(runs: Sequence[Run]) -> Figure | None:
    """The confidence of the guesses, next to how many of them are right."""
    cases = [
        (
            run.name,
            [
                (float(play["guess"]["confidence"]), float(play["won"]))
                for record in run.records
                for play in record["plays"]
            ],
        )
        for run in runs
    ]
    return _reliability(cases, "confidence of a guess", "share of guesses that are right")


def latencies(runs: Sequence[Run]) -> Figure | None:
    """Milliseconds a game, by part."""
    figure = go.Figure()
    for place, run in enumerate(runs):
        parts = [
            (part, value)
            for record in run.records
            for part, of in LATENCIES.items()
            if (value := of(record)) is not None
        ]
        if parts:
            figure.add_box(
                x=[part for part, _ in parts],
                y=[value for _, value in parts],
                name=shown_as_text(run.name),
                marker={"color": coloured(place), "size": 3},
            )
    figure.update_layout(boxmode="group")
    figure.update_yaxes(type="log", dtick=1)
    return finished(figure, "", "milliseconds, logarithmic")


def _reliability(
    cases: Sequence[tuple[str, Sequence[tuple[float, float]]]], x_title: str, y_title: str
) -> Figure | None:
    figure = go.Figure()
    for place, (name, pairs) in enumerate(cases):
        if not pairs:
            continue
        stated, right = np.array(pairs).T
        bins = reliability(stated, right)
        error = expected_calibration_error(bins)
        figure.add_scatter(
            x=[found.stated for found in bins],
            y=[found.share for found in bins],
            error_y=reaching([found.share for found in bins], [(found.low, found.high) for found in bins]),
            text=[f"{found.n} cases" for found in bins],
            hovertemplate="stated %{x:.3f}, right %{y:.3f}, %{text}",
            name=f"{shown_as_text(name)} (mean error {error:.3f})",
            mode="lines+markers",
            line={"color": coloured(place)},
        )
    if not figure.data:
        return None
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"color": "#888", "dash": "dot"}, name="as stated", hoverinfo="skip"
    )
    figure.update_xaxes(range=[0, 1])
    return finished(figure, x_title, y_title, y_range=(0, 1))


def _is(hit: Mapping[str, Any], truth: Mapping[str, Any]) -> bool:
    return bool(hit["paragraph_id"] == truth["paragraph_id"])


def finished(
    figure: Any, x_title: str, y_title: str, *, y_range: tuple[float, float] | None = None, bars: int = 0
) -> Figure | None:
    """The figure in the page's style; None if nothing is drawn."""
    if not figure.data:
        return None
    figure.update_layout(
        template="none",
        font={"family": "system-ui, sans-serif", "size": 13, "color": INK},
        margin={"l": 56, "r": 12, "t": 8, "b": 48},
        height=140 + 34 * bars if bars else 340,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        dragmode=False,
    )
    figure.update_xaxes(title={"text": x_title}, gridcolor=GRID, zeroline=False, automargin=True)
    figure.update_yaxes(title={"text": y_title}, gridcolor=GRID, zeroline=False, automargin=True)
    if y_range:
        figure.update_yaxes(range=list(y_range))
    if bars:
        figure.update_yaxes(autorange="reversed", showgrid=False)
    drawn: Figure = json.loads(figure.to_json())
    return drawn


def reaching(values: Sequence[float], intervals: Sequence[Sequence[float]]) -> dict[str, Any]:
    """The bars that reach from each value to the ends of its interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - value for value, (_, high) in zip(values, intervals, strict=True)],
        "arrayminus": [value - low for value, (low, _) in zip(values, intervals, strict=True)],
        "thickness": 1,
    }


def in_words(figure: Figure) -> str:
    """What a plot shows, for those who do not see it: each series with its values, or with the ends of a long one."""
    said = []
    for trace in figure["data"]:
        name = html.unescape(trace.get("name") or "")
        across, along = ("y", "x") if isinstance(next(iter(trace["y"]), None), str) else ("x", "y")
        places, values = list(trace[across]), list(trace[along])
        if not name or trace.get("fill") or trace.get("hoverinfo") == "skip":
            continue
        if trace["type"] == "box":
            parts = dict.fromkeys(places)
            by_part = {part: [value for at, value in zip(places, values, strict=True) if at == part] for part in parts}
            pairs = [(part, float(np.median(of_part))) for part, of_part in by_part.items()]
        else:
            pairs = list(zip(places, values, strict=True))
        if len(pairs) > MOST_SAID:
            pairs = [pairs[0], pairs[len(pairs) // 2], pairs[-1]]
        said.append(f"{name}: " + ", ".join(f"{_said(place)} {_said(value)}" for place, value in pairs))
    return ". ".join(said)


def _said(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else html.unescape(str(value))


def coloured(place: int) -> str:
    """The colour of the run or table at a place."""
    return PALETTE[place % len(PALETTE)]


def shown_as_text(name: str) -> str:
    """A name as plotly shows it: it reads tags and entities."""
    return html.escape(name, quote=False)
