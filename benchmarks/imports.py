"""Imports between our packages, counted, and drawn as docs/architecture.svg (`make drawing`)."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from jinja2 import Template

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "architecture.svg"
FLOORS = ("configs", "ingest", "player", "evaluate", "quarry")
"""Packages from the lowest to the highest; imports lead down."""
TEMPLATE = Path(__file__).with_name("architecture.svg.j2")
LEFT, PITCH, FLOOR_HEIGHT = 190, 126, 96

Arrow = tuple[str, str]
"""The importing and the imported room."""


def modules_of(package: str) -> Iterator[Path]:
    """Yield the Python files of a package."""
    yield from sorted((ROOT / package).rglob("*.py"))


def imported_by(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that nodes of a file import from our packages, with their modules."""
    for node in nodes:
        if (
            isinstance(node, ast.ImportFrom)
            and str(node.module).partition(".")[0] in FLOORS
        ):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def room_of(parts: Sequence[str]) -> str:
    """Return the room of a module's path: a folder of a package, or the package itself."""
    folder = ROOT.joinpath(*parts[:2])
    return ".".join(parts[:2]) if len(parts) > 1 and folder.is_dir() else parts[0]


def count_arrows() -> Counter[Arrow]:
    """Count the imports from each room into each other room."""
    arrows: Counter[Arrow] = Counter()
    for package in FLOORS:
        for path in modules_of(package):
            room = room_of(path.relative_to(ROOT).parts)
            for name in imported_by(ast.walk(tree_of(path))):
                target = room_of(name.split("."))
                if target != room:
                    arrows[room, target] += 1
    return arrows


def between_packages(arrows: Counter[Arrow]) -> Counter[Arrow]:
    """Add up the imports from each package into each other one."""
    packages: Counter[Arrow] = Counter()
    for (room, target), count in arrows.items():
        arrow = room.split(".")[0], target.split(".")[0]
        if arrow[0] != arrow[1]:
            packages[arrow] += count
    return packages


def upward(arrows: Counter[Arrow]) -> list[Arrow]:
    """Return the imports between packages that lead up."""
    above = []
    for room, target in between_packages(arrows):
        if FLOORS.index(room) < FLOORS.index(target):
            above.append((room, target))
    return above


def module_circle() -> list[str]:
    """Return modules that import each other in a circle as they are loaded; empty if there is none.

    Imports within functions and for type checkers do not count: they wait until both modules are loaded.
    """
    graph = {}
    for package in FLOORS:
        for path in modules_of(package):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts).removesuffix(".__init__")
            graph[name] = sorted(_loaded_with(path) - {name})
    return _circle(graph)


def _loaded_with(path: Path) -> set[str]:
    """Return the modules that a file imports at its top level."""
    loaded = set()
    for name in imported_by(tree_of(path).body):
        inner = ROOT.joinpath(*name.split("."))
        is_module = inner.with_suffix(".py").is_file() or inner.is_dir()
        loaded.add(name if is_module else name.rpartition(".")[0])
    return loaded


def _circle(graph: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a circle of a graph, its first node at the end again; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def draw(arrows: Counter[Arrow]) -> str:
    """Return the picture: packages as floors with their rooms, and an arrow with a count for each pair of packages."""
    rooms, tops = {}, {}
    for number, package in enumerate(reversed(FLOORS)):
        folders = sorted((ROOT / package).glob("*/__init__.py"))
        rooms[package] = [folder.parent.name for folder in folders]
        tops[package] = 10 + number * FLOOR_HEIGHT

    template = Template(TEMPLATE.read_text(encoding="utf-8"), trim_blocks=True)
    picture: str = template.render(
        floors=FLOORS,
        floor=FLOOR_HEIGHT,
        left=LEFT,
        pitch=PITCH,
        width=LEFT + max(map(len, rooms.values())) * PITCH + 240,
        rooms=rooms,
        tops=tops,
        arrows=sorted(between_packages(arrows).items()),
    )
    return picture


def main() -> int:
    """Write the picture and print the arrows; return 1 if one leads up or there is a circle."""
    arrows = count_arrows()
    PICTURE.write_text(draw(arrows), encoding="utf-8")
    for (package, target), count in sorted(between_packages(arrows).items()):
        print(f"{package} -> {target}: {count}")
    faults = [f"{a} imports {b}, which is above it" for a, b in upward(arrows)]
    if circle := module_circle():
        faults.append(f"circle: {' -> '.join(circle)}")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
