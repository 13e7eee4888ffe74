"""The table of the player against referees: games won, private score, and the calibration of its confidence."""

from collections.abc import Collection, Sequence
from dataclasses import asdict

import numpy as np

from configs.settings import Settings
from evaluate.referee.spec import HINT_ALONE, SeededSpec
from evaluate.runs.dataframe import build_frame, round_mean
from evaluate.runs.measures import compute_figure
from evaluate.runs.record import ReplayRecord
from player.round import Json
from quarry.version import commit

MEAN_COLUMNS = ["won", "private_score", "sentence_exact", "confidence"]
"""Columns of the plays whose means are in the table."""
SHARES = {"won", "sentence_exact"}
"""Columns whose means are shares of games."""
MIN_DOUBT = 1e-4
"""Minimum distance of a confidence from 0 and 1 before its logarithm is taken."""


def make_table(
    records: Collection[ReplayRecord],
    referees: Sequence[SeededSpec],
    store_fingerprint: str,
    settings: Settings,
    seed: int,
) -> Json:
    """Compute games won, private score, Brier and log score of the confidence for each referee and the hint alone.

    A game that was lost at ingest counts as lost, with score 0; it is left out of the Brier and log scores. The lower
    these two are, the better.

    Args:
        records: records of the answerable games, of which one at least was played.
        referees: the referees, in the order of the plays.
        store_fingerprint: fingerprint of the course.
        settings: settings of the player.
        seed: seed of the intervals.

    Reference:
        Brier, Verification of Forecasts Expressed in Terms of Probability, 1950; Good, Rational Decisions, 1952.
    """
    frame = build_frame(records, len(referees), has_referee=True)
    specs = [spec for spec, _ in referees]
    frame["referee"] = frame["repeat"].map(specs.__getitem__)
    lost = frame[:: len(referees)]["paragraph_id"].isna()

    plays = frame.set_index(["referee", "game_id"])[MEAN_COLUMNS].astype(float)
    plays = plays.fillna({"private_score": 0.0, "sentence_exact": 0.0})
    plays["brier"] = (plays["confidence"] - plays["won"]) ** 2
    sure = plays["confidence"].clip(MIN_DOUBT, 1.0 - MIN_DOUBT)
    plays["log_score"] = -np.log(sure.where(plays["won"] > 0.0, 1.0 - sure))
    games = plays.groupby(level=[0, 1], sort=False).mean()
    gain = games["won"] - games["won"].xs(HINT_ALONE, level=0)
    games.insert(1, "won_more_than_hint", gain)

    lines: dict[str, Json] = {}
    for spec in dict.fromkeys(specs):
        line: Json = {"plays": specs.count(spec)}
        for name, column in games.loc[spec].drop(columns="confidence").items():
            values = column.dropna().to_numpy()
            mean, ends = compute_figure(values, seed, is_share=name in SHARES)
            line |= {str(name): mean, f"{name}_interval": ends}
        line["confidence"] = round_mean(games.loc[spec]["confidence"])
        lines[spec] = line
    per_game = []
    for game_id, shares in games["won"].round(6).groupby(level=1, sort=False):
        per_game.append({"game_id": game_id, "won": shares.droplevel(1).to_dict()})
    return {
        "games": len(lost),
        "lost_at_ingest": int(lost.sum()),
        "hint_alone": lines.pop(HINT_ALONE),
        "referees": [{"referee": spec, **line} for spec, line in lines.items()],
        "settings": asdict(settings),
        "store_fingerprint": store_fingerprint,
        "commit": commit(),
        "seed": seed,
        "per_game": per_game,
    }
