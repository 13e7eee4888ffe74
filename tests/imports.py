"""The imports between our files, and the rules that they follow."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests.fakes import ROOT

ALLOWED_IMPORTS = {
    "configs": (),
    "quarry": ("configs",),
    "ingest": ("configs", "quarry"),
    "player": ("configs", "quarry"),
    "evaluate": ("configs", "quarry", "ingest", "player"),
    "face": ("configs", "quarry", "ingest", "player", "evaluate"),
}
"""Packages from the lowest to the highest, and the packages that each may import."""
FACE = ("quarry", "quarry.api", "quarry.command", "quarry.measuring")
"""Modules of quarry/ that may import packages above it: `import quarry`, and the command."""
Arrow = tuple[str, str]
"""The importing and the imported module or package."""


def find_modules() -> dict[str, Path]:
    """Return the file of each of our modules, by its dotted name."""
    modules = {}
    for folder in ALLOWED_IMPORTS:
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            modules[".".join(parts).removesuffix(".__init__")] = path
    return modules


def find_imports() -> set[Arrow]:
    """Return the pairs of our modules of which one imports from the other."""
    modules = find_modules()
    arrows = set()
    for module, path in modules.items():
        for name in _list_imports(ast.parse(path.read_text(encoding="utf-8"))):
            target = name if name in modules else name.rpartition(".")[0]
            if target in modules:
                arrows.add((module, target))
    return arrows


def _list_imports(tree: ast.Module) -> Iterator[str]:
    """Yield the dotted names that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name


def find_package(module: str) -> str:
    """Return the package of a module in `ALLOWED_IMPORTS`."""
    return "face" if module in FACE else module.partition(".")[0]


def between_packages(imports: Iterable[Arrow]) -> set[Arrow]:
    """Return the pairs of packages of which one imports from the other."""
    arrows = {
        (find_package(module), find_package(target)) for module, target in imports
    }
    return {(package, target) for package, target in arrows if package != target}


def upward(arrows: Iterable[Arrow]) -> list[Arrow]:
    """Return the arrows between packages that `ALLOWED_IMPORTS` does not allow."""
    return [
        (package, target)
        for package, target in arrows
        if target not in ALLOWED_IMPORTS[package]
    ]


def circles(imports: Iterable[Arrow]) -> list[str]:
    """Describe a circle of imports among all modules, and one among the files and folders of each folder, if any."""
    graphs: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for module, target in imports:
        if find_package(module) == "face":
            continue
        graphs["modules"][module].add(target)
        parts, others = module.split("."), target.split(".")
        shared = 0
        while parts[shared : shared + 1] == others[shared : shared + 1] != []:
            shared += 1
        folder = ".".join(parts[:shared])
        # the `__init__` of the folder itself has no name in it
        name, other = [*parts, ""][shared], [*others, ""][shared]
        graphs[f"folder {folder}"][name].add(other)

    descriptions: list[str] = []
    for where, graph in graphs.items():
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            descriptions.append(f"{where}: {' -> '.join(error.args[1])}")
    return descriptions
