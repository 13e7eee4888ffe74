"""The commands and lines that README and the guides show do what they say."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from quarry.json_files import read_objects
from tests.evaluate.fakes import write_games
from tests.fakes import ROOT, read_page, run_python

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]
"""Six lectures are read and embedded first."""

README = read_page("README.md")
SEARCH = read_page("docs/guides/search.md")
MEASURE = read_page("docs/guides/measure.md")
IDEAS = read_page("docs/ideas.md")
TERM = "The formula that most engines use by default"


def blocks(begin: str) -> list[str]:
    """Return the blocks of README that begin with a pattern."""
    return re.findall(rf"(?ms)^```\w*\n({begin}.*?)^```", README)


def shown(start: str) -> list[str]:
    """Return the arguments of the guides' commands that begin with a pattern, without the remarks after them."""
    line = rf"(?m)^(?:\$ )?(quarry {start}.*?)(?:\s{{2,}}.*)?$"
    commands = re.findall(line, SEARCH + MEASURE)
    return [f"-m {command}" for command in commands if " my/" not in command]


def run(
    arguments: str,
    folder: Path,
    typed: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder whose `data` is the home of the program."""
    ours = {
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "default",
        "QUARRY_HOME": str(folder / "data"),
    }
    words = shlex.split(arguments)
    return run_python(*words, folder=folder, env=ours, input=typed)


def printed(arguments: str, folder: Path) -> str:
    """Return the output of a command, which must exit with 0."""
    done = run(arguments, folder)
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Path:
    """A folder with the bundled lectures ingested as `make play` does it, and the bundled games."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "data").mkdir()
    for name in ("games", "lectures"):
        (folder / "data" / name).symlink_to(ROOT / "data" / name)
    printed("-m ingest data/lectures/english", folder)
    return folder


def test_a_command_of_the_guides_prints_its_results(course: Path) -> None:
    for start, says in {
        "search": "book: .*book   dense 1",
        "games check": "0 things wrong",
        "replay .*none": r"Success@1 +0\.\d+ +\[0\.\d+, 0\.\d+\]",
    }.items():
        command, *_ = shown(start)
        assert re.search(f"(?s){says}", printed(command, course))


def test_games_are_played_with_several_referees_and_compared(
    course: Path, tmp_path: Path
) -> None:
    # the same course with six of its test games
    (tmp_path / "data/games").mkdir(parents=True)
    (tmp_path / "data/store").symlink_to(course / "data/store")
    name = "data/games/english.jsonl"
    chosen = []
    for _, game in read_objects(ROOT / name, ValueError):
        if game["split"] == "test" and game.get("paragraph"):
            chosen.append(game)
    write_games(tmp_path / name, chosen[::25])

    (played,) = [line for line in shown("replay") if line.count("--referee") > 1]
    row = r"(?m)^\| `sees:opening` \| 1 \| \d\.\d+ \["
    assert re.search(row, printed(played, tmp_path))
    (compared,) = shown("compare --games")
    assert re.search(r"(?m)^\S+ +0?\.\d+", printed(compared, tmp_path))


def test_readme_begins_with_the_two_commands() -> None:
    assert re.fullmatch(r"make play .*\nmake test .*\n", blocks("")[0])


def test_the_sample_game_is_what_the_command_prints(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = printed("-m quarry play --seed 11", course)
    explained = re.findall(r"(?ms)^```\n(.*?)^```", IDEAS)
    for sample in (blocks("─+ game ")[0], "".join(explained)):
        lines = filter(str.strip, out.splitlines())
        for line in filter(str.strip, sample.splitlines()):
            is_there = line == "..." or any(is_same(line, other) for other in lines)
            assert is_there, f"not printed here: {line}\n{out}"


def is_same(line: str, other: str) -> bool:
    """Whether lines have the same words, and numbers that differ by no more than processors round them."""
    number = r"\d\.\d+"
    pair = [
        [float(found) for found in re.findall(number, text)] for text in (line, other)
    ]
    words = [re.sub(number, "#", text).rstrip() for text in (line, other)]
    return words[0] == words[1] and pair[0] == pytest.approx(pair[1], abs=0.02)


def test_the_lines_of_python_ingest_search_and_play_a_labelled_game(
    course: Path,
) -> None:
    (block,) = re.findall(r"(?ms)^```python\n(.*?)^```", README)[:1]
    assert "result.relevant_hits" in block
    out = printed(f"-c {shlex.quote(block)}", course)
    assert TERM in out
    assert re.search(r"game_id +rank +won\n0 +\S+ +\S+ +(True|False)", out), out


def test_the_example_notebook_runs(course: Path) -> None:
    notebook = json.loads((ROOT / "docs/example.ipynb").read_bytes())
    cells = ["import os; os.chdir(os.sep)"]
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"], "the notebook is kept with its results"
            cells.append("".join(cell["source"]))
    cells.append(
        "print(found.relevant_hits[0].paragraph.opening_sentence, len(run.per_game), len(comparison.runs))"
    )
    last = printed(f"-c {shlex.quote(chr(10).join(cells))}", course).splitlines()[-1]
    assert TERM in last
    assert last.endswith(" 4 2")
