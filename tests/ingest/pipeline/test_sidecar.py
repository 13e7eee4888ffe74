import dataclasses
from pathlib import Path

import pytest

from ingest.errors import SourceError
from ingest.pipeline.sidecar import Correction, Sidecar, read_sidecar
from quarry.course.paragraph import Alias, Paragraph, Reading
from tests.fakes import each, make_reading


def written(folder: Path, text: str) -> Path:
    """Write a sidecar file, and return the path of its lecture."""
    (folder / "l4.yaml").write_text(text, encoding="utf-8")
    return folder / "l4.pdf"


def reading(*paragraphs: Paragraph) -> Reading:
    names = Alias("Trees", "title"), Alias("A. Turing", "author")
    document = dataclasses.replace(
        make_reading("l4", [], aliases=names).document,
        authors=("A. Turing",),
        date="2020-01-01",
    )
    return Reading(document, paragraphs, (), ("OCR",))


def test_values_of_the_user_replace_those_that_were_read(tmp_path: Path) -> None:
    lecture = written(
        tmp_path,
        "title: Trees, anew\naliases: [Search  trees, עצים]\nauthors: Ada Lovelace\n"
        "date: 2026-03-15\nlecture_number: 4\n",
    )
    document = read_sidecar(lecture).apply_to(reading()).document

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


NUMBER = "not a whole number from 0 to 99999"
CORRECTIONS = "corrections is .*, not a list of entries with `was`"


def test_broken_file_is_refused_in_one_line(tmp_path: Path) -> None:
    for text, message in (
        ("- Trees", "the file holds list, not keys and values"),
        ("aliases: [", "not readable as YAML: "),
        (
            "alias: Trees",
            "the key 'alias' is unknown; keys are title, aliases, authors, date, lecture_number, corrections",
        ),
        (
            "authors: ['']",
            r"authors is \[''\], not a text or a list of texts that are not",
        ),
        ("lecture_number: four", f"lecture_number is 'four', {NUMBER}"),
        ("lecture_number: 100000", f"lecture_number is '100000', {NUMBER}"),
        ("title: [Trees]", r"title is \['Trees'\], not a text that is not empty"),
        ("corrections: [{was: x}]", CORRECTIONS),
        ("corrections: [{text: x}]", CORRECTIONS),
        ("corrections: [{was: x, txt: y}]", CORRECTIONS),
        ("corrections: [x]", CORRECTIONS),
    ):
        refused = rf"^{tmp_path}/l4.yaml: {message}.*; correct or remove it\Z"
        with pytest.raises(SourceError, match=refused):
            read_sidecar(written(tmp_path, text))


def test_a_correction_replaces_the_paragraph_that_it_quotes(tmp_path: Path) -> None:
    text = "Teh water rose. It fell again."
    wrong = Paragraph("a:2:1", "a", 2, "", text, "Teh water rose.")
    other = dataclasses.replace(wrong, paragraph_id="a:1:1", page=1)

    for printed, expected in (
        ("opening_sentence: The water rose.", "The water rose. It fell again."),
        ("text: The water rose. It stayed.", "The water rose. It stayed."),
    ):
        entry = f"corrections:\n- was: teh WATER\n  page: 2\n  {printed}\n"
        sidecar = read_sidecar(written(tmp_path, entry))
        once = sidecar.apply_to(reading(other, wrong))
        untouched, right = once.paragraphs
        assert untouched == other
        assert right.text == expected
        assert right.opening_sentence == "The water rose."
        assert sidecar.apply_to(once).paragraphs == once.paragraphs


def corrected(texts: tuple[str, ...], corrections: dict[str, str]) -> Reading:
    """Return a reading with other opening sentences for those with certain words."""
    paragraphs = make_reading("a", texts).paragraphs
    entries = []
    for was, right in corrections.items():
        entries.append(Correction(was, None, right, None))
    return Sidecar(corrections=tuple(entries)).apply_to(reading(*paragraphs))


def test_a_correction_hits_the_one_sentence_that_is_meant() -> None:
    right = "So it is printed."

    for was, texts, meant in (
        # an opening sentence before others
        ("It rose.", ("Rabbits: it rose. And so on.", "It rose. It fell."), [1]),
        # whole words alone
        ("it", ("A bit of it here.", "Its own."), [0]),
        # the beginning of a paragraph before its content
        ("rose", ("Rose and fell.", "The rose. Rosebuds."), [0]),
        # two of them
        ("the rose", ("The rose and fell.", "The rose as well."), []),
        ("quite another", ("Rose.", "The nose."), []),
    ):
        read = corrected(texts, {was: right})
        openings = each(read.paragraphs, "opening_sentence")
        changed = [row for row, opening in enumerate(openings) if opening == right]
        assert changed == meant, was


def test_corrections_are_counted() -> None:
    words = ("rose", "the nose", "bud", "tulip")
    wrong = {was: f"So is {was}." for was in words}
    assert corrected(("Rose. Bud.", "The nose. Bud."), wrong).notes == (
        "OCR",
        "2 corrections applied, 1 fits several paragraphs ('bud'), 1 fits nothing ('tulip')",
    )


def test_a_correction_of_what_is_read_rightly_by_now_changes_nothing() -> None:
    texts = "The rose. Bud.", "A hte rose."
    read = corrected(texts, {"hte rose": "The rose."})
    assert each(read.paragraphs, "text") == [*texts]
    assert read.notes == ("OCR", "1 correction applied")
