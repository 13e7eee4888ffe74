"""Links of the docs lead somewhere, and pages show every command and flags that there are."""

import importlib
import re
from pathlib import Path

from tests.evaluate.fakes import commands
from tests.fakes import ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "data/README.md",
    *sorted(ROOT.glob("docs/**/*.md")),
]
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OF_ALL = {"--config", "--set", "--help"}
RUN = re.compile(r"(?m)^(?:\$ )?quarry .*$")


def read(path: Path) -> str:
    return path.read_text("utf-8")


def anchors(page: Path) -> set[str]:
    """Of its headings, as GitHub makes them."""
    names = set()
    for heading in re.findall(r"(?m)^#+ (.*)$", read(page)):
        plain = re.sub(r"[^\w\- ]", "", heading.lower())
        names.add(plain.replace(" ", "-"))
    return names


def links_of(page: Path) -> list[str]:
    """The links of a page to our own files."""
    text = re.sub(r"(?ms)^```.*?^```", "", read(page))
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    return [link for link in links if "://" not in link]


def test_every_link_leads_to_a_file_and_a_heading_that_are_there() -> None:
    for page in PAGES:
        for link in links_of(page):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.exists(), f"{page}: {link}"
            assert not anchor or anchor in anchors(target), f"{page}: {link}"


def test_every_page_is_linked_to_from_the_first_ones() -> None:
    seen: set[Path] = set()
    due = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    while due:
        page = due.pop()
        if page not in seen and page.suffix == ".md":
            seen.add(page)
            for link in links_of(page):
                if path := link.partition("#")[0]:
                    due.append((page.parent / path).resolve())
    assert set(PAGES) <= seen


def test_files_that_code_and_decisions_name_are_there() -> None:
    decisions = ROOT / "docs/decisions.md"
    for decision in read(decisions).split("\n## ")[1:]:
        assert "`tests/" in decision
    files = [*ROOT.glob("[a-z]*/**/*.py"), *ROOT.glob("[a-z]*/**/*.yaml")]
    for page in [decisions, *files]:
        for path in re.findall(r"docs/[\w/-]+\.md|`tests/[\w/]+\.py`", read(page)):
            assert (ROOT / path.strip("`")).is_file(), f"{page}: {path}"


def test_every_command_is_in_a_page() -> None:
    text = "".join(map(read, PAGES))
    for name in commands():
        assert f"quarry {name}" in text, name


def test_every_flag_of_a_command_that_a_page_shows_is_one_that_it_has() -> None:
    known, n_shown = commands(), 0
    for page in PAGES:
        for line in RUN.findall(read(page)):
            typed = line.removeprefix("$ ").split("   ")[0]
            one, two = [*typed.split(), "", ""][1:3]
            name = one if one in known else f"{one} {two}"
            if name in known:
                n_shown += 1
                assert {*FLAG.findall(typed)} <= known[name] | OF_ALL, line
            else:
                assert one in ("--help", "COMMAND"), line
    assert n_shown > 20


def test_what_pages_import_of_the_package_is_there() -> None:
    package = r"(?:configs|ingest|player|evaluate|quarry)[\w.]*"
    statement = rf"(?m)^from ({package}) import ([\w, ]+)$"
    n_shown = 0
    for page in PAGES:
        for module, names in re.findall(statement, read(page)):
            for name in names.split(", "):
                n_shown += 1
                assert hasattr(importlib.import_module(module), name), page
    assert n_shown
