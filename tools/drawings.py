"""Checks the imports between our files, and draws them as docs/architecture.svg (`make drawing`)."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from jinja2 import Template

ROOT = Path(__file__).resolve().parents[1]
"""Folder of the packages."""
PICTURE = ROOT / "docs" / "architecture.svg"
"""The picture in the documentation."""
TEMPLATE = Path(__file__).with_name("architecture.svg.j2")
"""Template of the picture."""
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
LEFT = 190
"""Left end of the boxes, in pixels."""
PITCH = 126
"""Distance of two boxes, in pixels."""
FLOOR_HEIGHT = 96
"""Height of a package, in pixels."""
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


def count_imports() -> Counter[Arrow]:
    """Count the names that each of our modules imports from each other module."""
    modules = find_modules()
    arrows: Counter[Arrow] = Counter()
    for module, path in modules.items():
        for name in _list_imports(ast.parse(path.read_text(encoding="utf-8"))):
            target = name if name in modules else name.rpartition(".")[0]
            if target in modules:
                arrows[module, target] += 1
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


def between_packages(imports: Counter[Arrow]) -> Counter[Arrow]:
    """Count the names that each package imports from each other package."""
    arrows: Counter[Arrow] = Counter()
    for (module, target), count in imports.items():
        package, imported = find_package(module), find_package(target)
        if package != imported:
            arrows[package, imported] += count
    return arrows


def upward(arrows: Counter[Arrow]) -> list[Arrow]:
    """Return the arrows between packages that `ALLOWED_IMPORTS` does not allow."""
    return [
        (package, target)
        for package, target in arrows
        if target not in ALLOWED_IMPORTS[package]
    ]


def circles(imports: Counter[Arrow]) -> list[str]:
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


def draw(arrows: Counter[Arrow]) -> str:
    """Draw the picture: packages as floors with rooms, and an arrow with a count for each pair of packages."""
    rooms, tops = {}, {}
    for number, package in enumerate(reversed(ALLOWED_IMPORTS)):
        folders = sorted((ROOT / package).glob("*/__init__.py"))
        rooms[package] = [f"{folder.parent.name}/" for folder in folders]
        tops[package] = 10 + number * FLOOR_HEIGHT
    rooms["face"] = ["import quarry", "the command"]

    template = Template(TEMPLATE.read_text(encoding="utf-8"), trim_blocks=True)
    picture: str = template.render(
        floors=ALLOWED_IMPORTS,
        floor=FLOOR_HEIGHT,
        left=LEFT,
        pitch=PITCH,
        width=LEFT + max(map(len, rooms.values())) * PITCH + 350,
        rooms=rooms,
        tops=tops,
        arrows=sorted(arrows.items()),
    )
    return picture


def main() -> None:
    """Write the picture and print the arrows; tests/test_imports.py checks them."""
    arrows = between_packages(count_imports())
    PICTURE.write_text(draw(arrows), encoding="utf-8")
    for (package, target), count in sorted(arrows.items()):
        print(f"{package} -> {target}: {count}")


if __name__ == "__main__":
    main()
