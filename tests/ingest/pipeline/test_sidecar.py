from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from quarry.ingest.errors import SourceError
from quarry.ingest.paragraph import Alias, Document, Paragraph, Reading
from quarry.ingest.pipeline.sidecar import Correction, Sidecar, read_sidecar


def document() -> Document:
    aliases = (Alias("l4", "stem"), Alias("Trees", "title"), Alias("A. Turing", "author"))
    return Document("l4", "l4.pdf", "hash", "v", aliases, 3, 2, authors=("A. Turing",), date="2020-01-01")


def beside(tmp_path: Path, text: str, suffix: str = ".yaml") -> Path:
    (tmp_path / f"l4{suffix}").write_text(text, encoding="utf-8")
    return tmp_path / "l4.pdf"


def test_what_the_user_says_is_laid_over_what_was_read(tmp_path: Path) -> None:
    pdf = beside(
        tmp_path,
        "title: Trees, anew\naliases: [Search  trees, עצים]\nauthors: Ada Lovelace\n"
        "date: 2026-03-15\nlecture_number: 4\n",
    )
    known = read_sidecar(pdf).over(document())
    assert known.aliases == (
        Alias("Search trees", "sidecar"),
        Alias("עצים", "sidecar"),
        Alias("Trees, anew", "title"),
        Alias("l4", "stem"),
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
        ("aliases: [", "must be a readable YAML file: "),
        ("alias: Trees", "keys must be of title, aliases, authors, date, lecture_number, corrections, got 'alias'"),
        ("authors: ['']", "authors must be a text or a list of texts that are not empty"),
        ("date: 15.3.2026", "date must be a date like 2026-03-15, got '15.3.2026'"),
        ("a: &a x\naliases: [*a, *a]", "must be a readable YAML file: YAML: "),
        ("lecture_number: four", "lecture_number must be a whole number from 0 to 99999, got 'four'"),
        ("lecture_number: 100000", "lecture_number must be a whole number from 0 to 99999, got 100000"),
        ("title: [Trees]", "title must be a text that is not empty, got \\['Trees'\\]"),
    ],
)
def test_broken_file_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        read_sidecar(beside(tmp_path, text))
    assert str(caught.value).startswith(f"{tmp_path}/l4.yaml: ")
    assert str(caught.value).endswith("; mend or remove it")
    assert "\n" not in str(caught.value)


WRONG = Paragraph("a:2:1", "a", 2, "", "Teh water rose. It fell again.", "Teh water rose.")


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
    untouched, mended = sidecar.apply_to(read).paragraphs
    assert untouched == other
    assert (mended.text, mended.opening_sentence) == (text, opening)
    assert sidecar.apply_to(sidecar.apply_to(read)).paragraphs == (other, mended)


def paragraphs(*texts: str) -> tuple[Paragraph, ...]:
    return tuple(
        Paragraph(f"a:1:{row}", "a", 1, "", text, f"{text.partition('.')[0]}.") for row, text in enumerate(texts)
    )


@pytest.mark.parametrize(
    ("was", "texts", "meant"),
    [
        ("It rose.", ("Rabbits: it rose. And so on.", "It rose. It fell."), 1),  # an opening sentence before others
        ("it", ("A bit of it here.", "Its own."), 0),  # whole words alone
        ("rose", ("Rose and fell.", "The rose. Rosebuds."), 0),  # how a paragraph begins before what it holds
        ("the rose", ("The rose and fell.", "The rose as well."), None),  # two of them
        ("quite another", ("Rose.", "The nose."), None),
    ],
)
def test_a_correction_hits_the_one_sentence_that_is_meant(was: str, texts: tuple[str, ...], meant: int | None) -> None:
    correction = Correction(was, None, "So it is printed.", None)
    read = Reading(Document("a", "a.pdf", "", "", (), 2, 2), paragraphs(*texts), ())
    found = Sidecar(corrections=(correction,)).apply_to(read)
    changed = [row for row, item in enumerate(found.paragraphs) if item.opening_sentence == "So it is printed."]
    assert changed == ([] if meant is None else [meant])


def test_corrections_are_counted() -> None:
    read = Reading(Document("a", "a.pdf", "", "", (), 2, 2), paragraphs("Rose. Bud.", "The nose. Bud."), (), ("OCR",))
    given = [Correction(was, None, f"So is {was}.", None) for was in ("rose", "the nose", "bud", "tulip")]
    notes = Sidecar(corrections=tuple(given)).apply_to(read).notes
    assert notes == ("OCR", "2 corrections applied, 1 fits several paragraphs ('bud'), 1 fits nothing ('tulip')")


def test_a_correction_of_what_is_read_rightly_by_now_changes_nothing() -> None:
    read = Reading(Document("a", "a.pdf", "", "", (), 2, 2), paragraphs("The rose. Bud.", "A hte rose."), ())
    found = Sidecar(corrections=(Correction("hte rose", None, "The rose.", None),)).apply_to(read)
    assert (found.paragraphs, found.notes) == (read.paragraphs, ("1 correction applied",))


@pytest.mark.parametrize("entry", ["{was: x}", "{text: x}", "{was: x, text: 3}", "{was: x, txt: y}", "x"])
def test_a_correction_without_what_was_or_what_is_is_refused(tmp_path: Path, entry: str) -> None:
    (tmp_path / "a.yaml").write_text(f"corrections: [{entry}]")
    with pytest.raises(SourceError, match="corrections must be a list of entries with `was`"):
        read_sidecar(tmp_path / "a.pdf")
