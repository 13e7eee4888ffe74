"""ingest/pipeline/read_document.py: authors and lecture number, on first pages set by hand."""

import importlib.metadata
import sys
from pathlib import Path

import pytest

from configs.directories import ROOT
from configs.settings import IngestSettings
from ingest.layout.extract import Pdf
from ingest.pipeline import read_document
from ingest.pipeline.read_document import (
    find_authors,
    lecture_number,
    paragraphs_version,
)
from tests.contracts.handmade import Run, lines, pdf
from tests.ingest.reading import extracted

BODY = lines(
    ["A tree is a set of nodes, in which all agree,", "and no node is lost."] * 5,
    50,
    400,
)


def front(*runs: Run, author: str = "") -> Pdf:
    info = f"<< /Author ({author}) >>"
    return extracted(pdf([[*runs, *BODY]], extra=info, trailer="/Info 3 0 R"))


def test_the_authors_are_those_of_the_metadata_that_are_printed_too() -> None:
    title = Run(50, 80, "Balanced Trees", 20)
    names = Run(50, 110, "by ada byron and Guido van Rossum", 12)
    author = "Ada Byron, Guido van Rossum and Windows User"
    expected = ("Ada Byron", "Guido van Rossum")
    assert find_authors(front(title, names, author=author)) == expected
    assert find_authors(front(title, names)) == ()


@pytest.mark.parametrize(
    ("stem", "printed", "number"),
    [
        ("notes", "Lecture 4, 14 October 2024", 4),
        ("notes", "CS 7: Chapter 03", 3),
        ("lecture6_eval_final", "Trees", 6),
        ("algo-lec12", "Lecture 4", 12),
        ("שיעור 3", "Trees", 3),
        ("03-trees", "Trees", 3),
        ("03-trees", "Lecture 4", 4),
        ("00016", "Trees", None),
        ("2018-trees", "Trees", None),
        ("trees-8", "Section 2.1", None),
        ("architecture 5", "Lecture 1.2 of many", None),
        ("notes", f"As we have shown {'at some length ' * 3}in lecture 4.", None),
    ],
)
def test_the_lecture_number_is_next_to_its_word_or_begins_the_stem(
    stem: str, printed: str, number: int | None
) -> None:
    assert lecture_number(stem, front(Run(50, 60, printed, 12))) == number


def test_a_file_is_read_again_after_an_own_reader_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [*sys.path, str(tmp_path)])
    module = tmp_path / "own_reader_in_test.py"
    module.write_text("class Reader: ...\n")
    settings = IngestSettings(reader="own_reader_in_test.Reader")
    version = paragraphs_version("digest", settings)
    assert paragraphs_version("digest", settings) == version
    module.write_text("class Reader: pages = 1\n")
    assert paragraphs_version("digest", settings) != version


def test_a_file_is_read_again_after_a_library_is_updated_or_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    versions = dict.fromkeys(read_document.LIBRARIES, "1")

    def version_of(name: str) -> str:
        if name not in versions:
            raise importlib.metadata.PackageNotFoundError
        return versions[name]

    monkeypatch.setattr(importlib.metadata, "version", version_of)
    seen = {paragraphs_version("digest", IngestSettings())}
    for library in ("pypdfium2", "wordfreq", "pdfminer.six", "pymupdf", "ocrmypdf"):
        versions[library] = "2"
        seen.add(paragraphs_version("digest", IngestSettings()))
    del versions["pymupdf"]
    seen.add(paragraphs_version("digest", IngestSettings()))
    assert len(seen) == 7


def test_new_code_of_any_module_of_reading_reads_all_files_again() -> None:
    read = {path for pattern in read_document.READING for path in ROOT.glob(pattern)}
    for package in ("pdf", "layout", "paragraphs", "editions"):
        assert read.issuperset((ROOT / "ingest" / package).rglob("*.py")), package
