"""Run: the records of games and what they were played with; every figure is worked out from these."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quarry.configs.settings import Settings, as_dict
from quarry.evaluate.runs.measures import interval, values_of
from quarry.evaluate.runs.outcome_summary import fate
from quarry.evaluate.runs.provenance import commit
from quarry.evaluate.runs.record import GameRecord, PlayRecord, book_right, lost_at, sentence_read_right
from quarry.ingest.arrays import Float64Array

if TYPE_CHECKING:
    import pandas as pd

NOT_PLAYED = "none"
"""The referee of a run that only searched."""


@dataclass(frozen=True)
class Run:
    """One run over labelled games.

    Attributes:
        records: every game once, in the order of the games.
        referee: SPEC; "none" where nothing was played.
        settings: as `quarry.configs.settings.as_dict` gives them.
        commit: of the code, "" if unknown.
        seed: of referee and intervals.
        repeats: plays of each game; 1 without a referee.
        name: of its file without the suffix, or of its preset; "" where it has none.
    """

    records: tuple[GameRecord, ...]
    referee: str
    settings: Mapping[str, Any]
    store_fingerprint: str
    commit: str
    seed: int
    repeats: int
    name: str = ""

    @property
    def played(self) -> bool:
        """Whether there was a referee."""
        return self.referee != NOT_PLAYED

    @functools.cached_property
    def answerable(self) -> tuple[GameRecord, ...]:
        """The games whose paragraph is of the course; measures are over these."""
        return tuple(record for record in self.records if record["answerable"])

    @functools.cached_property
    def lost_at_ingest(self) -> int:
        """Answerable games whose paragraph the store does not hold."""
        return sum(record["truth"] is None for record in self.answerable)

    @functools.cached_property
    def values(self) -> Mapping[str, Float64Array]:
        """(n_answerable,) value of each measure for each answerable game, in order."""
        return values_of(self.answerable)

    @functools.cached_property
    def measures(self) -> dict[str, float]:
        """The mean of each measure; empty without an answerable game."""
        return {name: round(float(value.mean()), 6) for name, value in self.values.items()} if self.answerable else {}

    @functools.cached_property
    def intervals(self) -> dict[str, list[float]]:
        """The 95% interval of each measure."""
        return {name: _rounded(interval(value, self.seed)) for name, value in self.values.items()}

    @functools.cached_property
    def won(self) -> Float64Array | None:
        """(n_answerable,) share of a game's repeats that were won: repeats of a game are no games of their own.

        None where nothing was played. A game lost at ingest counts as lost.
        """
        if not self.played or not self.answerable:
            return None
        return np.array([sum(play["won"] for play in record["plays"]) / self.repeats for record in self.answerable])

    @functools.cached_property
    def win_rate(self) -> float | None:
        """Share of the plays that were won, None where nothing was played."""
        return None if self.won is None else round(float(self.won.mean()), 6)

    @functools.cached_property
    def win_rate_interval(self) -> list[float] | None:
        """Its 95% interval over games."""
        return None if self.won is None else _rounded(interval(self.won, self.seed))

    @functools.cached_property
    def private_score(self) -> float | None:
        """Mean over the plays, 0..100, None where nothing was played; a game lost at ingest has score 0."""
        if self.won is None:
            return None
        return round(float(np.mean([play["private_score"] if play else 0.0 for play in self._plays])), 4)

    @functools.cached_property
    def games_digest(self) -> str:
        """16 hexadecimal digits that change with the games and with the paragraphs they are about."""
        games = [
            [
                record["game_id"],
                record["book_name"],
                record["hint"],
                record["answerable"],
                record["opening_sentence"],
                truth["paragraph_id"] if (truth := record["truth"]) else "",
            ]
            for record in self.records
        ]
        return hashlib.sha256(json.dumps(games).encode()).hexdigest()[:16]

    @functools.cached_property
    def labels_digest(self) -> str:
        """As `games_digest`, but of the games as they were labelled: the same over every store that is asked."""
        games = [
            [record["game_id"], record["book_name"], record["hint"], record["answerable"], record["opening_sentence"]]
            for record in self.records
        ]
        return hashlib.sha256(json.dumps(games).encode()).hexdigest()[:16]

    @functools.cached_property
    def per_game(self) -> list[dict[str, Any]]:
        """What became of every answerable game, repeat by repeat, as docs/commands.md lays it out."""
        return [self._game(record, repeat) for repeat in range(self.repeats) for record in self.answerable]

    def as_json(self) -> dict[str, Any]:
        """The run as docs/commands.md lays it out; the same records give the same."""
        n_unanswerable = len(self.records) - len(self.answerable)
        unanswerable = [record for record in self.records if not record["answerable"]]
        readable = [record for record in self.answerable if record["in_text_layer"] and record["opening_sentence"]]
        return {
            "games": len(self.records),
            "unanswerable": n_unanswerable,
            "lost_at_ingest": self.lost_at_ingest,
            "opening_sentence_exact": _share([sentence_read_right(record) for record in readable]),
            "measures": self.measures,
            "intervals": self.intervals,
            "book_resolved": _share([book_right(record) for record in self.answerable]),
            "abstained": sum(not record["search"]["relevant"] for record in self.answerable),
            "abstained_unanswerable": sum(not record["search"]["relevant"] for record in unanswerable),
            "win_rate": self.win_rate,
            "win_rate_interval": self.win_rate_interval,
            "sentence_exact": self._share_of_plays("sentence_exact"),
            "private_score": self.private_score,
            "associative_word_exact": self._share_of_plays("word_exact"),
            "associative_word_top20": self._share_of_plays("word_top20"),
            "latency_ms": {
                "embed": _percentiles([record["search"]["embed_ms"] for record in self.answerable]),
                "search": _percentiles([record["search"]["search_ms"] for record in self.answerable]),
                "questions": _percentiles(
                    [ms for record in self.answerable if (ms := record["questions_ms"]) is not None]
                ),
                "decide": _percentiles([ms for record in self.answerable if (ms := record["decide_ms"]) is not None]),
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
        """A row for each answerable game and repeat: what was found, by whom, and what became of it."""
        import pandas as pd

        from quarry.evaluate.runs.export import game_rows

        return pd.DataFrame(game_rows(self))

    @functools.cached_property
    def _plays(self) -> list[PlayRecord | None]:
        return [play_of(record, repeat) for record in self.answerable for repeat in range(self.repeats)]

    def _share_of_plays(self, key: str) -> float | None:
        if self.won is None:
            return None
        return _share([play is not None and bool(dict(play)[key]) for play in self._plays])

    def _game(self, record: GameRecord, repeat: int) -> dict[str, Any]:
        play, rank = play_of(record, repeat), record["search"]["rank"]
        hit = record["search"]["hits"][rank - 1] if rank else None
        return {
            "game_id": record["game_id"],
            "repeat": repeat,
            "rank": rank,
            "slot": hit["slot"] if hit else None,
            "strategy": hit["strategy"] if hit else None,
            "guess_rank": play["guess_rank"] if play else None,
            "won": (play is not None and play["won"]) if self.played else None,
            "lost_at": lost_at(record, play),
            "fate": fate(record, play),
        }


def make_run(
    records: Sequence[GameRecord],
    store_fingerprint: str,
    settings: Settings,
    referee: str,
    seed: int,
    repeats: int,
    name: str = "",
) -> Run:
    """The run of these games, made by the code as it is now.

    Args:
        records: every game once, in the order of the games.
        repeats: plays of each game; 1 without a referee.
    """
    return Run(tuple(records), referee, as_dict(settings), store_fingerprint, commit(), seed, repeats, name)


def play_of(record: GameRecord, repeat: int) -> PlayRecord | None:
    """The record's play of that repeat, None if it was not played."""
    return record["plays"][repeat] if repeat < len(record["plays"]) else None


def _rounded(ends: Sequence[float]) -> list[float]:
    return [round(end, 6) for end in ends]


def _share(flags: Sequence[bool]) -> float | None:
    """Share of true ones, None of nothing."""
    return round(sum(flags) / len(flags), 6) if flags else None


def _percentiles(values: Sequence[float]) -> dict[str, float] | None:
    if not values:
        return None
    p50, p95 = np.percentile(values, [50, 95])
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3)}
