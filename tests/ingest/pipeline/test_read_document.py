"""ingest/pipeline/read_document.py: authors and lecture number, on first pages set by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ingest.layout.extract import Pdf, extract
from ingest.pipeline.read_document import authors, lecture_number
from tests.contracts.handmade import Run, lines, pdf

BODY = lines(
    ["A tree is a set of nodes, in which all agree,", "and no node is lost."] * 5,
    50,
    400,
)


def _front(tmp_path: Path, runs: Sequence[Run], author: str = "") -> Pdf:
    path = tmp_path / "lecture.pdf"
    info = f"<< /Author ({author}) >>" if author else ""
    path.write_bytes(
        pdf([[*runs, *BODY]], extra=info, trailer="/Info 3 0 R" if author else "")
    )
    return extract(path)


def test_the_authors_are_those_of_the_metadata_that_are_printed_too(
    tmp_path: Path,
) -> None:
    page = [
        Run(50, 80, "Balanced Trees", 20),
        Run(50, 110, "by ada byron and Guido van Rossum", 12),
    ]
    found = authors(
        _front(tmp_path, page, "Ada Byron, Guido van Rossum and Windows User")
    )
    assert found == ("Ada Byron", "Guido van Rossum")
    assert authors(_front(tmp_path, page)) == ()


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
    ],
)
def test_the_lecture_number_is_told_by_its_word_or_leads_the_stem(
    tmp_path: Path, stem: str, printed: str, number: int | None
) -> None:
    assert lecture_number(stem, _front(tmp_path, [Run(50, 60, printed, 12)])) == number


def test_a_lecture_that_the_text_mentions_is_not_this_one(tmp_path: Path) -> None:
    line = "As we have shown at some length in lecture 4, every tree has a root of its own."
    assert lecture_number("notes", _front(tmp_path, [Run(50, 60, line, 10)])) is None
