"""A study: trials on the training games, a choice on the validation games, one report on the test games."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
from optuna.trial import FrozenTrial, TrialState
from tqdm.auto import trange

from quarry.configs.settings import SearchSettings
from quarry.evaluate.runs.comparison import ALPHA, randomisation_p
from quarry.evaluate.runs.measures import bootstrap_interval
from quarry.evaluate.tuning.objective import MEASURE, OBJECTIVE, Judged, judge
from quarry.evaluate.tuning.prepared import Prepared
from quarry.evaluate.tuning.space import Space, numbers_of, settings_of
from quarry.evaluate.tuning.storage import open_storage

N_FINALISTS = 20
"""Best trials on the training games among which the validation games choose."""

NOTHING_BETTER = "none of the trials was better on the validation games: the untuned settings stay"

GAMES_A_PARAMETER = 10
"""Games for each parameter below which a fit says little about other games."""


@dataclass(frozen=True, slots=True)
class Splits:
    """The games of each split, prepared."""

    train: Prepared
    validation: Prepared
    test: Prepared


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a study found.

    Attributes:
        settings: chosen; the untuned ones where no trial was better on the validation games.
        trials: all that are complete, in order.
        n_before: trials that were in the storage already.
        seconds: that the other trials took; cpu_seconds: of this process, 0 where others did the work.
    """

    settings: SearchSettings
    trials: Sequence[FrozenTrial]
    n_before: int
    seconds: float
    cpu_seconds: float


def run_study(
    space: Space,
    splits: Splits,
    base: SearchSettings,
    *,
    name: str,
    n_trials: int,
    seed: int,
    storage: str | None,
    n_workers: int,
    progress: bool = True,
    attributes: Mapping[str, Any] | None = None,
) -> Tuned:
    """Run trials until the study has `n_trials`, and choose among the best.

    Args:
        base: the untuned settings: the first trial, and what is not tuned.
        name: of the study; one of that name in the storage goes on.
        seed: of the sampler; one worker and one seed give one study.
        storage: as `open_storage` takes it.
        n_workers: processes that share the study.
        attributes: of the study, for who looks at it with other tools, such as its store and games.

    Raises:
        TuneError: the storage cannot be reached.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with tempfile.TemporaryDirectory(prefix="quarry-study-") as folder:
        if n_workers > 1 and storage is None:
            storage = str(Path(folder) / "study.journal")
        opened = open_storage(storage)
        study = _load(opened, name, seed)
        n_before = len(complete(study))
        if not study.trials:
            study.enqueue_trial(numbers_of(space, base))
        for key, value in {"objective": OBJECTIVE, "tuned": list(space), **(attributes or {})}.items():
            study.set_user_attr(key, value)
        n_left = max(0, n_trials - n_before)
        started, cpu_started = time.perf_counter(), time.process_time()
        if n_workers == 1:
            run_trials(space, splits.train, base, opened, name, n_left, n_trials, seed + n_before, progress=progress)
        else:
            with ProcessPoolExecutor(n_workers, multiprocessing.get_context("spawn")) as pool:
                futures = [
                    pool.submit(
                        run_trials,
                        *(space, splits.train, base, str(storage), name),
                        len(range(worker, n_left, n_workers)),
                        n_trials,
                        seed + n_before + 1_000 * worker,
                        progress=progress and worker == 0,
                    )
                    for worker in range(n_workers)
                ]
                for future in futures:
                    future.result()
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
        trials = complete(study)
    return Tuned(_choose(trials, splits, base), trials, n_before, seconds, cpu_seconds)


def run_trials(
    space: Space,
    train: Prepared,
    base: SearchSettings,
    storage: optuna.storages.BaseStorage | str | None,
    name: str,
    n_trials: int,
    n_of_study: int,
    seed: int,
    *,
    progress: bool = False,
) -> None:
    """Run some trials of a study in this process; fewer where others give the study as many as it is to have."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    opened = storage if isinstance(storage, optuna.storages.BaseStorage) else open_storage(storage)
    study = _load(opened, name, seed)
    for _ in (bar := trange(n_trials, desc="tuning", unit="trial", disable=not progress)):
        if len(complete(study)) >= n_of_study:
            break
        trial = study.ask(fixed_distributions=dict(space))
        found = judge(train, settings_of(trial.params, base))
        for measure, value in found.as_json(0)["measures"].items():
            trial.set_user_attr(measure, value)
        study.tell(trial, found.objective)
        if progress:
            bar.set_postfix_str(f"best {study.best_value:.4f}", refresh=False)


def _load(storage: optuna.storages.BaseStorage, name: str, seed: int) -> optuna.Study:
    """Open the study of that name; create it if it does not exist."""
    sampler = optuna.samplers.TPESampler(seed=seed)
    return optuna.create_study(
        study_name=name, storage=storage, sampler=sampler, direction="maximize", load_if_exists=True
    )


def complete(study: optuna.Study) -> list[FrozenTrial]:
    """Return the trials that have a value; those of processes that were killed have none."""
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _choose(trials: Sequence[FrozenTrial], splits: Splits, base: SearchSettings) -> SearchSettings:
    """Return the best on the validation games of the best on the training games and the untuned settings."""
    finalists = [base]
    for trial in sorted(trials, key=lambda trial: (-(trial.value or 0.0), trial.number)):
        settings = settings_of(trial.params, base)
        if settings not in finalists:
            finalists.append(settings)
        if len(finalists) > N_FINALISTS:
            break
    return max(finalists, key=lambda settings: judge(splits.validation, settings).objective)


def report(space: Space, tuned: Tuned, splits: Splits, base: SearchSettings, seed: int) -> dict[str, Any]:
    """Compare tuned with untuned settings on each split, and test the gain on the test games.

    Returns:
        "tuned" and "untuned": by split, as `Judged.as_json`; "gain": on the test games; "verdict" and "warnings"
        in words; "significant": whether the verdict is that tuned is better; "importance": by parameter.
    """
    judged: dict[str, dict[str, Judged]] = {
        kind: {split: judge(getattr(splits, split), settings) for split in ("train", "validation", "test")}
        for kind, settings in (("untuned", base), ("tuned", tuned.settings))
    }
    gain = _gain(judged["tuned"]["test"], judged["untuned"]["test"], seed)
    return {
        "tuned": {split: found.as_json(seed) for split, found in judged["tuned"].items()},
        "untuned": {split: found.as_json(seed) for split, found in judged["untuned"].items()},
        "gain": gain,
        "verdict": NOTHING_BETTER if tuned.settings == base else verdict(gain),
        "significant": is_better(gain),
        "warnings": _warnings(space, splits),
        "importance": importance(tuned.trials),
    }


def importance(trials: Sequence[FrozenTrial]) -> dict[str, float]:
    """Return the share of the objective's variance that each parameter explains, largest first; {} for few trials.

    Reference:
        Hutter, Hoos and Leyton-Brown, An Efficient Approach for Assessing Hyperparameter Importance, 2014.
    """
    if len({trial.value for trial in trials}) < 4:
        return {}
    study = optuna.create_study(direction="maximize")
    study.add_trials(trials)
    evaluator = optuna.importance.FanovaImportanceEvaluator(n_trees=32, seed=0)
    found = optuna.importance.get_param_importances(study, evaluator=evaluator)
    return {name: round(float(share), 4) for name, share in found.items()}


def _gain(tuned: Judged, untuned: Judged, seed: int) -> dict[str, Any]:
    differences = tuned.measures[MEASURE] - untuned.measures[MEASURE]
    low, high = bootstrap_interval(differences, seed)
    return {
        "measure": MEASURE,
        "difference": round(float(differences.mean()), 6),
        "interval": [round(low, 6), round(high, 6)],
        "p": round(randomisation_p(differences, seed), 6),
    }


def is_better(gain: Mapping[str, Any]) -> bool:
    """Return whether a gain is one that the test games can show."""
    return bool(gain["p"] < ALPHA and gain["difference"] > 0)


def verdict(gain: Mapping[str, Any]) -> str:
    """Say in words what the test games show."""
    if gain["p"] >= ALPHA:
        return "the gain on the test games is not significant: these games cannot tell tuned from untuned"
    better = "better" if gain["difference"] > 0 else "WORSE"
    return f"tuned is {better} than untuned on the test games"


def _warnings(space: Space, splits: Splits) -> list[str]:
    enough = GAMES_A_PARAMETER * len(space)
    counts = {name: len(getattr(splits, name).games) for name in ("train", "validation", "test")}
    return [
        f"{n_games} {name} games are few for {len(space)} parameters of search: {enough} or more would tell more"
        for name, n_games in counts.items()
        if n_games < enough
    ]


def history(trials: Sequence[FrozenTrial]) -> list[dict[str, Any]]:
    """Return every trial's numbers and objective, in order."""
    return [{"number": trial.number, "value": trial.value, "params": dict(trial.params)} for trial in trials]
