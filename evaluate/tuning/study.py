"""A study of search settings: trials on training games, and a choice among the best on validation games."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import optuna
from optuna.distributions import (
    CategoricalDistribution,
    IntDistribution,
)
from optuna.samplers import TPESampler
from optuna.storages import BaseStorage, fail_stale_trials
from optuna.study import MaxTrialsCallback
from optuna.trial import FrozenTrial, TrialState
from tqdm.auto import tqdm

from configs.settings import SearchSettings
from evaluate.games.labelled import Split
from evaluate.tuning.objective import OBJECTIVE, evaluate_settings
from evaluate.tuning.prepared import Prepared
from evaluate.tuning.space import (
    Space,
    find_nearest_parameters,
    list_grid_points,
    make_trial_settings,
)
from evaluate.tuning.storage import (
    IN_PLACE_OF,
    STALE_S,
    run_again,
)
from player.round import Json
from quarry.interrupts import add_to_line
from quarry.parallel import TaskExecutor, run_one
from quarry.terminal import pluralize

N_FINALISTS = 20
"""Number of best trials on the training games that are compared on the validation games."""
POLL_S = 0.05
"""Number of seconds between two checks of the trials of other processes."""


Splits = Mapping[Split, Prepared]
"""Prepared games of each split."""


@dataclass(frozen=True, slots=True)
class StudyResult:
    """Result of a study.

    Attributes:
        settings: the chosen settings; the untuned ones if no trial was better on the validation games.
        objectives: objectives on the validation games: of the untuned settings, then of the best trials.
        trials: all complete trials, in order.
        n_before: number of complete trials that were in the storage before.
        seconds: duration of the new trials.
    """

    settings: SearchSettings
    objectives: Sequence[float]
    trials: Sequence[FrozenTrial]
    n_before: int
    seconds: float


def run_study(
    space: Space,
    splits: Splits,
    base: SearchSettings,
    *,
    name: str,
    n_trials: int,
    seed: int,
    storage: BaseStorage,
    executor: TaskExecutor,
    shown_storage: str = "",
    store: str = "",
) -> StudyResult:
    """Run trials until the study has `n_trials`, and choose among the best.

    Args:
        space: values of the tuned keys.
        splits: prepared games.
        base: the untuned settings: the first trial, and the values of keys that are not tuned.
        name: name of the study; a study with that name in the storage is resumed.
        n_trials: number of trials of the study in the end.
        seed: seed of the sampler; with one worker, the same seed gives the same study, even if it is resumed.
        storage: opened storage; other processes may share the study.
        executor: evaluates the settings of trials, as many at a time as it has workers.
        shown_storage: name of the storage for the line after Ctrl-C; "" if it is in memory.
        store: location of the store, which is an attribute of the study.

    Raises:
        WorkerError: workers cannot evaluate.
    """
    untuned = find_nearest_parameters(space, base)
    study = optuna.create_study(
        study_name=name,
        storage=storage,
        direction="maximize",
        load_if_exists=True,
    )
    for parameters in list_grid_points(space) or [untuned]:
        study.enqueue_trial(parameters, skip_if_exists=True)
    _wait_for_running(study)
    n_before = len(find_complete_trials(study))
    attributes = {
        "objective": OBJECTIVE,
        "tuned": list(space),
        "store": store,
        "untuned": untuned,
    }
    for key, value in attributes.items():
        study.set_user_attr(key, value)

    started = time.perf_counter()
    shared = executor.share(splits["train"])

    def objective(trial: optuna.Trial) -> float:
        settings = make_trial_settings(_draw(space, trial), base)
        evaluation = run_one(executor, evaluate_settings, shared, settings)
        for part, value in evaluation.objective_terms.items():
            trial.set_user_attr(part, value)
        return evaluation.objective

    _run_trials(study, objective, n_trials, seed, executor.n_workers, shown_storage)
    seconds = time.perf_counter() - started
    trials = find_complete_trials(study)

    # the untuned settings and the best trials, on the validation games
    finalists = [base]
    for trial in sort_trials(trials):
        settings = make_trial_settings(trial.params, base)
        if settings not in finalists and len(finalists) <= N_FINALISTS:
            finalists.append(settings)
    validation = splits["validation"]
    objectives = [
        evaluate_settings(validation, settings).objective for settings in finalists
    ]
    best = finalists[int(np.argmax(objectives))]
    return StudyResult(best, objectives, trials, n_before, seconds)


def _run_trials(
    study: optuna.Study,
    objective: Callable[[optuna.Trial], float],
    n_trials: int,
    seed: int,
    n_workers: int,
    shown_storage: str,
) -> None:
    """Run trials until the study has `n_trials`, including those of other processes.

    A single worker draws each trial with a seed that depends on the number of earlier trials that have not failed.
    Hence the trial after a failed one draws the same parameters, even if the study is resumed.
    """
    bar = tqdm(total=n_trials, desc="tuning", unit="trial")

    def show_progress(*_: object) -> None:
        """Update the progress bar and the line after Ctrl-C; Optuna calls this after each trial."""
        trials = find_complete_trials(study)
        if trials:
            best = max(trial.value or 0.0 for trial in trials)
            bar.set_postfix(best=f"{best:.4f}", refresh=False)
        bar.update(min(len(trials), n_trials) - bar.n)
        n_kept = pluralize(len(trials), "trial")
        add_to_line(
            f"; {n_kept} of {n_trials} in {shown_storage}, the same command goes on"
            if shown_storage
            else f"; {n_kept} of {n_trials} lost, --storage FILE keeps them"
        )

    with bar:
        show_progress()
        while (n_missing := n_trials - len(find_complete_trials(study))) > 0:
            states = [trial.state for trial in study.get_trials(deepcopy=False)]
            n_drawn = len(states) - states.count(TrialState.FAIL)
            (state,) = np.random.SeedSequence([seed, n_drawn]).generate_state(1)
            study.sampler = TPESampler(seed=int(state))
            n_at_once = 1 if n_workers == 1 else n_missing
            study.optimize(
                objective,
                n_trials=n_at_once,
                n_jobs=n_workers,
                callbacks=[MaxTrialsCallback(n_trials), show_progress],
            )


def _draw(space: Space, trial: optuna.Trial) -> Json:
    """Draw the parameters of a trial from a space."""
    for key, bounds in space.items():
        if isinstance(bounds, CategoricalDistribution):
            trial.suggest_categorical(key, bounds.choices)
        elif isinstance(bounds, IntDistribution):
            trial.suggest_int(key, bounds.low, bounds.high, step=bounds.step)
        else:
            trial.suggest_float(key, bounds.low, bounds.high, step=bounds.step)
    return trial.params


def _wait_for_running(study: optuna.Study) -> None:
    """Wait until the trials that run now have ended, or are lost because their process was killed."""

    def running() -> dict[int, FrozenTrial]:
        fail_stale_trials(study)
        trials = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
        return {trial.number: trial for trial in trials}

    until = time.monotonic() + 2.0 * STALE_S
    at_start = running().keys()
    while at_start & running().keys() and time.monotonic() < until:
        time.sleep(POLL_S)

    for number, trial in running().items():
        # killed before its first heartbeat: Optuna would take it for running for ever
        if number in at_start and not trial.params:
            study.tell(number, state=TrialState.FAIL, skip_if_finished=True)
            run_again(study, trial)


def find_complete_trials(study: optuna.Study) -> list[FrozenTrial]:
    """Return the trials with a value, without those of dead processes."""
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def sort_trials(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Sort complete trials by their values, the best first; of equal ones, the earlier first."""

    def order_key(trial: FrozenTrial) -> tuple[float, int]:
        return -(trial.value or 0.0), trial.user_attrs.get(IN_PLACE_OF, trial.number)

    return sorted(trials, key=order_key)
