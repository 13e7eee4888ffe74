"""Records of games -> a run, as CONTRACT.md lays it out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from configs.settings import Settings, as_dict
from evaluate.runs.fate import fate
from evaluate.runs.measures import interval, per_game
from evaluate.runs.provenance import commit
from evaluate.runs.record import GameRecord, PlayRecord, book_right, lost_at, sentence_read_right

PLAY_KEYS = (
    "win_rate",
    "win_rate_interval",
    "sentence_exact",
    "private_score",
    "associative_word_exact",
    "associative_word_top20",
)
"""What only played games have."""


def make_run(
    records: Sequence[GameRecord], store_fingerprint: str, settings: Settings, referee: str, seed: int, repeats: int
) -> dict[str, Any]:
    """The run of these games; the same records give the same run.

    Args:
        records: every game once, in the order of the games.
        repeats: plays of each game; 1 without a referee.
    """
    answerable = [record for record in records if record["answerable"]]
    unanswerable = [record for record in records if not record["answerable"]]
    values = per_game(
        {record["game_id"]: [hit["paragraph_id"] for hit in record["search"]["hits"]] for record in answerable},
        {record["game_id"]: truth["paragraph_id"] if (truth := record["truth"]) else None for record in answerable},
    )
    readable = [record for record in answerable if record["in_text_layer"] and record["opening_sentence"]]
    played = referee != "none"
    return {
        "games": len(records),
        "unanswerable": len(unanswerable),
        "lost_at_ingest": sum(record["truth"] is None for record in answerable),
        "opening_sentence_exact": _share([sentence_read_right(record) for record in readable]),
        "measures": {name: round(float(value.mean()), 6) for name, value in values.items()} if answerable else {},
        "intervals": {name: [round(end, 6) for end in interval(value, seed)] for name, value in values.items()},
        "book_resolved": _share([book_right(record) for record in answerable]),
        "abstained": sum(not record["search"]["relevant"] for record in answerable),
        "abstained_unanswerable": sum(not record["search"]["relevant"] for record in unanswerable),
        **_play_measures(answerable if played else [], repeats, seed),
        "latency_ms": {
            "embed": _percentiles([record["search"]["embed_ms"] for record in answerable]),
            "search": _percentiles([record["search"]["search_ms"] for record in answerable]),
            "questions": _percentiles([ms for record in answerable if (ms := record["questions_ms"]) is not None]),
            "decide": _percentiles([ms for record in answerable if (ms := record["decide_ms"]) is not None]),
        },
        "referee": referee,
        "settings": as_dict(settings),
        "store_fingerprint": store_fingerprint,
        "games_digest": games_digest(records),
        "commit": commit(),
        "seed": seed,
        "repeats": repeats,
        "per_game": [_game(record, repeat, played=played) for repeat in range(repeats) for record in answerable],
    }


def games_digest(records: Sequence[GameRecord]) -> str:
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
        for record in records
    ]
    return hashlib.sha256(json.dumps(games).encode()).hexdigest()[:16]


def play_of(record: GameRecord, repeat: int) -> PlayRecord | None:
    """The record's play of that repeat, None if it was not played."""
    return record["plays"][repeat] if repeat < len(record["plays"]) else None


def _game(record: GameRecord, repeat: int, *, played: bool) -> dict[str, Any]:
    play, rank = play_of(record, repeat), record["search"]["rank"]
    hit = record["search"]["hits"][rank - 1] if rank else None
    return {
        "game_id": record["game_id"],
        "repeat": repeat,
        "rank": rank,
        "slot": hit["slot"] if hit else None,
        "strategy": hit["strategy"] if hit else None,
        "guess_rank": play["guess_rank"] if play else None,
        "won": (play is not None and play["won"]) if played else None,
        "lost_at": lost_at(record, play),
        "fate": fate(record, play),
    }


def _play_measures(records: Sequence[GameRecord], repeats: int, seed: int) -> dict[str, Any]:
    """What only a played game has; all null without a referee. A game lost at ingest counts as lost, with score 0."""
    if not records:
        return dict.fromkeys(PLAY_KEYS)
    plays = [play_of(record, repeat) for record in records for repeat in range(repeats)]
    won = by_game(records, repeats)
    return {
        "win_rate": round(float(won.mean()), 6),
        "win_rate_interval": [round(end, 6) for end in interval(won, seed)],
        "sentence_exact": _share([play is not None and play["sentence_exact"] for play in plays]),
        "private_score": round(float(np.mean([play["private_score"] if play else 0.0 for play in plays])), 4),
        "associative_word_exact": _share([play is not None and play["word_exact"] for play in plays]),
        "associative_word_top20": _share([play is not None and play["word_top20"] for play in plays]),
    }


def by_game(records: Sequence[GameRecord], repeats: int) -> NDArray[np.float64]:
    """(n_games,) share of a game's repeats that were won: repeats of a game are no games of their own."""
    return np.array([sum(play["won"] for play in record["plays"]) / repeats for record in records])


def _share(flags: Sequence[bool]) -> float | None:
    """Share of true ones, None of nothing."""
    return round(sum(flags) / len(flags), 6) if flags else None


def _percentiles(values: Sequence[float]) -> dict[str, float] | None:
    if not values:
        return None
    p50, p95 = np.percentile(values, [50, 95])
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3)}
