"""Resolve book names to documents by their aliases, with calibrated confidences (entity linking)."""

import functools
import itertools
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import regex
from rapidfuzz import fuzz, process

from player.search.cache import CachingEmbedder
from player.search.calibration import ReferenceCalibration, embedder_calibration
from player.search.names import (
    COUNTING,
    FILES,
    excludes,
    is_a,
    is_generic,
    is_negated,
    joined_names,
    lectures_in,
    normalise_name,
    numbers,
    tokens_of,
    without_other_numbers,
    words_like,
)
from player.search.results import BookCandidate
from quarry.arrays import Float32Array, Float64Array
from quarry.course.paragraph import Alias, AliasSource, Document, Paragraph
from quarry.languages.words import is_common, is_stop_word, stems

FEATURES = ("string", "words", "content", "meaning", "number", "clash", "exact")
"""These features of a name and a document, each 0..1, are weighted by `ReferenceCalibration`.

string: rapidfuzz's WRatio and token-set ratio with the best name, averaged; words: share of the name's words, by
rarity, that match the document's names, authors and headings; content: the same for its text; meaning: cosine with the
best name; number: the name has a number of the document; clash: each has a number that the other lacks; exact: the name
is one of the document's names.
"""
Features = dict[str, Float64Array]
"""(n_documents,) values of each of the `FEATURES`."""

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
MIN_TO_SHARE = 3
"""Minimum number of documents of a course; from it on, words that more than half of them have in their names are
ignored."""
_OF_FILE = 0.5
"""Weight of a word such as "slides"; a word that names a subject has weight 1."""
_SIMILAR_FROM = 40.0
"""Minimum similarity, 0..100, of related names."""
_OTHER_NUMBER = 0.25
"""Factor of the similarities if name and document each have a number that the other lacks: "lecture 3" is not "lecture
13"."""
_NO_NUMBER = 0.6
"""Factor of the similarities if the name has a number and the document has none."""
_UNKNOWN = 0.7
"""Number of documents that a word without any is counted in, for its rarity."""
_COMMON_RATE = 0.0005
"""Minimum share of a text's words at which a word gets the full weight of "content"."""
NAMES_KEPT = 400
"""Maximum number of names whose documents are cached."""
SETTLED = 0.9
"""Minimum confidence from letters and words at which meanings are not compared, since embedding the name is slow."""
SURELY_NAMED = 0.95
"""Confidence of a document whose stem or title a hint holds."""
PROBABLY_NAMED = 0.85
"""Confidence of a document that a hint names by a single word that no text of the course holds."""
NAMED_BY_PART = 0.95
"""Confidence of a document named by the first part of its title, or by a title of function words alone."""
_JOINING = ("s", "called", "titled", "named", "written", "entitled")
"""These words may come between a word for a document and its name."""
_MIN_NAMING = 4
"""Minimum number of letters of a word that names a document because no text of the course holds it."""
WORDS_OF_A_NAME = 2
"""Minimum number of distinctive words of a title or stem that is recognised within a hint, or of its capitals if the
hint has the capitals of the title."""
WORDS_OF_A_PHRASE = 3
"""Minimum number of words of a title of function words alone: "How Would We Know?"."""
_TITLE_END = regex.compile(r"(?<=\p{L})[:?!]\s|\s[-–—|]\s")
"""The first part of a title ends here."""
ALL_WORDS = 0.9
"""Minimum value of the features "words" and "exact" at which a document has all words of a name."""
LIKELY = 0.6
"""Minimum confidence at which a part of a name, or a lecture's number within a hint, means a document."""
HIGHEST_LECTURE = 100
"""No course has this many lectures; larger numbers are years or course codes."""


NO_ALIASES = (), np.empty((0, 0), np.float32)


@dataclass(frozen=True, slots=True)
class _Name:
    """One name of a whole document, normalised for comparison."""

    row: int
    normalised: str
    tokens: Sequence[str]
    trust: float


class References:
    """Resolver of loosely written book names to the documents of a store.

    Args:
        documents: every document; a duplicate file's aliases belong to the document that holds the paragraphs.
        paragraphs: texts for the feature "content"; () leaves it out.
        embedder: the store's embedder, for names that letters and words leave in doubt; None compares no meanings.
        alias_vectors: (doc_id, alias) and (n_aliases, dim) unit vectors of each, as the store holds them.
        calibration: calibration of that embedder.

    Reference:
        The weights are fitted as a conditional logit with a "none of these":
        McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        *,
        paragraphs: Sequence[Paragraph] = (),
        embedder: CachingEmbedder | None = None,
        alias_vectors: tuple[Sequence[tuple[str, Alias]], Float32Array] = NO_ALIASES,
        calibration: ReferenceCalibration | None = None,
    ) -> None:
        self.calibration = calibration or embedder_calibration().references
        self._embedder = embedder
        self._cached = functools.lru_cache(NAMES_KEPT)(self._resolve)
        original_of = {item.doc_id: item.same_as or item.doc_id for item in documents}
        self.doc_ids = sorted(set(original_of.values()))
        rows = {doc_id: row for row, doc_id in enumerate(self.doc_ids)}
        # row of each document; a duplicate has the row of its original
        row_of = {doc_id: rows[original] for doc_id, original in original_of.items()}

        # rows by folded stem or name
        self._stems: dict[str, set[int]] = {}
        # rows by stem or name as it is written
        self._exact_names: dict[str, set[int]] = {}
        # rows by each word of a name of the whole document or of its author
        self._rows_by_word: dict[str, set[int]] = {}
        # words of authors
        self._authors: set[str] = set()
        # names of whole documents
        self._names: list[_Name] = []
        # rows by the first part of a title
        self._short_titles: dict[str, set[int]] = {}
        # lecture numbers of each document, and numbers in its aliases
        self._numbers: list[set[int]] = [set() for _ in self.doc_ids]
        self._mentioned: list[set[int]] = [set() for _ in self.doc_ids]
        # trust in each word of an alias, by word and row
        self._words: dict[str, dict[int, float]] = {}
        # words before a number in file names: "unit" in "unit 3"
        self._counting_words: set[str] = set()
        for document in documents:
            self._learn(row_of[document.doc_id], document)

        self._common = self._shared_words()
        self._texts = [self._text(name.tokens) for name in self._names]
        self._content = _rates(paragraphs, row_of, len(self.doc_ids))

        aliases, vectors = alias_vectors
        naming = [row for row, (_, alias) in enumerate(aliases) if _is_name(alias)]
        self._alias_rows = [row_of[aliases[row][0]] for row in naming]
        self._alias_vectors = vectors[naming]

    def _shared_words(self) -> set[str]:
        """Return the words that more than half of the documents have in their names."""
        n_documents = len(self.doc_ids)
        common = set()
        for word, trusts in self._words.items():
            if 2 * len(trusts) > n_documents >= MIN_TO_SHARE:
                common.add(word)
        return common

    def by_stem(self, book_name: str) -> BookCandidate | None:
        """Return the document whose file stem is `book_name`, at confidence 1, or None.

        Case, spaces and ".pdf" are ignored, unless two documents differ only in these. None if several have this stem.
        """
        written = self._exact_names.get(book_name.removesuffix(".pdf"))
        rows = written or self._stems.get(_fold(book_name), set())
        return self._candidate(min(rows), 1.0) if len(rows) == 1 else None

    def resolve(self, book_name: str) -> Sequence[BookCandidate]:
        """Return the documents that `book_name` may refer to, best first, each once; ties go to the smaller doc_id.

        The confidences and that of "none of these" sum to 1, so a name that fits two documents equally, or that joins
        the names of several, filters on none. A name that is a file's stem has confidence 1. The last `NAMES_KEPT`
        names are cached.
        """
        return self._cached(book_name)

    def _resolve(self, book_name: str) -> Sequence[BookCandidate]:
        by_stem = self.by_stem(book_name)
        if by_stem is not None:
            confidences = np.equal(self.doc_ids, by_stem.doc_id).astype(np.float64)
        elif self._means_none(book_name):
            return []
        elif several := self._several(book_name):
            # evidence for each, filter on none
            confidences = np.zeros(len(self.doc_ids))
            confidences[several] = 1.0 / len(several)
        else:
            confidences = self._confidences(book_name)
        rows = np.argsort(-confidences.round(4), kind="stable")
        return [self._candidate(row, float(confidences[row])) for row in rows]

    def _confidences(self, book_name: str) -> Float64Array:
        """Return (n_documents,) the probability that each document is meant."""
        features, has_word = self._features(book_name)
        fit = self.calibration
        confidences = _shares(features, fit.letters, fit.letters_none)
        if not has_word:
            # a number alone names the document with that number; generic words name no document
            return confidences * (features["number"] + features["exact"] > 0.0)
        is_settled = confidences.max(initial=0.0) >= SETTLED
        if is_settled or not self._embedder or not self._alias_rows:
            return confidences

        best = np.full(len(self.doc_ids), fit.unrelated)
        cosines = self._alias_vectors @ self._embedder.read(book_name).vector
        np.maximum.at(best, self._alias_rows, cosines)
        meaning = (best - fit.unrelated) / (1.0 - fit.unrelated)
        clash = features["clash"]
        features["meaning"] = np.where(clash > 0.0, _OTHER_NUMBER, 1.0) * meaning
        return _shares(features, fit.weights, fit.none)

    def _features(self, book_name: str) -> tuple[Features, bool]:
        """Return the features of a name but for "meaning", which is 0, and whether it has a distinctive word."""
        lecture_numbers = numbers(book_name, self._rows_by_word)
        tokens = without_other_numbers(book_name, lecture_numbers)
        has_word = any(map(_is_word, self._distinctive(tokens)))

        string, exact = self._by_string(book_name, tokens)
        words, content = self._by_words(tokens)
        number, clash, factor = self._by_number(lecture_numbers)
        if not has_word:
            string = np.maximum(string, number)  # the number is the name of the lecture
        return {
            "string": string * factor,
            "words": words * factor,
            "content": content * factor,
            "meaning": np.zeros(len(self.doc_ids)),
            "number": number,
            "clash": clash,
            "exact": exact,
        }, has_word

    def _means_none(self, book_name: str) -> bool:
        """Return whether a name means no document: it has no word, begins with "not", or says several lectures."""
        tokens = tokens_of(book_name)
        unnamed = [token for token in tokens if token not in self._rows_by_word]
        if not tokens or excludes(unnamed):
            return True
        for _, group in lectures_in(book_name):
            lectures = set(group)
            is_of_one = len(lectures) == 1
            for numbered, mentioned in zip(self._numbers, self._mentioned, strict=True):
                is_of_one |= lectures <= numbered | mentioned
            if not is_of_one:
                return True
        return False

    def _several(self, book_name: str) -> list[int]:
        """Return the documents that the parts of a name mean, joined by "and"; none if they mean one document or none.

        A name means one document if it holds a title or the number of that one, or if that one has all its words.
        """
        parts = joined_names(book_name)
        if len(parts) == 1:
            return []
        features, _ = self._features(book_name)
        if max(features["exact"].max(), features["words"].max()) >= ALL_WORDS:
            return []

        held = self._names_in(book_name)
        normalised = normalise_name(book_name)
        for title, bearers in self._short_titles.items():
            if _is_mentioned(normalise_name(title), normalised):
                held |= bearers
        if len(held) == 1 or np.count_nonzero(features["number"]) == 1:
            return []

        fit, rows = self.calibration, set()
        for part in parts:
            of_part, has_word = self._features(part)
            confidences = _shares(of_part, fit.letters, fit.letters_none)
            if has_word and confidences.max() >= LIKELY:
                rows.add(int(confidences.argmax()))
        return sorted(rows) if len(rows) > 1 else []

    def best(self, book_name: str) -> BookCandidate | None:
        """Return the document that `book_name` likeliest refers to, whatever its confidence; see `resolve`."""
        return next(iter(self.resolve(book_name)), None)

    def named_in(self, hint: str) -> BookCandidate | None:
        """Return the document whose name a hint holds; None if it holds no name, or the names of several documents.

        The subject of a lecture is not a name. A name is a title or stem of several distinctive words, a stem with
        digits letter by letter, the first part of a title in its capitals, or a number next to a word for a lecture. A
        word of one document's name or author is a name if it is next to a word for a document ("the hummel paper",
        "slides on hashing"), or if no text of the course holds it. What follows "not" or "except" is not meant.
        """
        groups = lectures_in(hint, self._counting_words)
        lectures = {number for _, group in groups for number in group}
        if len(lectures) > 1:
            return None

        confidences = self._words_in(hint)
        confidences |= dict.fromkeys(self._names_in(hint), SURELY_NAMED)
        if lectures and not confidences:
            words = [word for word, _ in groups]
            best = self.best(f"{words[0]} {lectures.pop()}")
            if best is not None and best.confidence >= LIKELY:
                is_sure = any(is_a(word, "lectures") for word in words)
                confidence = min(best.confidence, 1.0 if is_sure else PROBABLY_NAMED)
                confidences[self.doc_ids.index(best.doc_id)] = confidence

        if len(confidences) != 1:
            return None
        ((row, confidence),) = confidences.items()
        return self._candidate(row, confidence)

    def _candidate(self, row: int, confidence: float) -> BookCandidate:
        return BookCandidate(self.doc_ids[row], round(float(confidence), 4))

    def _names_in(self, hint: str) -> set[int]:
        """Return the documents with a whole name of several distinctive words, or a stem with digits, in a hint."""
        rows_in_hint = set()
        normalised, folded = normalise_name(hint), _fold(hint)
        for name in self._names:
            if _is_mentioned(name.normalised, normalised):
                words = list(filter(_is_word, self._distinctive(name.tokens)))
                if len(words) >= WORDS_OF_A_NAME:
                    rows_in_hint.add(name.row)

        for title, bearers in self._short_titles.items():
            n_capitals = sum(word[:1].isupper() for word in title.split())
            if n_capitals >= WORDS_OF_A_NAME and _is_mentioned(title, hint):
                rows_in_hint |= bearers

        for stem, rows in self._stems.items():
            has_both = any(map(str.isdigit, stem)) and any(map(str.isalpha, stem))
            if has_both and len(rows) == 1 and _is_mentioned(stem, folded):
                rows_in_hint |= rows
        return rows_in_hint

    def _words_in(self, hint: str) -> dict[int, float]:
        """Return the documents that a single word of a hint names, with confidences."""
        tokens = tokens_of(hint)
        starts, words = [], []
        for start, token in enumerate(tokens):
            if not is_stop_word(token) and token not in _JOINING:
                starts.append(start)
                words.append(token)

        confidences: dict[int, float] = {}
        for position, word in enumerate(words):
            rows = self._rows_by_word.get(word, ())
            if len(rows) != 1 or word in self._common or not _is_distinctive(word):
                continue
            if is_negated(tokens[: starts[position]]):
                continue

            (row,) = rows
            neighbours = words[max(0, position - 1) : position + 2]
            if any(is_a(other, *COUNTING, "documents") for other in neighbours):
                confidences.setdefault(row, SURELY_NAMED)
            elif len(word) >= _MIN_NAMING and self._is_unheard(word, row):
                confidences.setdefault(row, PROBABLY_NAMED)
        return confidences

    def _is_unheard(self, word: str, row: int) -> bool:
        """Return whether no text of the course holds a word; an author's may be in the author's document."""
        rates = self._content.get(_stem(word))
        if rates is None:
            return bool(self._content)
        is_elsewhere = np.delete(rates, row).any()
        return word in self._authors and not is_elsewhere and not is_common(word)

    def _learn(self, row: int, document: Document) -> None:
        """Add the names and numbers of a document."""
        for alias in document.aliases:
            if alias.source in ("stem", "name"):
                self._stems.setdefault(_fold(alias.text), set()).add(row)
                self._exact_names.setdefault(alias.text, set()).add(row)
            if normalise_name(alias.text) and _is_name(alias):
                self._learn_name(row, alias)

        stems = [alias.text for alias in document.aliases if alias.source == "stem"]
        stem = "".join(stems[:1])
        in_stem, number = numbers(stem), document.lecture_number
        is_of_date = number not in in_stem and str(number) in tokens_of(stem)
        if number is None or is_of_date:
            self._numbers[row] |= in_stem
        else:
            self._numbers[row].add(number)

    def _learn_name(self, row: int, alias: Alias) -> None:
        """Add the words and numbers of a name of a document."""
        source, trust = alias.source, _TRUST[alias.source]
        is_whole = source in _NAMES_IN_FULL
        tokens = tokens_of(alias.text)
        if source in _WEAK:
            tokens = [token for token in tokens if not is_a(token, "sections")]
        if source in _FOR_FILES:
            for word, number in itertools.pairwise(tokens):
                if number.isdecimal():
                    self._counting_words.add(word)
        if is_whole:
            normalised = normalise_name(alias.text)
            self._names.append(_Name(row, normalised, tokens, trust))
        if source == "author":
            self._authors.update(tokens)
        if source in ("title", "sidecar"):
            self._learn_title(row, alias.text, tokens)

        self._mentioned[row] |= numbers(alias.text)
        for word in tokens:
            if is_whole or source == "author":
                self._rows_by_word.setdefault(word, set()).add(row)
            trusts = self._words.setdefault(word, {})
            trusts[row] = max(trusts.get(row, 0.0), trust)

    def _learn_title(self, row: int, title: str, tokens: Sequence[str]) -> None:
        first, *rest = _TITLE_END.split(title.strip(), maxsplit=1)
        if _is_phrase(tokens) or (rest and len(first.split()) >= WORDS_OF_A_NAME):
            self._short_titles.setdefault(first.rstrip("?!. "), set()).add(row)

    def _text(self, tokens: Iterable[str]) -> str:
        """Return the words of a name that are compared letter by letter."""
        return " ".join(self._distinctive(tokens, files=True))

    def _distinctive(self, tokens: Iterable[str], *, files: bool = False) -> list[str]:
        """Return the distinctive words of a name, without words that any name may have.

        Args:
            files: keep words for kinds of files.
        """
        distinctive = []
        for token in tokens:
            is_kept = not is_generic(token) or (files and is_a(token, *FILES))
            if is_kept and token not in self._common:
                distinctive.append(token)
        return distinctive

    def _by_string(
        self, book_name: str, tokens: Sequence[str]
    ) -> tuple[Float64Array, Float64Array]:
        """Return the features "string" and "exact"."""
        scores = np.zeros(len(self._names))
        if self._distinctive(tokens):
            for scorer in (fuzz.WRatio, fuzz.token_set_ratio):
                ratios = process.cdist([self._text(tokens)], self._texts, scorer=scorer)
                scores += ratios[0] / 2.0
        similarities = np.maximum(0.0, scores - _SIMILAR_FROM) / (100.0 - _SIMILAR_FROM)

        string, exact = np.zeros((2, len(self.doc_ids)))
        normalised = normalise_name(book_name)
        for name, similarity in zip(self._names, similarities.tolist(), strict=True):
            if name.normalised == normalised:
                similarity = 1.0
                exact[name.row] = max(exact[name.row], name.trust)
            string[name.row] = max(string[name.row], name.trust * similarity)

        for title, rows in self._short_titles.items():
            called = normalise_name(title)
            before, match, after = f" {normalised} ".partition(f" {called} ")
            if match and all(map(is_generic, f"{before} {after}".split())):
                named = [*rows]
                exact[named] = np.maximum(exact[named], NAMED_BY_PART)
        return string, exact

    def _by_words(self, tokens: Sequence[str]) -> tuple[Float64Array, Float64Array]:
        """Return the features "words" and "content"."""
        vocabulary = list(self._words)
        weights = {token: 1.0 for token in self._distinctive(tokens) if _is_word(token)}
        for token in tokens if weights else ():
            is_file = is_a(token, *FILES) and token not in self._common
            if is_file and words_like(token, vocabulary):
                weights[token] = _OF_FILE

        words, content = np.zeros((2, len(self.doc_ids)))
        total = 0.0
        for token, weight in weights.items():
            matches = np.zeros(len(self.doc_ids))
            for word, alike in words_like(token, vocabulary).items():
                for row, trust in self._words[word].items():
                    matches[row] = max(matches[row], alike * trust)
            rarity = np.log1p(len(self.doc_ids) / max(matches.sum(), _UNKNOWN))
            total += weight * rarity
            words += weight * rarity * matches

            rates = self._content.get(_stem(token))
            if rates is not None:
                share = min(1.0, rates.max() / _COMMON_RATE) ** 0.5
                content += weight * rarity * share * rates / rates.sum()
        return words / (total or 1.0), content / (total or 1.0)

    def _by_number(
        self, lecture_numbers: set[int]
    ) -> tuple[Float64Array, Float64Array, Float64Array]:
        """Return the features "number" and "clash", and the factor of the similarities."""
        number, clash = np.zeros((2, len(self.doc_ids)))
        factor = np.ones(len(self.doc_ids))
        for row, numbered in enumerate(self._numbers):
            unmatched = _ordinals(lecture_numbers) - numbered - self._mentioned[row]
            if unmatched and _ordinals(numbered) - lecture_numbers:
                clash[row], factor[row] = 1.0, _OTHER_NUMBER
            elif lecture_numbers & numbered:
                number[row] = 1.0
            elif unmatched:
                clash[row], factor[row] = 0.5, _NO_NUMBER
        return number, clash, factor


def _shares(features: Features, weights: Sequence[float], none: float) -> Float64Array:
    """Return (n_documents,) the probability of each document; the remainder is that of "none of these"."""
    columns = np.stack([features[name] for name in FEATURES], axis=1)
    utilities = np.append(columns @ np.array(weights), none)
    shares = np.exp(utilities - utilities.max())
    shares /= shares.sum()
    confidences: Float64Array = shares[:-1]
    exact = features["exact"]
    bearers = np.flatnonzero(exact)
    if len(bearers) == 1:  # the exact name of one document only
        (row,) = bearers
        others = max(1e-12, 1.0 - confidences[row])
        confidences *= (1.0 - exact[row]) / others
        confidences[row] = exact[row]
    return confidences


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


def _is_mentioned(name: str, text: str) -> bool:
    """Return whether a text holds a name as whole words, and says nothing before it that excludes it."""
    if name not in text:
        return False
    match = regex.search(rf"(?<![^\W_]){regex.escape(name)}(?![^\W_])", text)
    return match is not None and not is_negated(tokens_of(text[: match.start()]))


def _fold(stem: str) -> str:
    """Normalise a file's stem: case-folded, without ".pdf", with single spaces."""
    folded = unicodedata.normalize("NFC", stem).casefold().strip()
    return " ".join(folded.removesuffix(".pdf").split())


def _stem(token: str) -> str:
    return next(iter(stems(token)), token)


def _is_word(token: str) -> bool:
    return len(token) > 1 and not token.isdecimal()


def _is_distinctive(token: str) -> bool:
    """Return whether a word may tell documents apart: it is in no list of words that any document may have."""
    return _is_word(token) and not is_a(token, "sections") and not is_generic(token)


def _is_name(alias: Alias) -> bool:
    """Return whether an alias may name its document; headings and titles such as "results" do not."""
    if alias.source in (*_FOR_FILES, "author"):
        return True
    tokens = tokens_of(alias.text)
    return any(map(_is_distinctive, tokens)) or _is_phrase(tokens)


def _is_phrase(tokens: Sequence[str]) -> bool:
    """Return whether words are a title of function words alone."""
    return len(tokens) >= WORDS_OF_A_PHRASE and all(map(is_stop_word, tokens))


def _ordinals(lecture_numbers: set[int]) -> set[int]:
    """Return the numbers that may count lectures, without years and course codes."""
    return {number for number in lecture_numbers if number < HIGHEST_LECTURE}
