"""Resolve book names to documents by their aliases, with calibrated confidences (entity linking)."""

from __future__ import annotations

import functools
import itertools
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process

from ingest.arrays import Float32Array, Float64Array
from ingest.embed import Embedder
from ingest.paragraph import Alias, AliasSource, Document, Paragraph
from ingest.store.cache import cached
from player.search.calibration import (
    DEFAULT_EMBEDDER,
    ReferenceCalibration,
    calibration_of,
)
from player.search.names import (
    Vocabulary,
    describes_file,
    excludes,
    heads_section,
    is_generic,
    is_negated,
    lectures_in,
    means_document,
    names_lecture,
    normalise_name,
    numbers,
    tokens_of,
    without_other_numbers,
)
from player.search.types import BookCandidate, Tier
from player.words import is_stop_word, stems

MEANING, NUMBER, CLASH, EXACT = 3, 4, 5, 6
"""These are the columns of the features of the same names."""
FEATURES = ("string", "words", "content", "meaning", "number", "clash", "exact")
"""These features of a name and a document, each 0..1, are weighted by `ReferenceCalibration`.

string: rapidfuzz's WRatio and token-set ratio with the best name, averaged; words: share of the name's words, by
rarity, that match the document's names, authors and headings; content: the same for its text; meaning: cosine with the
best name; number: the name has a number of the document; clash: each has a number that the other lacks; exact: the name
is one of the document's names.
"""

_TRUST: dict[AliasSource, float] = {
    "stem": 1.0,
    "name": 1.0,
    "title": 1.0,
    "sidecar": 1.0,
    "metadata": 0.8,
    "heading": 0.6,
    "author": 0.9,
}
"""Aliases are weighted by source: PDF metadata is often wrong, and a heading names only a part of a document."""
_WEAK: tuple[AliasSource, ...] = ("heading", "metadata")
"""Words that any document may have are removed from aliases of these sources."""
_FOR_FILES: tuple[AliasSource, ...] = ("stem", "name", "sidecar")
"""Aliases of these sources name a document whatever their words."""
_NAMES_IN_FULL: tuple[AliasSource, ...] = (*_FOR_FILES, "title", "metadata")
"""Aliases of these sources are names of the whole document."""
FEWEST_TO_SHARE = 3
"""In courses of at least so many documents, words in the names of more than half of them are ignored."""
_OF_FILE = 0.5
"""A word such as "slides" has this weight; a word that names a subject has weight 1."""
_SIMILAR_FROM = 40.0
"""Names below this similarity, 0..100, count as unrelated."""
_OTHER_NUMBER = 0.25
"""Similarities get this factor if each name has a number that the other lacks: "lecture 3" is not "lecture 13"."""
_NO_NUMBER = 0.6
"""Similarities get this factor if the name has a number and the document has none."""
_UNKNOWN = 0.7
"""The rarity of a word in no document is computed as if it occurred in so many documents."""
_COMMON_RATE = 0.0005
"""A word with this share of a text's words gets the full weight of "content"."""
NAMES_KEPT = 400
"""The cache holds the documents of so many names."""
SETTLED = 0.9
"""At this confidence by letters and words, a name is not embedded: that would be as slow as embedding a hint."""
SURELY_SAID = 0.95
"""A stem or title within a hint is resolved with this confidence."""
PROBABLY_SAID = 0.85
"""A single word of a name that no text of the course holds is resolved with this confidence, and boosts."""
_JOINING = ("s", "called", "titled", "named", "written", "entitled")
"""These words may come between a word for a document and its name."""
_LEAST_PROPER = 3
"""A word of a name that no text of the course holds must be longer than this to be taken for the name."""
WORDS_OF_A_NAME = 2
"""A title or stem within a hint is recognised if it has at least so many distinctive words."""
HIGHEST_LECTURE = 100
"""No course has this many lectures; larger numbers are years or course codes."""


@dataclass(frozen=True, slots=True)
class _Name:
    """One alias, normalised for comparison."""

    row: int
    text: str
    normalised: str
    tokens: tuple[str, ...]
    trust: float
    whole: bool


class References:
    """Resolver of loosely written book names to the documents of a store.

    Args:
        documents: every document; a duplicate file's aliases belong to the document that holds the paragraphs.
        filter_confidence: threshold of the tier "filter".
        boost_confidence: threshold of the tier "boost".
        paragraphs: texts for the feature "content"; () leaves it out.
        embedder: the store's embedder, for names that letters and words leave in doubt; None compares no meanings.
        alias_vectors: (doc_id, alias) and (n_aliases, dim) unit vectors of each, as the store holds them.
        calibration: calibration of that embedder.

    Reference:
        The second design record (tiers); the weights are fitted as a conditional logit with a "none of these":
        McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        filter_confidence: float,
        boost_confidence: float,
        *,
        paragraphs: Sequence[Paragraph] = (),
        embedder: Embedder | None = None,
        alias_vectors: tuple[Sequence[tuple[str, Alias]], Float32Array] | None = None,
        calibration: ReferenceCalibration | None = None,
    ) -> None:
        self._filter_confidence = filter_confidence
        self._boost_confidence = boost_confidence
        self.calibration = calibration or calibration_of(DEFAULT_EMBEDDER).references
        self._embedder = embedder
        self._resolved = functools.lru_cache(NAMES_KEPT)(self._resolve)
        documents = list(documents)
        self.doc_ids = sorted({_original(document) for document in documents})
        row_of = {doc_id: row for row, doc_id in enumerate(self.doc_ids)}
        self._rows = {item.doc_id: row_of[_original(item)] for item in documents}
        self._stems: dict[str, str] = {}
        self._folded: dict[str, set[str]] = {}
        self._proper: dict[str, set[int]] = {}
        self._names: list[_Name] = []
        self._numbers: list[set[int]] = [set() for _ in self.doc_ids]
        self._mentioned: list[set[int]] = [set() for _ in self.doc_ids]
        self._words: dict[str, dict[int, float]] = {}
        self._counted: set[str] = set()
        for document in documents:
            self._learn(self._rows[document.doc_id], document)

        n_documents = len(self.doc_ids)
        self._common = {
            word
            for word, rows in self._words.items()
            if n_documents >= FEWEST_TO_SHARE and 2 * len(rows) > n_documents
        }
        self._whole = [name for name in self._names if name.whole]
        self._texts = [
            " ".join(self._telling(name.tokens, files=True)) for name in self._whole
        ]
        self._vocabulary = Vocabulary(self._words)
        self._content = cached(
            paragraphs,
            f"rates {self._rows}",
            lambda: _rates(paragraphs, self._rows, len(self.doc_ids)),
        )
        self._alias_rows = np.empty(0, dtype=np.intp)
        self._alias_vectors = np.empty((0, 0), dtype=np.float32)
        if alias_vectors is not None and len(alias_vectors[0]):
            aliases, vectors = alias_vectors
            places = [
                place for place, (_, alias) in enumerate(aliases) if _is_name(alias)
            ]
            rows = [self._rows[aliases[place][0]] for place in places]
            self._alias_rows = np.array(rows, dtype=np.intp)
            self._alias_vectors = vectors[places]

    def by_stem(self, book_name: str) -> BookCandidate | None:
        """Return the document whose file stem is `book_name`, at confidence 1, or None.

        Case, spaces and ".pdf" are ignored, unless two documents differ only in these.
        """
        name = book_name.removesuffix(".pdf")
        if name in self._stems:
            return BookCandidate(self._stems[name], 1.0, "filter", name)
        doc_ids = self._folded.get(_fold(book_name), ())
        if len(doc_ids) != 1:
            return None
        (doc_id,) = doc_ids
        return BookCandidate(doc_id, 1.0, "filter", doc_id)

    def resolve(self, book_name: str) -> Sequence[BookCandidate]:
        """Return the documents that `book_name` may refer to, best first, each once; ties go to the smaller doc_id.

        The confidences and that of "none of these" sum to 1, so a name that fits two documents equally filters on
        neither. A name that is a file's stem has confidence 1. The last `NAMES_KEPT` names are cached.
        """
        return self._resolved(book_name)

    def _resolve(self, book_name: str) -> Sequence[BookCandidate]:
        by_stem = self.by_stem(book_name)
        if not normalise_name(book_name) or (
            by_stem is None and self._means_none(book_name)
        ):
            return []

        said = numbers(book_name, self._proper)
        tokens = without_other_numbers(book_name, said)
        has_word = any(map(_is_word, self._telling(tokens)))
        features, aliases = self._spelt(book_name, tokens, said)
        if by_stem is not None:
            confidences = (np.array(self.doc_ids) == by_stem.doc_id).astype(np.float64)
            aliases[self.doc_ids.index(by_stem.doc_id)] = by_stem.alias
        else:
            confidences = self._confidences(
                features, self.calibration.letters, self.calibration.letters_none
            )
            if not has_word:
                # a number alone names the document with that number; generic words name no document
                is_named = (features[:, NUMBER] > 0.0) | (features[:, EXACT] > 0.0)
                confidences[~is_named] = 0.0

        if (
            self._embedder is not None
            and len(self._alias_rows)
            and has_word
            and confidences.max(initial=0.0) < SETTLED
        ):
            features[:, MEANING] = self._meanings(self._embedder, book_name, features)
            confidences = self._confidences(
                features, self.calibration.weights, self.calibration.none
            )

        rows = np.argsort(-confidences.round(4), kind="stable")
        return [self._candidate(row, confidences[row], aliases[row]) for row in rows]

    def _means_none(self, book_name: str) -> bool:
        """Return whether a name means no document: it begins with "not", or it says several lectures."""
        tokens = tokens_of(book_name)
        if excludes([token for token in tokens if token not in self._proper]):
            return True
        named = [
            own | also for own, also in zip(self._numbers, self._mentioned, strict=True)
        ]
        groups = [set(group) for _, group in lectures_in(book_name)]
        return any(
            len(group) > 1 and not any(map(group.issubset, named)) for group in groups
        )

    def best(self, book_name: str) -> BookCandidate | None:
        """Return the document that `book_name` likeliest refers to, whatever its confidence; see `resolve`."""
        return next(iter(self.resolve(book_name)), None)

    def named_in(self, hint: str) -> BookCandidate | None:
        """Return the document whose name a hint holds; None if it holds no name, or the names of several documents.

        The subject of a lecture is not a name. A name is a title or stem of several distinctive words, a stem with
        digits letter by letter, or a number next to a word for a lecture. A word of one document's name or author is a
        name if it is next to a word for a document ("the hummel paper", "slides on hashing"), or if no text of the
        course holds it. What follows "not" or "except" is not meant.
        """
        groups = lectures_in(hint, self._counted)
        lectures = {number for _, group in groups for number in group}
        if len(lectures) > 1:
            return None
        confidences = {
            **self._words_in(hint),
            **self._stems_in(hint),
            **self._titles_in(hint),
        }
        if lectures and not confidences:
            confidences = self._numbered([word for word, _ in groups], *lectures)
        if len(confidences) != 1:
            return None
        ((row, confidence),) = confidences.items()
        return self._candidate(row, confidence, hint)

    def _candidate(self, row: int, confidence: float, alias: str) -> BookCandidate:
        confidence = round(float(confidence), 4)
        tier: Tier = "none"
        if confidence >= self._filter_confidence:
            tier = "filter"
        elif confidence >= self._boost_confidence:
            tier = "boost"
        return BookCandidate(self.doc_ids[row], confidence, tier, alias)

    def _titles_in(self, hint: str) -> dict[int, float]:
        """Return the documents whose whole name, of several distinctive words, is in a hint."""
        text = f" {normalise_name(hint)} "
        rows = {}
        for alias in self._whole:
            before, name, _ = text.partition(f" {alias.normalised} ")
            if not name or is_negated(before.split()):
                continue
            words = filter(_is_word, self._telling(alias.tokens))
            if len(list(words)) >= WORDS_OF_A_NAME:
                rows[alias.row] = SURELY_SAID
        return rows

    def _stems_in(self, hint: str) -> dict[int, float]:
        """Return the documents whose stem is in a hint, letter by letter, if it has digits and letters."""
        text = _fold(hint)
        rows = {}
        for stem, doc_ids in self._folded.items():
            is_telling = any(map(str.isdigit, stem)) and any(map(str.isalpha, stem))
            if not is_telling or len(doc_ids) > 1 or stem not in text:
                continue
            before, _, after = text.partition(stem)
            is_within_word = before[-1:].isalnum() or after[:1].isalnum()
            if not is_within_word and not is_negated(before.split()):
                rows[self.doc_ids.index(next(iter(doc_ids)))] = SURELY_SAID
        return rows

    def _words_in(self, hint: str) -> dict[int, float]:
        """Return the documents that a single word of a hint names."""
        tokens = tokens_of(hint)
        words = [
            token
            for token in tokens
            if not is_stop_word(token) and token not in _JOINING
        ]
        confidences: dict[int, float] = {}
        for place, word in enumerate(words):
            rows = self._proper.get(word, ())
            if len(rows) != 1 or word in self._common or not _tells(word):
                continue
            if is_negated(tokens[: tokens.index(word)]):
                continue
            (row,) = rows
            if any(map(means_document, words[max(0, place - 1) : place + 2])):
                confidences.setdefault(row, SURELY_SAID)
            elif self._is_unheard(word):
                confidences.setdefault(row, PROBABLY_SAID)
        return confidences

    def _is_unheard(self, word: str) -> bool:
        """Return whether no text of the course holds a word that is long enough for a name."""
        stem = next(iter(stems(word)), word)
        return (
            bool(self._content)
            and len(word) > _LEAST_PROPER
            and stem not in self._content
        )

    def _numbered(self, words: Sequence[str], number: int) -> dict[int, float]:
        """Return the document of a lecture's number that stands next to some words for a lecture."""
        best = self.best(f"{words[0]} {number}")
        if best is None or best.tier == "none":
            return {}
        most = 1.0 if any(map(names_lecture, words)) else PROBABLY_SAID
        return {self.doc_ids.index(best.doc_id): min(best.confidence, most)}

    def _confidences(
        self, features: Float64Array, weights: Sequence[float], none: float
    ) -> Float64Array:
        """Return (n_documents,) the probability of each document; the remainder is that of "none of these"."""
        utilities = np.append(features @ np.array(weights), none)
        shares = np.exp(utilities - utilities.max())
        shares /= shares.sum()
        confidences: Float64Array = shares[:-1]
        bearers = np.flatnonzero(features[:, EXACT])
        if len(bearers) == 1:  # the exact name of one document only
            trust = features[bearers[0], EXACT]
            confidences *= (1.0 - trust) / max(1e-12, 1.0 - confidences[bearers[0]])
            confidences[bearers[0]] = trust
        return confidences

    def _spelt(
        self, book_name: str, tokens: Sequence[str], said: set[int]
    ) -> tuple[Float64Array, list[str]]:
        """Return the features, the meaning being 0, and the most similar alias of each document.

        Args:
            tokens: words of the name.
            said: numbers of lectures in the name.
        """
        features = np.zeros((len(self.doc_ids), len(FEATURES)))
        aliases = self._by_string(normalise_name(book_name), tokens, features)
        self._by_words(tokens, features)
        has_word = any(map(_is_word, self._telling(tokens)))
        for row, own in enumerate(self._numbers):
            unmatched = _ordinals(said) - own - self._mentioned[row]
            if unmatched and _ordinals(own) - said:
                features[row, :MEANING] *= _OTHER_NUMBER
                features[row, CLASH] = 1.0
            elif said & own:
                features[row, NUMBER] = 1.0
                if not has_word:
                    features[row, 0] = 1.0  # the number is the name of the lecture
            elif unmatched:
                features[row, :MEANING] *= _NO_NUMBER
                features[row, CLASH] = 0.5
        return features, aliases

    def _learn(self, row: int, document: Document) -> None:
        """Add the names and numbers of a document."""
        stem = next(
            (alias.text for alias in document.aliases if alias.source == "stem"), ""
        )
        own, number = numbers(stem), document.lecture_number
        if number is not None and (
            number in own or str(number) not in tokens_of(stem)
        ):  # else it is a date's
            own = {number}
        self._numbers[row] |= own

        for alias in document.aliases:
            if alias.source in ("stem", "name"):
                self._stems[alias.text] = self.doc_ids[row]
                folded = self._folded.setdefault(_fold(alias.text), set())
                folded.add(self.doc_ids[row])
            if normalise_name(alias.text) and _is_name(alias):
                self._learn_alias(row, alias)

    def _learn_alias(self, row: int, alias: Alias) -> None:
        trust = _TRUST[alias.source]
        is_whole = alias.source in _NAMES_IN_FULL
        tokens = tokens_of(alias.text)
        if alias.source in _WEAK:
            tokens = [token for token in tokens if not heads_section(token)]
        if is_whole or alias.source == "author":
            for token in tokens:
                self._proper.setdefault(token, set()).add(row)
        if alias.source in _FOR_FILES:
            pairs = itertools.pairwise(tokens)
            self._counted.update(word for word, number in pairs if number.isdecimal())

        self._mentioned[row] |= numbers(alias.text)
        normalised = normalise_name(alias.text)
        name = _Name(row, alias.text, normalised, tuple(tokens), trust, is_whole)
        self._names.append(name)
        for word in tokens:
            trusts = self._words.setdefault(word, {})
            trusts[row] = max(trusts.get(row, 0.0), trust)

    def _telling(self, tokens: Iterable[str], *, files: bool = False) -> list[str]:
        """Return the distinctive words of a name, without words that any name may have.

        Args:
            files: keep words for kinds of files.
        """
        return [
            token
            for token in tokens
            if token not in self._common
            and (not is_generic(token) or (files and describes_file(token)))
        ]

    def _by_string(
        self, name: str, tokens: Sequence[str], features: Float64Array
    ) -> list[str]:
        """Fill in "string" and "exact"; return the most similar alias of each document."""
        aliases = ["" for _ in self.doc_ids]
        scores = np.zeros(len(self._whole))
        if self._texts and self._telling(tokens):
            telling = [" ".join(self._telling(tokens, files=True))]
            scorers = (fuzz.WRatio, fuzz.token_set_ratio)
            scores = np.mean(
                [process.cdist(telling, self._texts, scorer=one)[0] for one in scorers],
                axis=0,
            )
        similarities = np.maximum(0.0, scores - _SIMILAR_FROM) / (100.0 - _SIMILAR_FROM)
        for alias, similarity in zip(self._whole, similarities.tolist(), strict=True):
            row, trust = alias.row, alias.trust
            similarity *= trust
            if alias.normalised == name:
                similarity = trust
                features[row, EXACT] = max(features[row, EXACT], trust)
            if similarity > features[row, 0] or not aliases[row]:
                features[row, 0] = max(features[row, 0], similarity)
                aliases[row] = alias.text
        return aliases

    def _by_words(self, tokens: Iterable[str], features: Float64Array) -> None:
        """Fill in "words" and "content"."""
        tokens = list(dict.fromkeys(tokens))
        weights = {token: 1.0 for token in self._telling(tokens) if _is_word(token)}
        if weights:
            for token in filter(describes_file, tokens):
                if token not in self._common and self._vocabulary.alike(token):
                    weights[token] = _OF_FILE

        total = 0.0
        for token, weight in weights.items():
            matches = np.zeros(len(self.doc_ids))
            for word, alike in self._vocabulary.alike(token).items():
                for row, trust in self._words[word].items():
                    matches[row] = max(matches[row], alike * trust)
            rarity = np.log1p(len(self.doc_ids) / max(matches.sum(), _UNKNOWN))
            total += weight * rarity
            features[:, 1] += weight * rarity * matches

            stem = next(iter(stems(token)), token)
            rates = self._content.get(stem, np.zeros(1))
            if rates.any():
                share = min(1.0, rates.max() / _COMMON_RATE) ** 0.5
                features[:, 2] += weight * rarity * share * rates / rates.sum()
        if total:
            features[:, 1:3] /= total

    def _meanings(
        self, embedder: Embedder, book_name: str, spelt: Float64Array
    ) -> Float64Array:
        """Return (n_documents,) the feature "meaning"."""
        cosines = self._alias_vectors @ embedder.embed_queries([book_name])[0]
        best = np.full(len(self.doc_ids), self.calibration.unrelated)
        np.maximum.at(best, self._alias_rows, cosines)
        meanings: Float64Array = (best - self.calibration.unrelated) / (
            1.0 - self.calibration.unrelated
        )
        meanings[spelt[:, CLASH] > 0.0] *= _OTHER_NUMBER
        return meanings


def _rates(
    paragraphs: Sequence[Paragraph], row_of: Mapping[str, int], n_documents: int
) -> dict[str, Float64Array]:
    """Return, by stem, (n_documents,) the share of each document's words that have this stem."""
    counts: list[Counter[str]] = [Counter() for _ in range(n_documents)]
    for paragraph in paragraphs:
        text = f"{paragraph.heading} {paragraph.text}"
        counts[row_of[paragraph.doc_id]].update(stems(text))

    rates: dict[str, Float64Array] = {}
    for row, counter in enumerate(counts):
        for stem, count in counter.items():
            shares = rates.setdefault(stem, np.zeros(n_documents))
            shares[row] = count / counter.total()
    return rates


def _original(document: Document) -> str:
    """Return the doc_id of the document that holds the paragraphs."""
    return document.same_as or document.doc_id


def _fold(stem: str) -> str:
    """Normalise a file's stem: case-folded, without ".pdf", with single spaces."""
    folded = unicodedata.normalize("NFC", stem).casefold().strip()
    return " ".join(folded.removesuffix(".pdf").split())


def _is_word(token: str) -> bool:
    return len(token) > 1 and not token.isdecimal()


def _tells(token: str) -> bool:
    """Return whether a word may tell documents apart: it is in no list of words that any document may have."""
    return _is_word(token) and not heads_section(token) and not is_generic(token)


def _is_name(alias: Alias) -> bool:
    """Return whether an alias may name its document; headings and titles such as "results" do not."""
    is_certain = alias.source in (*_FOR_FILES, "author")
    return is_certain or any(map(_tells, tokens_of(alias.text)))


def _ordinals(said: set[int]) -> set[int]:
    """Return the numbers that may count lectures, without years and course codes."""
    return {number for number in said if number < HIGHEST_LECTURE}
