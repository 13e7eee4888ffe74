"""A study of search settings: trials on training games, a choice on validation games, a report on test games."""

import dataclasses
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import optuna
import yaml
from optuna.distributions import (
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import TPESampler
from optuna.storages import fail_stale_trials
from optuna.study import MaxTrialsCallback
from optuna.trial import FrozenTrial, TrialState
from pydantic import ValidationError
from tqdm.auto import tqdm

from configs.errors import SettingsError
from configs.settings import CONFIG_DIR, SearchSettings, fields
from evaluate.errors import TuneError
from evaluate.games.labelled import Split
from evaluate.runs.comparison import ALPHA, randomisation_p
from evaluate.runs.measures import bootstrap_interval, round_ends
from evaluate.tuning.objective import OBJECTIVE, TESTED_MEASURE, evaluate_settings
from evaluate.tuning.prepared import Prepared
from evaluate.tuning.storage import (
    IN_PLACE_OF,
    STALE_S,
    open_storage,
    run_again,
    without_password,
)
from player.round import Json
from player.search.index import DENSE
from quarry.interrupts import add_to_line
from quarry.parallel import TaskExecutor, run_one
from quarry.terminal import pluralize

SPACE = CONFIG_DIR / "space.yaml"
"""File with the bounds of the tuned keys."""
Space = Mapping[str, FloatDistribution | IntDistribution | CategoricalDistribution]
"""Values that each key of the settings of search may take, in order."""
FIXED_KEYS = {
    "strategies",
    "keywords",
    "book_match",
    "deadline_s",
    "cache_size",
    "late_interaction",
}
"""Keys of the settings of search that are the same in all trials."""
N_FINALISTS = 20
"""Number of best trials on the training games that are compared on the validation games."""
UNTUNED_STAY = (
    "the untuned settings stay: they have {untuned:.4f} on the validation games, and the best trial there, of the "
    "{n_trials} that were best on the training games, has {best:.4f}"
)
"""Verdict if no trial is better on the validation games."""
NOT_SIGNIFICANT = (
    "the gain on the test games is not significant: these games cannot tell tuned from "
    "untuned"
)
"""Verdict if the gain is not significant."""
GAMES_A_PARAMETER = 10
"""Minimum number of games for each parameter; a fit on fewer games says little about other games."""
POLL_S = 0.05
"""Number of seconds between two checks of the trials of other processes."""
N_WARM_START = 10
"""Number of best trials of an earlier study that a warm start runs first."""


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
    storage: str | None,
    executor: TaskExecutor,
    warm_start: str | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> StudyResult:
    """Run trials until the study has `n_trials`, and choose among the best.

    Args:
        space: values of the tuned keys.
        splits: prepared games.
        base: the untuned settings: the first trial, and the values of keys that are not tuned.
        name: name of the study; a study with that name in the storage is resumed.
        n_trials: number of trials of the study in the end.
        seed: seed of the sampler; with one worker, the same seed gives the same study, even if it is resumed.
        storage: as in `open_storage`; other processes may share the study.
        executor: evaluates the settings of trials, as many at a time as it has workers.
        warm_start: storage of an earlier study, whose best trials are run first.
        attributes: attributes of the study for other tools, such as its store.

    Raises:
        TuneError: the storage cannot be opened.
        WorkerError: workers cannot evaluate.
    """
    opened_storage = open_storage(storage)
    first = grid_points(space) or [nearest_parameters(space, base)]
    if warm_start:
        first += _best_parameters(warm_start, name, space, base)

    study = optuna.create_study(
        study_name=name,
        storage=opened_storage,
        direction="maximize",
        load_if_exists=True,
    )
    for parameters in first:
        study.enqueue_trial(parameters, skip_if_exists=True)
    _wait_for_running(study)
    n_before = len(complete_trials(study))
    attributes_of_study = {
        "objective": OBJECTIVE,
        "tuned": list(space),
        **(attributes or {}),
    }
    for key, value in attributes_of_study.items():
        study.set_user_attr(key, value)

    started = time.perf_counter()
    shared = executor.share(splits["train"])

    def objective(trial: optuna.Trial) -> float:
        settings = trial_settings(_draw(space, trial), base)
        evaluation = run_one(executor, evaluate_settings, shared, settings)
        for part, value in evaluation.objective_terms.items():
            trial.set_user_attr(part, value)
        return evaluation.objective

    shown_storage = without_password(storage) if storage else ""
    _run_trials(study, objective, n_trials, seed, executor.n_workers, shown_storage)
    seconds = time.perf_counter() - started
    trials = complete_trials(study)

    # the untuned settings and the best trials, on the validation games
    finalists = [base]
    for trial in best_first(trials):
        settings = trial_settings(trial.params, base)
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

    def n_missing(*_: object) -> Any:
        """Update the progress bar, and return the number of missing trials; it is also called after each trial."""
        trials = complete_trials(study)
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
        return n_trials - len(trials)

    with bar:
        while (n := n_missing()) > 0:
            states = [trial.state for trial in study.get_trials(deepcopy=False)]
            n_drawn = len(states) - states.count(TrialState.FAIL)
            study.sampler = TPESampler(seed=seed_of_trial(seed, n_drawn))
            n_at_once = 1 if n_workers == 1 else n
            study.optimize(
                objective,
                n_trials=n_at_once,
                n_jobs=min(n_workers, n_at_once),
                callbacks=[MaxTrialsCallback(n_trials), n_missing],
            )


def seed_of_trial(seed: int, number: int) -> int:
    """Return the seed of one trial of a study, which depends on the seed of the study and the number of the trial."""
    (state,) = np.random.SeedSequence([seed, number]).generate_state(1)
    return int(state)


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


def complete_trials(study: optuna.Study) -> list[FrozenTrial]:
    """Return the trials with a value, without those of dead processes."""
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _best_parameters(
    storage: str, name: str, space: Space, base: SearchSettings
) -> list[Json]:
    """Return the parameters of the best trials of the newest earlier study in a storage, moved into a space.

    Args:
        storage: the storage.
        name: name of the new study, which does not count as an earlier one.
        space: values of the tuned keys.
        base: the untuned settings.

    Raises:
        TuneError: the storage cannot be opened, or has no other study with a finished trial.
    """
    opened_storage = open_storage(storage, is_earlier=True)
    summaries = optuna.get_all_study_summaries(opened_storage, include_best_trial=False)
    summaries.sort(key=lambda one: one.datetime_start or datetime.min, reverse=True)
    for summary in summaries:
        study = optuna.load_study(study_name=summary.study_name, storage=opened_storage)
        best = best_first(complete_trials(study))[:N_WARM_START]
        if best and summary.study_name != name:
            settings = [trial_settings(trial.params, base) for trial in best]
            return [nearest_parameters(space, one) for one in settings]
    raise TuneError(
        f"--warm-start {without_password(storage)} has no other study with a finished trial. Name the storage of an "
        "earlier tune."
    )


def best_first(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Sort complete trials by their values, the best first; of equal ones, the earlier first."""

    def order_key(trial: FrozenTrial) -> tuple[float, int]:
        return -(trial.value or 0.0), trial.user_attrs.get(IN_PLACE_OF, trial.number)

    return sorted(trials, key=order_key)


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
    difference, p = float(differences.mean()), randomisation_p(differences, seed)
    document["gain"] = {
        "measure": TESTED_MEASURE,
        "difference": round(difference, 6),
        "interval": round_ends(bootstrap_interval(differences, seed)),
        "p": round(p, 6),
    }
    if tuned.settings == base:
        untuned, *others = tuned.objectives
        document["verdict"] = UNTUNED_STAY.format(
            untuned=untuned, n_trials=len(others), best=max(others, default=untuned)
        )
    elif p >= ALPHA:
        document["verdict"] = NOT_SIGNIFICANT
    else:
        better = "better" if difference > 0 else "WORSE"
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


def has_effect(key: str, base: SearchSettings) -> bool:
    """Return whether a tuned setting may change the results of search, with the strategies and modes of `base`.

    The stem of a file has confidence 1, so its book filters at any threshold. The boost of a book that filters has no
    effect on slots. Without slots for a book, the numbers of slots change only the number of hits.
    """
    is_fused = len(base.strategies) > 1 or base.keywords == "fused"

    match key:
        case "rule_weight":
            return DENSE in base.strategies and base.keywords == "rule"
        case "fusion" | "rrf_k":
            return is_fused
        case "boost" if base.book_match == "stem":
            return base.merge == "relevance" or is_fused
        case "boost" | "filter_confidence" | "boost_confidence":
            return base.book_match == "resolved"
        case "pdf_k" | "global_k":
            return base.book_match != "off" and base.merge == "slots"
        case "lowered_threshold":
            return base.cascade and base.keywords == "fallback"
    return True


def load_space(base: SearchSettings) -> Space:
    """Load the bounds of the tuned keys: those of the file that have an effect with the untuned settings."""
    document = yaml.safe_load(SPACE.read_text(encoding="utf-8"))
    space: dict[str, FloatDistribution | IntDistribution] = {}
    for key, bounds in document["search"].items():
        if not has_effect(key, base):
            continue
        if isinstance(bounds["low"], int):
            space[key] = IntDistribution(**bounds)
        else:
            space[key] = FloatDistribution(**bounds)
    return space


def read_grid(items: Sequence[str], base: SearchSettings) -> Space:
    """Read items `KEY=A,B,...` as the values that each key takes in turn.

    Raises:
        SettingsError: an item has another form, a key that is the same in all trials, or a value out of range.
    """
    keys = fields(SearchSettings).keys() - FIXED_KEYS
    space = {}
    for item in items:
        key, _, values = item.removeprefix("search.").partition("=")
        if key not in keys or not values:
            raise SettingsError(
                f"--grid {item!r} is not KEY=A,B,... with a KEY of {', '.join(sorted(keys))}"
            )
        if key in space:
            raise SettingsError(
                f"--grid names {key} twice; list all its values once, {key}=A,B,..."
            )
        try:
            choices = [*map(yaml.safe_load, values.split(","))]
        except yaml.YAMLError:
            raise SettingsError(
                f"--grid {item}: a value is not valid YAML. Quote it."
            ) from None

        for choice in choices:
            try:
                trial_settings({key: choice}, base)
            except (TypeError, ValidationError):
                raise SettingsError(
                    f"--grid {item}: {choice!r} is no value of search.{key} (configs/default.yaml)"
                ) from None
        space[key] = CategoricalDistribution(choices)
    return space


def grid_points(space: Space) -> list[Json]:
    """Return all combinations of a space of listed values; [] for a space with bounds."""
    choices = [getattr(bounds, "choices", ()) for bounds in space.values()]
    points = itertools.product(*choices)
    return [dict(zip(space, point, strict=True)) for point in points]


def trial_settings(values: Mapping[str, Any], base: SearchSettings) -> SearchSettings:
    """Return settings with the values of a trial; a value that must not exceed another is lowered to it."""
    values_by_key = dataclasses.asdict(base)
    for key, value in values.items():
        values_by_key[key] = round(value, 10) if isinstance(value, float) else value

    n_slots = values_by_key["k"] or base.pdf_k + base.global_k
    pdf_k = min(values_by_key["pdf_k"], n_slots)
    global_k = min(values_by_key["global_k"], n_slots - pdf_k)
    values_by_key |= {
        "pdf_k": pdf_k,
        "global_k": global_k if pdf_k + global_k else 1,
        "boost_confidence": min(
            values_by_key["boost_confidence"], values_by_key["filter_confidence"]
        ),
        "lowered_threshold": min(
            values_by_key["lowered_threshold"], values_by_key["threshold"]
        ),
    }
    return SearchSettings(**values_by_key)


def nearest_parameters(space: Space, settings: SearchSettings) -> Json:
    """Return the parameters of a space nearest to some settings; of listed values, the equal one or else the first."""
    numbers: Json = {}
    for key, bounds in space.items():
        value = getattr(settings, key)
        if isinstance(bounds, CategoricalDistribution):
            numbers[key] = value if value in bounds.choices else bounds.choices[0]
        else:
            assert bounds.step is not None, "every key of the space has a step"
            inside = min(max(value, bounds.low), bounds.high)
            steps = round((inside - bounds.low) / bounds.step)
            number = round(bounds.low + bounds.step * steps, 10)
            numbers[key] = int(number) if isinstance(bounds.low, int) else number
    return numbers
