"""ingest/paragraphs/front_page.py: authors and lecture number, on first pages set by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from quarry.ingest.paragraphs.front_page import authors, lecture_number
from quarry.ingest.pdf.extract import Pdf, extract
from tests.contracts.handmade import Run, lines, pdf

BODY = lines(
    ["A tree is a set of nodes in which all the learning systems agree,", "and no deep node is lost."] * 5, 50, 400
)


def _front(tmp_path: Path, runs: Sequence[Run], author: str = "") -> Pdf:
    path = tmp_path / "lecture.pdf"
    info = f"<< /Author ({author}) >>" if author else ""
    path.write_bytes(pdf([[*runs, *BODY]], extra=info, trailer="/Info 3 0 R" if author else ""))
    return extract(path)


def _authors(tmp_path: Path, *below: Run, author: str = "") -> tuple[str, ...]:
    return authors(_front(tmp_path, [Run(50, 80, "Balanced Trees", 20), *below], author), "Balanced Trees")


@pytest.mark.parametrize(
    "line", ["Ada M. Byron and Guido van Rossum", "Ada M. Byron, Guido van Rossum", "Ada M. Byron & Guido van Rossum"]
)
def test_names_below_the_title_are_the_authors(tmp_path: Path, line: str) -> None:
    assert _authors(tmp_path, Run(50, 110, line, 12)) == ("Ada M. Byron", "Guido van Rossum")


def test_names_side_by_side_are_two(tmp_path: Path) -> None:
    beside = (Run(50, 110, "Ada Byron", 12), Run(250, 110, "Alan Mathison Turing", 12))
    assert _authors(tmp_path, *beside) == ("Ada Byron", "Alan Mathison Turing")


def test_a_subtitle_whose_words_the_text_uses_is_no_name(tmp_path: Path) -> None:
    assert _authors(tmp_path, Run(50, 110, "Deep Learning Systems", 12)) == ()


def test_the_institution_below_the_names_is_left_out(tmp_path: Path) -> None:
    below = (Run(50, 110, "Ada Byron", 12), Run(50, 130, "Analytical Engine Works", 10))
    assert _authors(tmp_path, *below) == ("Ada Byron",)


@pytest.mark.parametrize("line", ["14 October 2024", "CS 229 Trees", "Tree", "A tree of one's own"])
def test_dates_courses_and_sentences_are_no_names(tmp_path: Path, line: str) -> None:
    assert _authors(tmp_path, Run(50, 110, line, 12)) == ()


def test_the_author_in_the_metadata_counts_only_if_it_is_printed(tmp_path: Path) -> None:
    assert _authors(tmp_path, Run(50, 110, "by ada byron (notes)", 12), author="Ada Byron") == ("Ada Byron",)
    assert _authors(tmp_path, Run(50, 110, "lecture notes", 12), author="Windows User") == ()


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
