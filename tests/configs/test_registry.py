"""What can be named: own things first, then those of packages, then dotted paths; what cannot be found is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quarry.configs.registry import Table, installed
from quarry.configs.settings import SettingsError


def thing(one: str) -> str:
    return f"made of {one}"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table[object]]:
    info = tmp_path / "odd-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n", encoding="utf-8")
    points = "[quarry.tests]\nbroken = no_such_module:thing\nown = no_such_module:thing\nthere = os.path:sep\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    installed.cache_clear()
    yield Table("quarry.tests", {"own": thing})
    installed.cache_clear()


def test_own_names_come_first_and_are_not_taken(table: Table[object]) -> None:
    assert (list(table), len(table), table.names) == (["own", "broken", "there"], 3, "own, broken, there")
    assert table["own"] is thing
    assert table["there"] == "/"


def test_a_thing_is_called_with_as_much_as_it_takes(table: Table[object]) -> None:
    assert table.make("own", "--thing", "two", "three") == "made of two"
    assert table.make("tests.configs.test_registry.thing", "--thing", "one") == "made of one"
    assert table.make("os.path.sep", "--thing", "one") == "/"


def test_a_thing_can_be_added_once(table: Table[object]) -> None:
    table.add("new", len)
    assert table["new"] is len
    with pytest.raises(SettingsError, match=r"a name in quarry\.tests must be new, got 'there' again"):
        table.add("there", len)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("none", "--thing must be of own, broken, there, or the dotted path of your own, got 'none'"),
        ("no.such.thing", "--thing must name something that can be imported and made, got 'no.such.thing': ModuleNot"),
        ("broken", r"quarry\.tests must name what can be imported, got 'no_such_module:thing' of an installed package"),
    ],
)
def test_what_is_not_there_is_refused(table: Table[object], name: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        table.find(name, "--thing")


def test_what_is_not_known_is_known_not_to_be(table: Table[object]) -> None:
    assert table.knows("own")
    assert table.knows("a.b")
    assert table.knows("there")
    assert not table.knows("none")
    assert not table.knows("sentence-transformers/some-model")
