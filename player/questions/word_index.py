"""Index of a course's words: which occur in the passage from each place on, and in its opening sentence."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from ingest.arrays import BoolArray, RowArray
from ingest.editions.piece import Piece
from ingest.paragraph import Paragraph
from ingest.store.cache import cached
from ingest.text import canonical
from player.kinds import start_weights
from player.questions.language import Language, hebrew_forms, is_hebrew, language_of
from player.questions.places import Places, Start, places_of
from player.words import is_stop_word, stems, words, written_words

MIN_LETTERS = 3
"""The least letters of a word that is asked for in a whole paragraph; an opening sentence may be asked for any word."""
MAX_LETTERS = 20
"""A longer word of a piece is several words without spaces."""
LISTED = 0.9
"""Share of the referees for whom the list or display after a lead-in belongs to the passage."""
FOLLOWING = 0.4
"""Share of the referees for whom the list after a complete passage belongs to the passage."""


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
        raw: (n_pieces, n_words) 1 where the raw text of a piece of another edition holds the word.
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
    raw: csr_array


def index_words(
    paragraphs: Sequence[Paragraph], pieces: Sequence[Piece] = ()
) -> WordIndex:
    """Return the index of the words of a course's passages, and of the pieces of its other editions."""
    make = functools.partial(_index_of, paragraphs, pieces)
    return cached(paragraphs, f"words {start_weights()}", make)


def _index_of(paragraphs: Sequence[Paragraph], pieces: Sequence[Piece]) -> WordIndex:
    places = places_of(paragraphs, pieces)
    ids: dict[str, int] = {}
    ends = np.searchsorted(places.rows, np.arange(len(paragraphs) + 1)).tolist()
    passages = zip(paragraphs, ends, ends[1:], strict=False)
    held_from = [
        _words_from(paragraph, places.starts[first:last])
        for paragraph, first, last in passages
    ]
    held_from.append(_words_of_pieces(places))
    whole = _table(itertools.chain.from_iterable(held_from), ids)
    openings = [start.sentence for start in places.starts]
    opening = _table(map(_held, openings), ids)
    for table in (whole, opening):
        table.resize((table.shape[0], len(ids)))
    vocabulary = tuple(ids)
    hebrew = np.array([is_hebrew(word) for word in vocabulary], dtype=np.bool_)
    plain = np.array(
        [word.isalpha() and len(word) > 1 for word in vocabulary], dtype=np.bool_
    )
    telling = [
        len(word) >= MIN_LETTERS and not is_stop_word(word) for word in vocabulary
    ]
    form_ids: dict[str, int] = {}
    stemmed = stems(" ".join(vocabulary))
    if len(stemmed) != len(vocabulary):  # some word was split among others
        stemmed = [(stems(word) or [word])[0] for word in vocabulary]
    shared = [
        hebrew_forms(word) if he else stem
        for word, stem, he in zip(vocabulary, stemmed, hebrew, strict=True)
    ]
    forms = np.array(
        [form_ids.setdefault(form, len(form_ids)) for form in shared], dtype=np.intp
    )
    texts = [_with_list(paragraph) for paragraph in paragraphs]
    texts += [piece.text for piece in pieces]
    languages = [language_of(text[:400]) for text in texts]
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
        raw=_raw_words(pieces, ids),
    )


def _raw_words(pieces: Sequence[Piece], ids: Mapping[str, int]) -> csr_array:
    """Return the (n_pieces, n_words) table of the words that raw texts hold letter by letter."""
    rows = []
    for piece in pieces:
        held = dict.fromkeys(words(piece.text), 1.0)
        rows.append({word: 1.0 for word in held if word in ids})
    return _table(rows, dict(ids))


def _spelling(texts: Iterable[str]) -> dict[str, str]:
    """Return the most frequent spelling of each case-folded word; of two equally frequent ones, that in lower case."""
    counts = Counter(word for text in texts for word in written_words(text))
    return {
        word.casefold(): word
        for word in sorted(counts, key=lambda word: (counts[word], word))
    }


def _with_list(paragraph: Paragraph) -> str:
    return f"{paragraph.text} {paragraph.follows}"


def _words_from(
    paragraph: Paragraph, starts: Sequence[Start]
) -> list[dict[str, float]]:
    """Return the words from each place of a passage on, with the share of the referees who find them."""
    length = paragraph.own_length or len(paragraph.text)
    held = {
        word: LISTED * share for word, share in _held(paragraph.text[length:]).items()
    }
    held |= {
        word: FOLLOWING * share
        for word, share in _held(paragraph.follows).items()
        if word not in held
    }
    found: list[dict[str, float]] = []
    end = length
    for start in reversed(starts):
        if start.offset < end:
            own = _held(paragraph.text[start.offset : end])
            held = held | {
                word: max(share, held.get(word, 0.0)) for word, share in own.items()
            }
            end = start.offset
        found.append(held)
    return found[::-1]


def _words_of_pieces(places: Places) -> list[dict[str, float]]:
    """Return the words of each piece, and those of its passages that it may print without spaces."""
    found = []
    for place in range(places.n_printed, len(places)):
        text = places.paragraph(place).text
        letters = canonical(text)
        held: dict[str, float] = {}
        for row in places.passages_of(place):
            for word in words(places.paragraphs[row].text):
                if word in letters:
                    held[word] = 1.0
        for word in words(text):
            if len(word) <= MAX_LETTERS:
                held[word] = 1.0
        found.append(held)
    return found


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
    return csr_array(
        (values, np.array(columns, dtype=np.int32), np.array(ends)),
        shape=(len(ends) - 1, len(ids)),
    )
