"""Imports lead down from package to package and never in a circle."""

import sys
from collections import defaultdict

from tests import imports


def test_no_import_leads_up_between_packages() -> None:
    arrows = imports.between_packages(imports.find_imports())
    assert imports.upward(arrows) == []
    assert {package for package, _ in arrows} == imports.ALLOWED_IMPORTS.keys() - {
        "configs"
    }
    wrong = [("quarry", "player"), ("player", "ingest")]
    right = [("evaluate", "player"), ("face", "evaluate")]
    assert imports.upward([*wrong, *right]) == wrong


def test_only_the_face_imports_the_face() -> None:
    for module, target in imports.find_imports():
        if imports.find_package(target) == "face":
            assert imports.find_package(module) == "face", module


def test_no_files_or_folders_import_each_other_in_a_circle() -> None:
    assert imports.circles(imports.find_imports()) == []


def test_circles_of_files_and_of_folders_are_found() -> None:
    files = [("player.a.one", "player.a.two"), ("player.a.two", "player.a.one")]
    assert imports.circles(files) == [
        "modules: player.a.one -> player.a.two -> player.a.one",
        "folder player.a: one -> two -> one",
    ]
    folders = [("player.a.one", "player.b.one"), ("player.b.two", "player.a.two")]
    assert imports.circles(folders) == ["folder player: a -> b -> a"]
    within = [("player.a", "player.a.one"), ("player.a.one", "player.a")]
    assert imports.circles(within)[1] == "folder player.a:  -> one -> "
    assert imports.circles([*files[:1], *folders[:1]]) == []


def test_a_file_name_is_used_once_in_a_package_and_is_no_module_of_python() -> None:
    modules = defaultdict(list)
    for module, path in imports.find_modules().items():
        if not path.stem.startswith("__"):
            assert path.stem not in sys.stdlib_module_names, module
            modules[module.partition(".")[0], path.stem].append(module)
    assert [names for names in modules.values() if len(names) > 1] == []
