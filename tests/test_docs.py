"""Links of the docs lead somewhere, commands.md lists every command, and pages show flags that there are."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from ingest.console.arguments import command_of
from quarry.command import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "data" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
TABLE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
RUN = re.compile(r"^(?:\$ )?\.venv/bin/(?:quarry|python) .*$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Of its headings, as GitHub makes them."""
    headings = re.findall(
        r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in headings
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page: Path) -> None:
    text = re.sub(
        r"^```.*?^```",
        "",
        page.read_text(encoding="utf-8"),
        flags=re.MULTILINE | re.DOTALL,
    )
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+://", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_every_page_is_linked_to_from_the_first_ones() -> None:
    seen: set[Path] = set()
    due = [ROOT / "README.md"]
    while due:
        page = due.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        links = re.findall(r"\]\(([^)\s#]+)[^)]*\)", page.read_text(encoding="utf-8"))
        due += [(page.parent / link).resolve() for link in links if "://" not in link]
    assert [
        page for page in PAGES if page not in seen and page.name != "CONTRIBUTING.md"
    ] == []


def test_files_that_the_code_sends_people_to_are_there() -> None:
    broken = set()
    for folder in ("configs", "ingest", "player", "evaluate", "tests"):
        for path in [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.yaml")]:
            for named in re.findall(
                r"docs/[\w/-]+\.md", path.read_text(encoding="utf-8")
            ):
                if not (ROOT / named).is_file():
                    broken.add((str(path.relative_to(ROOT)), named))
    assert broken == set()


def named(module: re.Match[str]) -> str:
    """Name a command as `quarry` does, in place of `python -m evaluate` and the like."""
    names = {None: "quarry play", "ingest": "quarry ingest", "quarry": "quarry"}
    return names.get(module[2], "quarry")


@cache
def flags() -> dict[str, frozenset[str]]:
    """Return the flags of each command, as its own --help lists them."""
    return {
        name: frozenset(
            FLAG.findall(command_of(COMMANDS, name).parser(name).format_help())
        )
        for name in COMMANDS
    }


def test_commands_md_lists_every_command() -> None:
    listed = re.findall(r"^\| `quarry ([a-z ]+)`", TABLE, flags=re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


def test_every_flag_of_a_command_that_a_page_shows_is_one_that_it_has() -> None:
    unknown, n_shown = [], 0
    for page in PAGES:
        for line in RUN.findall(page.read_text(encoding="utf-8")):
            typed = re.sub(r"python (run_game.py|-m (\w+))", named, line)
            typed = re.split(r"\s{3,}", typed)[0]
            words = typed.partition("bin/quarry ")[2].split()
            names = (" ".join(words[:n]) for n in (2, 1))
            name = next((name for name in names if name in flags()), None)
            if name is None:
                assert "bin/quarry " not in typed or words[0].startswith("--"), line
                continue
            n_shown += 1
            extra = {*FLAG.findall(typed)} - flags()[name]
            unknown += [(page.name, name, flag) for flag in extra]
    assert unknown == []
    assert n_shown > 20


def test_what_pages_import_of_the_package_is_there() -> None:
    missing = []
    for page in PAGES:
        for module, names in re.findall(
            r"^from ((?:configs|ingest|player|evaluate|quarry)[\w.]*) import ([\w, ]+)$",
            page.read_text(encoding="utf-8"),
            re.M,
        ):
            imported = importlib.import_module(module)
            missing += [
                (page.name, module, name)
                for name in names.split(", ")
                if not hasattr(imported, name)
            ]
    assert missing == []


def test_the_tests_that_decisions_name_are_there() -> None:
    pages = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
    assert len(pages) >= 5
    for page in pages:
        named = re.findall(r"`(tests/[\w/]+\.py)`", page.read_text(encoding="utf-8"))
        assert named, page.name
        missing = []
        for path in named:
            if not (ROOT / path).is_file():
                missing.append(path)
        assert missing == [], page.name
