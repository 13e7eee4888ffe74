"""book_name -> documents, with a calibrated confidence over all aliases."""

from __future__ import annotations

import copy
import functools
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from cachetools import LRUCache, cached
from rapidfuzz import fuzz, process

from quarry.ingest.arrays import Float32Array, Float64Array
from quarry.ingest.embed import Embedder
from quarry.ingest.paragraph import Alias, AliasSource, Document, Paragraph
from quarry.player.search.calibration import DEFAULT_EMBEDDER, ReferenceCalibration, calibration_of
from quarry.player.search.names import (
    Vocabulary,
    acronyms,
    describes_file,
    is_generic,
    lecture_numbers,
    normalise_name,
    numbers,
    parts_of,
    tokens_of,
)
from quarry.player.search.types import BookCandidate, Tier
from quarry.player.words import stems

MEANING, NUMBER, CLASH, EXACT = 3, 4, 5, 6
"""Columns of these features."""
FEATURES = ("string", "words", "content", "meaning", "number", "clash", "exact")
"""What is compared of a name and a document, each 0..1, with a weight each in `ReferenceCalibration`.

string: rapidfuzz's WRatio and token-set ratio with the best name, averaged; words: share of the name's words, by
rarity, that stand in the document's names, its authors and headings among them, loosely matched; content: the same in
its text; meaning: cosine with the best name; number: a number of the name is the document's; clash: each has a number
that the other lacks; exact: the name is one of its names.
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
"""How far an alias of each source is believed: PDF metadata is often wrong, headings name a part of the whole."""
_NAMES_IN_FULL: tuple[AliasSource, ...] = ("stem", "name", "title", "sidecar", "metadata")
"""Sources whose aliases are names of the whole document."""
FEWEST_TO_SHARE = 3
"""Documents from which a word in the names of more than half of them tells none from the others."""
_ACRONYM = 0.5
_OF_FILE = 0.5
"""What a word such as "slides" counts, in shares of one that tells a subject."""
_SIMILAR_FROM = 40.0
"""Similarity, 0..100, below which names have nothing in common."""
_OTHER_NUMBER = 0.25
"""What is left of all likeness where each has a number that the other lacks: "lecture 3" is not "lecture 13"."""
_NO_NUMBER = 0.6
"""What is left where the name has a number and the document none."""
_UNKNOWN = 0.7
"""In how many documents a word counts as occurring that occurs in none."""
_COMMON_RATE = 0.0005
"""Share of a text's words from which a word says in full what the text is about."""
SETTLED = 0.9
"""Confidence by letters and words from which meanings are not compared: embedding a name costs what a hint costs."""
SURELY_SAID = 0.95
"""Confidence in a stem or title that a hint holds."""
COVERED = 0.75
"""Share of a part's words, by rarity, that its document must account for where a name joins several."""
WORDS_OF_A_NAME = 2
"""Telling words from which a title or stem within a hint is taken for the name that it is."""
HIGHEST_LECTURE = 100
"""No course has as many lectures."""
NAMES_BYTES = 262_144
"""Bound of the names whose documents are kept, some 400 of them: a game says one name again and again."""
_NAME_BYTES = 400
_CANDIDATE_BYTES = 200
"""What a kept name takes, its letters aside, and each document that it means."""

_Kept = tuple[str, tuple[BookCandidate, ...]]
"""A name, and the documents that it means."""


@dataclass(frozen=True, slots=True)
class _Name:
    """One alias, ready to compare."""

    row: int
    text: str
    normalised: str
    tokens: tuple[str, ...]
    trust: float
    whole: bool


class References:
    """Resolves loosely written book names against the documents of a store.

    Args:
        documents: every document; a twin file's aliases count for the document that holds the paragraphs.
        filter_confidence: from here on a candidate's tier is "filter".
        boost_confidence: from here on it is "boost".
        paragraphs: their text counts as what a book is about; () leaves it out.
        embedder: of the store, to compare meanings where letters and words leave a name in doubt; None leaves them out.
        alias_vectors: (doc_id, alias) and (n_aliases, dim) unit vectors of each, as the store holds them.
        calibration: of that embedder.

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
        documents = list(documents)
        original = {document.doc_id: document.same_as or document.doc_id for document in documents}
        self.doc_ids = sorted(set(original.values()))
        row_of = {doc_id: row for row, doc_id in enumerate(self.doc_ids)}
        self._stems: dict[str, str] = {}
        self._names: list[_Name] = []
        self._numbers: list[set[int]] = [set() for _ in self.doc_ids]
        self._mentioned: list[set[int]] = [set() for _ in self.doc_ids]
        self._words: dict[str, dict[int, float]] = {}
        for document in documents:
            row = row_of[original[document.doc_id]]
            stem = next((alias.text for alias in document.aliases if alias.source == "stem"), "")
            own = {document.lecture_number} if document.lecture_number is not None else numbers(stem)
            self._numbers[row] |= own
            for alias in document.aliases:
                if alias.source in ("stem", "name"):
                    self._stems[alias.text] = self.doc_ids[row]
                self._learn(row, alias)
        n_documents = len(self.doc_ids)
        self._common = {
            word for word, rows in self._words.items() if n_documents >= FEWEST_TO_SHARE and 2 * len(rows) > n_documents
        }
        self._texts = [self._telling(alias.tokens, files=True) for alias in self._names if alias.whole]
        self._vocabulary = Vocabulary(self._words)
        self._content = self._rates(paragraphs, {doc_id: row_of[original[doc_id]] for doc_id in original})
        self._alias_rows = np.empty(0, dtype=np.intp)
        self._alias_vectors = np.empty((0, 0), dtype=np.float32)
        if alias_vectors is not None and len(alias_vectors[0]):
            aliases, vectors = alias_vectors
            self._alias_rows = np.array([row_of[original[doc_id]] for doc_id, _ in aliases], dtype=np.intp)
            self._alias_vectors = vectors
        self._keep()

    def by_stem(self, book_name: str) -> BookCandidate | None:
        """The document whose file stem, with or without ".pdf", is exactly `book_name`, at confidence 1; or None."""
        name = book_name.removesuffix(".pdf")
        doc_id = self._stems.get(name)
        return BookCandidate(doc_id, 1.0, "filter", name) if doc_id else None

    def resolve(self, book_name: str) -> Sequence[BookCandidate]:
        """The documents that `book_name` may mean, best first, each once; ties go to the smaller doc_id.

        The confidences and that of "none of these" add up to 1, so that a name that fits two documents alike filters on
        neither. Only a file's stem, letter by letter, is never in doubt.
        """
        if not normalise_name(book_name) or not self.doc_ids:
            return []
        features, aliases = self._spelt(book_name)
        by_stem = self.by_stem(book_name)
        telling = self._telling(tokens_of(book_name)).split()
        if by_stem is not None:
            row = self.doc_ids.index(by_stem.doc_id)
            confidences = np.zeros(len(self.doc_ids))
            confidences[row] = 1.0
            aliases[row] = by_stem.alias
        else:
            confidences = self._confidences(features, self.calibration.letters, self.calibration.letters_none)
            if not any(map(self._is_word, telling)):
                # numbers alone mean the document that bears them; words that any name may have mean none
                confidences[(features[:, NUMBER] == 0.0) & (features[:, EXACT] == 0.0)] = 0.0
            elif confidences.max() < SETTLED and self._compares_meanings:
                features[:, MEANING] = self._meanings(book_name, features)
                confidences = self._confidences(features, self.calibration.weights, self.calibration.none)
        rounded = [round(confidence, 4) for confidence in confidences.tolist()]
        candidates = [
            BookCandidate(doc_id, confidence, self._tier(confidence), alias)
            for doc_id, confidence, alias in zip(self.doc_ids, rounded, aliases, strict=True)
        ]
        return sorted(candidates, key=lambda candidate: (-candidate.confidence, candidate.doc_id))

    def books(self, book_name: str) -> tuple[BookCandidate, ...]:
        """The documents that `book_name` means; where none is sure enough the nearest one, if there is any.

        A name may join those of several documents ("lectures 3 and 4"); all of them come back where that reading is the
        surer one, each with its confidence, which is that of the least sure part.
        """
        return self._kept(book_name)[1]

    def known(self, book_name: str) -> tuple[BookCandidate, ...] | None:
        """The same of a name that was asked for lately, without reading it; None of any other."""
        with self._lock:
            kept = self._names_kept.get(book_name)
        return None if kept is None else kept[1]

    def _books(self, book_name: str) -> tuple[BookCandidate, ...]:
        whole = list(self.resolve(book_name)[:1])
        parts = parts_of(book_name)
        if len(parts) < 2 or (whole and whole[0].confidence == 1.0) or not all(map(self._may_name, parts)):
            return tuple(whole)
        best = [self._covered(part) for part in parts]
        known = {found.doc_id: found for found in best if found is not None and found.confidence > 0.0}
        joint = min((found.confidence if found else 0.0 for found in best), default=0.0)
        if len(known) < 2 or joint < max(self._boost_confidence, whole[0].confidence if whole else 0.0):
            return tuple(whole)
        return tuple(replace(found, confidence=joint, tier=self._tier(joint)) for found in known.values())

    def _may_name(self, part: str) -> bool:
        """Whether letters and words let a part of a name be a document's; costs no embedding."""
        if not any(map(self._is_word, self._telling(tokens_of(part)).split())):
            return True
        features, _ = self._spelt(part)
        return bool((features[:, 1] >= COVERED).any() or features[:, EXACT].any())

    def _covered(self, part: str) -> BookCandidate | None:
        """The best candidate for a part of a name, None unless it accounts for the part's words."""
        best = next(iter(self.resolve(part)), None)
        telling = self._telling(tokens_of(part)).split()
        if best is None or best.confidence == 1.0 or not any(map(self._is_word, telling)):
            return best
        words = self._spelt(part)[0][self.doc_ids.index(best.doc_id), 1]
        return best if words >= COVERED else None

    def books_in(self, hint: str) -> tuple[BookCandidate, ...]:
        """The documents whose name a hint holds: a stem or a title written out, or a number of a lecture; else ().

        A subject that is also a lecture's is no name: it takes a title or stem of several words, or a word that counts
        lectures beside its number.
        """
        said = f" {normalise_name(hint)} "
        found = {row: text for row, text, written in self._telling_names if written in said}
        named = [
            BookCandidate(self.doc_ids[row], SURELY_SAID, self._tier(SURELY_SAID), text) for row, text in found.items()
        ]
        if not named:
            numbered = [self.resolve(f"lecture {number}")[:1] for number in sorted(lecture_numbers(hint))]
            named = [best for (best,) in numbered if best.tier != "none"]
        return tuple(named)

    @functools.cached_property
    def _telling_names(self) -> list[tuple[int, str, str]]:
        """Row, text, and how it stands within a text, of each name that may be found there."""
        return [
            (alias.row, alias.text, f" {alias.normalised} ")
            for alias in self._names
            if alias.whole
            and len(alias.tokens) > 1
            and sum(map(self._is_word, self._telling(alias.tokens).split())) >= WORDS_OF_A_NAME
        ]

    def calibrated(self, calibration: ReferenceCalibration) -> References:
        """The same names under other numbers."""
        other = copy.copy(self)
        other.calibration = calibration
        other._keep()
        return other

    def _keep(self) -> None:
        """Keep what names mean: the same ones are said again and again, and to read one takes a third of a ms."""
        self._names_kept: LRUCache[str, _Kept] = LRUCache(NAMES_BYTES, getsizeof=_bytes_of)
        self._lock = threading.Lock()
        find = cached(self._names_kept, key=str, lock=self._lock)
        self._kept = find(lambda book_name: (book_name, self._books(book_name)))

    def _confidences(self, features: Float64Array, weights: Sequence[float], none: float) -> Float64Array:
        """(n_documents,) probability of each; what is missing to 1 is that of "none of these"."""
        utilities = np.append(features @ np.array(weights), none)
        shares = np.exp(utilities - utilities.max())
        shares /= shares.sum()
        confidences: Float64Array = shares[:-1]
        bearers = np.flatnonzero(features[:, EXACT])
        if len(bearers) == 1:  # written out in full, and the name of one document only
            trust = features[bearers[0], EXACT]
            confidences *= (1.0 - trust) / max(1e-12, 1.0 - confidences[bearers[0]])
            confidences[bearers[0]] = trust
        return confidences

    def features(self, book_name: str) -> Float64Array:
        """(n_documents, n_features) of a name and each of `doc_ids`; the meaning is 0 where meanings are left out."""
        found, _ = self._spelt(book_name)
        if self._compares_meanings:
            found[:, MEANING] = self._meanings(book_name, found)
        return found

    def _spelt(self, book_name: str) -> tuple[Float64Array, list[str]]:
        """The features but for the meaning, which is 0, and the alias of each document that is most like the name."""
        tokens = tokens_of(book_name)
        found = np.zeros((len(self.doc_ids), len(FEATURES)))
        telling = self._telling(tokens)
        aliases = self._by_string(normalise_name(book_name), telling and self._telling(tokens, files=True), found)
        self._by_words(tokens, found)
        said = numbers(book_name)
        for row, own in enumerate(self._numbers):
            unmatched = _ordinals(said) - own - self._mentioned[row]
            if unmatched and _ordinals(own) - said:
                found[row, :MEANING] *= _OTHER_NUMBER
                found[row, CLASH] = 1.0
            elif said & own:
                found[row, NUMBER] = 1.0
                if not any(map(self._is_word, self._telling(tokens).split())):
                    found[row, 0] = 1.0  # a lecture's number is its name
            elif unmatched:
                found[row, :MEANING] *= _NO_NUMBER
                found[row, CLASH] = 0.5
        return found, aliases

    def _learn(self, row: int, alias: Alias) -> None:
        normalised = normalise_name(alias.text)
        if not normalised:
            return
        trust = _TRUST[alias.source]
        whole = alias.source in _NAMES_IN_FULL
        tokens = tokens_of(alias.text)
        self._mentioned[row] |= numbers(alias.text)
        self._names.append(_Name(row, alias.text, normalised, tuple(tokens), trust, whole))
        weights = dict.fromkeys(acronyms(tokens), _ACRONYM * trust) if whole else {}
        for word, weight in (weights | dict.fromkeys(tokens, trust)).items():
            known = self._words.setdefault(word, {})
            known[row] = max(known.get(row, 0.0), weight)

    def _rates(self, paragraphs: Sequence[Paragraph], row_of: dict[str, int]) -> dict[str, dict[int, float]]:
        """By stem, the share of each document's words that it makes up."""
        counts: list[Counter[str]] = [Counter() for _ in self.doc_ids]
        for paragraph in paragraphs:
            counts[row_of[paragraph.doc_id]].update(stems(f"{paragraph.heading} {paragraph.text}"))
        rates: dict[str, dict[int, float]] = {}
        for row, counted in enumerate(counts):
            total = counted.total()
            for stem, count in counted.items():
                rates.setdefault(stem, {})[row] = count / total
        return rates

    def _telling(self, tokens: Iterable[str], *, files: bool = False) -> str:
        """What tells one document from others: the words of a name without those that any name may have.

        Args:
            files: keep words for kinds of files, which tell a little.
        """
        kept = [token for token in tokens if not is_generic(token) or (files and describes_file(token))]
        return " ".join(token for token in kept if token not in self._common)

    def _by_string(self, name: str, telling: str, found: Float64Array) -> list[str]:
        """Fill in "string" and "exact"; returns the alias of each document that is most like the name."""
        whole = [alias for alias in self._names if alias.whole]
        aliases = ["" for _ in self.doc_ids]
        if not whole:
            return aliases
        scores = np.zeros(len(whole))
        if telling:
            scores = 0.5 * (
                process.cdist([telling], self._texts, scorer=fuzz.WRatio)[0]
                + process.cdist([telling], self._texts, scorer=fuzz.token_set_ratio)[0]
            )
        for alias, score in zip(whole, scores.tolist(), strict=True):
            similarity = alias.trust * max(0.0, (score - _SIMILAR_FROM) / (100.0 - _SIMILAR_FROM))
            if alias.normalised == name:
                similarity = alias.trust
                found[alias.row, EXACT] = max(found[alias.row, EXACT], alias.trust)
            if similarity > found[alias.row, 0] or not aliases[alias.row]:
                found[alias.row, 0] = max(found[alias.row, 0], similarity)
                aliases[alias.row] = alias.text
        return aliases

    def _by_words(self, tokens: Iterable[str], found: Float64Array) -> None:
        """Fill in "words" and "content"."""
        tokens = list(dict.fromkeys(tokens))
        telling = [token for token in self._telling(tokens).split() if self._is_word(token)]
        beside = [token for token in tokens if describes_file(token) and token not in self._common] if telling else []
        total = 0.0
        for token in (*telling, *beside):
            matches = np.zeros(len(self.doc_ids))
            for word, alike in self._vocabulary.alike(token).items():
                for row, weight in self._words[word].items():
                    matches[row] = max(matches[row], alike * weight)
            rarity = float(np.log1p(len(self.doc_ids) / max(matches.sum(), _UNKNOWN)))
            if token in beside:
                if not matches.any():
                    continue
                rarity *= _OF_FILE
            total += rarity
            found[:, 1] += rarity * matches
            rates = np.zeros(len(self.doc_ids))
            for row, rate in self._content.get(next(iter(stems(token)), token), {}).items():
                rates[row] = rate
            if rates.any():
                found[:, 2] += rarity * rates / rates.sum() * min(1.0, rates.max() / _COMMON_RATE) ** 0.5
        if total:
            found[:, 1:3] /= total

    @staticmethod
    def _is_word(token: str) -> bool:
        return len(token) > 1 and not token.isdecimal()

    @property
    def _compares_meanings(self) -> bool:
        return self._embedder is not None and len(self._alias_rows) > 0

    def _meanings(self, book_name: str, spelt: Float64Array) -> Float64Array:
        """(n_documents,) the feature "meaning"."""
        assert self._embedder is not None
        cosines = self._alias_vectors @ self._embedder.embed_queries([book_name])[0]
        best = np.full(len(self.doc_ids), self.calibration.unrelated)
        np.maximum.at(best, self._alias_rows, cosines)
        meanings: Float64Array = (best - self.calibration.unrelated) / (1.0 - self.calibration.unrelated)
        meanings[spelt[:, CLASH] > 0.0] *= _OTHER_NUMBER
        return meanings

    def _tier(self, confidence: float) -> Tier:
        if confidence >= self._filter_confidence:
            return "filter"
        return "boost" if confidence >= self._boost_confidence else "none"


def confidence_of(books: Sequence[BookCandidate]) -> float:
    """Confidence that one of the books is the right one, as resolved; 0 for none."""
    return min(1.0, sum(book.confidence for book in books)) if {book.doc_id for book in books} else 0.0


def _bytes_of(kept: _Kept) -> int:
    name, books = kept
    return _NAME_BYTES + sys.getsizeof(name) + _CANDIDATE_BYTES * len(books)


def _ordinals(found: set[int]) -> set[int]:
    """Those that may count lectures: years and course codes do not contradict."""
    return {number for number in found if number < HIGHEST_LECTURE}
