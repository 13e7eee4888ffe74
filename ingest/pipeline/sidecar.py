"""What the user says about a lecture, in a YAML file of the same name beside it."""

from __future__ import annotations

import datetime
import hashlib
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from quarry.configs.plain_yaml import read_plain_yaml
from quarry.ingest.errors import SourceError
from quarry.ingest.paragraph import Alias, Document, Paragraph, Reading
from quarry.ingest.paragraphs.sentence import opening_sentence

SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Correction:
    """How a paragraph that was read wrongly is printed.

    Attributes:
        was: words of the paragraph as it was read; letters and figures count, nothing else.
        page: 1-based, on which it starts; None if it is not said.
        opening_sentence: as printed, None to take the first of `text`.
        text: of the whole paragraph as printed, None if only its opening sentence was wrong.
    """

    was: str
    page: int | None
    opening_sentence: str | None
    text: str | None

    def fits(self, paragraph: Paragraph) -> bool:
        """Whether a paragraph is the one that is meant, as it was read or as it is printed."""
        if self.page not in (None, paragraph.page):
            return False
        said = [self.was, *filter(None, (self.opening_sentence, self.text))]
        return any(_plain(words) in _plain(paragraph.text) for words in said)

    def over(self, paragraph: Paragraph) -> Paragraph:
        """The paragraph as it is printed."""
        rest = paragraph.text.removeprefix(paragraph.opening_sentence)
        text = self.text or f"{self.opening_sentence}{rest}"
        opening = self.opening_sentence or opening_sentence(text)
        return replace(paragraph, text=text, opening_sentence=opening, sureness=1.0)


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What `lecture04.yaml` says about `lecture04.pdf`; what it leaves out stays as it was read.

    Attributes:
        aliases: names by which the lecture is called.
        authors: who wrote it.
        date: ISO date.
        lecture_number: of the lecture or chapter.
        corrections: of paragraphs that were read wrongly.
        digest: changes with the file; "" if there is none.
    """

    aliases: tuple[str, ...] = ()
    authors: tuple[str, ...] | None = None
    date: str | None = None
    lecture_number: int | None = None
    corrections: tuple[Correction, ...] = ()
    digest: str = ""

    def laid_over(self, reading: Reading) -> Reading:
        """A reading with what the user says laid over it; a correction that fits nothing is told on standard error."""
        paragraphs = list(reading.paragraphs)
        for correction in self.corrections:
            row = next((row for row, paragraph in enumerate(paragraphs) if correction.fits(paragraph)), None)
            if row is None:
                told = f"{reading.document.path}: its sidecar corrects {correction.was[:60]!r}, which no paragraph says"
                print(f"{told}; mend or remove the correction", file=sys.stderr)
            else:
                paragraphs[row] = correction.over(paragraphs[row])
        return replace(reading, document=self.over(reading.document), paragraphs=tuple(paragraphs))

    def over(self, document: Document) -> Document:
        """The document with what the user says laid over what was read."""
        read = document.aliases
        if self.authors is not None:
            read = tuple(alias for alias in read if alias.source != "author")
            read += tuple(Alias(author, "author") for author in self.authors)
        given = tuple(Alias(alias, "sidecar") for alias in self.aliases)
        return replace(
            document,
            aliases=tuple(dict.fromkeys((*given, *read))),
            authors=document.authors if self.authors is None else self.authors,
            date=document.date if self.date is None else self.date,
            lecture_number=document.lecture_number if self.lecture_number is None else self.lecture_number,
            sidecar=self.digest,
        )


def read_sidecar(pdf: Path) -> Sidecar:
    """What the file beside a PDF says; an empty Sidecar if there is none.

    Raises:
        SourceError: it is not YAML, or holds a key or a value that it must not.
    """
    path = next((path for suffix in SUFFIXES if (path := pdf.with_suffix(suffix)).is_file()), None)
    if path is None:
        return Sidecar()
    try:
        content = path.read_bytes()
        tree = read_plain_yaml(content.decode("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise SourceError(
            f"{path}: must be a readable YAML file: {' '.join(str(error).split())}; mend or remove it"
        ) from error
    if not isinstance(tree, dict):
        raise SourceError(f"{path}: must hold keys and values, got {type(tree).__name__}; mend or remove it")
    readers: dict[str, Callable[[Any], Any]] = {
        "aliases": _texts,
        "authors": _texts,
        "date": _date,
        "lecture_number": _number,
        "corrections": _corrections,
    }
    values = {}
    for key, value in tree.items():
        if key not in readers:
            raise SourceError(f"{path}: keys must be of {', '.join(readers)}, got {repr(key)[:60]}; mend or remove it")
        try:
            values[key] = readers[key](value)
        except ValueError as error:
            raise SourceError(f"{path}: {key} must be {error}, got {repr(value)[:60]}; mend or remove it") from error
    return Sidecar(**values, digest=hashlib.sha256(content).hexdigest()[:12])


def _texts(value: Any) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) and item.strip() for item in items):
        raise ValueError("a text or a list of texts that are not empty")
    return tuple(" ".join(item.split()) for item in items)


def _corrections(value: Any) -> tuple[Correction, ...]:
    keys = {"was", "page", "opening_sentence", "text"}
    right = "a list of entries with `was` and with `opening_sentence` or `text`, and `page` or not"
    if not isinstance(value, list) or not all(isinstance(item, dict) and item.keys() <= keys for item in value):
        raise ValueError(right)
    found = []
    for item in value:
        texts = {key: item.get(key) for key in ("was", "opening_sentence", "text")}
        if not all(text is None or (isinstance(text, str) and _plain(text)) for text in texts.values()):
            raise ValueError(right)
        if texts["was"] is None or (texts["opening_sentence"] is None and texts["text"] is None):
            raise ValueError(right)
        page = None if item.get("page") is None else _number(item["page"])
        was, opening, text = (None if text is None else " ".join(text.split()) for text in texts.values())
        found.append(Correction(was or "", page, opening, text))
    return tuple(found)


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _date(value: Any) -> str:
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    try:
        return datetime.date.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        raise ValueError("a date like 2026-03-15") from None


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("a whole number from 0")
    return value
