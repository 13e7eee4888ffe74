from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from ingest.errors import SourceError
from ingest.paragraph import Alias, Document, Paragraph, Reading
from ingest.pipeline.sidecar import Correction, Sidecar, read_sidecar


def document() -> Document:
    aliases = (
        Alias("l4", "stem"),
        Alias("Trees", "title"),
        Alias("A. Turing", "author"),
    )
    return Document(
        "l4",
        "l4.pdf",
        "hash",
        "v",
        aliases,
        3,
        2,
        authors=("A. Turing",),
        date="2020-01-01",
    )


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
    assert known.authors == ("Ada Lovelace",)
    assert (known.date, known.lecture_number) == ("2026-03-15", 4)
    assert len(known.sidecar) == 12


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- Trees", "must hold keys and values, got list"),
        ("aliases: [", "must be a readable YAML file: "),
        (
            "alias: Trees",
            "keys must be of title, aliases, authors, date, lecture_number, corrections, got 'alias'",
        ),
        (
            "authors: ['']",
            "authors must be a text or a list of texts that are not empty",
        ),
        (
            "lecture_number: four",
            "lecture_number must be a whole number from 0 to 99999, got 'four'",
        ),
        (
            "lecture_number: 100000",
            "lecture_number must be a whole number from 0 to 99999, got '100000'",
        ),
        ("title: [Trees]", "title must be a text that is not empty, got \\['Trees'\\]"),
    ],
)
def test_broken_file_is_refused_in_one_line(
    text: str, message: str, tmp_path: Path
) -> None:
    refused = rf"^{tmp_path}/l4.yaml: {message}.*; mend or remove it\Z"
    with pytest.raises(SourceError, match=refused):
        read_sidecar(beside(tmp_path, text))


def reading(*paragraphs: Paragraph, notes: tuple[str, ...] = ()) -> Reading:
    return Reading(Document("a", "a.pdf", "", "", (), 2, 2), paragraphs, (), notes)


def corrected(reading: Reading, corrections: dict[str, str]) -> Reading:
    """The reading with other opening sentences for those with certain words."""
    given = [Correction(was, None, right, None) for was, right in corrections.items()]
    return Sidecar(corrections=tuple(given)).apply_to(reading)


WRONG = Paragraph(
    "a:2:1", "a", 2, "", "Teh water rose. It fell again.", "Teh water rose."
)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("opening_sentence: The water rose.", "The water rose. It fell again."),
        ("text: The water rose. It stayed.", "The water rose. It stayed."),
    ],
)
def test_a_correction_is_laid_over_the_paragraph_that_it_quotes(
    tmp_path: Path, said: str, text: str
) -> None:
    (tmp_path / "a.yaml").write_text(
        f"corrections:\n- was: teh WATER\n  page: 2\n  {said}\n"
    )
    other = dataclasses.replace(WRONG, paragraph_id="a:1:1", page=1)
    sidecar = read_sidecar(tmp_path / "a.pdf")
    read = reading(other, WRONG)
    untouched, mended = sidecar.apply_to(read).paragraphs
    assert untouched == other
    assert (mended.text, mended.opening_sentence) == (text, "The water rose.")
    assert sidecar.apply_to(sidecar.apply_to(read)).paragraphs == (other, mended)


def paragraphs(*texts: str) -> tuple[Paragraph, ...]:
    return tuple(
        Paragraph(f"a:1:{row}", "a", 1, "", text, f"{text.partition('.')[0]}.")
        for row, text in enumerate(texts)
    )


@pytest.mark.parametrize(
    ("was", "texts", "meant"),
    [
        (
            "It rose.",
            ("Rabbits: it rose. And so on.", "It rose. It fell."),
            1,
        ),  # an opening sentence before others
        ("it", ("A bit of it here.", "Its own."), 0),  # whole words alone
        (
            "rose",
            ("Rose and fell.", "The rose. Rosebuds."),
            0,
        ),  # how a paragraph begins before what it holds
        ("the rose", ("The rose and fell.", "The rose as well."), None),  # two of them
        ("quite another", ("Rose.", "The nose."), None),
    ],
)
def test_a_correction_hits_the_one_sentence_that_is_meant(
    was: str, texts: tuple[str, ...], meant: int | None
) -> None:
    found = corrected(reading(*paragraphs(*texts)), {was: "So it is printed."})
    changed = [
        row
        for row, item in enumerate(found.paragraphs)
        if item.opening_sentence == "So it is printed."
    ]
    assert changed == ([] if meant is None else [meant])


def test_corrections_are_counted() -> None:
    read = reading(*paragraphs("Rose. Bud.", "The nose. Bud."), notes=("OCR",))
    given = {was: f"So is {was}." for was in ("rose", "the nose", "bud", "tulip")}
    assert corrected(read, given).notes == (
        "OCR",
        "2 corrections applied, 1 fits several paragraphs ('bud'), 1 fits nothing ('tulip')",
    )


def test_a_correction_of_what_is_read_rightly_by_now_changes_nothing() -> None:
    read = reading(*paragraphs("The rose. Bud.", "A hte rose."))
    found = corrected(read, {"hte rose": "The rose."})
    assert found.paragraphs == read.paragraphs
    assert found.notes == ("1 correction applied",)


@pytest.mark.parametrize("entry", ["{was: x}", "{text: x}", "{was: x, txt: y}", "x"])
def test_a_correction_without_what_was_or_what_is_is_refused(
    tmp_path: Path, entry: str
) -> None:
    (tmp_path / "a.yaml").write_text(f"corrections: [{entry}]")
    with pytest.raises(
        SourceError, match="corrections must be a list of entries with `was`"
    ):
        read_sidecar(tmp_path / "a.pdf")
