"""The table of the player against referees: games won, private score, and how far its confidence can be believed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from quarry.configs.settings import Settings, as_dict
from quarry.evaluate.errors import RunError
from quarry.evaluate.referee.simulated import Judge
from quarry.evaluate.referee.spec import HINT_ALONE
from quarry.evaluate.runs.measures import bootstrap_interval, interval
from quarry.evaluate.runs.record import GameRecord
from quarry.evaluate.runs.run import commit
from quarry.ingest.arrays import Float64Array

SURE = 1e-4
"""Least distance of a confidence from 0 and 1 where its logarithm is taken."""


def make_table(
    records: Collection[GameRecord], judges: Sequence[Judge], store_fingerprint: str, settings: Settings, seed: int
) -> dict[str, Any]:
    """Return games won, private score, Brier and log score of the confidence for each referee and the hint alone.

    A game that was lost at ingest counts as lost, with score 0; the confidence is judged by the others: the smaller
    both scores are, the better.

    Args:
        records: the records of the games; those that are not answerable are left out.
        judges: the referees that the games were played against, in the order of the plays.
        seed: the seed of the intervals.

    Raises:
        RunError: no game is answerable.

    Reference:
        Brier, Verification of Forecasts Expressed in Terms of Probability, 1950; Good, Rational Decisions, 1952.
    """
    game_ids, found = [], []
    for record in records:
        if record["answerable"]:
            game_ids.append(record["game_id"])
            found.append(
                [
                    (play["won"], play["sentence_exact"], play["private_score"], float(play["guess"]["confidence"]))
                    for play in record["plays"]
                ]
                or [(False, False, 0.0, np.nan)] * len(judges)
            )
    if not found:
        raise RunError(f"--games must hold at least one answerable game, got none of {len(records)}; add some")
    won, exact, scores, confidence = np.array(found, dtype=np.float64).transpose(2, 0, 1)  # each (n_games, n_plays)
    played = ~np.isnan(confidence[:, 0])
    specs = np.array([spec for spec, _ in judges])
    shares = {spec: won[:, specs == spec].mean(axis=1) for spec in dict.fromkeys(specs.tolist())}
    lines: dict[str, dict[str, Any]] = {}
    for spec, share in shares.items():
        its = specs == spec
        stated, right = confidence[played][:, its], won[played][:, its]
        sure = np.clip(stated, SURE, 1.0 - SURE)
        figures: dict[str, tuple[Float64Array, Callable[[Float64Array, int], tuple[float, float]]]] = {
            "won": (share, interval),
            "won_more_than_hint": (share - shares[HINT_ALONE], bootstrap_interval),
            "private_score": (scores[:, its].mean(axis=1), interval),
            "sentence_exact": (exact[:, its].mean(axis=1), interval),
            "brier": (((stated - right) ** 2).mean(axis=1), interval),
            "log_score": (-np.log(np.where(right > 0.0, sure, 1.0 - sure)).mean(axis=1), interval),
        }
        lines[spec] = {"plays": int(its.sum())}
        for name, (values, interval_of) in figures.items():
            ends = [round(end, 6) for end in interval_of(values, seed)] if len(values) else None
            lines[spec] |= {name: _mean(values), f"{name}_interval": ends}
        lines[spec]["confidence"] = _mean(stated.mean(axis=1))
    return {
        "games": len(found),
        "lost_at_ingest": int((~played).sum()),
        "hint_alone": lines.pop(HINT_ALONE),
        "referees": [{"referee": spec, **line} for spec, line in lines.items()],
        "settings": as_dict(settings),
        "store_fingerprint": store_fingerprint,
        "commit": commit(),
        "seed": seed,
        "per_game": [
            {"game_id": game_id, "won": {spec: round(float(share[row]), 6) for spec, share in shares.items()}}
            for row, game_id in enumerate(game_ids)
        ],
    }


def _mean(values: Float64Array) -> float | None:
    return round(float(values.mean()), 6) if len(values) else None
