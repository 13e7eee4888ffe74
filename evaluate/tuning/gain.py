"""The gain of tuned settings over untuned ones, tested on the test games."""

from configs.settings import SearchSettings
from evaluate.runs.comparison import ALPHA, randomisation_p
from evaluate.runs.measures import compute_figure
from evaluate.tuning.objective import TESTED_MEASURE, evaluate_settings
from evaluate.tuning.space import Space
from evaluate.tuning.study import Splits, StudyResult
from player.round import Json

GAMES_A_PARAMETER = 10
"""Minimum number of games for each parameter; a fit on fewer games says little about other games."""


def report_gain(
    space: Space, tuned: StudyResult, splits: Splits, base: SearchSettings, seed: int
) -> Json:
    """Compare tuned with untuned settings on each split, and test the gain on the test games.

    Returns:
        "tuned" and "untuned": figures by split, as `Evaluation.as_json` returns them; "gain": the gain on the test
        games; "verdict" and "warnings" in words.
    """
    document: Json = {}
    values = []
    for kind, settings in (("untuned", base), ("tuned", tuned.settings)):
        document[kind] = {}
        for split, games in splits.items():
            evaluation = evaluate_settings(games, settings)
            document[kind][split] = evaluation.as_json(seed)
            if split == "test":
                values.append(evaluation.measures[TESTED_MEASURE])

    differences = values[1] - values[0]
    difference, interval = compute_figure(differences, seed)
    p = randomisation_p(differences, seed)
    document["gain"] = {
        "measure": TESTED_MEASURE,
        "difference": difference,
        "interval": interval,
        "p": round(p, 6),
    }
    if tuned.settings == base:
        untuned, *others = tuned.objectives
        best = max(others, default=untuned)
        document["verdict"] = (
            f"the untuned settings stay: they have {untuned:.4f} on the validation games, and the best trial there, of "
            f"the {len(others)} that were best on the training games, has {best:.4f}"
        )
    elif p >= ALPHA:
        document["verdict"] = (
            "the gain on the test games is not significant: these games cannot tell tuned from untuned"
        )
    else:
        better = "better" if differences.sum() > 0.0 else "WORSE"
        document["verdict"] = f"tuned is {better} than untuned on the test games"

    enough = GAMES_A_PARAMETER * len(space)
    document["warnings"] = []
    for split, games in splits.items():
        if (n_games := len(games.games)) < enough:
            document["warnings"].append(
                f"{n_games} {split} games are few for {len(space)} parameters of search: {enough} or more would tell "
                "more"
            )
    return document
