"""Sidecar files: the user's values replace those that were read."""

import dataclasses
from pathlib import Path

import pytest

from ingest.errors import SourceError
from ingest.pipeline.sidecar import Sidecar, read_sidecar
from quarry.course.paragraph import Alias
from tests.fakes import make_reading


def written(folder: Path, text: str) -> Path:
    """Write a sidecar file, and return the path of its lecture."""
    (folder / "l4.yaml").write_text(text, encoding="utf-8")
    return folder / "l4.pdf"


def test_values_of_the_user_replace_those_that_were_read(tmp_path: Path) -> None:
    lecture = written(
        tmp_path,
        "title: Trees, anew\naliases: [Search  trees, עצים]\nauthors: Ada Lovelace\n"
        "date: 2026-03-15\nlecture_number: 4\n",
    )
    names = Alias("Trees", "title"), Alias("A. Turing", "author")
    was = dataclasses.replace(
        make_reading("l4", [], aliases=names).document,
        authors=("A. Turing",),
        date="2020-01-01",
    )
    document = read_sidecar(lecture).apply_to(was)

    assert document.aliases == (
        Alias("Search trees", "sidecar"),
        Alias("עצים", "sidecar"),
        Alias("Trees, anew", "title"),
        Alias("l4", "stem"),
        Alias("Ada Lovelace", "author"),
    )
    assert document.authors == ("Ada Lovelace",)
    assert document.date == "2026-03-15"
    assert document.lecture_number == 4
    assert len(document.sidecar) == 12


@pytest.mark.parametrize("text", ["", "# title: Trees\n"])
def test_a_file_without_keys_changes_nothing(text: str, tmp_path: Path) -> None:
    sidecar = read_sidecar(written(tmp_path, text))
    assert sidecar == Sidecar(digest=sidecar.digest)


NUMBER = "not a whole number from 0 to 99999"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- Trees", "the file holds list, not keys and values"),
        ("aliases: [", "not readable as YAML: "),
        (
            "alias: Trees",
            "the key 'alias' is unknown; keys are title, aliases, authors, date, lecture_number",
        ),
        (
            "authors: ['']",
            r"authors is \[''\], not a text or a list of texts that are not",
        ),
        ("lecture_number: four", f"lecture_number is 'four', {NUMBER}"),
        ("lecture_number: 100000", f"lecture_number is '100000', {NUMBER}"),
        ("title: [Trees]", r"title is \['Trees'\], not a text that is not empty"),
    ],
)
def test_broken_file_is_refused_in_one_line(
    text: str, message: str, tmp_path: Path
) -> None:
    refused = rf"^{tmp_path}/l4.yaml: {message}.*; correct or remove it\Z"
    with pytest.raises(SourceError, match=refused):
        read_sidecar(written(tmp_path, text))
