"""Sidecar files: a YAML file next to a lecture, with the same name, that adds or corrects its metadata."""

from __future__ import annotations

import datetime
import reprlib
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationError,
)
from pydantic.dataclasses import dataclass

from configs.plain_yaml import read_plain_file
from ingest.errors import SourceError
from ingest.pipeline.read_document import content_hash
from quarry.course.paragraph import Alias, Document
from quarry.course.text import one_line

SUFFIXES = (".yaml", ".yml")
"""Suffixes of sidecar files."""

MAX_LECTURE_NUMBER = 99_999
"""Maximum lecture number."""

FIELD_RULES = {
    "title": "a text that is not empty",
    "aliases": "a text or a list of texts that are not empty",
    "authors": "a text or a list of texts that are not empty",
    "date": "a date like 2026-03-15",
    "lecture_number": f"a whole number from 0 to {MAX_LECTURE_NUMBER}",
}
"""Keys of a sidecar file, with descriptions of their values, for errors."""


def _require_text(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return one_line(text)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else (value,)


def _iso_date(text: str) -> str:
    return datetime.date.fromisoformat(text).isoformat()


FilledText = Annotated[str, AfterValidator(_require_text)]
FilledTexts = Annotated[tuple[FilledText, ...], BeforeValidator(_as_tuple)]
LectureNumber = Annotated[int, Field(ge=0, le=MAX_LECTURE_NUMBER)]


@dataclass(frozen=True, slots=True)
class Sidecar:
    """The content of `lecture04.yaml` for `lecture04.pdf`; missing keys do not change the document.

    Attributes:
        title: the title of the lecture, instead of the printed one.
        aliases: further names of the lecture.
        authors: the authors of the lecture.
        date: ISO date.
        lecture_number: the number of the lecture or chapter.
        digest: digest of the file; "" if there is none.
    """

    title: FilledText | None = None
    aliases: FilledTexts = ()
    authors: FilledTexts | None = None
    date: Annotated[str, AfterValidator(_iso_date)] | None = None
    lecture_number: LectureNumber | None = None
    digest: str = ""

    def apply_to(self, document: Document) -> Document:
        """Replace values of a document by those of the sidecar."""
        is_replaced = {
            "title": self.title is not None,
            "author": self.authors is not None,
        }
        other = [item for item in document.aliases if not is_replaced.get(item.source)]
        title = [Alias(self.title, "title")] if self.title is not None else []
        extra = [Alias(alias, "sidecar") for alias in self.aliases]
        authors = [Alias(author, "author") for author in self.authors or ()]
        names = tuple(dict.fromkeys((*extra, *title, *other, *authors)))

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
        content = read_plain_file(path)
        tree = {} if content is None else content
        if not isinstance(tree, dict):
            fault = f"the file holds {type(tree).__name__}, not keys and values"
        elif unknown := [key for key in tree if key not in FIELD_RULES]:
            fault = f"the key {reprlib.repr(unknown[0])} is unknown; keys are {', '.join(FIELD_RULES)}"
        else:
            return Sidecar(**tree, digest=content_hash(path)[:12])
    except ValidationError as error:
        key = str(error.errors(include_url=False)[0]["loc"][0])
        fault = f"{key} is {reprlib.repr(tree[key])}, not {FIELD_RULES[key]}"
    except (OSError, ValueError) as error:
        fault = f"not readable as YAML: {' '.join(str(error).split())}"
    raise SourceError(f"{path}: {fault}; correct or remove it")
