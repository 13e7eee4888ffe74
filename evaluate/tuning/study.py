"""A study: fit on the training games, choose on the validation games, report the test games once."""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import BaseStorage
from optuna.trial import TrialState
from scipy import stats
from tqdm import tqdm

from configs.settings import SearchSettings
from evaluate.compare import ALPHA, randomisation_p
from evaluate.measures import CONFIDENCE, N_RESAMPLES
from evaluate.tuning.course import Prepared
from evaluate.tuning.objective import Judged, judge
from evaluate.tuning.space import GAMES_A_PARAMETER, N_PARAMETERS, TUNED, settings_of, suggest, values_of
from evaluate.tuning.storage import load_study, open_storage

N_FINALISTS = 20
"""Best trials on the training games among which the validation games choose."""


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
        settings: chosen; the untuned ones where none was better on the validation games.
        seconds: that its trials took now; cpu_seconds: of this process, 0 where others did the work; n_before: trials
            that were there already.
    """

    settings: SearchSettings
    study: optuna.Study
    seconds: float
    cpu_seconds: float
    n_before: int


def run_study(
    splits: Splits,
    base: SearchSettings,
    *,
    name: str,
    n_trials: int,
    seed: int,
    storage: str | None,
    n_workers: int,
    progress: bool = True,
) -> Tuned:
    """Trials until the study has `n_trials`, and the choice among the best.

    Args:
        base: the untuned settings: the first trial, and what is not tuned.
        name: of the study; one of that name in the storage goes on.
        seed: of the sampler; one worker and one seed give one study.
        storage: as `open_storage` takes it.
        n_workers: processes that share the study.

    Raises:
        TuneError: the storage cannot be reached.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with tempfile.TemporaryDirectory(prefix="quarry-study-") as folder:
        if n_workers > 1 and storage is None:
            storage = str(Path(folder) / "study.journal")
        opened = open_storage(storage)
        study = load_study(opened, name)
        n_before = len(_complete(study))
        if not study.trials:
            study.enqueue_trial(values_of(base))
        started, cpu_started = time.perf_counter(), time.process_time()
        if n_workers == 1:
            _optimise(splits.train, base, opened, name, n_trials, seed + n_before, progress=progress)
        else:
            _share(splits.train, base, str(storage), name, n_trials, seed + n_before, n_workers)
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
        study = _in_memory(load_study(opened, name))
    return Tuned(_choose(study, splits, base), study, seconds, cpu_seconds, n_before)


def work(train: Prepared, base: SearchSettings, storage: str, name: str, n_trials: int, seed: int) -> None:
    """One process's share of a study."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    _optimise(train, base, open_storage(storage), name, n_trials, seed, progress=False)


def _share(
    train: Prepared, base: SearchSettings, storage: str, name: str, n_trials: int, seed: int, n_workers: int
) -> None:
    with ProcessPoolExecutor(n_workers, multiprocessing.get_context("spawn")) as pool:
        futures = [
            pool.submit(work, train, base, storage, name, n_trials, seed + 1_000 * worker)
            for worker in range(n_workers)
        ]
        for future in futures:
            future.result()


def _optimise(
    train: Prepared,
    base: SearchSettings,
    storage: BaseStorage,
    name: str,
    n_trials: int,
    seed: int,
    *,
    progress: bool,
) -> None:
    study = load_study(storage, name, optuna.samplers.TPESampler(seed=seed))
    done = len(_complete(study))
    if done >= n_trials:
        return
    bar = tqdm(total=n_trials, initial=done, desc="tuning", unit="trial", disable=not progress, file=sys.stderr)
    with bar:

        def objective(trial: optuna.Trial) -> float:
            value = judge(train, suggest(trial, base)).objective
            bar.update()
            return value

        # counts the trials of all processes, so that together they make as many as were asked for
        enough = optuna.study.MaxTrialsCallback(n_trials, states=(TrialState.COMPLETE,))
        study.optimize(objective, callbacks=[enough])


def _in_memory(study: optuna.Study) -> optuna.Study:
    """A copy that outlives its storage."""
    copy = optuna.create_study(study_name=study.study_name, direction="maximize")
    copy.add_trials(_complete(study))
    return copy


def _complete(study: optuna.Study) -> list[optuna.trial.FrozenTrial]:
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _choose(study: optuna.Study, splits: Splits, base: SearchSettings) -> SearchSettings:
    """The best on the validation games among the best on the training games and the untuned settings."""
    best_first = sorted(_complete(study), key=lambda trial: (-(trial.value or 0.0), trial.number))
    finalists: list[SearchSettings] = [base]
    for trial in best_first:
        settings = settings_of(trial.params, base)
        if settings not in finalists:
            finalists.append(settings)
        if len(finalists) > N_FINALISTS:
            break
    return max(finalists, key=lambda settings: judge(splits.validation, settings).objective)


def report(tuned: Tuned, splits: Splits, base: SearchSettings, seed: int) -> dict[str, Any]:
    """The figures of a study: tuned next to untuned on each split, whether the gain on the test games is significant.

    Returns:
        "tuned" and "untuned": by split, as `Judged.as_json`; "gain": of RR on the test games; "verdict" and "warnings"
        in words; "importance": by parameter.
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
        "verdict": _verdict(gain),
        "warnings": _warnings(splits),
        "importance": importance(tuned.study),
    }


def importance(study: optuna.Study) -> dict[str, float]:
    """Share of the objective's variance that each parameter explains, largest first; empty for too few trials.

    Reference:
        Hutter, Hoos and Leyton-Brown, An Efficient Approach for Assessing Hyperparameter Importance, 2014.
    """
    values = {trial.value for trial in _complete(study)}
    if len(values) < 4:
        return {}
    evaluator = optuna.importance.FanovaImportanceEvaluator(n_trees=32, seed=0)
    found = optuna.importance.get_param_importances(study, evaluator=evaluator)
    return {name: round(float(share), 4) for name, share in found.items()}


def tuned_values(settings: SearchSettings) -> Mapping[str, Any]:
    """What configs/tuned.yaml sets."""
    return {name: getattr(settings, name) for name in TUNED}


def _gain(tuned: Judged, untuned: Judged, seed: int) -> dict[str, Any]:
    differences = tuned.reciprocal_ranks - untuned.reciprocal_ranks
    low = high = float(differences[0])
    if (differences != differences[0]).any():
        found = stats.bootstrap(
            (differences,),
            lambda values, axis: values.mean(axis=axis),
            n_resamples=N_RESAMPLES,
            confidence_level=CONFIDENCE,
            method="percentile",
            rng=seed,
        ).confidence_interval
        low, high = float(found.low), float(found.high)
    return {
        "measure": "RR",
        "difference": round(float(differences.mean()), 6),
        "interval": [round(low, 6), round(high, 6)],
        "p": round(randomisation_p(differences, seed), 6),
    }


def _verdict(gain: Mapping[str, Any]) -> str:
    if gain["p"] >= ALPHA:
        return "the gain on the test games is not significant: these games cannot tell tuned from untuned"
    better = "better" if gain["difference"] > 0 else "WORSE"
    return f"tuned is {better} than untuned on the test games"


def _warnings(splits: Splits) -> list[str]:
    counts = {name: len(getattr(splits, name).games) for name in ("train", "validation", "test")}
    return [
        f"{n_games} {name} games are few for {N_PARAMETERS} parameters: {GAMES_A_PARAMETER * N_PARAMETERS} or more "
        "would tell more"
        for name, n_games in counts.items()
        if n_games < GAMES_A_PARAMETER * N_PARAMETERS
    ]


def history(trials: Sequence[optuna.trial.FrozenTrial]) -> list[dict[str, Any]]:
    """Every trial's numbers and objective, in order."""
    return [{"number": trial.number, "value": trial.value, "params": dict(trial.params)} for trial in trials]
