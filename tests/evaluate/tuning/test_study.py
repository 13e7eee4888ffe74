"""Studies: fit, choose, report once; seeded, resumable, shared; and the command around them."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
import yaml
from optuna.trial import FrozenTrial, TrialState

from quarry.configs.executors import executor_of
from quarry.configs.settings import SearchSettings, Settings, load
from quarry.evaluate.__main__ import main
from quarry.evaluate.errors import TuneError
from quarry.evaluate.games.labelled import SPLITS
from quarry.evaluate.tuning import storage as storage_module
from quarry.evaluate.tuning import study as study_module
from quarry.evaluate.tuning.prepared import Judged
from quarry.evaluate.tuning.storage import index_of, open_storage
from quarry.evaluate.tuning.study import (
    Space,
    complete,
    numbers_of,
    run_study,
    settings_of,
)
from tests.evaluate.fakes import course_games, labelled_game, make_store, record_of, run_main, write_games
from tests.evaluate.tuning.postgresql import PASSWORD, PostgreSQL, programs
from tests.player.fakes import course


class TestJudged:
    def test_the_objective_adds_success_and_abstention_to_rr(self) -> None:
        # RR (1 + 1/2 + 0)/3, Success 2/3; answered 2 of 3, declined 1 of 2: (2/3 + 1/2)/2
        judged = Judged(
            np.array([1, 2, 0, 0, 0]),
            np.array([True, True, False, True, False]),
            np.array([True, True, True, False, False]),
        )
        assert judged.balanced_accuracy == pytest.approx(7 / 12)
        assert judged.objective == pytest.approx(0.5 + 0.1 * 2 / 3 + 0.1 * 7 / 12)
        assert judged.as_json(0)["measures"] == {
            "RR": 0.5,
            "Success@1": round(1 / 3, 6),
            "Success@5": round(2 / 3, 6),
            "Success@20": round(2 / 3, 6),
        }

    def test_without_unanswerable_games_the_threshold_earns_nothing(self) -> None:
        ranks, answerable = np.array([1, 0, 3]), np.array([True, True, True])
        always, never = (Judged(ranks, np.full(3, relevant), answerable) for relevant in (True, False))
        assert always.balanced_accuracy is None
        assert always.objective == never.objective == pytest.approx(4 / 9 + 0.1 * 2 / 3)


class TestSpace:
    def test_what_must_not_exceed_another_is_lowered_to_it(self, settings: Settings) -> None:
        drawn = {"pdf_k": 15, "global_k": 12, "sentence_weight": 0.7, "sentence_mean_weight": 0.9, "threshold": 0.2}
        found = settings_of(drawn, settings.search)
        assert (found.pdf_k, found.global_k, found.sentence_mean_weight) == (15, 5, 0.3)
        assert found.lowered_threshold == 0.2
        none = settings_of({"pdf_k": 0, "global_k": 0}, settings.search)
        assert (none.pdf_k, none.global_k) == (0, 1)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("store"), course()).location


@pytest.fixture
def games(tmp_path: Path) -> str:
    """Four games a split, and an unanswerable one each."""
    records = []
    for row, game in enumerate(course_games(course())):
        records.append({**record_of(game), "split": ("train", "validation", "test")[row % 3]})
    for split in ("train", "validation", "test"):
        no = labelled_game(game_id=f"no {split}", hint=f"harbour cranes {split}")
        records.append({**record_of(no), "paragraph_id": None, "split": split})
    return str(write_games(tmp_path / "games.jsonl", records))


@pytest.mark.usefixtures("fast_models")
class TestCommand:
    def tuned(self, store: str, games: str, out: Path, *arguments: str) -> int:
        fixed = ("--store", store, "--games", games, "--out", str(out))
        return run_main(main, "tune", *fixed, *arguments)

    def test_settings_are_written_with_their_provenance(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "tuned.yaml"
        assert self.tuned(store, games, out, "--trials", "12", "--json") == 0
        captured = capsys.readouterr()
        found = json.loads(captured.out)
        assert found["trials"] == 12
        for kind in ("tuned", "untuned"):
            for split in ("train", "validation", "test"):
                assert found[kind][split]["games"] == 5
                low, high = found[kind][split]["intervals"]["RR"]
                assert low <= found[kind][split]["measures"]["RR"] <= high
        assert found["tuned"]["validation"]["objective"] >= found["untuned"]["validation"]["objective"]
        assert "5 train games are few for 10 parameters of search" in captured.err
        written = yaml.safe_load(out.read_text(encoding="utf-8"))
        assert written["search"] == found["tuned_settings"]
        assert found["settings"].items() <= written["search"].items()
        assert written["provenance"]["gain"] == found["gain"]
        assert {"commit", "store_fingerprint", "seed", "trials", "seconds"} <= set(written["provenance"])
        assert load(config=out).search.pdf_k == found["settings"]["pdf_k"]

    def test_what_was_tuned_over_a_preset_is_played_by_its_file_alone(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "mine.yaml"
        changes = ("search.boost=1.5", "game.candidates=900", "game.useless_share=0.3", "embed.max_tokens=64")
        more = ["--trials", "3", "--preset", "dual"]
        for change in changes:
            more += ["--set", change]
        assert self.tuned(store, games, out, *more, "--json") == 0
        found = json.loads(capsys.readouterr().out)
        own, read = load("dual", None, changes), load(str(out))
        assert read == replace(own, preset=str(out), search=replace(own.search, **found["settings"]))
        assert found["preset"] == "dual"

    def test_what_was_written_is_in_force_where_it_is_named_and_nowhere_else(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "tuned.yaml"
        assert self.tuned(store, games, out, "--trials", "6", "--json") == 0
        capsys.readouterr()
        # what a study chose may be what was there: a number that no default has tells that the file is read
        written = yaml.safe_load(out.read_text(encoding="utf-8"))
        written["search"]["rule_weight"] = 1.23
        out.write_text(yaml.safe_dump(written), encoding="utf-8")
        for flag in ("--config", "--preset", "--seed"):
            value = "0" if flag == "--seed" else str(out)
            fixed = ("--store", store, "--games", games, "--split", "test", "--json")
            assert run_main(main, "replay", *fixed, flag, value) == 0
            found = json.loads(capsys.readouterr().out)["settings"]["search"]["rule_weight"]
            assert found == (load().search.rule_weight if flag == "--seed" else 1.23)

    def test_a_study_tells_other_tools_what_was_tuned(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        storage = str(tmp_path / "study.db")
        assert self.tuned(store, games, tmp_path / "tuned.yaml", "--trials", "12", "--storage", storage) == 0
        assert "objective: RR + 0.1 Success@k" in capsys.readouterr().out
        study = optuna.load_study(study_name=None, storage=open_storage(storage))
        assert study.user_attrs["store"] == store
        assert study.user_attrs["untuned"]["pdf_k"] == load().search.pdf_k
        for trial in study.trials:
            terms = trial.user_attrs
            parts = terms["RR"] + 0.1 * terms["Success@k"] + 0.1 * terms["balanced_accuracy"]
            assert trial.value == pytest.approx(parts)
        assert study.trials_dataframe()["value"].tolist() == [trial.value for trial in study.trials]

    @pytest.mark.parametrize("storage", ["study.db", "sqlite:///{}/study.db"])
    def test_a_study_goes_on(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], storage: str
    ) -> None:
        spec = storage.format(tmp_path) if "{}" in storage else str(tmp_path / storage)
        for n_trials, n_before in ((6, 0), (10, 6)):
            arguments = ("--trials", str(n_trials), "--storage", spec, "--json")
            assert self.tuned(store, games, tmp_path / "tuned.yaml", *arguments) == 0
            found = json.loads(capsys.readouterr().out)
            assert (found["trials"], found["trials_before"]) == (n_trials, n_before)


FEW: Space = {
    "pdf_k": optuna.distributions.IntDistribution(0, 20),
    "boost": optuna.distributions.FloatDistribution(0.0, 2.0, step=0.05),
}
N_TRIALS = 16


def fit(games: object, storage: str | None, **changed: Any) -> list[FrozenTrial]:
    """Run a study on these games and return its complete trials."""
    splits: Any = dict.fromkeys(SPLITS, games)
    usual: dict[str, Any] = {"name": "killed", "n_trials": N_TRIALS, "seed": 5, "progress": False}
    with executor_of(changed.pop("workers", 1)) as executor:
        found = run_study(FEW, splits, load().search, storage=storage, executor=executor, **(usual | changed))
    return list(found.trials)


def told(trials: Sequence[FrozenTrial]) -> list[tuple[object, object]]:
    """What two studies must agree on."""
    return sorted((trial.value, sorted(trial.params.items())) for trial in trials)


def scored(games: object, search: SearchSettings) -> Judged:
    """Stand in for `judge`: a rank that depends on the settings alone."""
    rank = 1 + abs(search.pdf_k - 7)
    return Judged(np.array([rank, 2]), np.array([search.boost > 1.0, True]), np.array([True, True]))


def die_in_trial(number: int, storage: str) -> None:
    """Run the study in a process that is killed within one of its trials."""
    judged = itertools.count()

    def kill(games: object, search: SearchSettings) -> Judged:
        if next(judged) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return scored(games, search)

    run_alone(kill, storage)


def run_alone(judge: Any, storage: str) -> None:
    """Run the study in a process of its own, where a dead process is noticed after a second."""
    study_module.judge = judge  # type: ignore[attr-defined]
    storage_module.HEARTBEAT_S = storage_module.GRACE_S = 1
    fit(None, storage)


def die_at_once(storage: str, sign: Path) -> None:
    """Leave a sign and be killed in the first trial."""

    def kill(games: object, search: SearchSettings) -> Judged:
        sign.touch()
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    run_alone(kill, storage)


def wait_and_work(storage: str, sign: Path) -> None:
    """Work on the study, but finish no trial before the sign is there."""

    def judge(games: object, search: SearchSettings) -> Judged:
        while not sign.exists():
            time.sleep(0.01)
        return scored(games, search)

    run_alone(judge, storage)


def die_once(marker: Path) -> None:
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)


class Deadly:
    """Games that kill the first process that they are sent to."""

    def __init__(self, marker: Path) -> None:
        self._marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return die_once, (self._marker,)


SPAWN = multiprocessing.get_context("spawn")


def studied(storage: str) -> optuna.Study:
    return optuna.load_study(study_name="killed", storage=open_storage(storage))


def indices(storage: str) -> list[int]:
    """The positions in the study of its complete trials."""
    study = studied(storage)
    return sorted(index_of(study.trials, trial) for trial in complete(study))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials take no time, and a dead process is noticed after a second."""
    monkeypatch.setattr(study_module, "judge", scored)
    monkeypatch.setattr(storage_module, "HEARTBEAT_S", 1)
    monkeypatch.setattr(storage_module, "GRACE_S", 1)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSQL]:
    bin_folder = programs()
    if bin_folder is None:
        pytest.skip("PostgreSQL is not installed")
    server = PostgreSQL(bin_folder)
    yield server
    server.close()


@pytest.fixture
def database(server: PostgreSQL) -> Iterator[str]:
    """An empty database of the server."""
    yield server.url
    opened = open_storage(server.url)
    for summary in optuna.get_all_study_summaries(opened):
        optuna.delete_study(study_name=summary.study_name, storage=opened)


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is a signal of POSIX")
@pytest.mark.usefixtures("at_once")
class TestKilled:
    @pytest.mark.parametrize("numbers", [(0, 3), (12,)])
    def test_a_study_that_is_killed_and_resumed_gives_the_figures_of_one_that_is_not(
        self, tmp_path: Path, numbers: tuple[int, ...]
    ) -> None:
        storage = str(tmp_path / "study.db")
        for number in numbers:
            process = SPAWN.Process(target=die_in_trial, args=(number, storage))
            process.start()
            process.join()
            assert process.exitcode == -signal.SIGKILL
        assert told(fit(None, storage)) == told(fit(None, None))
        assert [trial.state.name for trial in studied(storage).trials].count("FAIL") == len(numbers)
        assert indices(storage) == list(range(N_TRIALS))

    def test_a_worker_that_is_killed_loses_no_trial(self, tmp_path: Path) -> None:
        found = fit(Deadly(tmp_path / "marker"), str(tmp_path / "study.db"), workers=2)
        assert len(found) == N_TRIALS
        assert (tmp_path / "marker").exists()
        assert indices(str(tmp_path / "study.db")) == list(range(N_TRIALS))

    def test_a_process_killed_among_others_on_postgresql_loses_no_trial(self, database: str, tmp_path: Path) -> None:
        sign = tmp_path / "sign"
        killed = SPAWN.Process(target=die_at_once, args=(database, sign))
        others = [SPAWN.Process(target=wait_and_work, args=(database, sign)) for _ in range(2)]
        for process in (killed, *others):
            process.start()
        for process in (killed, *others):
            process.join()
        assert [process.exitcode for process in (killed, *others)] == [-signal.SIGKILL, 0, 0]
        assert indices(database) == list(range(N_TRIALS)), "each trial is run once, that of the dead process too"
        lost = [trial for trial in studied(database).trials if trial.state.name == "FAIL"]
        assert lost

    def test_processes_on_one_database_end_with_the_same_trials_each_counted_once(self, database: str) -> None:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: told(fit(None, database)), range(4)))
        assert len(found[0]) == N_TRIALS
        assert found[1:] == found[:1] * 3
        assert {trial.state.name for trial in studied(database).trials} <= {"COMPLETE", "FAIL"}

    def test_a_trial_that_was_given_up_too_early_is_not_counted_twice(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        storage = str(tmp_path / "study.db")
        judged = itertools.count()

        def slow(games: object, search: SearchSettings) -> Judged:
            if next(judged) == 3:  # another process takes this one for dead
                study = studied(storage)
                (running,) = study.get_trials(states=(TrialState.RUNNING,))
                study.tell(running.number, state=TrialState.FAIL)
                storage_module._run_again(study, running)
            return scored(games, search)

        monkeypatch.setattr(study_module, "judge", slow)
        assert told(fit(None, storage)) == told(fit(None, None))
        assert indices(storage) == list(range(N_TRIALS))

    def test_a_database_that_is_restarted_loses_no_trial(
        self, server: PostgreSQL, database: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        judged = itertools.count()
        restarts: list[Future[None]] = []
        with ThreadPoolExecutor(1) as pool:

            def restart(games: object, search: SearchSettings) -> Judged:
                if next(judged) == 5:
                    server.stop()
                    restarts.append(pool.submit(server.start))
                return scored(games, search)

            monkeypatch.setattr(study_module, "judge", restart)
            assert len(fit(None, database)) == N_TRIALS
            restarts[0].result()
        assert indices(database) == list(range(N_TRIALS))

    def test_a_database_that_stays_away_ends_the_study_with_one_line(
        self, server: PostgreSQL, database: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        judged = itertools.count()

        def stop(games: object, search: SearchSettings) -> Judged:
            if next(judged) == 5:
                server.stop()
            return scored(games, search)

        monkeypatch.setattr(storage_module, "PATIENCE_S", 0.5)
        monkeypatch.setattr(study_module, "judge", stop)
        with pytest.raises(TuneError, match="--storage has not answered for") as caught:
            fit(None, database)
        server.start()
        assert "the same command resumes the study" in str(caught.value)
        assert PASSWORD not in str(caught.value)
        assert len(fit(None, database)) == N_TRIALS
        assert indices(database) == list(range(N_TRIALS))


@pytest.mark.usefixtures("at_once")
class TestFirstTrials:
    def test_a_warm_start_runs_the_best_trials_of_the_newest_study_first(self, tmp_path: Path) -> None:
        earlier = str(tmp_path / "earlier.db")
        best = sorted(fit(None, earlier), key=lambda trial: (-(trial.value or 0.0), trial.number))[:3]
        found = fit(None, None, warm_start=earlier, name="later")
        untuned = numbers_of(FEW, load().search)
        assert [trial.params for trial in found[:4]] == [untuned, *(pytest.approx(trial.params) for trial in best)]

    def test_a_warm_start_from_nothing_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(TuneError, match="--warm-start must name a storage that has another study"):
            fit(None, None, warm_start=str(tmp_path / "empty.db"))


def ranked(games: Any, search: SearchSettings) -> Judged:
    """Stand in for `judge`: hopeless settings find no game; the other ones find each at a rank of their own."""
    n_games = len(games.is_answerable)
    found = np.full(n_games, 1 + abs(search.pdf_k - 7)) if search.boost > 0.5 else np.zeros(n_games, dtype=np.int64)
    return Judged(found, np.full(n_games, True), games.is_answerable)


class Batch:
    """Games of which only the number counts."""

    def __init__(self, is_answerable: Any) -> None:
        self.is_answerable = is_answerable

    def part(self, rows: Any) -> Batch:
        return Batch(self.is_answerable[rows])


def test_hopeless_trials_are_pruned_and_the_others_have_the_values_of_all_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(study_module, "judge", ranked)
    n_judged = itertools.count()
    games = Batch(np.arange(50) % 5 > 0)
    monkeypatch.setattr(study_module, "judge", lambda games, search: (next(n_judged), ranked(games, search))[1])
    found = fit(games, None, prune=True, n_trials=60)
    assert len(found) < 60, "some were pruned"
    assert next(n_judged) < 4 * 60 + 40
    for trial in found:
        whole = ranked(games, settings_of(trial.params, load().search))
        assert trial.value == pytest.approx(whole.objective)
    assert max(trial.value or 0.0 for trial in found) == max(
        trial.value or 0.0 for trial in fit(games, None, n_trials=60)
    )


def test_a_password_is_not_told() -> None:
    with pytest.raises(TuneError) as caught:
        open_storage("postgresql://me:s3cret@127.0.0.1:1/studies")
    assert "got postgresql://me:***@127.0.0.1:1/studies: " in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_an_unknown_database_is_refused() -> None:
    with pytest.raises(TuneError, match="--storage must be a URL of a database that answers"):
        open_storage("nosuch://host/db")
