"""Studies: fit, choose, report once; seeded, resumable, shared; and the command around them."""

from __future__ import annotations

import itertools
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
from optuna.storages import RetryHeartbeatStaleTrialCallback
from optuna.trial import FrozenTrial, TrialState

from configs.settings import SearchSettings, Settings, load
from evaluate.errors import TuneError
from evaluate.games.labelled import SPLITS
from evaluate.tuning import storage as storage_module
from evaluate.tuning import study as study_module
from evaluate.tuning.prepared import Judged
from evaluate.tuning.storage import open_storage
from evaluate.tuning.study import (
    Space,
    best_first,
    complete,
    numbers_of,
    run_study,
    settings_of,
)
from ingest.executors import executor_of
from ingest.store import Course
from tests.evaluate.fakes import (
    Evaluate,
    Options,
    course_games,
    labelled_game,
    record_of,
    write_games,
)
from tests.evaluate.tuning.postgresql import PASSWORD, PostgreSQL, programs
from tests.fakes import each
from tests.player.fakes import course


def test_the_objective_adds_success_and_abstention_to_rr() -> None:
    # RR (1 + 1/2 + 0)/3, Success 2/3; answered 2 of 3, declined 1 of 2: (2/3 + 1/2)/2
    judged = Judged(
        np.array([1, 2, 0, 0, 0]),
        np.array([True, True, False, True, False]),
        np.array([True, True, True, False, False]),
    )
    assert judged.balanced_accuracy == pytest.approx(7 / 12)
    assert judged.objective == pytest.approx(0.5 + 0.1 * 2 / 3 + 0.1 * 7 / 12)
    measures = judged.as_json(0)["measures"]
    assert list(measures) == ["RR", "Success@1", "Success@5", "Success@20"]
    assert [*measures.values()] == pytest.approx([1 / 2, 1 / 3, 2 / 3, 2 / 3], abs=1e-6)


def test_without_unanswerable_games_the_threshold_earns_nothing() -> None:
    ranks, answerable = np.array([1, 0, 3]), np.full(3, True)
    for relevant in (True, False):
        judged = Judged(ranks, np.full(3, relevant), answerable)
        assert judged.balanced_accuracy is None
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
    assert (result.pdf_k, result.global_k, result.sentence_mean_weight) == (15, 5, 0.3)
    assert result.lowered_threshold == 0.2
    none = settings_of({"pdf_k": 0, "global_k": 0}, settings.search)
    assert (none.pdf_k, none.global_k) == (0, 1)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Four games a split, and an unanswerable one each."""
    records = []
    for row, game in enumerate(course_games(course())):
        records.append({**record_of(game), "split": SPLITS[row % 3]})
    for split in SPLITS:
        no = labelled_game(game_id=f"no {split}", hint=f"harbour cranes {split}")
        records.append({**record_of(no), "paragraph_id": None, "split": split})
    return write_games(tmp_path / "games.jsonl", records)


def test_settings_are_written_with_their_provenance_and_used_only_where_they_are_named(
    evaluate: Evaluate, about: Options, tmp_path: Path
) -> None:
    out = tmp_path / "tuned.yaml"
    tuned = evaluate("tune", *about, "--trials", 12, "--out", out, "--json")
    result = tuned.json
    assert result["trials"] == 12
    for kind, split in itertools.product(("tuned", "untuned"), SPLITS):
        figures = result[kind][split]
        assert figures["games"] == 5
        low, high = figures["intervals"]["RR"]
        assert low <= figures["measures"]["RR"] <= high
    chosen, base = (result[kind]["validation"] for kind in ("tuned", "untuned"))
    assert chosen["objective"] >= base["objective"]
    assert "5 train games are few for 10 parameters of search" in tuned.err

    written = yaml.safe_load(out.read_text(encoding="utf-8"))
    provenance = written["provenance"]
    assert written["search"] == result["tuned_settings"]
    assert result["settings"].items() <= written["search"].items()
    assert provenance["gain"] == result["gain"]
    assert {"commit", "store_fingerprint", "seed", "seconds"} <= set(provenance)
    assert load(config=out).search.pdf_k == result["settings"]["pdf_k"]

    # what a study chose may be what was there: a number that no default has tells that the file is read
    written["search"]["rule_weight"] = 1.23
    out.write_text(yaml.safe_dump(written), encoding="utf-8")

    default = load().search.rule_weight
    replay = ("replay", *about, "--split", "test", "--json")
    for named, expected in (
        (("--config", out), 1.23),
        (("--preset", out), 1.23),
        ((), default),
    ):
        settings = evaluate(*replay, *named).json["settings"]
        assert settings["search"]["rule_weight"] == expected


def test_what_was_tuned_over_a_preset_is_played_by_its_file_alone(
    evaluate: Evaluate, about: Options, tmp_path: Path
) -> None:
    out = tmp_path / "mine.yaml"
    changes = (
        "search.boost=1.5",
        "game.candidates=900",
        "game.useless_share=0.3",
        "embed.max_tokens=64",
    )
    more = itertools.chain(*(("--set", change) for change in changes))
    tune = ("tune", *about, "--trials", 3, "--preset", "dual", "--out", out)
    result = evaluate(*tune, *more, "--json").json
    own, read = load("dual", None, changes), load(str(out))
    search = replace(own.search, **result["settings"])
    assert read == replace(own, preset=str(out), search=search)
    assert result["preset"] == "dual"


def test_a_study_goes_on_and_tells_other_tools_what_was_tuned(
    evaluate: Evaluate,
    about: Options,
    store: Course,
    tmp_path: Path,
) -> None:
    storage = tmp_path / "study.db"
    tune = ("tune", *about, "--out", tmp_path / "tuned.yaml", "--storage")
    result = evaluate(*tune, storage, "--trials", 6, "--json").json
    assert (result["trials"], result["trials_before"]) == (6, 0)
    resumed = evaluate(*tune, f"sqlite:///{storage}", "--trials", 10)
    assert "10 trials (6 from before)" in resumed.out
    assert "objective: RR + 0.1 Success@k" in resumed.out

    study = optuna.load_study(study_name=None, storage=open_storage(str(storage)))
    assert study.user_attrs["store"] == store.location
    assert study.user_attrs["untuned"]["pdf_k"] == load().search.pdf_k
    for trial in study.trials:
        terms = trial.user_attrs
        more = 0.1 * (terms["Success@k"] + terms["balanced_accuracy"])
        assert trial.value == pytest.approx(terms["RR"] + more)


def test_a_grid_tries_every_combination_once(
    evaluate: Evaluate, about: Options, tmp_path: Path
) -> None:
    storage = tmp_path / "study.db"
    sweep = ("--grid", "fusion=linear,rrf", "--grid", "search.pdf_k=0,5,15")
    result = evaluate("tune", *about, *sweep, "--storage", storage, "--json").json
    assert result["trials"] == 6
    assert set(result["settings"]) == {"fusion", "pdf_k"}
    (summary,) = optuna.get_all_study_summaries(open_storage(str(storage)))
    assert summary.n_trials == 6
    study = optuna.load_study(
        study_name=summary.study_name, storage=open_storage(str(storage))
    )
    points = {(trial.params["fusion"], trial.params["pdf_k"]) for trial in study.trials}
    assert points == set(itertools.product(("linear", "rrf"), (0, 5, 15)))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "tune needs --trials N or --grid KEY=A,B,..., one of them."),
        (("--grid", "boost=1", "--trials", 3), "one of them"),
        (("--grid", "accuracy=fast"), "--grid takes KEY=A,B,... with a KEY of"),
        (("--grid", "boost=@"), "--grid boost=@: a value is not valid YAML. Quote it."),
        (("--grid", "boost=1,99"), "--grid boost=1,99: 99 is no value of search.boost"),
    ],
)
def test_a_grid_that_cannot_be_swept_is_refused(
    evaluate: Evaluate, about: Options, options: Options, says: str
) -> None:
    tuned = evaluate("tune", *about, *options)
    assert tuned.code == 2
    assert says in tuned.err


FEW: Space = {
    "pdf_k": optuna.distributions.IntDistribution(0, 20),
    "boost": optuna.distributions.FloatDistribution(0.0, 2.0, step=0.05),
}
N_TRIALS = 16


def fit(games: object, storage: str | None, **changed: Any) -> list[FrozenTrial]:
    """Run a study on these games and return its complete trials."""
    splits: Any = dict.fromkeys(SPLITS, games)
    usual: dict[str, Any] = {
        "name": "killed",
        "n_trials": N_TRIALS,
        "seed": 5,
    }
    with executor_of(changed.pop("workers", 1)) as executor:
        result = run_study(
            FEW,
            splits,
            load().search,
            storage=storage,
            executor=executor,
            **(usual | changed),
        )
    return list(result.trials)


def told(trials: Sequence[FrozenTrial]) -> list[tuple[object, object]]:
    """What two studies must agree on."""
    return sorted((trial.value, sorted(trial.params.items())) for trial in trials)


def scored(games: object, search: SearchSettings) -> Judged:
    """Stand in for `judge`: a rank that depends on the settings alone."""
    rank = 1 + abs(search.pdf_k - 7)
    return Judged(
        np.array([rank, 2]),
        np.array([search.boost > 1.0, True]),
        np.array([True, True]),
    )


def dying(number: int, sign: Path | None = None) -> Any:
    """Return a judge that leaves a sign and kills its process in one of its trials."""
    judged = itertools.count()

    def judge(games: object, search: SearchSettings) -> Judged:
        if next(judged) == number:
            if sign:
                sign.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return scored(games, search)

    return judge


def die_in_trial(number: int, storage: str, sign: Path | None = None) -> None:
    """Run the study in a process that is killed within one of its trials."""
    run_alone(dying(number, sign), storage)


def run_alone(judge: Any, storage: str) -> None:
    """Run the study in a process of its own, where a dead process is noticed after some seconds."""
    study_module.judge = judge  # type: ignore[attr-defined]
    storage_module.HEARTBEAT_S = storage_module.GRACE_S = 1
    fit(None, storage)


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


def n_complete(storage: str) -> int:
    return len(complete(studied(storage)))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials take no time, and a dead process is noticed after some seconds."""
    monkeypatch.setattr(study_module, "judge", scored)
    monkeypatch.setattr(storage_module, "HEARTBEAT_S", 1)
    monkeypatch.setattr(storage_module, "GRACE_S", 3)


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
    def test_a_study_that_is_killed_and_resumed_gives_the_figures_of_one_that_is_not(
        self, tmp_path: Path
    ) -> None:
        storage = str(tmp_path / "study.db")
        for number in (0, 9):
            process = SPAWN.Process(target=die_in_trial, args=(number, storage))
            process.start()
            process.join()
            assert process.exitcode == -signal.SIGKILL
        assert told(fit(None, storage)) == told(fit(None, None))
        states = each(studied(storage).trials, "state")
        assert states.count(TrialState.FAIL) == 2
        assert n_complete(storage) == N_TRIALS

    def test_a_worker_that_is_killed_loses_no_trial(self, tmp_path: Path) -> None:
        result = fit(Deadly(tmp_path / "marker"), str(tmp_path / "study.db"), workers=2)
        assert len(result) == N_TRIALS
        assert (tmp_path / "marker").exists()
        assert n_complete(str(tmp_path / "study.db")) == N_TRIALS

    def test_a_process_killed_among_others_on_postgresql_loses_no_trial(
        self, database: str, tmp_path: Path
    ) -> None:
        sign = tmp_path / "sign"
        killed = SPAWN.Process(target=die_in_trial, args=(0, database, sign))
        other = SPAWN.Process(target=wait_and_work, args=(database, sign))
        for process in (killed, other):
            process.start()
        for process in (killed, other):
            process.join()

        assert (killed.exitcode, other.exitcode) == (-signal.SIGKILL, 0)
        assert n_complete(database) == N_TRIALS
        states = {*each(studied(database).trials, "state")}
        assert TrialState.FAIL in states

    def test_processes_on_one_database_share_its_trials(self, database: str) -> None:
        with ThreadPoolExecutor(4) as pool:
            result = list(pool.map(lambda _: fit(None, database), range(4)))
        assert all(len(trials) >= N_TRIALS for trials in result)
        assert N_TRIALS <= n_complete(database) <= N_TRIALS + 3

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
                RetryHeartbeatStaleTrialCallback()(study, running)
            return scored(games, search)

        monkeypatch.setattr(study_module, "judge", slow)
        assert len(fit(None, storage)) == N_TRIALS

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
        assert n_complete(database) == N_TRIALS

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
        assert n_complete(database) == N_TRIALS


@pytest.mark.usefixtures("at_once")
class TestFirstTrials:
    def test_a_warm_start_runs_the_best_trials_of_the_newest_study_first(
        self, tmp_path: Path
    ) -> None:
        earlier = str(tmp_path / "earlier.db")
        best = best_first(fit(None, earlier))[:3]
        result = fit(None, None, warm_start=earlier, name="later")
        assert result[0].params == numbers_of(FEW, load().search)
        for trial, expected in zip(result[1:], best, strict=False):
            assert trial.params == pytest.approx(expected.params)

    def test_a_warm_start_from_nothing_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(
            TuneError, match="--warm-start must name a storage that has another study"
        ):
            fit(None, None, warm_start=str(tmp_path / "empty.db"))


def ranked(games: Any, search: SearchSettings) -> Judged:
    """Stand in for `judge`: hopeless settings find no game; the other ones find each at a rank of their own."""
    n_games = len(games.is_answerable)
    rank = 1 + abs(search.pdf_k - 7) if search.boost > 0.5 else 0
    return Judged(np.full(n_games, rank), np.full(n_games, True), games.is_answerable)


class Batch:
    """Games of which only the number counts."""

    def __init__(self, is_answerable: Any) -> None:
        self.is_answerable = is_answerable

    def part(self, rows: Any) -> Batch:
        return Batch(self.is_answerable[rows])


def test_hopeless_trials_are_pruned_and_the_others_have_the_values_of_all_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged = []

    def judge(games: Any, search: SearchSettings) -> Judged:
        judged.append(search)
        return ranked(games, search)

    monkeypatch.setattr(study_module, "judge", judge)
    games = Batch(np.arange(50) % 5 > 0)
    result = fit(games, None, prune=True, n_trials=60)
    assert len(result) < 60, "some were pruned"
    assert len(judged) < 4 * 60 + 40
    for trial in result:
        whole = ranked(games, settings_of(trial.params, load().search))
        assert trial.value == pytest.approx(whole.objective)
    best, unpruned = best_first(result)[0], best_first(fit(games, None, n_trials=60))[0]
    assert best.value == unpruned.value


@pytest.mark.parametrize(
    ("storage", "named"),
    [
        ("nosuch://host/db", "nosuch://host/db"),
        ("postgresql://me:s3cret@127.0.0.1:1/db", "postgresql://me:***@127.0.0.1:1/db"),
    ],
)
def test_a_storage_that_cannot_be_reached_is_named_without_its_password(
    storage: str, named: str
) -> None:
    with pytest.raises(TuneError) as caught:
        open_storage(storage)
    says = f"--storage must be a URL of a database that answers, or the path of an SQLite file, got {named}: "
    assert str(caught.value).startswith(says)
    assert "s3cret" not in str(caught.value)
