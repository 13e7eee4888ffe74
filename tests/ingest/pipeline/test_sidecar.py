from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from quarry.ingest.errors import SourceError
from quarry.ingest.paragraph import Alias, Document, Paragraph, Reading
from quarry.ingest.pipeline.sidecar import Sidecar, read_sidecar


def document() -> Document:
    aliases = (Alias("l4", "stem"), Alias("Trees", "title"), Alias("A. Turing", "author"))
    return Document("l4", "l4.pdf", "hash", "v", aliases, 3, 2, authors=("A. Turing",), date="2020-01-01")


def beside(tmp_path: Path, text: str, suffix: str = ".yaml") -> Path:
    (tmp_path / f"l4{suffix}").write_text(text, encoding="utf-8")
    return tmp_path / "l4.pdf"


def test_what_the_user_says_is_laid_over_what_was_read(tmp_path: Path) -> None:
    pdf = beside(
        tmp_path, "aliases: [Search  trees, עצים]\nauthors: Ada Lovelace\ndate: 2026-03-15\nlecture_number: 4\n"
    )
    known = read_sidecar(pdf).over(document())
    assert known.aliases == (
        Alias("Search trees", "sidecar"),
        Alias("עצים", "sidecar"),
        Alias("l4", "stem"),
        Alias("Trees", "title"),
        Alias("Ada Lovelace", "author"),
    )
    assert (known.authors, known.date, known.lecture_number) == (("Ada Lovelace",), "2026-03-15", 4)
    assert len(known.sidecar) == 12


def test_what_it_leaves_out_stays_as_it_was_read(tmp_path: Path) -> None:
    known = read_sidecar(beside(tmp_path, "lecture_number: 0", ".yml")).over(document())
    assert (known.aliases, known.authors, known.date) == (document().aliases, ("A. Turing",), "2020-01-01")
    assert known.lecture_number == 0


def test_without_the_file_nothing_changes(tmp_path: Path) -> None:
    assert read_sidecar(tmp_path / "l4.pdf") == Sidecar()
    assert Sidecar().over(document()) == document()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- Trees", "must hold keys and values, got list"),
        ("", "must hold keys and values, got NoneType"),
        ("aliases: [", "must be a readable YAML file: "),
        ("alias: Trees", "keys must be of aliases, authors, date, lecture_number, corrections, got 'alias'"),
        ("aliases: [1]", r"aliases must be a text or a list of texts that are not empty, got \[1\]"),
        ("authors: ['']", "authors must be a text or a list of texts that are not empty"),
        ("date: 15.3.2026", "date must be a date like 2026-03-15, got '15.3.2026'"),
        ("date: 2026-03-15 10:00:00", "date must be a date like 2026-03-15, got datetime"),
        ("date: 2026-99-99", "must be a readable YAML file: YAML: month must be in 1..12"),
        ("a: &a x\naliases: [*a, *a]", "must be a readable YAML file: YAML: "),
        ("aliases: " + "[" * 50_000, "less deeply nested"),
        ('aliases: "\\ud800"', "without half surrogate pairs"),
        ("aliases: " + "x" * 300_000, "at most 200000 characters"),
        ("lecture_number: four", "lecture_number must be a whole number from 0, got 'four'"),
        ("lecture_number: true", "lecture_number must be a whole number from 0, got True"),
    ],
)
def test_broken_file_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        read_sidecar(beside(tmp_path, text))
    assert str(caught.value).startswith(f"{tmp_path}/l4.yaml: ")
    assert str(caught.value).endswith("; mend or remove it")
    assert "\n" not in str(caught.value)


WRONG = Paragraph("a:2:1", "a", 2, "", "Teh water rose. It fell again.", "Teh water rose.", sureness=0.7)


@pytest.mark.parametrize(
    ("said", "text", "opening"),
    [
        ("opening_sentence: The water rose.", "The water rose. It fell again.", "The water rose."),
        ("text: The water rose. It stayed.", "The water rose. It stayed.", "The water rose."),
    ],
)
def test_a_correction_is_laid_over_the_paragraph_that_it_quotes(
    tmp_path: Path, said: str, text: str, opening: str
) -> None:
    (tmp_path / "a.yaml").write_text(f"corrections:\n- was: teh WATER\n  page: 2\n  {said}\n")
    other = dataclasses.replace(WRONG, paragraph_id="a:1:1", page=1)
    sidecar = read_sidecar(tmp_path / "a.pdf")
    read = Reading(Document("a", "a.pdf", "", "", (), 2, 2), (other, WRONG), ())
    untouched, mended = sidecar.laid_over(read).paragraphs
    assert untouched == other
    assert (mended.text, mended.opening_sentence, mended.sureness) == (text, opening, 1.0)
    assert sidecar.laid_over(sidecar.laid_over(read)).paragraphs == (other, mended)


def test_a_correction_that_fits_no_paragraph_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text("corrections: [{was: quite another, text: It is so.}]")
    read = Reading(Document("a", "a.pdf", "", "", (), 2, 1), (WRONG,), ())
    assert read_sidecar(tmp_path / "a.pdf").laid_over(read).paragraphs == (WRONG,)
    assert "a.pdf: its sidecar corrects 'quite another', which no paragraph says" in capsys.readouterr().err


@pytest.mark.parametrize("entry", ["{was: x}", "{text: x}", "{was: x, text: 3}", "{was: x, txt: y}", "x"])
def test_a_correction_without_what_was_or_what_is_is_refused(tmp_path: Path, entry: str) -> None:
    (tmp_path / "a.yaml").write_text(f"corrections: [{entry}]")
    with pytest.raises(SourceError, match="corrections must be a list of entries with `was`"):
        read_sidecar(tmp_path / "a.pdf")
