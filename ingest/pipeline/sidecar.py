"""Sidecar files: a YAML file next to a lecture, with the same name, that adds or corrects its metadata."""

from __future__ import annotations

import datetime
import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic.dataclasses import dataclass

from configs.plain_yaml import read_plain_file
from ingest.errors import SourceError
from ingest.pipeline.read_document import content_hash
from quarry.course.paragraph import Alias, Document, Paragraph, Reading
from quarry.course.sentences import opening_sentence
from quarry.course.text import canonical
from quarry.terminal import pluralize

SUFFIXES = (".yaml", ".yml")

MAX_NUMBER = 99_999
"""Largest lecture number or page."""

RULES = {
    "title": "a text that is not empty",
    "aliases": "a text or a list of texts that are not empty",
    "authors": "a text or a list of texts that are not empty",
    "date": "a date like 2026-03-15",
    "lecture_number": f"a whole number from 0 to {MAX_NUMBER}",
    "corrections": "a list of entries with `was` and with `opening_sentence` or `text`, and `page` or not",
}
"""Keys of a sidecar file, and the values that each accepts, for errors."""


def _one_line(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return " ".join(text.split())


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else (value,)


def _iso_date(text: str) -> str:
    return datetime.date.fromisoformat(text).isoformat()


Line = Annotated[str, AfterValidator(_one_line)]
Lines = Annotated[tuple[Line, ...], BeforeValidator(_listed)]
Number = Annotated[int, Field(ge=0, le=MAX_NUMBER)]
STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, config=STRICT)
class Correction:
    """The printed text of a paragraph that was read wrongly.

    Attributes:
        was: words of the paragraph as it was read; letters and digits count, nothing else.
        page: 1-based, on which the paragraph starts; None for any page.
        opening_sentence: as printed, None to take the first sentence of `text`.
        text: the text of the whole paragraph as printed, None if only its opening sentence was wrong.
    """

    was: Line
    page: Number | None = None
    opening_sentence: Line | None = None
    text: Line | None = None

    @model_validator(mode="after")
    def _require_replacement(self) -> Correction:
        if self.opening_sentence is None and self.text is None:
            raise ValueError("it has neither opening_sentence nor text")
        return self

    def rows(self, paragraphs: list[Paragraph]) -> list[int]:
        """Return the indices of the paragraphs that the correction may mean.

        The first of these groups that is not empty: paragraphs with the opening sentence `was`; paragraphs that begin
        with `was`; paragraphs that already read as printed; paragraphs that hold `was` as whole words.
        """
        was = canonical(self.was)
        right = canonical(self.text or self.opening_sentence or "")
        groups: dict[int, list[int]] = {}

        for row, paragraph in enumerate(paragraphs):
            if self.page not in (None, paragraph.page):
                continue
            opening = canonical(paragraph.opening_sentence)
            offsets = _offsets(was, paragraph.text)
            is_right = right == (canonical(paragraph.text) if self.text else opening)
            fits = (was == opening, 0 in offsets, is_right, bool(offsets))
            if any(fits):
                groups.setdefault(fits.index(True), []).append(row)
        return groups[min(groups)] if groups else []

    def apply_to(self, paragraph: Paragraph) -> Paragraph:
        """Return the paragraph as printed."""
        rest = paragraph.text.removeprefix(paragraph.opening_sentence)
        text = self.text or f"{self.opening_sentence}{rest}"
        opening = self.opening_sentence or opening_sentence(text)
        return replace(paragraph, text=text, opening_sentence=opening)


@dataclass(frozen=True, slots=True, config=STRICT)
class Sidecar:
    """The content of `lecture04.yaml` for `lecture04.pdf`; missing keys leave what was read unchanged.

    Attributes:
        title: the title of the lecture, instead of the printed one.
        aliases: further names of the lecture.
        authors: the authors of the lecture.
        date: ISO date.
        lecture_number: the number of the lecture or chapter.
        corrections: the corrections of paragraphs that were read wrongly.
        digest: changes with the file; "" if there is none.
    """

    title: Line | None = None
    aliases: Lines = ()
    authors: Lines | None = None
    date: Annotated[str, AfterValidator(_iso_date)] | None = None
    lecture_number: Number | None = None
    corrections: tuple[Correction, ...] = ()
    digest: str = ""

    def apply_to(self, reading: Reading) -> Reading:
        """Return the corrected reading, with a note that counts the corrections that were applied or not."""
        paragraphs = list(reading.paragraphs)
        unfit: dict[str, list[str]] = {}
        for correction in self.corrections:
            rows = correction.rows(paragraphs)
            if len(rows) == 1:
                paragraphs[rows[0]] = correction.apply_to(paragraphs[rows[0]])
            else:
                why = "fits several paragraphs" if rows else "fits nothing"
                unfit.setdefault(why, []).append(repr(correction.was[:60]))

        n_applied = len(self.corrections) - sum(map(len, unfit.values()))
        note = f"{pluralize(n_applied, 'correction')} applied"
        for why, were in unfit.items():
            note += f", {len(were)} {why} ({', '.join(were)})"
        notes = (*reading.notes, note) if self.corrections else reading.notes
        return replace(
            reading,
            document=self.over(reading.document),
            paragraphs=tuple(paragraphs),
            notes=notes,
        )

    def over(self, document: Document) -> Document:
        """Return the document with the values of the sidecar in place of those that were read."""
        replaced = {"title": self.title is not None, "author": self.authors is not None}
        read = [alias for alias in document.aliases if not replaced.get(alias.source)]
        title = [Alias(self.title, "title")] if self.title is not None else []
        extra = [Alias(alias, "sidecar") for alias in self.aliases]
        authors = [Alias(author, "author") for author in self.authors or ()]
        names = tuple(dict.fromkeys((*extra, *title, *read, *authors)))
        values: dict[str, Any] = {"aliases": names, "sidecar": self.digest}
        for key in ("authors", "date", "lecture_number"):
            value = getattr(self, key)
            if value is not None:
                values[key] = value
        return replace(document, **values)


def read_sidecar(lecture: Path) -> Sidecar:
    """Read the sidecar file of a lecture; return an empty Sidecar if there is none.

    Raises:
        SourceError: the file is not YAML, or holds an unknown key or a wrong value.
    """
    paths = filter(Path.is_file, map(lecture.with_suffix, SUFFIXES))
    path = next(paths, None)
    if path is None:
        return Sidecar()

    try:
        tree = read_plain_file(path)
        if not isinstance(tree, dict):
            fault = f"the file holds {type(tree).__name__}, not keys and values"
        elif unknown := [key for key in tree if key not in RULES]:
            fault = f"the key {repr(unknown[0])[:60]} is unknown; keys are {', '.join(RULES)}"
        else:
            return Sidecar(**tree, digest=content_hash(path)[:12])
    except ValidationError as error:
        key = str(error.errors(include_url=False)[0]["loc"][0])
        fault = f"{key} is {repr(tree[key])[:60]}, not {RULES[key]}"
    except (OSError, ValueError) as error:
        fault = f"not readable as YAML: {' '.join(str(error).split())}"
    raise SourceError(f"{path}: {fault}; correct or remove it")


def _offsets(was: str, text: str) -> set[int]:
    """Return the offsets of `was` among the letters of a text, where it begins and ends with whole words."""
    words = [canonical(word) for word in text.split()]
    edges = set(itertools.accumulate(map(len, words), initial=0))
    offsets = set()
    for match in re.finditer(f"(?={re.escape(was)})", "".join(words)):
        start = match.start()
        if {start, start + len(was)} <= edges:
            offsets.add(start)
    return offsets
