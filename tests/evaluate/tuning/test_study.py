"""Studies: fit, choose, report once; seeded, resumable, shared; and the command around them."""

import itertools
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import numpy as np
import optuna
import pytest
import yaml
from optuna.trial import FrozenTrial, TrialState

from configs.errors import SettingsError
from configs.settings import SearchSettings, Settings, load
from evaluate.errors import TuneError
from evaluate.games.labelled import SPLITS
from evaluate.tuning import gain as gain_module
from evaluate.tuning import space as space_module
from evaluate.tuning import storage as storage_module
from evaluate.tuning import study as study_module
from evaluate.tuning.gain import report_gain
from evaluate.tuning.objective import Evaluation
from evaluate.tuning.space import (
    SPACE_FILE,
    Space,
    list_grid_points,
    load_space,
    make_trial_settings,
    read_grid,
)
from evaluate.tuning.storage import hide_passwords, open_storage
from evaluate.tuning.study import (
    StudyResult,
    run_study,
    sort_trials,
)
from player.round import Json
from quarry import interrupts
from quarry.parallel import open_executor
from tests.evaluate.fakes import ABOUT, Evaluate, course_records, write_games
from tests.fakes import each


def evaluation_of(
    ranks: list[int],
    relevant: list[int],
    answerable: list[int],
) -> Evaluation:
    """Results of games; whether something is relevant or answerable is 0 or 1."""
    flags = np.array([relevant, answerable], dtype=np.bool_)
    return Evaluation(np.array(ranks), *flags)


def test_the_objective_adds_success_and_abstention_to_rr() -> None:
    # RR (1 + 1/2 + 0)/3, Success 2/3; answered 2 of 3, declined 1 of 2: (2/3 + 1/2)/2
    evaluation = evaluation_of(
        ranks=[1, 2, 0, 0, 0],
        relevant=[1, 1, 0, 1, 0],
        answerable=[1, 1, 1, 0, 0],
    )
    assert evaluation.objective_terms["balanced_accuracy"] == pytest.approx(7 / 12)
    assert evaluation.objective == pytest.approx(0.5 + 0.1 * 2 / 3 + 0.1 * 7 / 12)
    measures = evaluation.as_json(0)["measures"]
    assert measures == {
        "RR": 0.5,
        "Success@1": 0.333333,
        "Success@5": 0.666667,
        "Success@20": 0.666667,
    }

    # without unanswerable games the threshold earns nothing
    for relevant in (0, 1):
        evaluation = evaluation_of([1, 0, 3], [relevant] * 3, [1] * 3)
        assert "balanced_accuracy" not in evaluation.objective_terms
        assert evaluation.objective == pytest.approx(4 / 9 + 0.1 * 2 / 3)


def test_what_must_not_exceed_another_is_lowered_to_it(settings: Settings) -> None:
    drawn = {
        "pdf_k": 15,
        "global_k": 12,
        "boost_confidence": 0.95,
        "threshold": 0.2,
    }
    result = make_trial_settings(drawn, settings.search)
    assert (result.global_k, result.boost_confidence) == (5, 0.9)
    assert result.lowered_threshold == 0.2
    none = make_trial_settings({"pdf_k": 0, "global_k": 0}, settings.search)
    assert (none.pdf_k, none.global_k) == (0, 1)


EVERYTHING = set(yaml.safe_load(SPACE_FILE.read_text())["search"])


@pytest.mark.parametrize(
    ("preset", "tuned"),
    {
        "default": EVERYTHING - {"lowered_threshold"},
        "dual": {"pdf_k", "global_k", "threshold"},
        "distance-merge": {"boost", "threshold"},
        "vector-then-keyword": {"threshold", "lowered_threshold"},
        "keyword": {"threshold"},
    }.items(),
)
def test_a_study_tunes_only_what_has_an_effect_in_its_preset(
    preset: str, tuned: set[str]
) -> None:
    assert load_space(load(preset).search).keys() == tuned


@pytest.fixture
def tune(evaluate: Evaluate) -> Evaluate:
    """Run `tune` over four games a split, and an unanswerable one each."""
    records = course_records()
    for split in SPLITS:
        unanswerable = {"game_id": f"no {split}", "paragraph_id": None}
        hint = {"hint": f"harbour cranes {split}"}
        records.append(records[0] | unanswerable | hint)

    for record, split in zip(records, itertools.cycle(SPLITS), strict=False):
        record["split"] = split
    write_games(Path("games.jsonl"), records)
    return lambda options: evaluate(f"tune {ABOUT} {options}")


def test_a_study_is_resumed_and_its_file_alone_plays_with_what_was_tuned(
    tune: Evaluate,
) -> None:
    changes = ("search.boost=1.5", "game.candidates=900")
    options = " --set ".join(["--preset dual --out mine.yaml", *changes])
    assert tune(f"{options} --storage study.db --trials 6").code == 0

    url = "sqlite:///study.db"
    tuned = tune(f"{options} --storage {url} --trials 10 --json")
    result = tuned.json
    assert (result["trials"], result["trials_before"]) == (10, 6)
    assert "5 train games are few for 3 parameters of search" in tuned.err
    for n_trials in (10, 4):
        again = tune(f"{options} --storage {url} --trials {n_trials}")
        says = f"{url} has 10 trials already, so that --trials {n_trials} adds none; "
        assert again.err.count(says) == 1
    assert "already" not in tuned.err
    figures = result["tuned"]["validation"]
    low, high = figures["intervals"]["RR"]
    assert low <= figures["measures"]["RR"] <= high
    assert figures["objective"] >= result["untuned"]["validation"]["objective"]

    own = load("dual", None, changes)
    search = replace(own.search, **result["settings"])
    assert load("mine.yaml") == replace(own, preset="mine.yaml", search=search)
    provenance = yaml.safe_load(Path("mine.yaml").read_text())["provenance"]
    assert provenance["gain"] == result["gain"]
    assert provenance.keys() > {"commit", "store_fingerprint", "seed", "seconds"}

    study = studied(url, None)
    assert study.user_attrs["store"] == "store"
    assert study.user_attrs["untuned"]["pdf_k"] == own.search.pdf_k
    terms = {"RR", "Success@k", "balanced_accuracy"}
    assert terms <= study.best_trial.user_attrs.keys()


def test_a_grid_tries_every_combination_once(tune: Evaluate) -> None:
    grid = "--grid rule_weight=0,2.5 --grid search.pdf_k=0,5,15"
    result = tune(f"{grid} --storage study.db --json").json
    assert result["trials"] == 6
    assert result["settings"].keys() == {"rule_weight", "pdf_k"}
    trials = studied("study.db", None).trials
    points = {(*trial.params.values(),) for trial in trials}
    assert points == {*itertools.product((0.0, 2.5), (0, 5, 15))}


def test_a_value_of_a_grid_is_read_as_set_reads_it() -> None:
    base = load("vector-then-keyword").search
    grid = read_grid(["threshold=1e-1,.5", "cascade=off", "k=7"], base)
    points = [{"threshold": one, "cascade": False, "k": 7} for one in (0.1, 0.5)]
    assert list_grid_points(grid) == points


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("deadline_s: {low: 1.0, high: 8.0, step: 1.0}", "has no key 'deadline_s'; it"),
        ("merge: {low: 0, high: 1, step: 1}", "step, each one of slots, relevance$"),
        ("k: 5", "search.k is 5; it must be low, high and step"),
        ("bost: {low: 0.0, high: 1.0, step: 0.1}", "did you mean boost"),
        ("boost: {low: 0.0, high: 11.0, step: 0.1}", "a number within 0.0..10.0$"),
        (
            "boost: {low: 0.0, high: 1.0}",
            "search.boost is .* it must be low, high and step",
        ),
        ("k: {low: 1, high: many, step: 1}", "search.k is .* it must be low, high"),
    ],
)
def test_a_space_with_a_setting_that_no_trial_reads_is_refused(
    line: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path("space.yaml")
    path.write_text(f"search:\n  {line}\n")
    monkeypatch.setattr(space_module, "SPACE_FILE", path)
    with pytest.raises(SettingsError, match=says):
        load_space(load().search)


@pytest.mark.parametrize(
    ("line", "says"),
    {
        "pdf_k=5,10 fusion=linear,rrf": "names fusion, which no trial reads",
        "pdf_k=5,10 cascade=off": "names cascade, which no trial reads",
        "lowered_threshold=0.1": "which no trial reads",
        "pdf_k=10,30": "pdf_k is never 30, since",
        "pdf_k=20 global_k=0,5": "global_k is never 5",
        "boost_confidence=1.0 filter_confidence=.8,.9": "is never 1.0",
    }.items(),
)
def test_a_grid_with_a_key_or_value_that_no_trial_takes_is_refused(
    line: str, says: str
) -> None:
    with pytest.raises(SettingsError, match=says):
        read_grid(line.split(), load().search)


def test_a_grid_may_have_a_key_or_value_that_only_some_trials_take() -> None:
    base = load().search
    # some trials read spill_over, and not all lower global_k
    for line in ("merge=slots,relevance spill_over=never", "pdf_k=10,20 global_k=0,5"):
        assert read_grid(line.split(), base)
    assert read_grid(["pdf_k=10,30"], replace(base, k=40))


FEW: Space = {
    "pdf_k": optuna.distributions.IntDistribution(0, 20),
    "boost": optuna.distributions.FloatDistribution(0.0, 2.0, step=0.05),
}
N_TRIALS = 16
STORAGE = "study.db"


def fit(storage: str | None, splits: Any = None, **changed: Any) -> StudyResult:
    """Run a study of stand-in games."""
    games: Any = splits or dict.fromkeys(SPLITS)
    with open_executor(1) as executor:
        return run_study(
            FEW,
            games,
            load().search,
            storage=open_storage(storage),
            executor=executor,
            shown_storage=storage or "",
            n_trials=N_TRIALS,
            seed=5,
            **{"name": "killed", **changed},
        )


def drawn(trials: Sequence[FrozenTrial]) -> list[tuple[object, object]]:
    """The values and parameters of trials, on which two studies must agree."""
    return sorted((trial.value, sorted(trial.params.items())) for trial in trials)


def scored(games: object, search: SearchSettings) -> Evaluation:
    """Stand in for `evaluate_settings`: a rank that depends on the settings alone."""
    rank = 1 + abs(search.pdf_k - 7)
    return evaluation_of([rank], [1], [1])


def test_the_untuned_settings_stay_and_the_verdict_says_why_the_best_trial_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    untuned = load().search
    splits: Any = {split: SimpleNamespace(split=split, games=()) for split in SPLITS}

    def evaluate_settings(prepared: Any, search: SearchSettings) -> Evaluation:
        """Every trial does better on the training games, and worse on the validation games."""
        is_better = (prepared.split == "train") == (search != untuned)
        return evaluation_of([1 if is_better else 2], [1], [1])

    for module in (study_module, gain_module):
        monkeypatch.setattr(module, "evaluate_settings", evaluate_settings)
    tuned = fit(None, splits=splits)
    assert tuned.settings == untuned
    n_trials = len(tuned.objectives) - 1
    assert report_gain(FEW, tuned, splits, untuned, 0)["verdict"] == (
        "the untuned settings stay: they have 1.1000 on the validation games, and the best trial there, of the "
        f"{n_trials} that were best on the training games, has 0.6000"
    )


class Killed(BaseException):
    """The process is killed; Optuna leaves its trial as it is."""


def kill(patch: pytest.MonkeyPatch, number: int, n_draw: int) -> None:
    """Kill the process that runs a trial.

    Args:
        n_draw: number of parameters that the trial has drawn by then; -1 kills before its first heartbeat.
    """
    ask, draw = optuna.Study.ask, study_module._draw

    def ask_or_die(study: optuna.Study, *given: Any) -> optuna.Trial:
        trial = ask(study, *given)
        if trial.number == number and n_draw < 0:
            raise Killed
        return trial

    def draw_or_die(space: Space, trial: optuna.Trial) -> Json:
        if trial.number != number:
            return draw(space, trial)
        draw(dict(itertools.islice(space.items(), n_draw)), trial)
        raise Killed

    patch.setattr(optuna.Study, "ask", ask_or_die)
    patch.setattr(study_module, "_draw", draw_or_die)


@pytest.mark.parametrize("name", ["a?b.db", "50%25.db", "a#b c.db", "a&b=1.db", "é.db"])
def test_a_storage_is_the_path_of_a_file_whatever_is_in_its_name(
    name: str,
) -> None:
    open_storage(name)
    assert [*map(str, Path().glob("*.db"))] == [name]


def studied(storage: str, name: str | None = "killed") -> optuna.Study:
    return optuna.load_study(study_name=name, storage=open_storage(storage))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials take no time, and a dead process is noticed after some seconds."""
    monkeypatch.setattr(study_module, "evaluate_settings", scored)
    monkeypatch.setattr(storage_module, "HEARTBEAT_S", 1)
    for module in (storage_module, study_module):
        monkeypatch.setattr(module, "STALE_S", 3)


@pytest.mark.long
@pytest.mark.usefixtures("at_once")
class TestKilled:
    @pytest.mark.parametrize(("number", "n_draw"), [(0, -1), (4, 1), (9, 2)])
    def test_a_study_that_is_killed_and_resumed_gives_the_figures_of_one_that_is_not(
        self, number: int, n_draw: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            kill(patch, number, n_draw)
            with pytest.raises(Killed):
                fit(STORAGE)

        resumed, whole = fit(STORAGE).trials, fit(None).trials
        assert drawn(resumed) == drawn(whole)
        assert sort_trials(resumed)[0].params == sort_trials(whole)[0].params
        states = each(studied(STORAGE).trials, "state")
        assert states.count(TrialState.COMPLETE) == N_TRIALS
        assert states.count(TrialState.FAIL) == len(states) - N_TRIALS == 1

    def test_a_process_killed_among_others_loses_no_trial(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        works, is_killed = Event(), Event()

        def evaluate_settings(games: object, search: SearchSettings) -> Evaluation:
            works.set()
            is_killed.wait(20.0)
            return scored(games, search)

        monkeypatch.setattr(study_module, "evaluate_settings", evaluate_settings)
        kill(monkeypatch, 1, 2)
        with ThreadPoolExecutor() as threads:
            other = threads.submit(fit, STORAGE)
            works.wait(20.0)
            with pytest.raises(Killed):
                fit(STORAGE)
            is_killed.set()

        assert len(other.result().trials) == N_TRIALS
        study = studied(STORAGE)
        while TrialState.RUNNING in each(study.trials, "state"):
            # the other one may have been done before
            optuna.storages.fail_stale_trials(study)
            time.sleep(0.1)
        states = each(study.trials, "state")
        assert states.count(TrialState.COMPLETE) == N_TRIALS
        assert states[1] == TrialState.FAIL


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("place", "kept"),
    [
        (STORAGE, f"16 trials of 16 in {STORAGE}, the same command goes on"),
        (None, "16 trials of 16 lost, --storage FILE keeps them"),
    ],
)
def test_the_bar_shows_the_best_value_and_an_interrupt_says_what_is_kept(
    place: str | None, kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupts.on_interrupt_print("tune: interrupted")
    best = sort_trials(fit(place).trials)[0]
    assert f"best={best.value:.4f}" in capsys.readouterr().err
    interrupts.announce()
    assert capsys.readouterr().err == f"tune: interrupted; {kept}\n"
    interrupts.on_interrupt_print("")


def test_a_storage_that_cannot_be_opened_is_named_without_its_password() -> None:
    says = r"--storage nothing://me:\*\*\*@127.0.0.1:1/db cannot be opened: "
    with pytest.raises(TuneError, match=says) as caught:
        open_storage("nothing://me:s3@cret@127.0.0.1:1/db")
    assert "cret" not in str(caught.value)
    for name in ("password", "passwd", "pwd", "client_secret", "Token", "ssl_key"):
        shown = hide_passwords(f"mysql+mysqldb://h/db?user=u&{name}=s3cret&a=1")
        assert shown == f"mysql+mysqldb://h/db?user=u&{name}=***&a=1"
