"""Ctrl-C in a terminal: one line, exit code 130, and an end within seconds, whenever it comes."""

import contextlib
import os
import random
import re
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from quarry.command import main
from tests.evaluate.fakes import course_records, make_store, write_games
from tests.fakes import (
    CACHES,
    DOTTED,
    NETWORKS,
    RANKING,
    ROOT,
    TREES,
    in_terminal,
    lecture_pdf,
    start_python,
)
from tests.player.fakes import course

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
N_TRIES = int(os.environ.get("QUARRY_INTERRUPTS", "1"))
"""Moments at which each command is interrupted."""
END_S = 3.0
"""A command ends within this time, on a machine that is not busy."""
SLOWEST_S = 20.0
"""On a busy one; a command that hangs does not end at all."""

ENDING = r"[\w ]+: interrupted[^\r\n]*\r\n(\d+ games scored[^\r\n]*\r\n)?"
"""One line, and the result of the games that were played."""

COMMANDS = {
    "ingest": "-m ingest lectures --store {new} --embedder tests.fakes.DottedEmbedder",
    "ingest-2": "-m ingest lectures --store {new} --embedder tests.fakes.DottedEmbedder --workers 2",
    "search": "-m quarry search --store store --config own.yaml --hint words",
    "replay": "-m quarry replay --store store --config own.yaml --games games.jsonl --referee oracle --workers 2",
    "compare": "-m evaluate compare --presets default,keyword --store store --config own.yaml "
    "--games games.jsonl --workers 2",
    "tune": "-m quarry tune --store store --config own.yaml --games games.jsonl --trials 5000 --workers 2",
    "serve": "-m quarry serve --store store --config own.yaml --games games.jsonl --port 0",
    "play": f"{ROOT}/run_game.py --store store --config own.yaml --practice-games games.jsonl --games 500 "
    "--journal none",
    "questions": "-m quarry questions --store store --config own.yaml --games games.jsonl --out {new}",
    "label": "-m quarry games label --store store --config own.yaml --out {new}",
    "check": "-m quarry games check --store store --config own.yaml --games games.jsonl",
    "studio": "-m quarry studio --store store --config own.yaml --port 0",
    "report": "-m evaluate report run.json",
    "export": "-m quarry export run.json --out {new}",
}
"""Command lines in the folder `places`; each writes to {new}."""


@pytest.fixture(scope="module")
def places(models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with lectures, the store of some, games about them, and a run."""
    folder = tmp_path_factory.mktemp("interrupts")
    lectures = folder / "lectures"
    lectures.mkdir()
    texts = {"caches": CACHES, "networks": NETWORKS, "ranking": RANKING, "trees": TREES}
    for number in range(12):
        for name, text in texts.items():
            content = lecture_pdf(f"{name} {number}", f"{text} Part {number} ends.")
            (lectures / f"{name}{number}.pdf").write_bytes(content)
    make_store(folder / "store", course(), spec=DOTTED)
    records = []
    for number, record in enumerate(course_records() * 40):
        split = ("train", "validation", "test")[number % 3]
        changes = {"game_id": f"{number}", "split": split, "hint": "xyzzy"}
        records.append(record | changes)
    games = write_games(folder / "games.jsonl", records)
    own = folder / "own.yaml"
    own.write_text(f"embed: {{own: {DOTTED}}}")
    about = f"--store {folder}/store --config {own} --games {games}"
    assert main(f"replay {about} --out {folder}/run.json".split()) == 0

    return folder


def read_until(
    terminal: int,
    deadline: float,
    process: subprocess.Popen[bytes],
) -> str:
    """Return what is printed until the deadline, or until the process ends."""
    printed = b""
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.05)
        if ready:
            try:
                printed += os.read(terminal, 65_536)
            except OSError:  # nobody holds the other side any more
                break
        elif process.poll() is not None:
            break
    return printed.decode(errors="replace")


@pytest.mark.parametrize("name", COMMANDS)
def test_one_interrupt_ends_any_command_in_one_line(
    name: str,
    places: Path,
    tmp_path: Path,
) -> None:
    moments = random.Random(name)

    for number in range(N_TRIES):
        command = COMMANDS[name].format(new=tmp_path / f"new{number}")
        with in_terminal(*command.split(), folder=places) as (process, terminal):
            moment_s = moments.uniform(0.3, 5.0)
            read_until(terminal, time.monotonic() + moment_s, process)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.3)
            read_until(terminal, time.monotonic() + 0.1, process)
            if process.poll() is not None:
                continue  # a short command that was done before
            os.killpg(process.pid, signal.SIGINT)
            sent = time.monotonic()
            printed = read_until(terminal, sent + SLOWEST_S, process)
            code = process.wait(SLOWEST_S)
            took_s = time.monotonic() - sent
        after = re.split(r"\x1b\[K", printed)[-1]
        is_done = code == int(name == "check")  # which finds faults in the games
        if is_done and not after:
            continue  # it was done as the signal came
        assert code == 130, (moment_s, printed)
        assert re.fullmatch(ENDING, after), printed
        busy = os.getloadavg()[0] > (os.cpu_count() or 1)
        assert took_s < (SLOWEST_S if busy else END_S), moment_s


def test_a_terminated_ingest_leaves_no_process_and_one_line(
    places: Path, tmp_path: Path
) -> None:
    command = COMMANDS["ingest-2"].format(new=tmp_path / "new").split()
    with start_python(*command, folder=places) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while len(children.read_text().split()) < 2:
            assert process.poll() is None
            time.sleep(0.01)
        process.terminate()
        # the processes of the pool hold both streams
        _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    says = "interrupted; the store is as it was before, run it again to finish"

    assert err.endswith(f"quarry ingest: {says}\n")
