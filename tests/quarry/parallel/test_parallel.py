"""Executors of local processes, and ingest and replay on a real Dask cluster whose parts are killed."""

import errno
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from configs.errors import SettingsError, WorkerError
from configs.settings import load
from evaluate.games.labelled import SPLITS
from evaluate.referee.spec import repeat_referee
from evaluate.replay import replay as replayer
from evaluate.replay.replay import Replay
from evaluate.runs.files import RecordFile
from evaluate.tuning import study
from evaluate.tuning.objective import evaluate_settings
from evaluate.tuning.space import load_space
from evaluate.tuning.storage import open_storage
from evaluate.tuning.study import run_study
from ingest.pipeline.pipeline import IngestSummary, ingest
from ingest.pipeline.read import Staging
from quarry.command import main as evaluate
from quarry.parallel import Cluster, LocalProcesses, Workers, run_all, run_one
from quarry.parallel import cluster as cluster_module
from quarry.store import Course
from tests.evaluate.fakes import course_games, prepared, record_of, write_games
from tests.fakes import (
    CACHES,
    DOTTED,
    NETWORKS,
    RANKING,
    ROOT,
    TREES,
    faulty_reading,
    lecture_pdf,
)

pytestmark = pytest.mark.long


def die_once(marker: Path) -> str:
    """Kill this process, unless a process was killed before."""
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def test_an_error_in_one_executor_leaves_the_processes_of_another() -> None:
    with LocalProcesses(1) as other:
        other.submit(os.getpid).result()
        pending = other.submit(time.sleep, 2)
        failing = LocalProcesses(1)
        failing.submit(os.getpid).result()
        failing.shutdown(cancel_futures=True)
        assert pending.result() is None


def test_a_current_folder_that_was_deleted_is_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    with (
        pytest.raises(WorkerError, match=r"^Cannot start a process: .*\Z"),
        LocalProcesses(1) as executor,
    ):
        executor.submit(os.getpid)


def test_a_task_whose_process_is_killed_is_run_again(tmp_path: Path) -> None:
    with LocalProcesses(1) as executor:
        assert run_one(executor, die_once, tmp_path / "marker") == "done"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces it")
def test_a_task_that_takes_too_much_memory_fails_alone() -> None:
    with LocalProcesses(1) as executor:
        sizes = (400 << 20,), (1,)
        calls = run_all(executor, bytearray, sizes, memory_mb=200)
        errors = {number: future.exception() for number, future in calls}
    assert isinstance(errors[0], MemoryError)
    assert errors[1] is None


def test_a_shared_value_reaches_each_task(monkeypatch: pytest.MonkeyPatch) -> None:
    with LocalProcesses(2) as executor:
        shared = executor.share({"doubled": 4})
        futures = [executor.submit(dict.get, shared, "doubled") for _ in range(4)]
        assert [future.result() for future in futures] == [4] * 4
        full = OSError(errno.ENOSPC, "No space left on device")
        monkeypatch.setattr("pickle.dump", Mock(side_effect=full))
        fault = r"Cannot write shared data to .*No space left on device"
        with pytest.raises(WorkerError, match=fault):
            executor.share([1])


def test_a_script_needs_no_guard_against_being_imported_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from quarry.parallel import LocalProcesses\n"
        "with LocalProcesses(1) as executor:\n"
        "    print(executor.submit(len, 'abc').result())\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert subprocess.check_output([sys.executable, str(script)]) == b"3\n"


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A scheduler and two workers."""
    pytest.importorskip(
        "distributed", reason="distributed is not installed: make cluster"
    )
    from tests.dask_cluster import DaskCluster

    cluster = DaskCluster(tmp_path_factory.mktemp("dask"))
    yield cluster
    cluster.close()


@pytest.fixture
def cluster(dask: Any) -> Iterator[Cluster]:
    with Cluster(dask.address) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def lectures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lectures")
    for number, text in enumerate((CACHES, NETWORKS, RANKING, TREES)):
        (folder / f"{number}.pdf").write_bytes(lecture_pdf("Lecture", text))
    return folder


OWN = f"embed.own={DOTTED}"
"""Setting of a user who trusts the embedder that the store names."""
SETTINGS = load(changes=[OWN])


def ingested(
    folder: Path,
    store: Path,
    workers: Workers = 1,
) -> IngestSummary:
    return ingest(
        [folder],
        str(store),
        SETTINGS,
        embedder_spec=DOTTED,
        progress=False,
        workers=workers,
    )


@pytest.fixture(scope="module")
def course(
    lectures: Path,
    models_dir: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Course:
    """The lectures, ingested on this machine."""
    return ingested(lectures, tmp_path_factory.mktemp("course") / "store").course


def after_the_first(
    monkeypatch: pytest.MonkeyPatch,
    owner: object,
    method: str,
    act: Callable[[], None],
) -> None:
    """Call `act` once, after the first call of a method."""
    real = getattr(owner, method)
    remaining = [act]

    def call(*arguments: Any) -> Any:
        result = real(*arguments)
        if remaining:
            remaining.pop()()
        return result

    monkeypatch.setattr(owner, method, call)


def test_the_store_is_the_same_though_a_worker_is_killed(
    dask: Any,
    cluster: Cluster,
    course: Course,
    lectures: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    after_the_first(monkeypatch, Staging, "keep", dask.kill_worker)
    summary = ingested(lectures, tmp_path, cluster)
    assert not summary.failed
    assert summary.course.fingerprint == course.fingerprint


def test_the_store_is_the_same_from_any_number_of_processes(
    course: Course,
    lectures: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ingest.pipeline.pipeline.PARAGRAPHS_A_WORKER", 1)
    monkeypatch.setattr("quarry.embed.vectors.PART_SIZE", 1)
    # nothing is embedded in this process
    monkeypatch.setattr("ingest.pipeline.pipeline.embed_reading", pytest.fail)
    other = ingested(lectures, tmp_path, 2).course
    assert other.fingerprint == course.fingerprint
    np.testing.assert_array_equal(other.vectors, course.vectors)


def test_a_file_that_kills_its_process_fails_alone(
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("deadly", "good"):
        (tmp_path / f"{name}.pdf").write_bytes(lecture_pdf(name, TREES))
    monkeypatch.setattr("ingest.pipeline.read.read_pdf", faulty_reading)
    (failed,) = ingested(tmp_path, tmp_path / "store", cluster).failed
    assert failed.doc_id == "deadly"
    assert "its reader died (exit code 3)" in failed.detail


def replayed(course: Course, workers: Workers) -> dict[str, Any]:
    run = Replay(
        course_games(course.paragraphs),
        course,
        SETTINGS,
        repeat_referee("noisy:0.3,0.2", 2, 0),
        workers=workers,
    ).run()
    return run.as_json() | {"latency_ms": None}


def test_the_run_is_the_same_on_any_workers_though_one_is_killed_and_refused_on_another_store(
    dask: Any,
    cluster: Cluster,
    course: Course,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = replayed(course, 1)
    assert replayed(course, 2) == here
    after_the_first(monkeypatch, replayer, "task_result", dask.kill_worker)
    assert replayed(course, cluster) == here
    assert here["games"] == len(course.paragraphs)

    monkeypatch.setitem(vars(course), "fingerprint", "another")
    fault = r"Worker tcp://.* here and another on another machine"
    with pytest.raises(WorkerError, match=fault):
        replayed(course, cluster)


def test_games_are_prepared_alike_and_trials_judged_though_a_worker_is_killed(
    dask: Any,
    cluster: Cluster,
    course: Course,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    games, settings = course_games(course.paragraphs), SETTINGS
    here = prepared(games, course, settings)
    there = prepared(games, course, settings, executor=cluster)
    expected = [*map(asdict, here.games)]
    np.testing.assert_equal([*map(asdict, there.games)], expected)
    after_the_first(monkeypatch, study, "run_one", dask.kill_worker)
    tuned = run_study(
        load_space(settings.search),
        dict.fromkeys(SPLITS, here),
        settings.search,
        name="on a cluster",
        n_trials=8,
        seed=0,
        storage=open_storage(None),
        executor=cluster,
    )

    assert len(tuned.trials) == 8
    values = {trial.number: trial.value for trial in tuned.trials}
    assert values[0] == evaluate_settings(here, settings.search).objective


def test_a_worker_of_another_version_says_so_at_the_start(
    dask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "code_digest", lambda: "0123")
    fault = r"Worker tcp://.* It runs other code .* than this command \(0123\)"
    with pytest.raises(WorkerError, match=fault):
        Cluster(dask.address)


def test_a_silent_scheduler_is_named_and_given_up(
    dask: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "quarry")
    monkeypatch.setattr(cluster_module, "CONNECT_S", 1.0)
    monkeypatch.setattr(cluster_module, "QUIET_S", 2.0)
    monkeypatch.setattr(cluster_module, "LIMIT_S", 5.0)
    with Cluster(dask.address) as cluster, dask.frozen_scheduler():
        silent = "the Dask scheduler at .* does not answer"
        with pytest.raises(WorkerError, match=rf"finished for 5 s: {silent}"):
            run_one(cluster, abs, 2)
    assert re.fullmatch(f"waiting for 1 task: {silent}", caplog.messages[-1])


def test_a_task_that_no_worker_has_is_given_up(
    dask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "QUIET_S", 1.0)
    monkeypatch.setattr(cluster_module, "LIMIT_S", 3.0)
    with Cluster(dask.address) as cluster:
        lost: Future[int] = Future()
        with pytest.raises(WorkerError, match=r"no worker of .* has a task"):
            cluster.first_done([lost])


def test_a_long_task_does_not_count_as_silence_of_the_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    faults = iter(["", "", "no worker answers", ""])
    times = iter([0.0, 130.0, 135.0, 140.0, 145.0])
    task = Mock()
    waits = iter([Mock(done=set())] * 4 + [Mock(done={task})])
    monkeypatch.setattr(cluster_module, "wait", lambda *_: next(waits))
    monkeypatch.setattr("quarry.parallel.cluster.time.monotonic", lambda: next(times))
    cluster = Mock(_fault=lambda: next(faults))
    assert [*Cluster.first_done(cluster, [task])] == [task]


def test_an_address_without_a_scheduler_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip(
        "distributed", reason="distributed is not installed: make cluster"
    )
    monkeypatch.setattr(cluster_module, "CONNECT_S", 0.5)
    # a Client would leave the sockets of its event loop open
    monkeypatch.setattr("distributed.Client", pytest.fail)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for port in ("", ":1", f":{silent.getsockname()[1]}"):
            address = f"tcp://127.0.0.1{port}"
            refused = f"No Dask scheduler answers at {address}"
            with pytest.raises(SettingsError, match=refused):
                Cluster(address)

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SettingsError, match=r"Run `make cluster`"):
        Cluster(address)


def test_what_is_finished_stays_if_the_scheduler_is_lost(
    dask: Any,
    course: Course,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last test, as it kills the scheduler of the others."""
    records = map(record_of, course_games(course.paragraphs * 10))
    games = write_games(tmp_path / "games.jsonl", records)
    command = ["replay", f"--store={course.location}", f"--games={games}"]
    command += ["--referee=oracle", f"--set={OWN}"]

    def replay(name: str) -> dict[str, Any]:
        out = tmp_path / name
        assert evaluate([*command, f"--out={out}"]) == 0
        run: dict[str, Any] = json.loads(out.read_text())
        return run | {"latency_ms": None}

    with monkeypatch.context() as patch:
        after_the_first(patch, RecordFile, "append", dask.kill_scheduler)
        lost = f"--out={tmp_path}/run.json", f"--cluster={dask.address}"
        assert evaluate([*command, *lost]) == 1
    *_, line = capsys.readouterr().err.splitlines()
    assert "Lost the connection to the Dask scheduler" in line
    run = replay("run.json")
    assert "games are finished" in capsys.readouterr().err
    assert run == replay("whole.json")
