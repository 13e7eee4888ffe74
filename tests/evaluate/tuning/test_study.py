"""Studies: fit, choose, report once; seeded, resumable, shared; and the command around them."""

import itertools
import multiprocessing
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
import yaml
from optuna.trial import FrozenTrial, TrialState

from configs.settings import SearchSettings, Settings, load
from evaluate.errors import TuneError
from evaluate.games.labelled import SPLITS
from evaluate.tuning import storage as storage_module
from evaluate.tuning import study as study_module
from evaluate.tuning.prepared import Judged
from evaluate.tuning.storage import open_storage, without_password
from evaluate.tuning.study import (
    Space,
    best_first,
    numbers_of,
    run_study,
    seed_of_trial,
    settings_of,
)
from quarry.parallel import executor_of
from tests.evaluate.fakes import ABOUT, Evaluate, course_records, write_games
from tests.fakes import each


def judged_as(
    ranks: list[int],
    relevant: list[int],
    answerable: list[int],
) -> Judged:
    """Results of games; whether something is relevant or answerable is 0 or 1."""
    flags = np.array([relevant, answerable], dtype=np.bool_)
    return Judged(np.array(ranks), *flags)


def test_the_objective_adds_success_and_abstention_to_rr() -> None:
    # RR (1 + 1/2 + 0)/3, Success 2/3; answered 2 of 3, declined 1 of 2: (2/3 + 1/2)/2
    judged = judged_as(
        ranks=[1, 2, 0, 0, 0],
        relevant=[1, 1, 0, 1, 0],
        answerable=[1, 1, 1, 0, 0],
    )
    assert judged.parts["balanced_accuracy"] == pytest.approx(7 / 12)
    assert judged.objective == pytest.approx(0.5 + 0.1 * 2 / 3 + 0.1 * 7 / 12)
    measures = judged.as_json(0)["measures"]
    assert measures == {
        "RR": 0.5,
        "Success@1": 0.333333,
        "Success@5": 0.666667,
        "Success@20": 0.666667,
    }

    # without unanswerable games the threshold earns nothing
    for relevant in (0, 1):
        judged = judged_as([1, 0, 3], [relevant] * 3, [1] * 3)
        assert "balanced_accuracy" not in judged.parts
        assert judged.objective == pytest.approx(4 / 9 + 0.1 * 2 / 3)


def test_what_must_not_exceed_another_is_lowered_to_it(settings: Settings) -> None:
    drawn = {
        "pdf_k": 15,
        "global_k": 12,
        "sentence_weight": 0.7,
        "sentence_mean_weight": 0.9,
        "threshold": 0.2,
    }
    result = settings_of(drawn, settings.search)
    assert (result.global_k, result.sentence_mean_weight) == (5, 0.3)
    assert result.lowered_threshold == 0.2
    none = settings_of({"pdf_k": 0, "global_k": 0}, settings.search)
    assert (none.pdf_k, none.global_k) == (0, 1)


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
    changes = ("search.boost=1.5", "game.candidates=900", "embed.max_tokens=64")
    options = " --set ".join(["--preset dual --out mine.yaml", *changes])
    assert tune(f"{options} --storage study.db --trials 6").code == 0

    url = "sqlite:///study.db"
    tuned = tune(f"{options} --storage {url} --trials 10 --json")
    result = tuned.json
    assert (result["trials"], result["trials_before"]) == (10, 6)
    assert "5 train games are few for 10 parameters of search" in tuned.err
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
    terms = study.best_trial.user_attrs
    accuracy = 0.1 * (terms["Success@k"] + terms["balanced_accuracy"])
    assert study.best_value == pytest.approx(terms["RR"] + accuracy)


def test_a_grid_tries_every_combination_once(tune: Evaluate) -> None:
    grid = "--grid fusion=linear,rrf --grid search.pdf_k=0,5,15"
    result = tune(f"{grid} --storage study.db --json").json
    assert result["trials"] == 6
    assert result["settings"].keys() == {"fusion", "pdf_k"}
    trials = studied("study.db", None).trials
    points = {(*trial.params.values(),) for trial in trials}
    assert points == {*itertools.product(("linear", "rrf"), (0, 5, 15))}


FEW: Space = {
    "pdf_k": optuna.distributions.IntDistribution(0, 20),
    "boost": optuna.distributions.FloatDistribution(0.0, 2.0, step=0.05),
}
N_TRIALS = 16


def fit(storage: str | None, **changed: Any) -> list[FrozenTrial]:
    """Run a study of stand-in games, which `judge` does not read, and return its complete trials."""
    splits: Any = dict.fromkeys(SPLITS)
    with executor_of(1) as executor:
        study = run_study(
            FEW,
            splits,
            load().search,
            storage=storage,
            executor=executor,
            n_trials=N_TRIALS,
            seed=5,
            **{"name": "killed", **changed},
        )
    return [*study.trials]


def drawn(trials: Sequence[FrozenTrial]) -> list[tuple[object, object]]:
    """The values and parameters of trials, on which two studies must agree."""
    return sorted((trial.value, sorted(trial.params.items())) for trial in trials)


def scored(games: object, search: SearchSettings) -> Judged:
    """Stand in for `judge`: a rank that depends on the settings alone."""
    rank = 1 + abs(search.pdf_k - 7)
    return judged_as([rank], [1], [1])


def run_alone(judge: Any, storage: str) -> None:
    """Run the study in a process of its own, where a dead process is noticed after some seconds."""
    study_module.judge = judge  # type: ignore[attr-defined]
    storage_module.HEARTBEAT_S, storage_module.GRACE_S = 1, 3
    fit(storage)


def die_in_trial(
    number: int,
    storage: str,
    sign: Path | None = None,
) -> None:
    """Run the study in a process that leaves a sign and is killed within one of its trials."""
    judged = itertools.count()

    def judge(games: object, search: SearchSettings) -> Judged:
        if next(judged) == number:
            if sign:
                sign.touch()
            time.sleep(1.0)  # until the first heartbeat of the trial
            os.kill(os.getpid(), signal.SIGKILL)
        return scored(games, search)

    run_alone(judge, storage)


def wait_and_work(storage: str, sign: Path) -> None:
    """Work on the study, but finish no trial before the sign is there."""

    def judge(games: object, search: SearchSettings) -> Judged:
        while not sign.exists():
            time.sleep(0.01)
        return scored(games, search)

    run_alone(judge, storage)


SPAWN = multiprocessing.get_context("spawn")


@pytest.mark.parametrize("name", ["a?b.db", "50%25.db", "a#b c.db", "a&b=1.db", "é.db"])
def test_a_storage_is_the_path_of_a_file_whatever_is_in_its_name(
    name: str, tmp_path: Path
) -> None:
    open_storage(str(tmp_path / name))
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".db"] == [name]
    with pytest.raises(TuneError, match=r"cannot be opened: .* in an existing folder"):
        open_storage(str(tmp_path / "none" / name))


def studied(storage: str, name: str | None = "killed") -> optuna.Study:
    return optuna.load_study(study_name=name, storage=open_storage(storage))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials take no time, and a dead process is noticed after some seconds."""
    monkeypatch.setattr(study_module, "judge", scored)
    monkeypatch.setattr(storage_module, "HEARTBEAT_S", 1)
    monkeypatch.setattr(storage_module, "GRACE_S", 3)


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is a signal of POSIX")
@pytest.mark.usefixtures("at_once")
class TestKilled:
    def test_a_study_that_is_killed_and_resumed_gives_the_figures_of_one_that_is_not(
        self, tmp_path: Path
    ) -> None:
        storage = str(tmp_path / "study.db")
        for number in (0, 9):
            process = SPAWN.Process(target=die_in_trial, args=(number, storage))
            process.start()
            process.join()
            assert process.exitcode == -signal.SIGKILL
        assert drawn(fit(storage)) == drawn(fit(None))
        states = each(studied(storage).trials, "state")
        assert states.count(TrialState.FAIL) == 2
        assert states.count(TrialState.COMPLETE) == N_TRIALS

    def test_a_process_killed_among_others_loses_no_trial(self, tmp_path: Path) -> None:
        storage = str(tmp_path / "study.db")
        open_storage(storage)
        sign = tmp_path / "sign"
        killed = SPAWN.Process(target=die_in_trial, args=(0, storage, sign))
        other = SPAWN.Process(target=wait_and_work, args=(storage, sign))
        for process in (killed, other):
            process.start()
        for process in (killed, other):
            process.join()

        assert (killed.exitcode, other.exitcode) == (-signal.SIGKILL, 0)
        study = studied(storage)
        while TrialState.RUNNING in each(study.trials, "state"):
            optuna.storages.fail_stale_trials(
                study
            )  # the other one may have been done before
            time.sleep(0.1)
        states = each(study.trials, "state")
        assert states.count(TrialState.COMPLETE) == N_TRIALS
        assert TrialState.FAIL in states


@pytest.mark.usefixtures("at_once")
def test_a_warm_start_runs_the_best_trials_of_the_newest_study_first(
    tmp_path: Path,
) -> None:
    earlier = str(tmp_path / "earlier.db")
    with pytest.raises(TuneError, match="has no other study with a finished trial"):
        fit(None, warm_start=earlier)
    best = best_first(fit(earlier))[:3]
    result = fit(None, warm_start=earlier, name="later")
    assert result[0].params == numbers_of(FEW, load().search)
    for trial, expected in zip(result[1:], best, strict=False):
        assert trial.params == pytest.approx(expected.params)


def test_a_storage_that_cannot_be_opened_is_named_without_its_password() -> None:
    says = r"--storage nothing://me:\*\*\*@127.0.0.1:1/db cannot be opened: "
    with pytest.raises(TuneError, match=says) as caught:
        open_storage("nothing://me:s3@cret@127.0.0.1:1/db")
    assert "cret" not in str(caught.value)
    shown = without_password("postgresql:///db?user=me&password=s3cret")
    assert shown == "postgresql:///db?user=me&password=***"


def test_studies_with_other_seeds_share_no_seed_of_a_trial() -> None:
    seeds = {seed_of_trial(seed, number) for seed in range(30) for number in range(30)}
    assert len(seeds) == 900
