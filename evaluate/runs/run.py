"""Run: the records of replayed games, the settings they were played with, and every figure computed from them."""

from __future__ import annotations

import functools
import hashlib
import html
import json
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quarry.configs.settings import Settings, as_dict
from quarry.evaluate.games.labelled import same_text
from quarry.evaluate.referee.spec import HINT_ALONE
from quarry.evaluate.runs.measures import MEASURES, Measure, interval, values_of
from quarry.evaluate.runs.record import GameRecord, PlayRecord, fate, lost_at
from quarry.ingest.arrays import Float64Array

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


PER_GAME = [column.name for column in fields(GameRow)][:9]
"""Columns of `per_game` in the run's JSON."""


def row_of(record: GameRecord, repeat: int, *, played: bool) -> GameRow:
    """Return the row of one repeat of a game.

    Args:
        played: whether there was a referee.
    """
    search, truth, book, play = record["search"], record["truth"], record["search"]["book"], play_of(record, repeat)
    hit = search["hits"][search["rank"] - 1] if search["rank"] else None
    labelled = record["in_text_layer"] and record["opening_sentence"]
    read_right = truth is not None and same_text(truth["opening_sentence"], record["opening_sentence"])
    return GameRow(
        repeat=repeat,
        won=(play is not None and play["won"]) if played else None,
        lost_at=lost_at(record, play),
        fate=fate(record, play),
        book=book["document"] if book else None,
        book_tier=book["tier"] if book else None,
        book_confidence=book["confidence"] if book else None,
        confidence=play["guess"]["confidence"] if play else None,
        n_hits=len(search["hits"]),
        book_right=bool(book and truth and book["tier"] != "none" and book["document"] == truth["document"]),
        read_right=read_right if labelled else None,
        **_picked(record, "game_id", "book_name", "hint", "questions_ms", "decide_ms"),
        **_picked(search, "rank", "relevant", "embed_ms", "search_ms"),
        **_picked(hit, "slot", "strategy"),
        **_picked(truth, "paragraph_id", "document"),
        **_picked(play, "guess_rank", "prior_rank", "private_score", "sentence_exact", "word_exact", "word_top20"),
    )


def _picked(found: Mapping[str, object] | None, *keys: str) -> dict[str, Any]:
    """Return some values of a record; None for each where there is no record."""
    return {key: found[key] if found else None for key in keys}


@dataclass(repr=False)
class Run:
    """One run over labelled games; its figures are computed in one pass over the records.

    Attributes:
        records: every game once, in the order of the games; they may be in a file, of which few are in memory.
        referee: SPEC; "none" where nothing was played.
        settings: as `quarry.configs.settings.as_dict` gives them.
        commit: the commit of the code, "" if unknown.
        seed: the seed of referee and intervals.
        repeats: plays of each game; 1 without a referee.
        name: the name of its file without the suffix, or of its preset; "" where it has none.
        own_measures: measures that the run has besides those of MEASURES, by name.
        rows: a row for each answerable game and repeat, game by game.
        values: (n_answerable,) value of each measure for each answerable game, in order.
        asked: digest of the questions and labels of all games; the same over every store.
        games_digest: 16 hexadecimal digits that change with the games and with the paragraphs they are about.
    """

    records: Collection[GameRecord]
    referee: str
    settings: Mapping[str, Any]
    store_fingerprint: str
    commit: str
    seed: int
    repeats: int
    name: str = ""
    own_measures: Mapping[str, Measure] = field(default_factory=dict)
    rows: list[GameRow] = field(init=False)
    values: Mapping[str, Float64Array] = field(init=False)
    asked: str = field(init=False)
    games_digest: str = field(init=False)

    def __post_init__(self) -> None:
        self.rows = []
        parts: list[Mapping[str, Float64Array]] = []
        self._n_unanswerable = self._abstained = 0
        asked, games, separator = hashlib.sha256(b"["), hashlib.sha256(b"["), ""
        records = iter(self.records)
        while chunk := list(islice(records, N_AT_ONCE)):
            answerable = [record for record in chunk if record["answerable"]]
            self.rows += [row_of(record, n, played=self.played) for record in answerable for n in range(self.repeats)]
            parts.append(values_of(answerable, {**MEASURES, **self.own_measures}))
            self._n_unanswerable += len(chunk) - len(answerable)
            self._abstained += sum(not (record["answerable"] or record["search"]["relevant"]) for record in chunk)
            for record in chunk:
                game = [record[key] for key in ("game_id", "book_name", "hint", "answerable", "opening_sentence")]
                truth_id = truth["paragraph_id"] if (truth := record["truth"]) else ""
                asked.update((separator + json.dumps(game)).encode())
                games.update((separator + json.dumps([*game, truth_id])).encode())
                separator = ", "
        games.update(b"]")
        self.values = {name: np.concatenate([part[name] for part in parts]) for name in (parts[0] if parts else ())}
        self.asked, self.games_digest = asked.hexdigest(), games.hexdigest()[:16]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:.3f}" for name, (value, _) in self.figures.items())
        return f"Run({self.name or self.settings['preset']!r}, {len(self.records)} games, {self.referee!r}: {shown})"

    def _repr_html_(self) -> str:
        """Return a table of the figures with their intervals, for notebooks."""
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{value:.3f} [{low:.3f}, {high:.3f}]</td></tr>"
            for name, (value, (low, high)) in self.figures.items()
        )
        title = f"{self.name or self.settings['preset']}: {len(self.records)} games, {self.referee}"
        return f"<table><caption>{html.escape(title)}</caption>{rows}</table>"

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
        return sum(row.paragraph_id is None for row in self.games)

    @functools.cached_property
    def measures(self) -> dict[str, float]:
        """The mean of each measure; empty without an answerable game."""
        return {name: round(float(value.mean()), 6) for name, value in self.values.items()} if self.rows else {}

    @functools.cached_property
    def intervals(self) -> dict[str, list[float]]:
        """The 95% interval of each measure."""
        return {name: _rounded(interval(value, self.seed)) for name, value in self.values.items()}

    @functools.cached_property
    def won(self) -> Float64Array | None:
        """(n_answerable,) share of each game's repeats that were won, since repeats are not games of their own.

        None where nothing was played. A game lost at ingest counts as lost.
        """
        if not self.played or not self.rows:
            return None
        won: Float64Array = np.array([float(bool(row.won)) for row in self.rows]).reshape(-1, self.repeats).mean(axis=1)
        return won

    @functools.cached_property
    def figures(self) -> dict[str, tuple[float, list[float]]]:
        """Each measure, and the win rate of a played run, with its 95% interval."""
        figures = {name: (value, self.intervals[name]) for name, value in self.measures.items()}
        if self.won is not None:
            figures["win_rate"] = round(float(self.won.mean()), 6), _rounded(interval(self.won, self.seed))
        return figures

    @property
    def per_game(self) -> list[dict[str, Any]]:
        """The outcome of every answerable game, repeat by repeat, as docs/commands.md lists its keys."""
        rows = [row for repeat in range(self.repeats) for row in self.rows[repeat :: self.repeats]]
        return [{name: getattr(row, name) for name in PER_GAME} for row in rows]

    def as_json(self) -> dict[str, Any]:
        """Return the run as docs/commands.md lists its keys; the same records give the same."""
        games = self.games
        win_rate, win_rate_interval = self.figures.get("win_rate", (None, None))
        scores = [row.private_score or 0.0 for row in self.rows]
        exact = {
            name: None if self.won is None else _share([bool(getattr(row, name)) for row in self.rows])
            for name in ("sentence_exact", "word_exact", "word_top20")
        }
        return {
            "games": len(self.records),
            "unanswerable": self._n_unanswerable,
            "lost_at_ingest": self.lost_at_ingest,
            "opening_sentence_exact": _share([row.read_right for row in games if row.read_right is not None]),
            "measures": self.measures,
            "intervals": self.intervals,
            "book_resolved": _share([row.book_right for row in games]),
            "abstained": sum(not row.relevant for row in games),
            "abstained_unanswerable": self._abstained,
            "win_rate": win_rate,
            "win_rate_interval": win_rate_interval,
            "sentence_exact": exact["sentence_exact"],
            "private_score": None if self.won is None else round(float(np.mean(scores)), 4),
            "associative_word_exact": exact["word_exact"],
            "associative_word_top20": exact["word_top20"],
            "latency_ms": {
                name: _percentiles([ms for row in games if (ms := getattr(row, f"{name}_ms")) is not None])
                for name in ("embed", "search", "questions", "decide")
            },
            "referee": self.referee,
            "settings": dict(self.settings),
            "store_fingerprint": self.store_fingerprint,
            "games_digest": self.games_digest,
            "commit": self.commit,
            "seed": self.seed,
            "repeats": self.repeats,
            "per_game": self.per_game,
        }

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row for each answerable game and repeat: where its paragraph was found, and how the play ended."""
        import pandas as pd

        return pd.DataFrame([{"run": self.name, **asdict(row)} for row in self.rows])


def make_run(
    records: Collection[GameRecord],
    store_fingerprint: str,
    settings: Settings,
    referee: str,
    seed: int,
    repeats: int,
    name: str = "",
    measures: Mapping[str, Measure] | None = None,
) -> Run:
    """Return the run of these games, made by the code as it is now; see `Run`."""
    return Run(records, referee, as_dict(settings), store_fingerprint, commit(), seed, repeats, name, measures or {})


def commit() -> str:
    """Return the commit of this checkout, "" outside one."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""


def play_of(record: GameRecord, repeat: int) -> PlayRecord | None:
    """Return the record's play of a repeat, None if it was not played."""
    return record["plays"][repeat] if repeat < len(record["plays"]) else None


def _rounded(ends: Sequence[float]) -> list[float]:
    return [round(end, 6) for end in ends]


def _share(flags: Sequence[bool]) -> float | None:
    """Return the share of true flags, None if there are no flags."""
    return round(sum(flags) / len(flags), 6) if flags else None


def _percentiles(values: Sequence[float]) -> dict[str, float] | None:
    if not values:
        return None
    p50, p95 = np.percentile(values, [50, 95])
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3)}
