"""The commands and lines that README and the guides show do what they say."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(900)
"""Six lectures are read and embedded first."""

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SEARCH, COMPARE = (
    ROOT / "docs" / "guides" / name for name in ("search.md", "compare.md")
)
GUIDES = SEARCH.read_text(encoding="utf-8") + COMPARE.read_text(encoding="utf-8")


def shown(start: str) -> list[str]:
    """The arguments of the guides' commands that begin so, without the remarks beside them."""
    lines = re.findall(r"^(?:\$ )?\.venv/bin/python (.*)$", GUIDES, flags=re.MULTILINE)
    return [re.split(r"\s{2,}", line)[0] for line in lines if line.startswith(start)]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Path:
    """A folder with the bundled lectures ingested as `make play` does it, and the bundled games."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "data").mkdir()
    (folder / "data" / "games").symlink_to(ROOT / "data" / "games")
    (folder / "data" / "lectures").symlink_to(ROOT / "data" / "lectures")
    done = run("-m ingest data/lectures/english", folder)
    assert done.returncode == 0, done.stderr
    return folder


def run(
    arguments: str, folder: Path, typed: str | None = None
) -> subprocess.CompletedProcess[str]:
    ours = {
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "default",
        "QUARRY_HOME": str(folder / "data"),
    }
    environment = {**os.environ, **ours}
    command = [sys.executable, *shlex.split(arguments)]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        input=typed,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("arguments", shown("-m player search"))
def test_searches_print_their_hits(arguments: str, course: Path) -> None:
    done = run(arguments, course)
    assert done.returncode == 0, done.stderr
    assert "book: " in done.stdout
    assert "book   dense 1" in done.stdout


def test_a_search_prints_json_and_nothing_else(course: Path) -> None:
    done = run(f"{shown('-m player search')[0]} --json", course)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["hits"]) == 5


@pytest.mark.parametrize("arguments", shown("-m evaluate games check"))
def test_the_bundled_games_have_nothing_wrong(arguments: str, course: Path) -> None:
    done = run(arguments, course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 things wrong" in done.stdout


def test_a_replay_measures_the_test_split(course: Path) -> None:
    replays = []
    for arguments in shown("-m evaluate replay"):
        if arguments.endswith("none"):
            replays.append(arguments)
    done = run(replays[0], course)
    assert done.returncode == 0, done.stderr
    assert re.search(r"Success@1 +0\.\d+ +\[0\.\d+, 0\.\d+\]", done.stdout)


@pytest.fixture(scope="module")
def few(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same course with six of its test games, for commands that play."""
    folder = tmp_path_factory.mktemp("few")
    (folder / "data" / "games").mkdir(parents=True)
    (folder / "data" / "store").symlink_to(course / "data" / "store")
    lines = (
        (ROOT / "data" / "games" / "english.jsonl")
        .read_text(encoding="utf-8")
        .splitlines(keepends=True)
    )
    chosen = [
        line
        for line in lines
        if json.loads(line)["split"] == "test" and json.loads(line).get("paragraph")
    ][::25]
    (folder / "data" / "games" / "english.jsonl").write_text(
        "".join(chosen), encoding="utf-8"
    )
    return folder


def test_games_are_compared_played_reported_and_exported_in_turn(few: Path) -> None:
    commands = [
        arguments
        for arguments in shown("-m evaluate")
        if re.match(r"-m evaluate (replay|compare|report|export)", arguments)
        and not arguments.endswith("none")
        and "--config" not in arguments  # of a model that no package holds
    ]
    names = [arguments.split()[2] for arguments in commands]
    assert names == ["replay", "compare", "replay", "replay", "report", "export"]
    for arguments in commands:
        done = run(arguments, few)
        assert done.returncode == 0, (
            f"{arguments}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        )
        if " compare " in arguments:
            assert re.search(r"^\S+ +0?\.\d+", done.stdout, flags=re.MULTILINE)
        if arguments.count("--referee") > 1:
            assert re.search(
                r"^\| `sees:opening` \| 1 \| \d\.\d+ \[",
                done.stdout,
                flags=re.MULTILINE,
            )
    assert (
        json.loads((few / "run.json").read_text(encoding="utf-8"))["win_rate"]
        is not None
    )
    assert (
        (few / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    )
    assert (few / "trec" / "run.qrels").is_file()


def test_readme_begins_with_the_two_commands() -> None:
    first_block = re.findall(
        r"^```\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL
    )[0]
    assert re.fullmatch(r"make play .*\nmake test .*\n", first_block)


def test_the_sample_game_is_what_the_command_prints(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "QUARRY_ACCURACY", "fast"
    )  # what `make play` installs; more models would find more
    monkeypatch.setenv("COLUMNS", "80")
    sample = re.findall(
        r"^```\n(─+ game .*?)^```", README, flags=re.MULTILINE | re.DOTALL
    )[0]
    done = run(f"{ROOT / 'run_game.py'} --seed 11", course)
    assert done.returncode == 0, done.stderr
    printed = iter(alike(done.stdout))
    for line in alike(sample):
        assert line == "..." or line in printed, (
            f"not printed, or not in this place: {line}\n{done.stdout}"
        )


def alike(text: str) -> list[str]:
    """The lines, with the numbers that another processor may round otherwise left out."""
    return [
        re.sub(r"\d\.\d+", "#", line).rstrip()
        for line in text.splitlines()
        if line.strip()
    ]


def test_the_lines_of_python_ingest_search_and_play_a_labelled_game(
    course: Path,
) -> None:
    blocks = re.findall(
        r"^```python\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL
    )
    assert "found.relevant_hits" in blocks[0]
    done = run(f"-c {shlex.quote(blocks[0])}", course)
    assert done.returncode == 0, done.stderr
    assert "a term that stands in n of N documents" in done.stdout
    assert re.search(r"game_id +rank +won\n0 +\S+ +\S+ +(True|False)", done.stdout), (
        done.stdout
    )


def test_the_example_notebook_runs(course: Path) -> None:
    notebook = json.loads((ROOT / "docs" / "example.ipynb").read_text(encoding="utf-8"))
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cells.append("".join(cell["source"]))
    outputs = [cell["outputs"] for cell in notebook["cells"] if "outputs" in cell]
    assert all(outputs), "the notebook is kept with its results"
    cells.insert(0, "import os; os.chdir(os.sep)")
    shown = "print(found.relevant_hits[0].paragraph.opening_sentence, len(run.per_game), len(comparison.runs))"
    done = run(f"-c {shlex.quote(chr(10).join([*cells, shown]))}", course)
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert "a term that stands in n of N documents" in last
    assert last.endswith(" 4 2")
