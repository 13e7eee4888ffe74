"""Renders runs as one HTML page that needs no network and no other file."""

import base64
import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from markupsafe import Markup

from evaluate.errors import RunError
from evaluate.runs.comparison import UNDECIDED, PairedTest, compare
from evaluate.runs.dataframe import round_mean
from evaluate.runs.differences import describe_differences
from evaluate.runs.explanation import describe_fate, explain
from evaluate.runs.measures import compute_figure, format_with_interval
from evaluate.runs.record import (
    CandidateRecord,
    HitRecord,
    ReplayRecord,
    get_play,
    get_secret_id,
)
from evaluate.runs.run import WIN_RATE, Run
from evaluate.runs.text import LOST_AT
from evaluate.templates import make_environment
from player.round import Json
from quarry.terminal import pluralize

REPORT_FOLDER = Path(__file__).resolve().parent
"""Folder of the template, the scripts and the style of the page."""
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:"
"""Content security policy: the page loads nothing; plotly writes styles and draws pictures."""
MAX_GAMES_LISTED = 1_000
"""Maximum number of games that a report lists."""
NOWHERE = "not in the store"
"""Name of the lecture of a game that was lost at ingest."""
OTHER_PLAYS = "The runs differ in referee or number of plays, so win rates are not compared; the search is."
"""Sentence about runs whose plays differ."""
Series = Json
"""A series of a plot: `name`, `x` and `y`, and the `ends` of the 95% intervals of y."""
N_ITEMS = 10
"""Number of hits, and of candidates after the answers, that a game shows besides the secret paragraph."""


def render(runs: Sequence[Run]) -> str:
    """Render the page of some runs; runs of the same games are tested against each other.

    No text of a run becomes markup: jinja2 escapes the texts of the page, and the data of the scripts is compressed
    JSON, in base64. The policy of the page allows its two scripts only, and no requests.
    """
    texts, hashes = [], []
    for name in ("plotly-basic.min.js", "report.js", "report.css"):
        text = (REPORT_FOLDER / name).read_text(encoding="utf-8")
        texts.append(Markup(text))
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        hashes.append(f"'sha256-{digest}'")
    plotly, script, style = texts

    lost_ids: set[str] = set()
    games: set[str] = set()
    for run in runs:
        lost_ids |= run.lost_ids
        games |= set(run.answerable_games["game_id"])
    game_ids = sorted([*sorted(lost_ids), *sorted(games - lost_ids)][:MAX_GAMES_LISTED])
    plots = make_plots(runs)
    tests, fault = compute_tests(runs)
    data = {
        "plots": plots,
        "games": _collect_games(runs, game_ids),
        "runs": [run.name for run in runs],
    }
    # compressed to a tenth
    packed = gzip.compress(json.dumps(data).encode(), mtime=0)

    environment = make_environment(REPORT_FOLDER)
    environment.filters["numbered"] = lambda head: (head, "n")
    return environment.get_template("report.html").render(
        runs=[(run.name, run.as_json()) for run in runs],
        measures=list(runs[0].means),
        has_referee=any(run.has_referee for run in runs),
        headline=headline(runs, tests, fault),
        differs=[describe_differences(runs[0], run) for run in runs],
        tests=tests,
        fault=fault,
        documents=compute_lecture_figures(runs),
        rows=_list_rows(runs, game_ids),
        lost_at=LOST_AT,
        n_games=len(games),
        plots=[*plots],
        policy=f"{REPORT_POLICY}; script-src {' '.join(hashes[:2])}",
        style=style,
        plotly=plotly,
        script=script,
        data=base64.b64encode(packed).decode(),
    )


def _list_rows(runs: Sequence[Run], game_ids: Sequence[str]) -> list[Json]:
    """Return a row for each game, with its rank and lost step in each run, None if the run lacks the game."""
    rows: dict[str, Json] = {
        game_id: {"game_id": game_id, "cells": [None] * len(runs)}
        for game_id in game_ids
    }

    for column, run in enumerate(runs):
        plays = run.plays[run.plays["game_id"].isin(game_ids)]
        for game_id, game_plays in plays.groupby("game_id", sort=False):
            row, first = rows[str(game_id)], game_plays.iloc[0]
            row.setdefault("hint", first["hint"])
            row.setdefault("document", first["document"] or "")
            won = game_plays["won"].dropna()
            lost_at = next(iter(game_plays["lost_at"].dropna()), None)
            row["cells"][column] = {
                "rank": first["rank"],
                "step": lost_at or "found",
                "word": lost_at or ("found" if won.empty else "won"),
                "won": f"{won.sum()}/{len(won)}" if len(won) > 1 else None,
            }
    return [*rows.values()]


def _collect_games(
    runs: Sequence[Run], game_ids: Sequence[str]
) -> dict[str, list[Json | None]]:
    """Return the details of each game in each run, None if the run lacks the game; the page shows them on a click."""
    games: dict[str, list[Json | None]] = {
        game_id: [None] * len(runs) for game_id in game_ids
    }
    for column, run in enumerate(runs):
        for record in run.records:
            if record["answerable"] and record["game_id"] in games:
                games[record["game_id"]][column] = _build_details(record)
    return games


def _build_details(record: ReplayRecord) -> Json:
    """Return a record with the first hits, the first play and its first candidates, and with explanations."""
    play = get_play(record, 0)
    search = {**record["search"], "hits": _take_first(record["search"]["hits"], record)}
    first_play = play and {
        **play,
        "candidates": _take_first(play["candidates"], record),
    }
    others = [describe_fate(record, each) for each in record["plays"][1:]]
    details: Json = {
        "search": search,
        "plays": [],
        "play": first_play,
        "explanation": [*explain(record, play), *others],
    }
    return {**record, **details}


def _take_first(
    items: Sequence[HitRecord] | Sequence[CandidateRecord], record: ReplayRecord
) -> list[Json]:
    """Return the first N_ITEMS items and the labelled one, with the `overall_rank` of each."""
    secret_id = get_secret_id(record)
    first = []
    for overall_rank, item in enumerate(items, 1):
        right = item["paragraph_id"] == secret_id
        if overall_rank <= N_ITEMS or right:
            first.append({**item, "overall_rank": overall_rank, "right": right})
    return first


def compute_tests(runs: Sequence[Run]) -> tuple[list[PairedTest], str]:
    """Test each run against the first; return the tests, or none and the reason why the runs cannot be compared."""
    if len(runs) == 1:
        return [], ""
    try:
        return compare(runs), ""
    except RunError as error:
        return [], f"No test compares the runs: {error}"


def compute_lecture_figures(runs: Sequence[Run]) -> list[Json]:
    """Return the figures of the games of each lecture by run, None if a run has no such games, sorted by name.

    `share` is the share of games won; without a referee, it is that of games with their paragraph among the hits. `rr`
    is the mean reciprocal rank.
    """
    in_store = [run.answerable_games[["game_id", "document"]].dropna() for run in runs]
    games_in_store = pd.concat(in_store).drop_duplicates("game_id")
    lectures = games_in_store.set_index("game_id")["document"]

    figures: defaultdict[str, list[Json | None]]
    figures = defaultdict(lambda: [None] * len(runs))
    for column, run in enumerate(runs):
        shares = run.answerable_games["rank"].notna() if run.won is None else run.won
        games = pd.DataFrame({"share": shares, "rr": run.values["RR"]}, dtype=float)
        names = run.answerable_games["game_id"].map(lectures).fillna(NOWHERE)
        for name, lecture_games in games.groupby(names.to_numpy()):
            won = lecture_games["share"].to_numpy()
            share, ends = compute_figure(won, run.seed, is_share=True)
            figures[str(name)][column] = {
                "games": len(won),
                "share": share,
                "share_interval": ends,
                "rr": round_mean(lecture_games["rr"]),
            }

    in_order = sorted(figures, key=lambda name: (name == NOWHERE, name))
    return [{"document": name, "runs": figures[name]} for name in in_order]


def headline(runs: Sequence[Run], tests: Sequence[PairedTest], fault: str) -> list[str]:
    """Write the results as sentences: each run against the first, or each run alone if they cannot be compared.

    Args:
        runs: the runs.
        tests: tests of each run against the first.
        fault: the reason why the runs cannot be compared; "" if they can, or there is only one.
    """
    if not tests:
        return [*filter(None, [*map(_describe_one, runs), fault])]

    sentences = [_describe_two(runs[0], run, tests) for run in runs[1:]]
    has_won = any(test.measure == WIN_RATE for test in tests)
    if any(run.has_referee for run in runs) and not has_won:
        sentences += [*map(_describe_one, runs), OTHER_PLAYS]
    return sentences


def _describe_one(run: Run) -> str:
    if run.answerable_games.empty:
        return f"{run.name} has no game with its paragraph in the course."
    figures = []
    for name in (WIN_RATE, "RR", "Success@1", "Success@20"):
        if name in run.figures:
            figure = format_with_interval(*run.figures[name])
            figures.append(f"{name.replace('_', ' ')} {figure}")
    games = pluralize(len(run.answerable_games), "game")
    sentence = f"{run.name}, {games}, referee {run.referee}: {', '.join(figures)}"
    if run.lost_at_ingest:
        sentence += f"; {pluralize(run.lost_at_ingest, 'game')} lost at ingest"
    return f"{sentence}."


def _describe_two(first: Run, run: Run, tests: Sequence[PairedTest]) -> str:
    """Write which of two runs is better and by how much, in the win rate or, if nothing was played, in RR."""
    by_measure = {test.measure: test for test in tests if test.preset == run.name}
    test = by_measure.get(WIN_RATE, by_measure["RR"])
    measure, n_games = test.measure.replace("_", " "), pluralize(test.n_games, "game")
    if test.n_differ == 0:
        return f"{run.name} and {first.name} are equal in the {measure} of every game, {n_games}."

    names = f"{run.name} is {test.verdict} than {first.name}"
    if test.verdict == UNDECIDED:
        names = f"Between {run.name} and {first.name} there is {test.verdict}"
    values = " against ".join(
        f"{one.figures[test.measure][0]:.3f}" for one in (run, first)
    )
    p = f"p {test.p:.3f}" if test.p >= 0.001 else "p below 0.001"
    p += f", corrected {test.p_holm:.3f}" if test.p_holm >= 0.001 else ""
    more = ""
    if test.n_to_decide is not None:
        more = f" About {pluralize(test.n_to_decide, 'game')} would show a difference of this size."
    return (
        f"{names}: {measure} {values} over {n_games}, a difference of {test.difference:+.3f} "
        f"(95% interval {test.low:+.3f} to {test.high:+.3f}, {p}).{more}"
    )


def make_plots(runs: Sequence[Run]) -> dict[str, list[Series]]:
    """Return the series of each plot, by the id of its section; plots without data are left out."""
    plots: defaultdict[str, list[Series]] = defaultdict(list)
    for run in runs:
        # Success@k over k, from the reciprocal ranks
        cutoffs = [*range(1, 1 + max(run.answerable_games["n_hits"], default=0))]
        series: Series = {"name": run.name, "x": cutoffs, "y": [], "ends": []}
        for cutoff in cutoffs:
            hits = (run.values["RR"] >= 1.0 / cutoff).astype(np.float64)
            mean, ends = compute_figure(hits, 0, is_share=True)
            series["y"].append(mean)
            series["ends"].append(ends)
        if cutoffs:
            plots["success"].append(series)

    # the number of plays that each step has lost
    names = [run.name for run in runs]
    steps_by_run = [run.plays["lost_at"].fillna("found").tolist() for run in runs]
    steps = {step: f"lost {words}" for step, words in LOST_AT.items()}
    for step, words in {"found": "found or won", **steps}.items():
        counts = [run_steps.count(step) for run_steps in steps_by_run]
        if any(counts):
            series = {"name": words, "step": step, "x": counts, "y": names}
            plots["lost"].append(series)

    return plots
