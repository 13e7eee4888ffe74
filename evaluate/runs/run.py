"""Run: the records of replayed games, the settings they were played with, and every figure computed from them."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import html
import json
import subprocess
from collections import ChainMap, Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from configs.settings import Settings, as_dict
from evaluate.errors import RunError
from evaluate.referee.spec import HINT_ALONE
from evaluate.runs.measures import MEASURES, Measure, interval, rounded, values_of
from evaluate.runs.record import (
    ReplayRecord,
    is_read_right,
    lost_at,
    names_right_book,
    outcome_in_words,
    play_of,
)
from ingest.arrays import Float64Array

if TYPE_CHECKING:
    import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
N_AT_ONCE = 256
"""Records that are in memory at the same time while a run is read."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """One play of a game as a row of a table, without the bulk of the record: about 1 kB instead of 50.

    A game without plays, since it has no referee or was lost at ingest, has a row for each repeat too.

    Attributes:
        rank: the rank of the labelled paragraph among the hits; slot and strategy are those of its hit.
        won: None without a referee.
        n_hits: hits of the search; relevant: False if none passed the threshold.
        book_right: whether the book was resolved, to filter or to boost, to the document of the paragraph.
        read_right: whether the ingested opening sentence is the labelled one; None if the label does not say.
        win_ideal, win_faultless: as in the record of the play.
        edition: program whose raw text the referee holds, "" for printed text; ratio and right_page are as in the play.
        points: of the opening sentence, 0..100.
    """

    game_id: str
    repeat: int
    rank: int | None
    slot: str | None
    strategy: str | None
    guess_rank: int | None
    won: bool | None
    lost_at: str | None
    fate: str
    book_name: str
    hint: str
    paragraph_id: str | None
    document: str | None
    book: str | None
    book_tier: str | None
    book_confidence: float | None
    prior_rank: int | None
    confidence: float | None
    private_score: float | None
    sentence_exact: bool | None
    word_exact: bool | None
    word_top20: bool | None
    n_hits: int
    relevant: bool
    book_right: bool
    read_right: bool | None
    embed_ms: float
    search_ms: float
    questions_ms: float | None
    decide_ms: float | None
    win_ideal: float | None = None
    win_faultless: float | None = None
    edition: str | None = None
    ratio: float | None = None
    right_page: bool | None = None
    points: float | None = None


COLUMNS = [column.name for column in fields(GameRow)]
ASKED = ("game_id", "book_name", "hint", "answerable", "opening_sentence")
"""Keys of a record that say what was asked."""
LOSSES = ("ingest", "search", "chance", "questions")
"""Where a game is lost, compared with ideal questions."""
PER_GAME = COLUMNS[:9]
"""Columns of `per_game` in the run's JSON."""


def row_of(record: ReplayRecord, repeat: int, *, played: bool) -> GameRow:
    """Return the row of one repeat of a game.

    Args:
        played: whether there was a referee.
    """
    search, play = record["search"], play_of(record, repeat)
    book = search["book"]
    hit = search["hits"][search["rank"] - 1] if search["rank"] else None

    computed: dict[str, Any] = {
        "repeat": repeat,
        "won": (play is not None and play["won"]) if played else None,
        "lost_at": lost_at(record, play),
        "fate": outcome_in_words(record, play),
        "n_hits": len(search["hits"]),
        "book_right": names_right_book(record),
        "read_right": is_read_right(record),
        "book": book and book["document"],
        "book_tier": book and book["tier"],
        "book_confidence": book and book["confidence"],
        "confidence": play and play["guess"]["confidence"],
        "points": play and play["breakdown"].get("opening_sentence_score"),
    }

    parts: tuple[Any, ...] = (computed, play, search, record["truth"], hit, record)
    values = ChainMap(*filter(None, parts))
    row: dict[str, Any] = {name: values.get(name) for name in COLUMNS}
    return GameRow(**row)


@dataclass
class RunHeader:
    """Inputs of a run; RUN.json holds them under the same names.

    Attributes:
        referee: SPEC; "none" where nothing was played.
        settings: as `configs.settings.as_dict` gives them.
        commit: the commit of the code, "" if unknown.
        seed: the seed of referee and intervals.
        repeats: plays of each game; 1 without a referee.
    """

    referee: str
    settings: Mapping[str, Any]
    store_fingerprint: str
    commit: str
    seed: int
    repeats: Annotated[int, Field(ge=1)]


@dataclass(repr=False)
class Run(RunHeader):
    """One run over labelled games; its figures are computed in one pass over the records.

    Attributes:
        records: every game once, in the order of the games; they may be in a file, of which few are in memory.
        name: the name of its file without the suffix, or of its preset; "" where it has none.
        own_measures: measures that the run has besides those of MEASURES, by name.
        rows: a row for each answerable game and repeat, game by game.
        values: (n_answerable,) value of each measure for each answerable game, in order.
        asked: digest of the questions and labels of all games; the same over every store.
        games_digest: 16 hexadecimal digits that change with the games and with the paragraphs they are about.
    """

    records: Collection[ReplayRecord]
    name: str = ""
    own_measures: Mapping[str, Measure] = field(default_factory=dict)
    rows: list[GameRow] = field(init=False)
    values: Mapping[str, Float64Array] = field(init=False)
    asked: str = field(init=False)
    games_digest: str = field(init=False)

    def __post_init__(self) -> None:
        self.rows = []
        self._n_unanswerable = self._abstained = 0
        measures = {**MEASURES, **self.own_measures}
        parts = []
        asked, games, separator = hashlib.sha256(), hashlib.sha256(b"["), ""
        records = iter(self.records)
        while chunk := list(islice(records, N_AT_ONCE)):
            for record in chunk:
                self._add(record)
                game = [record[key] for key in ASKED]  # type: ignore[literal-required]
                asked.update(json.dumps(game).encode())
                game.append(record["truth"]["paragraph_id"] if record["truth"] else "")
                games.update((separator + json.dumps(game)).encode())
                separator = ", "
            parts.append(values_of(filter(itemgetter("answerable"), chunk), measures))

        games.update(b"]")
        self.asked, self.games_digest = asked.hexdigest(), games.hexdigest()[:16]
        self.values = {}
        for name in parts[0] if parts else ():
            self.values[name] = np.concatenate([*map(itemgetter(name), parts)])

    def _add(self, record: ReplayRecord) -> None:
        """Add the rows of a game, or count one that is not answerable."""
        if not record["answerable"]:
            self._n_unanswerable += 1
            self._abstained += not record["search"]["relevant"]
            return
        for repeat in range(self.repeats):
            self.rows.append(row_of(record, repeat, played=self.played))

    def _title(self) -> str:
        return self.name or str(self.settings["preset"])

    def __repr__(self) -> str:
        means = (f"{name}={value:.3f}" for name, (value, _) in self.figures.items())
        shown = ", ".join(means)
        return f"Run({self._title()!r}, {len(self.records)} games, {self.referee!r}: {shown})"

    def _repr_html_(self) -> str:
        """Return a table of the figures with their intervals, for notebooks."""
        caption = f"{self._title()}: {len(self.records)} games, {self.referee}"
        rows = [f"<table><caption>{html.escape(caption)}</caption>"]
        for name, (value, (low, high)) in self.figures.items():
            figure = f"{value:.3f} [{low:.3f}, {high:.3f}]"
            rows.append(f"<tr><td>{html.escape(name)}</td><td>{figure}</td></tr>")
        return "".join([*rows, "</table>"])

    @property
    def played(self) -> bool:
        """Whether there was a referee."""
        return self.referee != HINT_ALONE

    @property
    def games(self) -> list[GameRow]:
        """The first row of each answerable game."""
        return self.rows[:: self.repeats]

    @functools.cached_property
    def lost_at_ingest(self) -> int:
        """Answerable games whose paragraph the store does not hold."""
        return [row.paragraph_id for row in self.games].count(None)

    @property
    def lost_ids(self) -> frozenset[str]:
        """The game_ids of the games that were lost in some play."""
        return frozenset(row.game_id for row in self.rows if row.lost_at)

    @property
    def measures(self) -> dict[str, float]:
        """The mean of each measure; empty without an answerable game."""
        return {name: self.figures[name][0] for name in self.values if self.rows}

    @functools.cached_property
    def intervals(self) -> dict[str, list[float]]:
        """The 95% interval of each measure."""
        intervals = {}
        for name, values in self.values.items():
            intervals[name] = rounded(interval(values, self.seed))
        return intervals

    @functools.cached_property
    def won(self) -> Float64Array | None:
        """(n_answerable,) share of each game's repeats that were won, since repeats are not games of their own.

        None where nothing was played. A game lost at ingest counts as lost.
        """
        if not self.played or not self.rows:
            return None
        won = np.nan_to_num(column_of(self.rows, "won"))
        return np.asarray(won.reshape(-1, self.repeats).mean(axis=1))

    @functools.cached_property
    def figures(self) -> dict[str, tuple[float, list[float]]]:
        """Each measure, and the win rate of a played run, with its 95% interval."""
        figures = {}
        for name, values in self.values.items() if self.rows else ():
            mean = round(float(values.mean()), 6)
            figures[name] = (mean, self.intervals[name])
        if self.won is not None:
            won = round(float(self.won.mean()), 6)
            figures["win_rate"] = (won, rounded(interval(self.won, self.seed)))
        return figures

    def ideal(self, key: Literal["win_ideal", "win_faultless"]) -> float | None:
        """Return the mean of an ideal win rate; None if some play does not state it. Games lost at ingest count 0."""
        rates = column_of(self.rows, key)
        n_lost = self.lost_at_ingest * self.repeats
        if self.won is None or np.isnan(rates).sum() > n_lost:
            return None
        return round(float(np.nansum(rates)) / len(rates), 6)

    @functools.cached_property
    def losses(self) -> dict[str, float] | None:
        """The share of games that ingest, search, chance and questions lose; they sum to 1 less the win rate.

        `ingest`: the store does not hold the paragraph. `search`: its prior is too small, even for ideal questions and
        a referee without errors. `chance`: the errors of the referee, with ideal questions. `questions`: what ideal
        questions win more than ours, negative if ours win more. None where nothing was played.
        """
        ideal, faultless = self.ideal("win_ideal"), self.ideal("win_faultless")
        if self.won is None or ideal is None or faultless is None:
            return None
        in_store = 1.0 - self.lost_at_ingest / len(self.games)
        rates = [1.0, in_store, faultless, ideal, float(self.won.mean())]
        shares = np.subtract(rates[:-1], rates[1:]).round(6)
        return dict(zip(LOSSES, shares.tolist(), strict=True))

    @property
    def per_game(self) -> list[dict[str, Any]]:
        """The outcome of every answerable game, repeat by repeat, as docs/commands.md lists its keys."""
        rows = sorted(self.rows, key=lambda row: row.repeat)
        return [{name: getattr(row, name) for name in PER_GAME} for row in rows]

    def as_json(self) -> dict[str, Any]:
        """Return the run as docs/commands.md lists its keys; the same records give the same."""
        games = self.games

        win_rate, win_rate_interval = self.figures.get("win_rate", (None, None))
        document: dict[str, Any] = {
            "games": len(self.records),
            "unanswerable": self._n_unanswerable,
            "lost_at_ingest": self.lost_at_ingest,
            "opening_sentence_exact": _share(games, "read_right"),
            "measures": self.measures,
            "intervals": self.intervals,
            "book_resolved": _share(games, "book_right"),
            "abstained": [row.relevant for row in games].count(False),
            "abstained_unanswerable": self._abstained,
            "win_rate": win_rate,
            "win_rate_interval": win_rate_interval,
            "win_ideal": self.ideal("win_ideal"),
            "losses": self.losses,
            "sentence_exact": self._mean_of_plays("sentence_exact"),
            "private_score": self._mean_of_plays("private_score", 4),
            "associative_word_exact": self._mean_of_plays("word_exact"),
            "associative_word_top20": self._mean_of_plays("word_top20"),
            **self._raw_figures(),
            "editions": self.editions,
        }

        latency_ms = {}
        for part in ("embed", "search", "questions", "decide"):
            latency_ms[part] = _percentiles(games, f"{part}_ms")
        document["latency_ms"] = latency_ms
        for item in fields(RunHeader):
            document[item.name] = getattr(self, item.name)
        return {
            **document,
            "games_digest": self.games_digest,
            "per_game": self.per_game,
        }

    def _raw_figures(self) -> dict[str, float | None]:
        """Return points of the sentence and the share of right pages, of all games whose referee holds a raw text."""
        rows = self._raw_rows
        return {
            "sentence_points": _mean_points(rows) if rows else None,
            "right_page": _share(rows, "right_page") if rows else None,
        }

    @property
    def _raw_rows(self) -> list[GameRow]:
        """Plays against referees who hold a raw text."""
        return [row for row in self.rows if row.edition and row.ratio is not None]

    @property
    def editions(self) -> dict[str, dict[str, float]]:
        """Plays, right pages, similar openings and points by the edition that the referee holds; {} for print."""
        by_edition: dict[str, list[GameRow]] = {}
        for row in self._raw_rows:
            by_edition.setdefault(str(row.edition), []).append(row)

        figures = {}
        for edition, rows in sorted(by_edition.items()):
            figures[edition] = {
                "plays": len(rows),
                "right_page": _share(rows, "right_page") or 0.0,
                "similar": _share(rows, "won") or 0.0,
                "points": _mean_points(rows),
            }
        return figures

    def _mean_of_plays(self, column: str, digits: int = 6) -> float | None:
        """Return the mean over all plays, of which a game lost at ingest has 0; None where nothing was played."""
        if self.won is None:
            return None
        values = np.nan_to_num(column_of(self.rows, column))
        return round(float(values.mean()), digits)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row for each answerable game and repeat: where its paragraph was found, and how the play ended."""
        import pandas as pd

        return pd.DataFrame([{"run": self.name, **asdict(row)} for row in self.rows])


def make_run(
    records: Collection[ReplayRecord],
    store_fingerprint: str,
    settings: Settings,
    referee: str,
    seed: int,
    repeats: int,
    name: str = "",
    measures: Mapping[str, Measure] | None = None,
) -> Run:
    """Return the run of these games, made by the code as it is now; see `Run`."""
    return Run(
        records=records,
        referee=referee,
        settings=as_dict(settings),
        store_fingerprint=store_fingerprint,
        commit=commit(),
        seed=seed,
        repeats=repeats,
        name=name,
        own_measures=measures or {},
    )


def require_names(runs: Sequence[Run]) -> None:
    """Pass if no two runs have the same name.

    Raises:
        RunError: two do.
    """
    (name, n_runs), *_ = Counter(run.name for run in runs).most_common(1)
    if n_runs > 1:
        raise RunError(f"Two runs are called {name}; rename a file.")


def commit() -> str:
    """Return the commit of this checkout, "" outside one."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        ).stdout.strip()
    return ""


def column_of(rows: Sequence[GameRow], name: str) -> Float64Array:
    """Return the (n_rows,) numbers or flags of a column; NaN for None."""
    return np.array([getattr(row, name) for row in rows], dtype=np.float64)


def _counted(rows: Sequence[GameRow], name: str) -> Float64Array:
    """Return the numbers or flags of a column that are not None."""
    values = column_of(rows, name)
    counted: Float64Array = values[~np.isnan(values)]
    return counted


def _mean_points(rows: Sequence[GameRow]) -> float:
    """Return the mean points of the sentence; a play without points has 0."""
    return round(float(np.nan_to_num(column_of(rows, "points")).mean()), 2)


def _share(rows: Sequence[GameRow], name: str) -> float | None:
    """Return the share of true flags in a column, None if there are none; None among them is not counted."""
    flags = _counted(rows, name)
    return round(float(flags.mean()), 6) if len(flags) else None


def _percentiles(rows: Sequence[GameRow], name: str) -> dict[str, float] | None:
    """Return the median and the 95th percentile of a column, None if it has no values."""
    values = _counted(rows, name)
    if not len(values):
        return None
    p50, p95 = np.percentile(values, [50, 95])
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3)}
