"""Index of the words of a course: for each place, the words of the paragraph and of the opening sentence."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from player.belief.places import Places, find_places
from quarry.arrays import BoolArray, RowArray
from quarry.course.paragraph import Paragraph
from quarry.course.piece import Piece
from quarry.course.text import canonical
from quarry.languages.reading_order import in_reading_order
from quarry.languages.registry import LANGUAGES, detect_language
from quarry.languages.words import is_stop_word, shared_stem, words, written_words

MIN_WORD_LETTERS = 3
"""Minimum number of letters of a word in a question about the whole paragraph; questions about the opening sentence
have no minimum."""
MAX_WORD_LETTERS = 20
"""Maximum number of letters of a word of a piece; a longer one is several words without spaces."""
LEAD_IN_LIST = 0.9
"""Share of the referees for whom the list or display after a lead-in belongs to the paragraph."""
FOLLOWING_LIST = 0.4
"""Share of the referees for whom the list after a complete paragraph belongs to the paragraph."""

WordShares = dict[str, float]
"""Maps the words of a text to the shares of the referees who find them."""


@dataclass(frozen=True, slots=True)
class WordIndex:
    """The words of a course by place.

    Attributes:
        places: places of the course.
        languages: (n_places,) position of the text's language in `LANGUAGES`.
        spelling: the most frequent spelling of each word.
        ids: case-folded word -> id.
        forms: (n_words, n_stems) 1 for the stem of each word, which its inflected forms share.
        informative: (n_words,) whether a question about the whole paragraph may name the word: a plain word of at least
            MIN_WORD_LETTERS that is not a stop word.
        plain: (n_words,) whether the word has only letters, and at least two, so that a referee can find it.
        whole: (n_places, n_words) share of the referees who find the word in the paragraph from the place on.
        opening: (n_places, n_words) share of the referees who find the word in the opening sentence.
        raw: (n_pieces, n_words) 1 where the raw text of a piece of another edition has the word.
    """

    places: Places
    languages: RowArray
    spelling: Mapping[str, str]
    ids: Mapping[str, int]
    forms: csr_array
    informative: BoolArray
    plain: BoolArray
    whole: csr_array
    opening: csr_array
    raw: csr_array

    def word_ids(self, text: str) -> list[int]:
        """Return the sorted ids of the words of a text; unknown words are left out."""
        known_words = self.ids.keys() & words(text)
        return sorted(self.ids[word] for word in known_words)


def index_words(
    paragraphs: Sequence[Paragraph], pieces: Sequence[Piece] = ()
) -> WordIndex:
    """Index the words of a course's paragraphs, and of the pieces of its other editions."""
    places = find_places(paragraphs, pieces)
    ids: dict[str, int] = {}
    of_pieces = [_words_of_piece(places, row) for row in range(len(pieces))]
    held = [of_pieces[row] for row in places.piece_rows]
    whole = _table([*_words_of_paragraphs(places), *held], ids)
    opening = _table([_shares(start.sentence) for start in places.starts], ids)
    whole.resize(opening.shape)
    raw = _table((_shares(piece.text) for piece in pieces), dict(ids))

    forms = _table([{shared_stem(word): 1.0} for word in ids], {})
    plain = np.array([word.isalpha() and len(word) > 1 for word in ids], np.bool_)
    is_long = np.array([len(word) >= MIN_WORD_LETTERS for word in ids], np.bool_)
    is_stop = np.array([is_stop_word(word) for word in ids], np.bool_)

    counts = Counter[str]()
    texts = [f"{paragraph.text} {paragraph.follows}" for paragraph in paragraphs]
    for text in texts:
        counts.update(written_words(text))
    of_paragraphs = _languages(texts)[places.paragraph_rows]
    of_raw = _languages([piece.text for piece in pieces])[places.piece_rows]

    # the most frequent spelling; of two equally frequent ones, that in lower case
    by_count = sorted(counts, key=lambda word: (counts[word], word))
    spelling = {word.casefold(): word for word in by_count}
    return WordIndex(
        places=places,
        languages=np.concatenate([of_paragraphs, of_raw]),
        spelling=spelling,
        ids=ids,
        forms=forms,
        informative=plain & is_long & ~is_stop,
        plain=plain,
        whole=whole,
        opening=opening,
        raw=raw[:, : len(ids)],
    )


def _languages(texts: Sequence[str]) -> RowArray:
    """Return (n_texts,) the row of the language of each text in `LANGUAGES`."""
    rows = [LANGUAGES.index(detect_language(text[:400])) for text in texts]
    return np.array(rows, dtype=np.intp)


def _words_of_paragraphs(places: Places) -> Iterator[WordShares]:
    """Yield the words of the paragraph of each place, from the place on."""
    rows = np.arange(len(places.paragraphs) + 1)
    ends = np.searchsorted(places.paragraph_rows, rows)
    for row, paragraph in enumerate(places.paragraphs):
        end = paragraph.own_length or len(paragraph.text)
        list_shares = _shares(paragraph.text[end:], LEAD_IN_LIST)
        after = list_shares | _shares(paragraph.follows, FOLLOWING_LIST) | list_shares
        from_here = []
        starts = places.starts[ends[row] : ends[row + 1]]
        for start in reversed(starts):
            text = paragraph.text[start.offset : end]
            after = after | _shares(text)
            end = min(end, start.offset)
            from_here.append(after)
        yield from reversed(from_here)


def _words_of_piece(places: Places, row: int) -> WordShares:
    """Return the words of a piece, with words of its paragraphs that it may print without spaces."""
    text = in_reading_order(places.pieces[row].text)
    letters = canonical(text)
    shares = {}
    for paragraph_row in places.links[[row]].indices:
        for word in words(places.paragraphs[paragraph_row].text):
            if word in letters:
                shares[word] = 1.0
    for word in words(text):
        if len(word) <= MAX_WORD_LETTERS:
            shares[word] = 1.0
    return shares


def _shares(text: str, share: float = 1.0) -> WordShares:
    return dict.fromkeys(words(text), share)


def _table(rows: Iterable[WordShares], ids: dict[str, int]) -> csr_array:
    """Return the (n_rows, n_words) shares of the words of each row; add new words to `ids`."""
    columns: list[int] = []
    data: list[float] = []
    ends = [0]
    for shares in rows:
        for word, share in shares.items():
            columns.append(ids.setdefault(word, len(ids)))
            data.append(share)
        ends.append(len(columns))
    values = np.array(data, dtype=np.float32)
    indices = np.array(columns, dtype=np.int32)
    shape = (len(ends) - 1, len(ids))
    return csr_array((values, indices, np.array(ends)), shape=shape)
