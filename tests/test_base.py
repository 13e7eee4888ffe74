"""With the base requirements alone, courses are searched, and games are played against a server."""

import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.evaluate.fakes import make_store
from tests.fakes import DOTTED, ROOT, read_page, run_python
from tests.player.fakes import course

pytestmark = pytest.mark.long

BLOCK = """
import json, sys

EXTRAS = set(json.loads(sys.argv.pop(1)))

class Missing:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing)
"""
"""Begin of a program that cannot import the modules of the extras."""
COMMAND = """
from quarry.__main__ import main
sys.exit(main())
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


def modules_of_extras() -> list[str]:
    """The modules of the packages that the extras `evaluate` and `models` name."""
    project = tomllib.loads(read_page("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    packages = set()
    for requirement in extras["evaluate"] + extras["models"]:
        packages.add(canonicalize_name(Requirement(requirement).name))

    modules = []
    for module, owners in packages_distributions().items():
        if not packages.isdisjoint(map(canonicalize_name, owners)):
            modules.append(module)
    assert {"ir_measures", "optuna", "pandas", "torch", "uvicorn"} < {*modules}
    return modules


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a program without the extras, in a folder with a store."""
    make_store(tmp_path / "store", course(), spec=DOTTED)
    (tmp_path / "own.yaml").write_text(f"embed: {{own: {DOTTED}}}")
    modules = json.dumps(modules_of_extras())
    env = {"PYTHONPATH": str(ROOT), "QUARRY_HOME": str(tmp_path / "home")}

    def run(program: str, line: str = "") -> subprocess.CompletedProcess[str]:
        words = ["-c", BLOCK + program, modules, *line.split()]
        return run_python(*words, folder=tmp_path, env=env)

    return run


def test_a_course_is_searched_from_python(run: Run) -> None:
    done = run("""
import quarry
settings = quarry.load_settings("own.yaml")
result = quarry.search("store", "what climbs", k=2, settings=settings)
print(len(result.hits), result._repr_html_())
""")
    assert (done.stdout, done.stderr) == ("2 None\n", "")


def test_a_game_is_played_against_a_server(run: Run, url: str) -> None:
    quick = "--store store --preset own.yaml --set game.questions_pool=60"
    done = run(COMMAND, f"play --json --server {url} {quick}")
    assert len(json.loads(done.stdout)["games"]) == 1


@pytest.mark.parametrize("name", ["search", "ingest", "callbacks", "doctor"])
def test_a_command_has_help(run: Run, name: str) -> None:
    done = run(COMMAND, f"{name} --help")
    assert done.stdout.startswith(f"Usage: quarry {name}")


def test_a_practice_game_names_the_extra_before_a_store_is_made(run: Run) -> None:
    done = run(COMMAND, "play")
    assert done.returncode == 2
    assert re.search(
        r"missing .*pip install 'quarry-lectures\[evaluate\]'", done.stderr
    )
