"""book_name -> documents, with a confidence over all aliases."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import regex
from rapidfuzz import fuzz

from ingest.paragraph import AliasSource, Document
from player.search.types import BookCandidate, Tier

_SOURCE_WEIGHT: dict[AliasSource, float] = {
    "stem": 1.0,
    "name": 1.0,
    "title": 1.0,
    "sidecar": 1.0,
    "metadata": 0.8,
    "heading": 0.6,
    "author": 0.6,
}
"""How far an alias of each source is trusted: PDF metadata is often wrong, headings and authors name more than one."""

_SEPARATORS = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
_SIMILAR_FROM = 40.0
"""Similarity, 0..100, below which names have nothing in common; maps to confidence 0, and 100 to `_FUZZY_CEILING`."""
_FUZZY_CEILING = 0.95
_OTHER_NUMBER = 0.5
"""What is left of the similarity where each name has a number that the other lacks: "lecture 3" is not "lecture 13"."""


class References:
    """Resolves loosely written book names against the documents of a store.

    Args:
        documents: every document; a twin file's aliases count for the document that holds the paragraphs.
        filter_confidence: from here on a candidate's tier is "filter".
        boost_confidence: from here on it is "boost".
    """

    def __init__(self, documents: Iterable[Document], filter_confidence: float, boost_confidence: float) -> None:
        self._filter_confidence = filter_confidence
        self._boost_confidence = boost_confidence
        self._stems: dict[str, str] = {}
        self._aliases: list[tuple[str, str, str, float]] = []
        for document in documents:
            doc_id = document.same_as or document.doc_id
            for alias in document.aliases:
                if alias.source in ("stem", "name"):
                    self._stems[alias.text] = doc_id
                if normalised := normalise_name(alias.text):
                    self._aliases.append((doc_id, alias.text, normalised, _SOURCE_WEIGHT[alias.source]))

    def by_stem(self, book_name: str) -> BookCandidate | None:
        """The document whose file stem, with or without ".pdf", is exactly `book_name`, at confidence 1; or None."""
        name = book_name.removesuffix(".pdf")
        doc_id = self._stems.get(name)
        return BookCandidate(doc_id, 1.0, "filter", name) if doc_id else None

    def resolve(self, book_name: str) -> Sequence[BookCandidate]:
        """The documents that `book_name` may mean, best first, each once; ties go to the smaller doc_id.

        An exact alias has confidence 1 (metadata: 0.8). Otherwise rapidfuzz's WRatio and token-set ratio over
        normalised names, averaged and scaled to 0..0.95; the runner-up's closeness takes from the winner's, so that a
        name that fits two documents alike filters on neither. Only a file's stem, letter by letter, is never in doubt.
        """
        name = normalise_name(book_name)
        if not name:
            return []
        by_stem = self.by_stem(book_name)
        best: dict[str, tuple[float, str]] = {}
        for doc_id, alias, normalised, weight in self._aliases:
            confidence = weight * _similarity(name, normalised)
            if confidence > best.get(doc_id, (0.0, ""))[0]:
                best[doc_id] = (confidence, alias)
        ranked = sorted(((confidence, doc_id, alias) for doc_id, (confidence, alias) in best.items()), key=_best_first)
        candidates = []
        for place, (confidence, doc_id, alias) in enumerate(ranked):
            rival = max((other for row, (other, _, _) in enumerate(ranked) if row != place), default=0.0)
            if by_stem is not None and doc_id == by_stem.doc_id:
                confidence, alias = 1.0, by_stem.alias
            elif rival >= confidence:
                confidence *= 0.5
            elif confidence < 1.0:
                confidence *= 1.0 - 0.5 * (rival / confidence) ** 4
            candidates.append(BookCandidate(doc_id, round(confidence, 4), self._tier(confidence), alias))
        return sorted(candidates, key=lambda candidate: (-candidate.confidence, candidate.doc_id))

    def _tier(self, confidence: float) -> Tier:
        if confidence >= self._filter_confidence:
            return "filter"
        return "boost" if confidence >= self._boost_confidence else "none"


def normalise_name(name: str) -> str:
    """A name for comparison: NFKC, case-folded, without accents, words and digit runs apart by single spaces."""
    folded = unicodedata.normalize("NFKC", name).casefold().strip().removesuffix(".pdf")
    plain = "".join(char for char in unicodedata.normalize("NFD", folded) if not unicodedata.combining(char))
    apart = regex.sub(r"(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})", " ", plain)
    tokens = [token.lstrip("0") or "0" if token.isdecimal() else token for token in _SEPARATORS.split(apart) if token]
    return " ".join(tokens)


def _similarity(name: str, alias: str) -> float:
    if name == alias:
        return 1.0
    score = 0.5 * fuzz.WRatio(name, alias) + 0.5 * fuzz.token_set_ratio(name, alias)
    similarity = max(0.0, (score - _SIMILAR_FROM) / (100.0 - _SIMILAR_FROM)) * _FUZZY_CEILING
    numbers, others = _numbers(name), _numbers(alias)
    return similarity * _OTHER_NUMBER if numbers - others and others - numbers else similarity


def _numbers(name: str) -> set[str]:
    return {token for token in name.split() if token.isdecimal()}


def _best_first(item: tuple[float, str, str]) -> tuple[float, str]:
    return (-item[0], item[1])
