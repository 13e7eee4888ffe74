"""Imports lead down from package to package and never in a circle, and the picture in docs shows them."""

import re
import sys
from collections import Counter, defaultdict

from tools import drawings


def shape(picture: str) -> list[str]:
    """Return the rooms and arrows of a picture, without the counts, which change with every import."""
    return re.sub(r'(font-size="11">)\d+<', r"\1<", picture).splitlines()


def test_no_import_leads_up_between_packages() -> None:
    arrows = drawings.between_packages(drawings.count_imports())
    assert drawings.upward(arrows) == []
    assert {package for package, _ in arrows} == drawings.ALLOWED_IMPORTS.keys() - {
        "configs"
    }
    wrong = Counter({("quarry", "player"): 2, ("player", "ingest"): 1})
    wrong["evaluate", "player"] = wrong["face", "evaluate"] = 1
    assert drawings.upward(wrong) == [("quarry", "player"), ("player", "ingest")]


def test_only_the_face_imports_the_face() -> None:
    for module, target in drawings.count_imports():
        if drawings.find_package(target) == "face":
            assert drawings.find_package(module) == "face", module


def test_no_files_or_folders_import_each_other_in_a_circle() -> None:
    assert drawings.circles(drawings.count_imports()) == []


def test_circles_of_files_and_of_folders_are_found() -> None:
    files = [("player.a.one", "player.a.two"), ("player.a.two", "player.a.one")]
    assert drawings.circles(Counter(files)) == [
        "modules: player.a.one -> player.a.two -> player.a.one",
        "folder player.a: one -> two -> one",
    ]
    folders = [("player.a.one", "player.b.one"), ("player.b.two", "player.a.two")]
    assert drawings.circles(Counter(folders)) == ["folder player: a -> b -> a"]
    within = [("player.a", "player.a.one"), ("player.a.one", "player.a")]
    assert drawings.circles(Counter(within))[1] == "folder player.a:  -> one -> "
    assert drawings.circles(Counter([*files[:1], *folders[:1]])) == []


def test_a_file_name_is_used_once_in_a_package_and_is_no_module_of_python() -> None:
    modules = defaultdict(list)
    for module, path in drawings.find_modules().items():
        if not path.stem.startswith("__"):
            assert path.stem not in sys.stdlib_module_names, module
            modules[module.partition(".")[0], path.stem].append(module)
    assert [names for names in modules.values() if len(names) > 1] == []


def test_the_picture_shows_the_rooms_and_arrows_that_there_are() -> None:
    drawn = drawings.draw(drawings.between_packages(drawings.count_imports()))
    committed = drawings.PICTURE.read_text("utf-8")
    assert shape(committed) == shape(drawn), "run `make drawing`"
