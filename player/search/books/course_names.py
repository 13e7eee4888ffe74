"""CourseNames: the names of a course's documents, and the tables made of them."""

import functools
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import regex

from player.search.books.lecture_numbers import lecture_numbers, words_of_name
from player.search.books.name_words import (
    is_generic,
    is_of_kind,
    is_subject,
    likenesses,
    normalise_name,
)
from player.search.course_words import paragraph_stems
from quarry.arrays import Float64Array
from quarry.course.paragraph import Alias, AliasSource, Document, Paragraph
from quarry.languages.words import is_stop_word, stems

SOURCE_TRUST = {"author": 0.9, "metadata": 0.8, "heading": 0.6}
"""Weight of a name by its source, 1 for other sources: PDF metadata is often wrong, and a heading names only a part of
a document."""
FILE_SOURCES = ("stem", "name", "sidecar")
"""Names of these sources name a document whatever their words."""
MATCHES_KEPT = 1_000
"""Maximum number of words whose matches and shares are cached, 8 bytes a document each."""
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
        document_row: row of the document.
        text: the name as it is written.
        source: its source.
    """

    document_row: int
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
        return [word for word in words if not is_of_kind(word, "sections")]

    @property
    def source_trust(self) -> float:
        """Weight of the name by its source, 0..1."""
        return SOURCE_TRUST.get(self.source, 1.0)

    @cached_property
    def short_title(self) -> str:
        """The first part of a title, or a title of function words alone; "" for other names."""
        if self.source not in ("title", "sidecar"):
            return ""
        first, *rest = _TITLE_END.split(self.text.strip(), maxsplit=1)
        is_short = rest and len(first.split()) >= WORDS_OF_A_NAME
        return first.rstrip("?!. ") if is_short or _is_phrase(self.words) else ""


class CourseNames:
    """The names of a course's documents.

    A document is given by its row, the position of its id in `doc_ids`; a copy has the row of its original.

    Args:
        documents: every document.
        paragraphs: texts of the documents; () leaves them out.

    Attributes:
        doc_ids: the documents that are no copies, sorted.
        row_of: row of each document.
        names: all names that may tell the documents apart.
        document_names: names of whole documents.
        matches: function of a word that returns (n_documents,) how well it matches the names of each: the likeness of
            the words, times `word_trust`.
        text_shares: function of a word that returns (n_documents,) how it is shared among the texts, summing to 1; 0 if
            no text holds it.
    """

    def __init__(
        self, documents: Sequence[Document], paragraphs: Sequence[Paragraph] = ()
    ) -> None:
        self.documents, self.paragraphs = documents, paragraphs
        self.doc_ids = sorted({item.same_as or item.doc_id for item in documents})
        rows = {doc_id: row for row, doc_id in enumerate(self.doc_ids)}
        self.row_of = {
            item.doc_id: rows[item.same_as or item.doc_id] for item in documents
        }

        self.names: list[Name] = []
        for document in documents:
            row = self.row_of[document.doc_id]
            for alias in filter(is_name, document.aliases):
                self.names.append(Name(row, alias.text, alias.source))
        weak = ("author", "heading")
        self.document_names = [name for name in self.names if name.source not in weak]
        self.matches = functools.lru_cache(MATCHES_KEPT)(self._matches)
        self.text_shares = functools.lru_cache(MATCHES_KEPT)(self._text_shares)

    @cached_property
    def distinctive_texts(self) -> list[str]:
        """The distinctive words of each of `document_names`."""
        return [" ".join(self.distinctive(name.words)) for name in self.document_names]

    @cached_property
    def by_stem(self) -> dict[str, list[Name]]:
        """Names of files by folded stem."""
        by_stem: dict[str, list[Name]] = {}
        for name in self.document_names:
            if name.stem:
                by_stem.setdefault(name.stem, []).append(name)
        return by_stem

    @cached_property
    def word_trust(self) -> dict[str, Float64Array]:
        """By word, (n_documents,) the highest `Name.source_trust` of a name of each document that has the word."""
        word_trust: dict[str, Float64Array] = {}
        for name in self.names:
            for word in name.words:
                by_row = word_trust.setdefault(word, np.zeros(len(self.doc_ids)))
                by_row[name.document_row] = max(
                    by_row[name.document_row], name.source_trust
                )
        return word_trust

    @cached_property
    def owners(self) -> dict[str, set[int]]:
        """Documents by each word of their names and their authors' names, but for headings."""
        owners: dict[str, set[int]] = {}
        for name in self.names:
            if name.source != "heading":
                for word in name.words:
                    owners.setdefault(word, set()).add(name.document_row)
        return owners

    @cached_property
    def shared_words(self) -> set[str]:
        """Words that more than half of the documents have in their names; they tell no documents apart."""
        n = len(self.doc_ids)
        shared = set()
        for word, trust in self.word_trust.items():
            if 2 * np.count_nonzero(trust) > n >= MIN_TO_SHARE:
                shared.add(word)
        return shared

    def distinctive(self, words: Iterable[str]) -> list[str]:
        """Return the words of a name, without those that any name may have."""
        return [w for w in words if w not in self.shared_words and not is_generic(w)]

    @cached_property
    def numbers(self) -> list[set[int]]:
        """Lecture numbers of each document: the number of the file or the first page, or else those of the stem."""
        numbers: list[set[int]] = [set() for _ in self.doc_ids]
        for document in self.documents:
            number = document.lecture_number
            own = lecture_numbers(document.doc_id)
            if number is not None:
                # a number of the stem that counts something else, as in a date, is no lecture's
                stem_words = words_of_name(document.doc_id)
                is_other = number not in own and str(number) in stem_words
                own = own if is_other else {number}
            numbers[self.row_of[document.doc_id]] |= own
        return numbers

    @cached_property
    def all_numbers(self) -> list[set[int]]:
        """Lecture numbers of each document, and those in its names."""
        numbers = list(map(set, self.numbers))
        for name in self.names:
            numbers[name.document_row] |= lecture_numbers(name.text)
        return numbers

    @cached_property
    def number_nouns(self) -> frozenset[str]:
        """Words before a number in the names of files: "sprint" in "sprint 3"."""
        nouns = set()
        for name in self.names:
            if name.source in FILE_SOURCES:
                pairs = pairwise(name.words)
                nouns |= {word for word, number in pairs if number.isdecimal()}
        return frozenset(nouns)

    @cached_property
    def phrases(self) -> dict[Callable[[str], str], list[tuple[int, str]]]:
        """Rows and names that name a document within a message, by the function that normalises the message for them.

        These are names of several distinctive words, the first part of a title in its capitals, and the stem of one
        document with letters and digits.
        """
        phrases: dict[Callable[[str], str], list[tuple[int, str]]]
        phrases = {normalise_name: [], str: [], fold_stem: []}
        for name in self.document_names:
            if sum(map(is_subject, self.distinctive(name.words))) >= WORDS_OF_A_NAME:
                phrases[normalise_name].append((name.document_row, name.normalised))
            n_capitals = sum(word[:1].isupper() for word in name.short_title.split())
            if n_capitals >= WORDS_OF_A_NAME:
                phrases[str].append((name.document_row, name.short_title))

            has_both = any(map(str.isdigit, name.stem)) and any(
                map(str.isalpha, name.stem)
            )
            if (
                has_both
                and len({other.document_row for other in self.by_stem[name.stem]}) == 1
            ):
                phrases[fold_stem].append((name.document_row, name.stem))
        return phrases

    def _matches(self, word: str) -> Float64Array:
        matches = np.zeros(len(self.doc_ids))
        likeness = likenesses(word, [*self.word_trust]).tolist()
        for alike, trust in zip(likeness, self.word_trust.values(), strict=True):
            if alike:
                matches = np.maximum(matches, alike * trust)
        return matches

    def _text_shares(self, word: str) -> Float64Array:
        stem = next(iter(stems(word)), word)
        rates = [counts[stem] / max(1, n) for counts, n in self._stem_counts]
        shares: Float64Array = np.array(rates) / (sum(rates) or 1.0)
        return shares

    @cached_property
    def _stem_counts(self) -> list[tuple[Counter[str], int]]:
        """Number of words with each stem in the text of each document, and the number of all its words."""
        counters: list[Counter[str]] = [Counter() for _ in self.doc_ids]
        by_paragraph = paragraph_stems(tuple(self.paragraphs))
        for paragraph, in_text in zip(self.paragraphs, by_paragraph, strict=True):
            counter = counters[self.row_of[paragraph.doc_id]]
            counter.update(in_text)
            counter.update(stems(paragraph.heading))
        return [(counter, counter.total()) for counter in counters]


def is_name(alias: Alias) -> bool:
    """Return whether an alias may name its document; headings and titles such as "results" do not."""
    words = words_of_name(alias.text)
    if alias.source in (*FILE_SOURCES, "author"):
        return bool(words)
    is_distinctive = any(is_subject(w) and not is_of_kind(w, "sections") for w in words)
    return is_distinctive or _is_phrase(words)


def _is_phrase(words: Sequence[str]) -> bool:
    """Return whether words are a title of function words alone."""
    return len(words) >= WORDS_OF_A_PHRASE and all(map(is_stop_word, words))


def fold_stem(stem: str) -> str:
    """Normalise a file's stem: case-folded, without ".pdf", with single spaces."""
    folded = unicodedata.normalize("NFC", stem).casefold().strip()
    return " ".join(folded.removesuffix(".pdf").split())
