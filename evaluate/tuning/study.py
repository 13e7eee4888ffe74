"""A study: fit on the training games, choose on the validation games, report the test games once."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ProcessPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Generic

import optuna
from optuna.distributions import BaseDistribution
from optuna.trial import TrialState
from tqdm.auto import tqdm

from quarry.evaluate.runs.comparison import ALPHA, randomisation_p
from quarry.evaluate.runs.measures import bootstrap_interval
from quarry.evaluate.tuning.part import G, Judgement, Part, S, Splits
from quarry.evaluate.tuning.storage import load_study, open_storage

N_FINALISTS = 20
"""Best trials on the training games among which the validation games choose."""

LOOK_S = 1.0
"""How often the trials of other processes are counted."""

STALE_S = 600.0
"""A trial takes a second at most: one that has run for so long is that of a process that was killed."""

NOTHING_BETTER = "none of the trials was better on the validation games: the untuned settings stay"

GAMES_A_PARAMETER = 10
"""Games for each parameter below which a fit says little about other games."""


@dataclass(frozen=True, slots=True)
class Tuned(Generic[S]):
    """What a study found.

    Attributes:
        settings: chosen; the untuned ones where none was better on the validation games.
        seconds: that its trials took now; cpu_seconds: of this process, 0 where others did the work; n_before: trials
            that were there already.
    """

    settings: S
    study: optuna.Study
    seconds: float
    cpu_seconds: float
    n_before: int


def run_study(
    part: Part[S, G],
    splits: Splits[G],
    base: S,
    *,
    name: str,
    n_trials: int,
    seed: int,
    storage: str | None,
    n_workers: int,
    progress: bool = True,
    told: Mapping[str, Any] | None = None,
) -> Tuned[S]:
    """Trials until the study has `n_trials`, and the choice among the best.

    Args:
        part: what is tuned.
        base: the untuned settings: the first trial, and what is not tuned.
        name: of the study; one of that name in the storage goes on.
        seed: of the sampler; one worker and one seed give one study.
        storage: as `open_storage` takes it.
        n_workers: processes that share the study.
        told: of the study, for who looks at it with other tools: its store, games and untuned settings.

    Raises:
        TuneError: the storage cannot be reached.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with tempfile.TemporaryDirectory(prefix="quarry-study-") as folder:
        if n_workers > 1 and storage is None:
            storage = str(Path(folder) / "study.journal")
        opened = open_storage(storage)
        study = load_study(opened, name)
        before = _complete(study)
        n_before = len(before)
        if not study.trials:
            study.enqueue_trial(part.values_of(base))
        _describe(study, part, told or {})
        _give_up_stale(study)
        started, cpu_started = time.perf_counter(), time.process_time()
        with contextlib.closing(Bar(part.section, n_trials, before, shown=progress)) as bar:
            if n_workers == 1:
                sampled = load_study(opened, name, _sampler(seed + n_before))
                _optimise(part, splits.train, base, sampled, n_trials, bar)
            else:
                _share(part, splits.train, base, str(storage), name, n_trials, seed + n_before, n_workers, study, bar)
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
        study = _in_memory(load_study(opened, name), part.distributions)
    return Tuned(_choose(part, study, splits, base), study, seconds, cpu_seconds, n_before)


def work(part: Part[S, G], train: G, base: S, storage: str, name: str, n_trials: int, seed: int) -> None:
    """What one of several processes does for a study."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    _optimise(part, train, base, load_study(open_storage(storage), name, _sampler(seed)), n_trials)


def _share(
    part: Part[S, G],
    train: G,
    base: S,
    storage: str,
    name: str,
    n_trials: int,
    seed: int,
    n_workers: int,
    study: optuna.Study,
    bar: Bar,
) -> None:
    """Trials in several processes, until the study has so many."""
    with ProcessPoolExecutor(n_workers, multiprocessing.get_context("spawn")) as pool:
        left = {
            pool.submit(work, part, train, base, storage, name, n_trials, seed + 1_000 * worker)
            for worker in range(n_workers)
        }
        while left:
            done, left = wait(left, timeout=LOOK_S, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
            bar.show(_complete(study))


def _optimise(
    part: Part[S, G],
    train: G,
    base: S,
    study: optuna.Study,
    n_trials: int,
    bar: Bar | None = None,
) -> None:
    """Trials until the study has so many, of whatever processes; together exactly as many."""
    while len(_under_way(study)) < n_trials:
        trial = study.ask()
        try:
            earlier = [other for other in _under_way(study) if other.number < trial.number]
            if len(earlier) >= n_trials:  # another process asked at the same moment
                study.tell(trial, state=TrialState.FAIL)
                return
            settings = part.suggest(trial, base)
            found = part.judge(train, settings)
            for name, value in {**part.values(settings), **found.as_json(0)["measures"]}.items():
                trial.set_user_attr(name, list(value) if isinstance(value, tuple) else value)
        except BaseException:  # also where it is interrupted: whoever goes on does not wait for this trial
            study.tell(trial, state=TrialState.FAIL)
            raise
        study.tell(trial, found.objective)
        if bar is not None:
            bar.show(_complete(study))


def _under_way(study: optuna.Study) -> list[optuna.trial.FrozenTrial]:
    """The trials that are done, and those that some process is at."""
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.RUNNING))


def _give_up_stale(study: optuna.Study, now: datetime | None = None) -> None:
    """Give up the trials of processes that were killed, so that others take their place.

    Args:
        now: the local time, as Optuna keeps it; None looks at the clock.
    """
    now = now or datetime.now()
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        if trial.datetime_start is not None and (now - trial.datetime_start).total_seconds() > STALE_S:
            study.tell(trial.number, state=TrialState.FAIL)


def _describe(study: optuna.Study, part: Part[S, G], told: Mapping[str, Any]) -> None:
    """Tell whoever looks at the storage, with Optuna's dashboard for one, what is tuned on what."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study.set_metric_names([part.objective])
    for name, value in {"section": part.section, "tuned": list(part.tuned), **told}.items():
        study.set_user_attr(name, value)


def _sampler(seed: int) -> optuna.samplers.BaseSampler:
    return optuna.samplers.TPESampler(seed=seed)


class Bar:
    """Progress of a study on standard error, with the best objective on the training games so far.

    Args:
        trials: that are done already.
    """

    def __init__(self, section: str, n_trials: int, trials: Sequence[optuna.trial.FrozenTrial], *, shown: bool) -> None:
        self._bar = tqdm(total=n_trials, desc=f"tuning {section}", unit="trial", disable=not shown, file=sys.stderr)
        self._done = 0
        self._best = -math.inf
        self.show(trials)

    def show(self, trials: Sequence[optuna.trial.FrozenTrial]) -> None:
        """Say how things stand once these are all the trials that are done."""
        for trial in trials[self._done :]:
            self.add(trial.value or 0.0)

    def add(self, value: float) -> None:
        """Say that one more trial is done, and what it reached."""
        self._done += 1
        self._best = max(self._best, value)
        self._bar.set_postfix_str(f"best {self._best:.4f}", refresh=False)
        self._bar.update()

    def close(self) -> None:
        """Leave the line as it is."""
        self._bar.close()


def _in_memory(study: optuna.Study, whole: Mapping[str, BaseDistribution]) -> optuna.Study:
    """A copy that outlives its storage.

    Args:
        whole: all values that a parameter may take, for those that were drawn beneath others: importances are of
            parameters that all trials drew alike.
    """
    copy = optuna.create_study(study_name=study.study_name, direction="maximize")
    copy.add_trials(
        [
            optuna.trial.create_trial(
                params=trial.params,
                distributions={
                    name: whole[name] if name in whole and _holds(whole[name], trial.params[name]) else drawn
                    for name, drawn in trial.distributions.items()
                },
                value=trial.value,
            )
            for trial in _complete(study)
        ]
    )
    return copy


def _holds(distribution: BaseDistribution, value: Any) -> bool:
    """Whether a value is one of a parameter's own; other values may have left none of these."""
    low, high = getattr(distribution, "low", None), getattr(distribution, "high", None)
    return low is None or high is None or bool(low <= value <= high)


def _complete(study: optuna.Study) -> list[optuna.trial.FrozenTrial]:
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _choose(part: Part[S, G], study: optuna.Study, splits: Splits[G], base: S) -> S:
    """The best on the validation games among the best on the training games and the untuned settings."""
    best_first = sorted(_complete(study), key=lambda trial: (-(trial.value or 0.0), trial.number))
    finalists: list[S] = [base]
    for trial in best_first:
        settings = part.settings_of(trial.params, base)
        if settings not in finalists:
            finalists.append(settings)
        if len(finalists) > N_FINALISTS:
            break
    return max(finalists, key=lambda settings: part.judge(splits.validation, settings).objective)


def report(part: Part[S, G], tuned: Tuned[S], splits: Splits[G], base: S, seed: int) -> dict[str, Any]:
    """The figures of a study: tuned next to untuned on each split, whether the gain on the test games is significant.

    Returns:
        "tuned" and "untuned": by split, as `Judgement.as_json`; "gain": on the test games; "verdict" and "warnings"
        in words; "significant": whether the verdict is that tuned is better; "importance": by parameter.
    """
    judged: dict[str, dict[str, Judgement]] = {
        kind: {split: part.judge(getattr(splits, split), settings) for split in ("train", "validation", "test")}
        for kind, settings in (("untuned", base), ("tuned", tuned.settings))
    }
    gain = _gain(part.measure, judged["tuned"]["test"], judged["untuned"]["test"], seed)
    return {
        "tuned": {split: found.as_json(seed) for split, found in judged["tuned"].items()},
        "untuned": {split: found.as_json(seed) for split, found in judged["untuned"].items()},
        "gain": gain,
        "verdict": NOTHING_BETTER if tuned.settings == base else _verdict(gain),
        "significant": is_better(gain),
        "warnings": _warnings(part, splits),
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


def _gain(measure: str, tuned: Judgement, untuned: Judgement, seed: int) -> dict[str, Any]:
    differences = tuned.by_game - untuned.by_game
    low, high = bootstrap_interval(differences, seed)
    return {
        "measure": measure,
        "difference": round(float(differences.mean()), 6),
        "interval": [round(low, 6), round(high, 6)],
        "p": round(randomisation_p(differences, seed), 6),
    }


def is_better(gain: Mapping[str, Any]) -> bool:
    """Whether a gain is one that the test games can show."""
    return bool(gain["p"] < ALPHA and gain["difference"] > 0)


def _verdict(gain: Mapping[str, Any]) -> str:
    if gain["p"] >= ALPHA:
        return "the gain on the test games is not significant: these games cannot tell tuned from untuned"
    better = "better" if gain["difference"] > 0 else "WORSE"
    return f"tuned is {better} than untuned on the test games"


def _warnings(part: Part[S, G], splits: Splits[G]) -> list[str]:
    counts = {name: len(getattr(splits, name).games) for name in ("train", "validation", "test")}
    return [
        f"{n_games} {name} games are few for {part.n_parameters} parameters of {part.section}: "
        f"{GAMES_A_PARAMETER * part.n_parameters} or more would tell more"
        for name, n_games in counts.items()
        if n_games < GAMES_A_PARAMETER * part.n_parameters
    ]


def history(trials: Sequence[optuna.trial.FrozenTrial]) -> list[dict[str, Any]]:
    """Every trial's numbers and objective, in order."""
    return [{"number": trial.number, "value": trial.value, "params": dict(trial.params)} for trial in trials]
