"""Imports between our packages, counted, and drawn as docs/architecture.svg (`make drawing`)."""

import ast
import sys
from collections import Counter
from pathlib import Path

from jinja2 import Template

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "architecture.svg"
FLOORS = ("configs", "ingest", "player", "evaluate", "quarry")
"""Packages from the lowest to the highest; imports lead down."""
TEMPLATE = Path(__file__).with_name("architecture.svg.j2")
LEFT, PITCH, FLOOR_HEIGHT = 190, 126, 96
Arrow = tuple[str, str]
"""The importing and the imported package."""


def count_arrows() -> Counter[Arrow]:
    """Count the names that each package imports from each other one."""
    arrows: Counter[Arrow] = Counter()
    for package in FLOORS:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    target = str(node.module).partition(".")[0]
                    if target in FLOORS and target != package:
                        arrows[package, target] += len(node.names)
    return arrows


def upward(arrows: Counter[Arrow]) -> list[Arrow]:
    """Return the arrows that lead up."""
    return [
        arrow for arrow in arrows if FLOORS.index(arrow[0]) < FLOORS.index(arrow[1])
    ]


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
        arrows=sorted(arrows.items()),
    )
    return picture


def main() -> int:
    """Write the picture and print the arrows; return 1 if one leads up."""
    arrows = count_arrows()
    PICTURE.write_text(draw(arrows), encoding="utf-8")
    for (package, target), count in sorted(arrows.items()):
        print(f"{package} -> {target}: {count}")
    above = upward(arrows)
    for package, target in above:
        print(f"{package} imports {target}, which is above it", file=sys.stderr)
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
