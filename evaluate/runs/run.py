"""Run: the records of replayed games, their settings, and all figures that are computed from them."""

from __future__ import annotations

import functools
import hashlib
import json
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import AfterValidator, Field

from configs.settings import is_file_name
from evaluate.errors import RunError
from evaluate.referee.spec import HINT_ALONE
from evaluate.runs.dataframe import COLUMNS, PER_GAME_COLUMNS, build_frame, round_mean
from evaluate.runs.measures import (
    MEASURES,
    Figure,
    Measure,
    compute_figure,
    compute_values,
    format_with_interval,
    is_share,
)
from evaluate.runs.record import ReplayRecord
from player.round import Json
from quarry.arrays import Float64Array

if TYPE_CHECKING:
    import pandas as pd

ASKED = ["game_id", "book_name", "hint", "answerable", "label"]
"""Columns that identify a game over any store; `label` is the labelled opening sentence."""
LATENCY_PARTS = ("embed", "search", "questions", "decide")
"""Parts of the work whose milliseconds are measured."""
WIN_RATE = "win_rate"
"""Name of the win rate among the figures."""
WORD_COLUMNS = ("word_exact", "word_top20")
"""Columns about the associative word."""
MAX_REPEATS = 1_000
"""Maximum number of plays of each game."""
_HeaderText = Annotated[str, Field(max_length=1_000)]
"""A text in the header of a run."""


def _with_preset(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(settings.get("preset"), str):
        raise ValueError("preset is missing")
    return settings


@dataclass
class RunHeader:
    """Inputs of a run; RUN.json holds them under the same names.

    Attributes:
        referee: SPEC of the referee; "none" if nothing was played.
        settings: `Settings` as plain values.
        store_fingerprint: fingerprint of the course.
        commit: commit of the code; "" if unknown.
        seed: seed of the referee and of the intervals.
        repeats: number of plays of each game; 1 without a referee.
    """

    referee: _HeaderText
    settings: Annotated[Mapping[str, Any], AfterValidator(_with_preset)]
    store_fingerprint: _HeaderText
    commit: _HeaderText
    seed: Annotated[int, Field(ge=0)]
    repeats: Annotated[int, Field(ge=1, le=MAX_REPEATS)]


@dataclass(repr=False)
class Run(RunHeader):
    """One run over labelled games; its figures are computed from one frame of all plays.

    Attributes:
        records: the record of each game, in order; they may be in a file, and only one at a time in memory.
        name: name of its file without the suffix; "" takes that of its preset.
        own_measures: measures of the run besides those of MEASURES, by name.
    """

    records: Collection[ReplayRecord]
    name: str = ""
    own_measures: Mapping[str, Measure] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.name = self.name or name_of_preset(self.settings["preset"])

    @functools.cached_property
    def frame(self) -> pd.DataFrame:
        """A row for each game and repeat, game by game; see `build_frame`."""
        return build_frame(self.records, self.repeats, has_referee=self.has_referee)

    @functools.cached_property
    def plays(self) -> pd.DataFrame:
        """The rows of the answerable games."""
        return self.frame[self.frame["answerable"].astype(bool)]

    @property
    def answerable_games(self) -> pd.DataFrame:
        """The first row of each answerable game."""
        return self.plays[:: self.repeats]

    @functools.cached_property
    def values(self) -> dict[str, Float64Array]:
        """(n_answerable,) values of each measure, and the win rate of a played run, for the answerable games."""
        values = compute_values(
            self._measures,
            self.answerable_games["rank"].fillna(0).to_numpy(np.int64),
            self.answerable_games["n_hits"].to_numpy(np.int64),
            self.records,
        )
        if self.won is not None:
            values[WIN_RATE] = self.won
        return values

    @property
    def _measures(self) -> dict[str, Measure]:
        return {**MEASURES, **self.own_measures}

    def __repr__(self) -> str:
        means = [f"{name}={value:.3f}" for name, (value, _) in self.figures.items()]
        games = f"{len(self.records)} games"
        return f"Run({self.name!r}, {games}, {self.referee!r}: {', '.join(means)})"

    def _repr_html_(self) -> str:
        """Return a table of the figures with their intervals, for notebooks."""
        import pandas as pd

        caption = f"{self.name}: {len(self.records)} games, {self.referee}"
        cells = {}
        for name, figure in self.figures.items():
            cells[name] = format_with_interval(*figure)
        return str(pd.DataFrame({caption: cells}).to_html())

    @property
    def has_referee(self) -> bool:
        """Whether there was a referee."""
        return self.referee != HINT_ALONE

    def asked(self, *more: str) -> list[list[Any]]:
        """Return the columns ASKED of each game, and further columns; ASKED is the same over every store."""
        games = self.frame[:: self.repeats][[*ASKED, *more]]
        asked: list[list[Any]] = games.fillna("").to_numpy().tolist()
        return asked

    @property
    def games_digest(self) -> str:
        """16 hexadecimal digits that change with the games and with their paragraphs."""
        games = json.dumps(self.asked("paragraph_id"))
        return hashlib.sha256(games.encode()).hexdigest()[:16]

    @property
    def lost_at_ingest(self) -> int:
        """Number of answerable games whose paragraph the store does not hold."""
        return int(self.answerable_games["paragraph_id"].isna().sum())

    @property
    def lost_ids(self) -> frozenset[str]:
        """The game_ids of the games with a lost play."""
        return frozenset(self.plays["game_id"][self.plays["lost_at"].notna()])

    @property
    def means(self) -> dict[str, float]:
        """The mean of each measure; empty without an answerable game."""
        means = {name: mean for name, (mean, _) in self.figures.items()}
        means.pop(WIN_RATE, None)
        return means

    @functools.cached_property
    def won(self) -> Float64Array | None:
        """(n_answerable,) share of the repeats of each game that were won; None if nothing was played.

        Repeats are averaged, since they are not independent games. A game lost at ingest counts as lost.
        """
        if not self.has_referee or self.plays.empty:
            return None
        plays = self.plays["won"].to_numpy(np.float64).reshape(-1, self.repeats)
        return np.asarray(plays.mean(axis=1))

    @functools.cached_property
    def figures(self) -> dict[str, Figure]:
        """Each measure, and the win rate of a played run, with its 95% interval; empty without an answerable game."""
        if self.plays.empty:
            return {}
        figures = {}
        for name, values_by_game in self.values.items():
            share = name == WIN_RATE or is_share(self._measures[name])
            figures[name] = compute_figure(values_by_game, self.seed, is_share=share)
        return figures

    @property
    def win_ideal(self) -> float | None:
        """Share of games that ideal questions win; games lost at ingest are lost. None if it is unknown for a play."""
        rates = self.plays["win_ideal"].astype(float)
        n_lost = self.lost_at_ingest * self.repeats
        if self.won is None or rates.isna().sum() > n_lost:
            return None
        return round_mean(rates.fillna(0.0))

    @property
    def per_game(self) -> list[dict[Hashable, Any]]:
        """The columns PER_GAME_COLUMNS of every answerable game, repeat by repeat; docs/commands.md lists its keys."""
        plays = self.plays.sort_values("repeat", kind="stable")
        rows: list[dict[Hashable, Any]] = plays[[*PER_GAME_COLUMNS]].to_dict("records")
        return rows

    def as_json(self) -> Json:
        """Return the run as JSON; docs/commands.md lists its keys. The same records give the same JSON."""
        games = self.answerable_games
        win_rate, win_rate_interval = self.figures.get(WIN_RATE, (None, None))
        others = self.frame[~self.frame["answerable"].astype(bool)][:: self.repeats]

        # plays against referees with raw text; missing points count as 0
        is_raw = self.plays["ratio"].notna()
        raw = self.plays[is_raw].fillna({"points": 0.0})
        document: Json = {
            "games": len(self.records),
            "unanswerable": len(others),
            "lost_at_ingest": self.lost_at_ingest,
            "opening_sentence_exact": round_mean(games["read_right"]),
            "measures": self.means,
            "intervals": {name: self.figures[name][1] for name in self.means},
            "book_resolved": round_mean(games["book_right"]),
            "abstained": games["relevant"].tolist().count(False),
            "abstained_unanswerable": others["relevant"].tolist().count(False),
            "win_rate": win_rate,
            "win_rate_interval": win_rate_interval,
            "win_ideal": self.win_ideal,
            "sentence_exact": self._mean_of_plays("sentence_exact"),
            "private_score": self._mean_of_plays("private_score", 4),
            "associative_word_exact": self._mean_of_plays("word_exact"),
            "associative_word_top20": self._mean_of_plays("word_top20"),
            "sentence_points": round_mean(raw["points"], 2),
            "right_page": round_mean(raw["right_page"]),
            "editions": {
                str(name): _edition_figures(plays)
                for name, plays in raw.groupby("edition")
            },
            "latency_ms": {
                part: self._quantiles(f"{part}_ms") for part in LATENCY_PARTS
            },
        }

        for item in fields(RunHeader):
            document[item.name] = getattr(self, item.name)
        document["games_digest"] = self.games_digest
        document["per_game"] = self.per_game
        return document

    def _quantiles(self, column: str) -> Json | None:
        """Return p50 and p95 of the milliseconds in a column; None if there are none."""
        times = self.answerable_games[column].dropna().to_numpy(np.float64)
        if not len(times):
            return None
        p50, p95 = np.percentile(times, [50, 95]).round(3).tolist()
        return {"p50": p50, "p95": p95}

    def _mean_of_plays(self, column: str, digits: int = 6) -> float | None:
        """Return the mean over all plays; a game lost at ingest counts as 0. None if nothing was played.

        A game without an associative word is left out of the means about it.
        """
        if self.won is None:
            return None
        plays = self.plays
        if column in WORD_COLUMNS:
            plays = plays[plays["has_word"].astype(bool)]
        return round_mean(plays[column].fillna(0.0), digits)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a table with a row for each answerable game and repeat; its columns are `run` and COLUMNS."""
        plays = self.plays[[*COLUMNS]].reset_index(drop=True).infer_objects()
        plays.insert(0, "run", self.name)
        return plays


def _edition_figures(plays: pd.DataFrame) -> Json:
    """Return the figures of the plays of one edition."""
    return {
        "plays": len(plays),
        "right_page": round_mean(plays["right_page"]),
        "similar": round_mean(plays["won"]),
        "points": round_mean(plays["points"], 2),
    }


def name_of_preset(preset: str) -> str:
    """Return the name of a run with a preset: that of the preset, or the stem of its file."""
    return Path(preset).stem if is_file_name(preset) else preset


def require_names(runs: Sequence[Run]) -> None:
    """Check that the runs have different names.

    Raises:
        RunError: two runs have the same name.
    """
    (name, n_runs), *_ = Counter(run.name for run in runs).most_common(1)
    if n_runs > 1:
        raise RunError(f"Two runs are called {name}; rename one of them.")
