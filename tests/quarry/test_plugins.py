"""Parts by name: own names first, then dotted paths; what cannot be found is refused."""

import sys
from pathlib import Path

import pytest

from configs.errors import SettingsError
from quarry.plugins import find, make


def thing(one: str) -> str:
    return f"made of {one}"


def broken() -> None:
    raise RuntimeError("no luck")


def leaving() -> None:
    sys.exit("no licence")


TABLE = {"own": thing}


def test_a_module_in_the_working_directory_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine_alone.py").write_text("def part() -> str:\n    return 'mine'\n")
    monkeypatch.chdir(tmp_path)
    elsewhere = [entry for entry in sys.path if entry]
    monkeypatch.setattr(sys, "path", elsewhere)
    assert make({}, "mine_alone.part", "--set") == "mine"


def test_names_are_looked_up_and_dotted_paths_imported() -> None:
    dotted = "tests.quarry.test_plugins.thing"
    assert find(TABLE, "own", "--thing") is thing
    assert find(TABLE, dotted, "--thing") is thing
    # a part is called with as many arguments as it accepts
    assert make(TABLE, "own", "--thing", "two", "three") == "made of two"
    assert make({}, dotted, "--thing", "one") == "made of one"
    assert make({}, "os.path.sep", "--thing", "one") == "/"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("x", "--thing 'x' is unknown; take own, or the dotted path of your own; see"),
        (
            "no.such.thing",
            "--thing 'no.such.thing' cannot be imported and made: ModuleNot",
        ),
        (
            "tests.quarry.test_plugins.broken",
            "RuntimeError: no luck; start Python in the folder of the module",
        ),
        (
            "tests.quarry.test_plugins.leaving",
            "SystemExit: no licence; start Python in the folder of the module",
        ),
    ],
)
def test_names_that_cannot_be_used_are_refused(name: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        make(TABLE, name, "--thing")
