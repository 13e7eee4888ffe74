"""Links of the docs lead somewhere, commands.md lists every command, and pages show flags that there are."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
from functools import cache
from pathlib import Path

import pytest

from quarry.evaluate.__main__ import main as evaluate
from quarry.evaluate.commands import SUMMARIES
from quarry.ingest.__main__ import main as ingest
from quarry.play import main as play
from quarry.player.__main__ import main as player

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "data" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
RUN = re.compile(
    r"^(?:\$ )?\.venv/bin/python (?P<command>-m \w+(?: (?:games |calibrate )?\S+)?|run_game\.py)(?P<rest>.*)$",
    re.MULTILINE,
)


def anchors(page: Path) -> set[str]:
    """Of its headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
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
    assert [page for page in PAGES if page not in seen and page.name != "CONTRIBUTING.md"] == []


def test_files_that_the_code_sends_people_to_are_there() -> None:
    broken = set()
    for folder in ("configs", "ingest", "player", "evaluate", "tests"):
        for path in [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.yaml")]:
            for named in re.findall(r"docs/[\w/-]+\.md", path.read_text(encoding="utf-8")):
                if not (ROOT / named).is_file():
                    broken.add((str(path.relative_to(ROOT)), named))
    assert broken == set()


@cache
def flags(command: str) -> frozenset[str]:
    """The flags that a command's own --help knows, "replay" or "ingest" say."""
    alone = {"play": play, "ingest": ingest}
    run = alone.get(command) or (player if command == "search" else evaluate)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), pytest.raises(SystemExit):
        run(["--help"] if command in alone else [*command.split(), "--help"])
    options = printed.getvalue().split("\noptions:\n")[1]
    return frozenset(FLAG.findall("\n".join(re.findall(r"^  (-.*?)(?:   *\S.*)?$", options, flags=re.MULTILINE))))


def test_commands_md_lists_every_command() -> None:
    listed = set(re.findall(r"^\| `python -m evaluate ([a-z ]+)`", COMMANDS, flags=re.MULTILINE))
    assert listed == set(SUMMARIES)


def test_every_flag_of_a_command_that_a_page_shows_is_one_that_it_has() -> None:
    unknown = []
    for page in PAGES:
        for shown in RUN.finditer(page.read_text(encoding="utf-8")):
            words = shown["command"].split()
            if words[:2] in (["-m", "evaluate"], ["-m", "player"]):
                name = " ".join(words[2:])
            elif words[:2] == ["-m", "ingest"]:
                name = "ingest"
            elif words == ["run_game.py"]:
                name = "play"
            else:
                continue
            typed = set(FLAG.findall(re.split(r"\s{3,}", shown.group())[0]))
            unknown += [(page.name, name, flag) for flag in typed - flags(name) - {"--help"}]
    assert unknown == []


def test_what_pages_import_of_the_package_is_there() -> None:
    missing = []
    for page in PAGES:
        for module, names in re.findall(
            r"^from (quarry[\w.]*) import ([\w, ]+)$", page.read_text(encoding="utf-8"), re.M
        ):
            held = importlib.import_module(module)
            missing += [(page.name, module, name) for name in names.split(", ") if not hasattr(held, name)]
    assert missing == []


def test_every_test_and_name_of_the_design_records_is_there() -> None:
    text = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
    tests = re.findall(r"`(tests/[\w/]+\.py)::(?:\w+::)?(\w+)`", text)
    places = re.findall(r"`([\w/]+\.(?:py|yaml)): (\w+)`", text)
    assert len(tests) > 50
    missing = [
        (path, name)
        for path, name in [*tests, *places]
        if not (ROOT / path).is_file() or not re.search(rf"\b{name}\b", (ROOT / path).read_text(encoding="utf-8"))
    ]
    assert missing == []
