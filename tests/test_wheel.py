"""What is installed is whole: a wheel, from which a game is played, and the link to a checkout that editors follow."""

import json
import re
import shutil
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.fakes import ROOT, read_page, run_python

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]
"""A wheel is built, and a lecture is read and embedded."""

PACKAGES = ("configs", "evaluate", "ingest", "player", "quarry")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel installs."""
    folder = tmp_path_factory.mktemp("wheel")
    install = f"-m pip install {ROOT} --no-deps -q --no-build-isolation --target {folder / 'site'}"
    done = run_python(*install.split(), folder=folder)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def files_of(folder: Path) -> set[str]:
    """The files of a folder, without what Python compiles."""
    files = set()
    for path in folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            files.add(str(path.relative_to(folder)))
    return files


def test_a_wheel_installs_the_packages_with_their_data_and_nothing_else(
    unpacked: Path,
) -> None:
    tops = {path.name for path in unpacked.iterdir() if path.suffix != ".dist-info"}
    assert tops == {*PACKAGES, "bin", "share"}
    for package in PACKAGES:
        assert files_of(ROOT / package) <= files_of(unpacked / package)
    assert (unpacked / "quarry/py.typed").is_file()
    lectures = unpacked / "share/quarry/lectures/english"
    assert len(list(lectures.glob("*.pdf"))) == 7


@pytest.mark.usefixtures("models_dir")
def test_a_game_is_played_from_a_wheel_and_nothing_is_written_into_it(
    unpacked: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    # the tests of README read all lectures
    others = shutil.ignore_patterns("0[1-5]*.pdf", "lecture6*.pdf")
    shutil.copytree(unpacked, site, ignore=others)
    before = files_of(site)
    home = tmp_path / "home"
    ours = {"PYTHONPATH": str(site), "QUARRY_HOME": str(home)}
    command = "-m quarry play --seed 11 --json --set ingest.editions=[]"
    done = run_python(*command.split(), folder=tmp_path, env=ours)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"][0]["league_points"] >= 0
    assert (home / "store/course.1").is_dir()
    assert files_of(site) == before


TYPED = """
import quarry

def opening_of_best(hint: str) -> str:
    result = quarry.search(quarry.open_store("data/store"), hint)
    return result.hits[0].paragraph.opening_sentence

wrong: int = opening_of_best("what climbs")
"""


def test_an_editor_resolves_the_types_of_a_linked_checkout(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=True)
    python = str(tmp_path / "venv/bin/python")
    makefile = read_page("Makefile")
    link = re.search(r"(?m)^LINK = \$\(PY\) -m pip (.*)$", makefile)
    assert link is not None
    words = ["-m", "pip", "--python", python, *link[1].split(), "--no-build-isolation"]
    tools = {"PYTHONPATH": sysconfig.get_path("purelib")}
    done = run_python(*words, env=tools)
    assert done.returncode == 0, done.stderr

    (tmp_path / "user.py").write_text(TYPED)
    words = [
        "-m",
        "basedpyright",
        "--pythonpath",
        python,
        "--level",
        "error",
        "user.py",
    ]
    done = run_python(*words, folder=tmp_path)
    errors = re.findall(r"user.py:(\d+):.* error: (.*)", done.stdout)
    assert errors == [("8", 'Type "str" is not assignable to declared type "int"')]
