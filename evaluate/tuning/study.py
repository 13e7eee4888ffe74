"""A study of search settings: trials on training games, a choice on validation games, a report on test games."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
import optuna
import yaml
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.exceptions import UpdateFinishedTrialError
from optuna.pruners import MedianPruner, NopPruner
from optuna.samplers import TPESampler
from optuna.storages import BaseStorage, fail_stale_trials
from optuna.storages._heartbeat import get_heartbeat_thread
from optuna.trial import FrozenTrial, TrialState
from tqdm.auto import tqdm

from quarry.configs.executors import Tasks, result_of
from quarry.configs.settings import CONFIG_DIR, SearchSettings
from quarry.evaluate.errors import TuneError
from quarry.evaluate.games.labelled import Split
from quarry.evaluate.runs.comparison import ALPHA, randomisation_p
from quarry.evaluate.runs.measures import bootstrap_interval
from quarry.evaluate.tuning.prepared import MEASURE, OBJECTIVE, Judged, Prepared, judge
from quarry.evaluate.tuning.storage import EXTRA, GRACE_S, INDEX, index_of, open_storage, patiently, without_password

SPACE = CONFIG_DIR / "space.yaml"
Space = Mapping[str, FloatDistribution | IntDistribution]
"""Values that each key of the search's settings may take, in order."""
N_FINALISTS = 20
"""Number of best trials on the training games that are compared on the validation games."""
NOTHING_BETTER = "none of the trials was better on the validation games: the untuned settings stay"
GAMES_A_PARAMETER = 10
"""Games for each parameter that a study should have; with fewer, a fit says little about other games."""
PAUSE_S = 0.05
"""Seconds between two checks of the trials of other processes."""
N_BATCHES = 4
"""Batches of training games after each of which a hopeless trial can be pruned."""
N_WARM_START = 10
"""Best trials of an earlier study that a warm start runs first."""


Splits = Mapping[Split, Prepared]
"""Prepared games of each split."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """Result of a study.

    Attributes:
        settings: the chosen ones; the untuned ones if no trial was better on the validation games.
        trials: all complete trials, in order.
        n_before: complete trials that were in the storage before.
        seconds: time of the new trials.
    """

    settings: SearchSettings
    trials: Sequence[FrozenTrial]
    n_before: int
    seconds: float


class _SeededSampler(TPESampler):
    """TPE that draws every trial with a new seed: the study's seed plus the trial's index.

    The index of a trial is its position in the study, where a trial that repeats a lost one has the index of the lost
    one. A study that is killed and resumed therefore draws the same trials as without the kill.

    Args:
        seed: the seed of the study.
        given: parameters of the trials with the lowest indices, which are not drawn.
    """

    def __init__(self, seed: int, given: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(seed=seed)
        self._seed = seed
        self._given = given
        self._index = 0

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Start again with the seed of the trial."""
        self._index = index_of(study.get_trials(deepcopy=False), trial)
        super().__init__(seed=self._seed + self._index)
        super().before_trial(study, trial)

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Return the parameters that are drawn together; {} if they are given."""
        return {} if self._index < len(self._given) else super().infer_relative_search_space(study, trial)

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Return the given value of a parameter, or draw one."""
        if self._index < len(self._given):
            return self._given[self._index][param_name]
        return super().sample_independent(study, trial, param_name, param_distribution)


def run_study(
    space: Space,
    splits: Splits,
    base: SearchSettings,
    *,
    name: str,
    n_trials: int,
    seed: int,
    storage: str | None,
    executor: Tasks,
    prune: bool = False,
    warm_start: str | None = None,
    progress: bool = True,
    attributes: Mapping[str, Any] | None = None,
) -> Tuned:
    """Run trials until the study has `n_trials`, and choose among the best.

    Args:
        base: the untuned settings, which are the first trial and give the values of keys that are not tuned.
        name: the name of the study; a study of that name in the storage is resumed.
        seed: the seed of the sampler; one worker and one seed give one study, also if it is killed and resumed.
        storage: as `open_storage` takes it; other processes may share the study there.
        executor: judges the settings of trials, at most one trial more at a time than it has workers.
        prune: True to stop a trial that is worse on its first games than the median of the earlier trials.
        warm_start: storage of an earlier study; its best trials are run first.
        attributes: the attributes of the study, for other tools, such as its store and games.

    Raises:
        TuneError: the storage cannot be reached, or has not answered for `PATIENCE_S`.
    """
    opened = open_storage(storage)
    given = [numbers_of(space, base), *(_best_of(warm_start, name, space, base) if warm_start else ())]
    sampling = _Sampling(name, n_trials, seed, given, prune)
    study = patiently(lambda: sampling.load(opened))
    at_start = patiently(lambda: _numbers_running(study))
    while at_start & patiently(lambda: _numbers_running(study)):
        time.sleep(PAUSE_S)  # trials of processes that are at work or were killed
    n_before = len(patiently(lambda: complete(study)))
    for key, value in {"objective": OBJECTIVE, "tuned": list(space), **(attributes or {})}.items():
        patiently(partial(study.set_user_attr, key, value))
    started = time.perf_counter()
    batches = _batches(splits["train"]) if prune else (splits["train"],)
    shared = [executor.share(batch) for batch in batches]
    ended = threading.Event()

    def work(*, progress: bool = False) -> None:
        try:
            _run_trials(space, shared, base, sampling, opened, executor, ended, progress=progress)
        finally:
            ended.set()

    n_others = executor.n_workers if executor.n_workers > 1 else 0  # one trial is drawn while the others are judged
    with ThreadPoolExecutor(executor.n_workers) as threads:
        others = [threads.submit(work) for _ in range(n_others)]
        try:
            work(progress=progress)
            for other in others:
                other.result()
        except BaseException:
            executor.shutdown(cancel_futures=True)  # else the other threads would wait for their trials
            raise
    seconds = time.perf_counter() - started
    trials = patiently(lambda: complete(study))
    return Tuned(_choose(trials, splits, base), trials, n_before, seconds)


@dataclass(frozen=True, slots=True)
class _Sampling:
    """How trials are drawn: the study's name, its number of trials, seed, given trials, and whether it is pruned."""

    name: str
    n_trials: int
    seed: int
    given: Sequence[Mapping[str, Any]]
    prune: bool

    def load(self, storage: BaseStorage) -> optuna.Study:
        """Open the study; create it if it does not exist."""
        return optuna.create_study(
            study_name=self.name,
            storage=storage,
            sampler=_SeededSampler(self.seed, self.given),
            pruner=MedianPruner(n_startup_trials=10) if self.prune else NopPruner(),
            direction="maximize",
            load_if_exists=True,
        )


def _run_trials(
    space: Space,
    batches: Sequence[Prepared],
    base: SearchSettings,
    sampling: _Sampling,
    storage: BaseStorage,
    executor: Tasks,
    ended: threading.Event,
    *,
    progress: bool,
) -> None:
    """Run trials until the study has its number of trials, those of other threads and processes included.

    This thread waits for trials of the others and repeats the trials of dead processes.

    Args:
        batches: training games, shared with the executor; a hopeless trial is pruned after one of them.
        ended: set when another thread has ended.

    Raises:
        TuneError: the storage has not answered for `PATIENCE_S`.
        WorkerError: workers cannot judge.
    """
    study = patiently(lambda: sampling.load(storage))

    def judged(settings: SearchSettings, trial: optuna.Trial) -> Judged | None:
        """Judge settings on the batches of games; None if the trial is pruned after one of them."""
        found: Judged | None = None
        for step, batch in enumerate(batches):
            if found is not None:
                trial.report(found.objective, step - 1)
                if trial.should_prune():
                    return None
            more = result_of(executor.submit(judge, batch, settings))
            found = more if found is None else found.joined(more)
        return found

    waits_since = time.monotonic()

    def run_trial(bar: tqdm[Any]) -> bool:
        """Run a trial, or wait for those of other processes; return whether more are needed."""
        nonlocal waits_since
        trials = study.get_trials(deepcopy=False)
        states = Counter(trial.state for trial in trials)
        n_done = states[TrialState.COMPLETE] + states[TrialState.PRUNED]
        bar.update(min(n_done, sampling.n_trials) - bar.n)
        if n_done >= sampling.n_trials:
            return False
        # when all are drawn, only repetitions of lost trials are left; a process may have died before it asked for one
        all_drawn = sum(INDEX not in trial.user_attrs for trial in trials) >= sampling.n_trials
        may_replace = time.monotonic() > waits_since + GRACE_S
        nothing_left = all_drawn and not states[TrialState.WAITING] and not may_replace
        if nothing_left or n_done + states[TrialState.RUNNING] >= sampling.n_trials:
            time.sleep(PAUSE_S)
            fail_stale_trials(study)
            return True
        trial = study.ask(fixed_distributions=dict(space))
        trials = study.get_trials(deepcopy=False)
        is_extra = sum(one.state != TrialState.FAIL for one in trials[: trial.number]) >= sampling.n_trials
        if is_extra or (index_of(trials, trials[trial.number]) >= sampling.n_trials and not may_replace):
            trial.set_user_attr(INDEX, EXTRA)
            study.tell(trial, state=TrialState.FAIL)  # another one has started at the same moment
            return True
        waits_since = time.monotonic()
        # suppressed: another process took this one for dead, and the trial is repeated
        with contextlib.suppress(UpdateFinishedTrialError), get_heartbeat_thread(trial._trial_id, study._storage):
            found = judged(settings_of(trial.params, base), trial)
            for part, value in found.parts.items() if found else ():
                trial.set_user_attr(part, value)
            study.tell(trial, found.objective if found else None, None if found else TrialState.PRUNED)
            if found:
                bar.set_postfix_str(f"best {study.best_value:.4f}", refresh=False)
        return True

    with tqdm(total=sampling.n_trials, desc="tuning", unit="trial", disable=not progress) as bar:
        while not ended.is_set() and patiently(lambda: run_trial(bar), ended):
            pass


def _batches(games: Prepared) -> Sequence[Prepared]:
    """Split games into batches that have the same share of answerable games."""
    rows = np.argsort(~games.is_answerable, kind="stable")
    n = N_BATCHES if games.is_answerable.sum() >= N_BATCHES else 1
    return [games.part(rows[start::n]) for start in range(n)]


def _numbers_running(study: optuna.Study) -> set[int]:
    """Return the numbers of the running trials, without trials of dead processes."""
    fail_stale_trials(study)
    return {trial.number for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))}


def complete(study: optuna.Study) -> list[FrozenTrial]:
    """Return the trials that have a value: neither pruned ones nor those of dead processes."""
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _best_of(storage: str, name: str, space: Space, base: SearchSettings) -> list[dict[str, Any]]:
    """Return parameters of the best trials of the newest study in a storage, brought into a space.

    Args:
        name: the name of the study that is to be run, which is not an earlier one.

    Raises:
        TuneError: the storage cannot be reached, or has no other study with a finished trial.
    """
    opened = open_storage(storage)
    known = optuna.get_all_study_summaries(opened, include_best_trial=False)
    for summary in sorted(known, key=lambda known: known.datetime_start or datetime.min, reverse=True):
        trials = complete(optuna.load_study(study_name=summary.study_name, storage=opened))
        if summary.study_name != name and trials:
            best = sorted(trials, key=lambda trial: (-(trial.value or 0.0), trial.number))[:N_WARM_START]
            return [numbers_of(space, settings_of(trial.params, base)) for trial in best]
    raise TuneError(
        "--warm-start must name a storage that has another study with a finished trial, got "
        f"{without_password(storage)}; name the storage of an earlier tune, or leave --warm-start out"
    )


def _choose(trials: Sequence[FrozenTrial], splits: Splits, base: SearchSettings) -> SearchSettings:
    """Return the settings that are best on the validation games, among the untuned ones and the best trials."""
    finalists = [base]
    for trial in sorted(trials, key=lambda trial: (-(trial.value or 0.0), trial.number)):
        settings = settings_of(trial.params, base)
        if settings not in finalists:
            finalists.append(settings)
        if len(finalists) > N_FINALISTS:
            break
    return max(finalists, key=lambda settings: judge(splits["validation"], settings).objective)


def report(space: Space, tuned: Tuned, splits: Splits, base: SearchSettings, seed: int) -> dict[str, Any]:
    """Compare tuned with untuned settings on each split, and test the gain on the test games.

    Returns:
        "tuned" and "untuned": by split, as `Judged.as_json`; "gain": on the test games; "verdict" and "warnings"
        in words.
    """
    judged = {
        kind: {split: judge(games, settings) for split, games in splits.items()}
        for kind, settings in (("untuned", base), ("tuned", tuned.settings))
    }
    differences = judged["tuned"]["test"].measures[MEASURE] - judged["untuned"]["test"].measures[MEASURE]
    difference, p = float(differences.mean()), randomisation_p(differences, seed)
    gain = {
        "measure": MEASURE,
        "difference": round(difference, 6),
        "interval": [round(end, 6) for end in bootstrap_interval(differences, seed)],
        "p": round(p, 6),
    }
    enough = GAMES_A_PARAMETER * len(space)
    return {
        **{kind: {split: found.as_json(seed) for split, found in each.items()} for kind, each in judged.items()},
        "gain": gain,
        "verdict": NOTHING_BETTER if tuned.settings == base else verdict(p, difference),
        "warnings": [
            f"{len(part.games)} {split} games are few for {len(space)} parameters of search: {enough} or more would "
            "tell more"
            for split, part in splits.items()
            if len(part.games) < enough
        ],
    }


def verdict(p: float, difference: float) -> str:
    """Return the result of the test games in words."""
    if p >= ALPHA:
        return "the gain on the test games is not significant: these games cannot tell tuned from untuned"
    return f"tuned is {'better' if difference > 0 else 'WORSE'} than untuned on the test games"


def load_space() -> Space:
    """Load the bounds of all keys that are tuned."""
    keys: dict[str, dict[str, Any]] = yaml.safe_load(SPACE.read_text(encoding="utf-8"))["search"]
    return {
        key: IntDistribution(**bounds) if isinstance(bounds["low"], int) else FloatDistribution(**bounds)
        for key, bounds in keys.items()
    }


def settings_of(values: Mapping[str, Any], base: SearchSettings) -> SearchSettings:
    """Return settings with a trial's numbers; a number that must not exceed another is lowered to it."""
    drawn = {key: round(value, 10) if isinstance(value, float) else value for key, value in values.items()}
    asked = {**dataclasses.asdict(base), **drawn}
    n_slots = asked["k"] or base.pdf_k + base.global_k
    pdf_k = min(asked["pdf_k"], n_slots)
    global_k = min(asked["global_k"], n_slots - pdf_k)
    asked |= {
        "pdf_k": pdf_k,
        "global_k": global_k if pdf_k + global_k else 1,
        "boost_confidence": min(asked["boost_confidence"], asked["filter_confidence"]),
        "sentence_mean_weight": min(asked["sentence_mean_weight"], round(1.0 - asked["sentence_weight"], 10)),
        "lowered_threshold": min(asked["lowered_threshold"], asked["threshold"]),
    }
    return SearchSettings(**asked)


def numbers_of(space: Space, settings: SearchSettings) -> dict[str, Any]:
    """Return the parameters of the trial that is nearest to these settings."""
    return {key: nearest(bounds, getattr(settings, key)) for key, bounds in space.items()}


def nearest(bounds: FloatDistribution | IntDistribution, value: float) -> float:
    """Return the value within bounds that is nearest to another value."""
    assert bounds.step is not None, "every key of the space has a step"
    steps = round((min(max(value, bounds.low), bounds.high) - bounds.low) / bounds.step)
    found = round(bounds.low + bounds.step * steps, 10)
    return int(found) if isinstance(bounds, IntDistribution) else found
