"""Long replays: records stream to a file, a killed replay goes on where it was, and memory does not grow with games."""

import gc
import re
import tracemalloc
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from configs.errors import SettingsError
from configs.settings import load
from evaluate.errors import RunError
from evaluate.replay.replay import Replay
from evaluate.replay.replayer import Job
from evaluate.report.page import compute_lecture_figures, render
from evaluate.runs.comparison import compare
from evaluate.runs.files import (
    RecordFile,
    games_path,
    partial_path,
    read_runs,
    resume_or_begin,
    write_run,
)
from evaluate.runs.record import ReplayRecord
from tests.contracts.paragraphs import paragraph
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import labelled_game, run_of
from tests.fakes import each
from tests.player.fakes import course_with

pytestmark = pytest.mark.long


def record_of(game_id: str) -> ReplayRecord:
    """The record of a game; every third one is lost."""
    won = int(game_id[1:]) % 3 > 0
    return game_record(game_id=game_id, plays=[play_record(won=won)])


class Killed(BaseException):
    """The process is killed."""


def replay_long(
    out: Path,
    n: int,
    kill_at: str = "",
    *,
    backwards: bool = False,
) -> None:
    """Replay n fake games into a file; the process is killed before the game `kill_at`.

    Args:
        backwards: the last game is finished first.
    """

    def play_all(jobs: Iterable[Job]) -> Iterator[ReplayRecord]:
        for job in reversed([*jobs]) if backwards else jobs:
            if job.game.game_id == kill_at:
                raise Killed
            record = record_of(job.game.game_id)
            record["search"]["hits"] *= 100  # 50 kB of JSON, as a played game has
            yield record

    course = course_with((), [paragraph("alpha:1:1")])
    games = [labelled_game(game_id=f"g{number}") for number in range(n)]
    records = resume_or_begin(out, "inputs")
    Replay(games, course, load()).play_rest(play_all, records)
    write_run(out, run_of(records, out.stem, "oracle"))


def files_of(out: Path) -> list[bytes]:
    return [games_path(out).read_bytes(), out.read_bytes()]


def test_a_killed_replay_goes_on_in_any_order_and_writes_the_same_bytes() -> None:
    whole, out = Path("whole.json"), Path("killed.json")
    replay_long(whole, 12)
    with pytest.raises(Killed):
        replay_long(out, 12, kill_at="g7")

    assert not out.exists()
    assert partial_path(out).exists()
    written, marker = games_path(out).read_bytes(), partial_path(out).read_bytes()
    assert written.count(b"\n") == 7
    for n_torn in (0, 1, 500, 60_000):  # as if killed while it wrote
        games_path(out).write_bytes(written[: len(written) - n_torn])
        partial_path(out).write_bytes(marker)
        replay_long(out, 12, backwards=True)
        assert files_of(out) == files_of(whole)
        assert not partial_path(out).exists()


RUNS = [Path("a.json"), Path("b.json")]


def peak_of(n: int) -> int:
    """Most bytes of memory that are in use while n games are replayed twice, compared and reported."""
    gc.collect()
    tracemalloc.start()
    for out in RUNS:
        replay_long(out, n)
    runs = read_runs(RUNS)
    compare(runs)
    compute_lecture_figures(runs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_does_not_grow_with_the_records_of_games() -> None:
    peak_of(4)  # modules are loaded, caches filled
    few, many = (peak_of(n) for n in (10, 40))
    bulk = 2 * games_path(RUNS[0]).stat().st_size / 40
    assert bulk > 80_000, "bytes of both records of a game"
    assert (many - few) / 30 < bulk / 10


def test_a_report_of_many_games_shows_the_lost_ones_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("evaluate.report.page.MAX_GAMES_LISTED", 3)
    records = [*map(record_of, map("g{}".format, range(9)))]
    page = render([run_of(records, referee="oracle")])
    assert "3 of 9 games are shown, lost games first" in page
    assert re.findall(r'data-game="(\w+)"', page) == ["g0", "g3", "g6"]


OUT = Path("run.json")


def begin(inputs: str) -> list[str]:
    """The ids of the games that are finished, to which one is added."""
    records = resume_or_begin(OUT, inputs)
    finished = each(records, "game_id")
    records.append(game_record(game_id=f"g{len(records)}"))
    return finished


def test_only_games_of_the_same_inputs_count() -> None:
    assert [begin("inputs"), begin("inputs")] == [[], ["g0"]]
    assert [begin("other"), begin("other")] == [[], ["g0"]]


def test_a_run_that_another_process_writes_is_refused() -> None:
    records = resume_or_begin(OUT, "inputs")
    run = run_of(records)
    refused = r"--out run\.json cannot be written: another process writes it; wait"
    with ThreadPoolExecutor() as other:  # a thread is refused as a process is
        for write in (
            lambda: resume_or_begin(OUT, "inputs"),
            lambda: write_run(OUT, run_of([])),
        ):
            with pytest.raises(SettingsError, match=refused):
                other.submit(write).result()
        records.append(game_record())
        write_run(OUT, run)
        assert not Path("run.json.lock").exists()
        assert len(other.submit(resume_or_begin, OUT, "inputs").result()) == 0


def test_a_run_that_is_not_finished_is_not_read() -> None:
    assert begin("inputs") == []
    write_run(OUT, run_of(RecordFile(games_path(OUT))))
    assert len(read_runs([OUT])[0].records) == 1
    partial_path(OUT).write_text("{}")
    with pytest.raises(RunError, match=r"is not finished: .* run\.json\.partial"):
        read_runs([OUT])
