"""Index of a course's words: which occur in the passage from each place on, and in its opening sentence."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from quarry.ingest.arrays import BoolArray, Float64Array, RowArray
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.store.course import cached
from quarry.player.questions.language import Language, hebrew_forms, is_hebrew, language_of
from quarry.player.questions.places import Places, Start, places_of
from quarry.player.questions.question import FitArray
from quarry.player.questions.start_model import start_weights
from quarry.player.words import is_stop_word, stems, words, written_words

MIN_LETTERS = 3
"""The least letters of a word that is asked for in a whole paragraph; an opening sentence may be asked for any word."""
LISTED = 0.9
"""Share of the referees for whom the list or display after a lead-in belongs to the passage."""
FOLLOWING = 0.4
"""Share of the referees for whom the list after a complete passage belongs to the passage."""
SEEN = 0.98
"""Probability that a careful referee sees a word in its exact form."""
OTHER_FORM = 0.05
"""Probability that a referee accepts another form of a word although the question says otherwise; none of 20 such
cases among the logged answers did."""
BELOW = 0.02
"""Probability for a word of the paragraph after our opening sentence: the referee's may be longer."""


@dataclass(frozen=True, slots=True)
class WordIndex:
    """The words of a course by place.

    Attributes:
        places: places of the course.
        languages: (n_places,) language of the text.
        spelling: the most frequent spelling of each word.
        words: case-folded, by id.
        ids: word -> id.
        forms: (n_words,) id that the forms of one word share.
        hebrew: (n_words,) whether the word is in Hebrew letters.
        telling: (n_words,) whether a question about a whole passage may ask for it: plain, long enough, no stop word.
        plain: (n_words,) whether the word has letters alone, two at least, so that a referee can find it.
        whole, opening: (n_places, n_words) share of the referees who find the word in the passage, or in its opening
            sentence.
    """

    places: Places
    spelling: Mapping[str, str]
    languages: tuple[Language, ...]
    words: tuple[str, ...]
    ids: Mapping[str, int]
    forms: RowArray
    hebrew: BoolArray
    telling: BoolArray
    plain: BoolArray
    whole: csr_array
    opening: csr_array


def index_words(paragraphs: Sequence[Paragraph]) -> WordIndex:
    """Return the index of the words of a course's passages."""
    return cached(paragraphs, f"words {start_weights()}", functools.partial(_index_of, paragraphs))


def _index_of(paragraphs: Sequence[Paragraph]) -> WordIndex:
    places = places_of(paragraphs)
    ids: dict[str, int] = {}
    ends = np.searchsorted(places.rows, np.arange(len(paragraphs) + 1)).tolist()
    passages = zip(paragraphs, ends, ends[1:], strict=False)
    held_from = (_words_from(paragraph, places.starts[first:last]) for paragraph, first, last in passages)
    whole = _table(itertools.chain.from_iterable(held_from), ids)
    openings = [start.sentence for start in places.starts]
    opening = _table(map(_held, openings), ids)
    for table in (whole, opening):
        table.resize((table.shape[0], len(ids)))
    vocabulary = tuple(ids)
    hebrew = np.array([is_hebrew(word) for word in vocabulary], dtype=np.bool_)
    plain = np.array([word.isalpha() and len(word) > 1 for word in vocabulary], dtype=np.bool_)
    telling = [len(word) >= MIN_LETTERS and not is_stop_word(word) for word in vocabulary]
    form_ids: dict[str, int] = {}
    stemmed = stems(" ".join(vocabulary))
    if len(stemmed) != len(vocabulary):  # some word was split among others
        stemmed = [(stems(word) or [word])[0] for word in vocabulary]
    shared = [hebrew_forms(word) if he else stem for word, stem, he in zip(vocabulary, stemmed, hebrew, strict=True)]
    forms = np.array([form_ids.setdefault(form, len(form_ids)) for form in shared], dtype=np.intp)
    languages = [language_of(_with_list(paragraph)[:400]) for paragraph in paragraphs]
    return WordIndex(
        places=places,
        spelling=_spelling(map(_with_list, paragraphs)),
        languages=tuple(languages[row] for row in places.rows.tolist()),
        words=vocabulary,
        ids=ids,
        forms=forms,
        hebrew=hebrew,
        telling=plain & np.array(telling, dtype=np.bool_),
        plain=plain,
        whole=whole,
        opening=opening,
    )


def _spelling(texts: Iterable[str]) -> dict[str, str]:
    """Return the most frequent spelling of each case-folded word; of two equally frequent ones, that in lower case."""
    counts = Counter(word for text in texts for word in written_words(text))
    return {word.casefold(): word for word in sorted(counts, key=lambda word: (counts[word], word))}


def _with_list(paragraph: Paragraph) -> str:
    return f"{paragraph.text} {paragraph.follows}"


def _words_from(paragraph: Paragraph, starts: Sequence[Start]) -> list[dict[str, float]]:
    """Return the words from each place of a passage on, with the share of the referees who find them."""
    length = paragraph.own_length or len(paragraph.text)
    held = {word: LISTED * share for word, share in _held(paragraph.text[length:]).items()}
    held |= {word: FOLLOWING * share for word, share in _held(paragraph.follows).items() if word not in held}
    found: list[dict[str, float]] = []
    end = length
    for start in reversed(starts):
        if start.offset < end:
            own = _held(paragraph.text[start.offset : end])
            held = held | {word: max(share, held.get(word, 0.0)) for word, share in own.items()}
            end = start.offset
        found.append(held)
    return found[::-1]


def _held(text: str) -> dict[str, float]:
    """Return the words of a text with 1, the share of the referees who find each."""
    return dict.fromkeys(words(text), 1.0)


def _table(rows: Iterable[Mapping[str, float]], ids: dict[str, int]) -> csr_array:
    """Return the (n_rows, n_words) shares of the words of each row; add new words to `ids`."""
    columns: list[int] = []
    data: list[float] = []
    ends = [0]
    for held in rows:
        columns += [ids.setdefault(word, len(ids)) for word in held]
        data += held.values()
        ends.append(len(columns))
    values = np.array(data, dtype=np.float32)
    return csr_array((values, np.array(columns, dtype=np.int32), np.array(ends)), shape=(len(ends) - 1, len(ids)))


class Candidates:
    """The places that questions are made for, or fitted to, with their words.

    Args:
        index: word index of the course.
        rows: (n_candidates,) places of the index.
        prior: (n_candidates,) their probabilities, summing to 1.
        clue: the book's name and the hint, all that a referee of the view "name" sees.
    """

    def __init__(self, index: WordIndex, rows: RowArray, prior: Float64Array, clue: str = "") -> None:
        self.index = index
        self.rows = rows
        self.prior = prior
        self._clue = frozenset(words(clue))

    def __len__(self) -> int:
        return len(self.rows)

    @functools.cached_property
    def language(self) -> Language:
        """The language of most of the belief."""
        hebrew = np.array([self.index.languages[row] == "he" for row in self.rows])
        return "he" if float(self.prior[hebrew].sum()) > 0.5 else "en"

    def telling(self, *, opening: bool, n: int) -> tuple[RowArray, Float64Array]:
        """Return the ids of the n words that split the belief most evenly, best first, and the variance of each.

        Args:
            opening: words of the opening sentences, also stop words; else of the whole paragraphs.
        """
        index = self.index
        table = self._opening if opening else self._whole
        mass = np.clip(table.T @ self.prior, 0.0, 1.0)
        usable = (index.plain if opening else index.telling) & (index.hebrew == (self.language == "he"))
        worth = mass * (1.0 - mass) * usable
        best = np.argsort(-worth, kind="stable")[:n]
        best = best[worth[best] > 1e-6]
        return best, worth[best]

    def in_paragraph(self, ids: RowArray) -> FitArray:
        """Return the (n_words, n_candidates) probability that a referee finds each word in the whole paragraph."""
        return self._seen(self._whole, ids)

    def in_opening(self, ids: RowArray) -> FitArray:
        """Return the (n_words, n_candidates) probability that a referee finds each word in the opening sentence."""
        below = np.float32(BELOW) * (_columns(self._whole, ids) > 0)
        seen: FitArray = np.maximum(self._seen(self._opening, ids), below)
        return seen

    def in_clue(self, ids: RowArray) -> FitArray:
        """Return the (n_words, n_candidates) probability that a referee finds each word in the name and the hint."""
        there = np.array([self.index.words[number] in self._clue for number in ids], dtype=np.bool_)
        return np.repeat(np.where(there, np.float32(SEEN), np.float32(0.0))[:, None], len(self), axis=1)

    def ids_of(self, group: Sequence[str]) -> RowArray:
        """Return the ids of those words that the course has."""
        ids = self.index.ids
        return np.array([ids[word] for word in group if word in ids], dtype=np.intp)

    def _seen(self, table: csr_array, ids: RowArray) -> FitArray:
        there = _columns(table, ids)
        forms, place = np.unique(self.index.forms[ids], return_inverse=True)
        n_forms = int(self.index.forms.max(initial=-1)) + 1
        chosen = np.full(n_forms, -1)
        chosen[forms] = np.arange(len(forms))
        kept = chosen[self.index.forms[table.indices]]
        row_of = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
        alike = np.zeros((len(forms), table.shape[0]), dtype=np.float32)
        alike[kept[kept >= 0], row_of[kept >= 0]] = OTHER_FORM
        seen: FitArray = np.maximum(np.float32(SEEN) * there, alike[place])
        return seen

    @functools.cached_property
    def _whole(self) -> csr_array:
        return self.index.whole[self.rows]

    @functools.cached_property
    def _opening(self) -> csr_array:
        return self.index.opening[self.rows]


def _columns(table: csr_array, ids: RowArray) -> FitArray:
    """Return (n_ids, n_rows) columns of a table."""
    columns: FitArray = table[:, ids].toarray().T
    return columns
