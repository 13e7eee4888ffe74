"""CourseNames: the names of a course's documents, and the tables made of them."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

import numpy as np
import regex

from player.search.books.lecture_numbers import numbers_in, words_of_name
from player.search.books.name_words import (
    is_a,
    is_generic,
    is_subject,
    normalise_name,
)
from quarry.arrays import Float64Array
from quarry.course.paragraph import Alias, AliasSource, Document, Paragraph
from quarry.languages.words import is_stop_word, stems

TRUST = {"author": 0.9, "metadata": 0.8, "heading": 0.6}
"""Weight of a name by its source, 1 for other sources: PDF metadata is often wrong, and a heading names only a part of
a document."""
OF_FILE = ("stem", "name", "sidecar")
"""Names of these sources name a document whatever their words."""
MIN_TO_SHARE = 3
"""Minimum number of documents of a course whose shared words are ignored."""
WORDS_OF_A_NAME = 2
"""Minimum number of words of the first part of a title that stands for the title, and of a title within a message."""
WORDS_OF_A_PHRASE = 3
"""Minimum number of words of a title of function words alone: "How Would We Know?"."""
_TITLE_END = regex.compile(r"(?<=\p{L})[:?!]\s|\s[-–—|]\s")
"""The first part of a title ends here."""


@dataclass(frozen=True, eq=False)
class Name:
    """One name of a document.

    Attributes:
        row: row of the document.
        text: the name as it is written.
        source: its source.
    """

    row: int
    text: str
    source: AliasSource

    @cached_property
    def normalised(self) -> str:
        """The name normalised."""
        return normalise_name(self.text)

    @cached_property
    def stem(self) -> str:
        """The stem or given name of a file, folded; "" for other names."""
        return fold_stem(self.text) if self.source in ("stem", "name") else ""

    @cached_property
    def words(self) -> list[str]:
        """The words of the name, numbers in digits; of weak sources, without words that any document may have."""
        words = words_of_name(self.text)
        if self.source not in ("heading", "metadata"):
            return words
        return [word for word in words if not is_a(word, "sections")]

    @property
    def trust(self) -> float:
        """Weight of the name by its source."""
        return TRUST.get(self.source, 1.0)

    @cached_property
    def short(self) -> str:
        """The first part of a title, or a title of function words alone; "" for other names."""
        if self.source not in ("title", "sidecar"):
            return ""
        first, *rest = _TITLE_END.split(self.text.strip(), maxsplit=1)
        is_short = rest and len(first.split()) >= WORDS_OF_A_NAME
        return first.rstrip("?!. ") if is_short or _is_phrase(self.words) else ""


@dataclass(frozen=True, eq=False)
class CourseNames:
    """The names of a course's documents. A document is the row of its id in `doc_ids`.

    Attributes:
        documents: every document; the names of a duplicate file belong to the document that holds the paragraphs.
        paragraphs: texts of the documents; () leaves them out.
    """

    documents: Sequence[Document]
    paragraphs: Sequence[Paragraph] = ()

    @cached_property
    def doc_ids(self) -> list[str]:
        """The documents that are no duplicates, sorted."""
        return sorted({item.same_as or item.doc_id for item in self.documents})

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Row of each document; a duplicate has the row of its original."""
        rows = {doc_id: row for row, doc_id in enumerate(self.doc_ids)}
        return {
            item.doc_id: rows[item.same_as or item.doc_id] for item in self.documents
        }

    @cached_property
    def names(self) -> list[Name]:
        """All names that may tell the documents apart."""
        names = []
        for document in self.documents:
            row = self.row_of[document.doc_id]
            for alias in filter(is_name, document.aliases):
                names.append(Name(row, alias.text, alias.source))
        return names

    @cached_property
    def whole(self) -> list[Name]:
        """The names of whole documents."""
        return [n for n in self.names if n.source not in ("author", "heading")]

    @cached_property
    def trust(self) -> dict[str, Float64Array]:
        """By word, (n_documents,) the highest weight of a name of each document that has the word."""
        trust: dict[str, Float64Array] = {}
        for name in self.names:
            for word in name.words:
                by_row = trust.setdefault(word, np.zeros(len(self.doc_ids)))
                by_row[name.row] = max(by_row[name.row], name.trust)
        return trust

    @cached_property
    def owners(self) -> dict[str, list[int]]:
        """Documents by each word of their whole names and their authors' names."""
        owners = {}
        for word, by_row in self.trust.items():
            rows = np.flatnonzero(by_row > TRUST["heading"])
            if rows.size:
                owners[word] = rows.tolist()
        return owners

    @cached_property
    def shared(self) -> set[str]:
        """Words that more than half of the documents have in their names; they tell no documents apart."""
        n = len(self.doc_ids)
        counts = {word: np.count_nonzero(rows) for word, rows in self.trust.items()}
        return {word for word in counts if 2 * counts[word] > n >= MIN_TO_SHARE}

    def distinctive(self, words: Iterable[str]) -> list[str]:
        """Return the words of a name, without those that any name may have."""
        return [w for w in words if w not in self.shared and not is_generic(w)]

    @cached_property
    def numbers(self) -> list[set[int]]:
        """Lecture numbers of each document: the number of the file or the first page, or else those of the stem."""
        numbers: list[set[int]] = [set() for _ in self.doc_ids]
        for document in self.documents:
            number, in_stem = document.lecture_number, numbers_in(document.doc_id)
            is_of_date = number not in in_stem and str(number) in words_of_name(
                document.doc_id
            )
            if number is not None and not is_of_date:
                in_stem = {number}
            numbers[self.row_of[document.doc_id]] |= in_stem
        return numbers

    @cached_property
    def mentioned(self) -> list[set[int]]:
        """Lecture numbers of each document, and the numbers in its names."""
        mentioned = list(map(set, self.numbers))
        for name in self.names:
            mentioned[name.row] |= numbers_in(name.text)
        return mentioned

    @cached_property
    def counting(self) -> frozenset[str]:
        """Words before a number in the names of files: "sprint" in "sprint 3"."""
        files = [name for name in self.names if name.source in OF_FILE]
        pairs = chain(*[pairwise(name.words) for name in files])
        return frozenset(word for word, number in pairs if number.isdecimal())

    @cached_property
    def stem_rates(self) -> list[dict[str, float]]:
        """By document, the share of the words of its text that have each stem."""
        counts: list[Counter[str]] = [Counter() for _ in self.doc_ids]
        for paragraph in self.paragraphs:
            text = f"{paragraph.heading} {paragraph.text}"
            counts[self.row_of[paragraph.doc_id]].update(stems(text))

        rates = []
        for counter in counts:
            total = counter.total()
            rates.append({stem: count / total for stem, count in counter.items()})
        return rates

    def rates(self, word: str) -> Float64Array:
        """Return (n_documents,) the share of the words of each text that are forms of a normalised word."""
        stem = next(iter(stems(word)), word)
        return np.array([rates.get(stem, 0.0) for rates in self.stem_rates])


def is_name(alias: Alias) -> bool:
    """Return whether an alias may name its document; headings and titles such as "results" do not."""
    words = words_of_name(alias.text)
    if alias.source in (*OF_FILE, "author"):
        return bool(words)
    is_distinctive = any(is_subject(w) and not is_a(w, "sections") for w in words)
    return is_distinctive or _is_phrase(words)


def _is_phrase(words: Sequence[str]) -> bool:
    """Return whether words are a title of function words alone."""
    return len(words) >= WORDS_OF_A_PHRASE and all(map(is_stop_word, words))


def fold_stem(stem: str) -> str:
    """Normalise a file's stem: case-folded, without ".pdf", with single spaces."""
    folded = unicodedata.normalize("NFC", stem).casefold().strip()
    return " ".join(folded.removesuffix(".pdf").split())
