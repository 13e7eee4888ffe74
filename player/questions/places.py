"""Places where the secret passage may begin: its sentences, and the ways to end the first one."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array, lil_array

from ingest.arrays import Float64Array, IntArray
from ingest.editions.openings import openings
from ingest.editions.piece import Piece
from ingest.editions.reading_order import in_reading_order
from ingest.paragraph import Paragraph
from ingest.paragraphs.kinds import without_label
from ingest.paragraphs.sentence import alternatives, sentences
from ingest.text import canonical
from player.questions.start_model import PLACE_FEATURES, Start, place_features
from player.starts import start_weights
from player.words import words

PRINTED = "printed"
"""Name of our own edition: passages as they are printed."""
MAX_READINGS = 3
"""The most ways to end the first sentence of a passage."""
MOST_WORDS = 0.6
"""A piece holds a passage if it holds this share of its words; one that holds none, the most of any."""
_COLON = re.compile(r"(?<=\S)(?<!\b\w):(?=\s)")


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The places of a course, those of a passage together and in order; each piece of another edition is one more.

    Attributes:
        paragraphs: passages of the course.
        pieces: pieces of other editions.
        links: (n_pieces, n_paragraphs) 1 where a piece holds a passage.
        rows: (n_places,) row of each place's passage in `paragraphs`, or of its piece after all passages.
        starts: (n_places,) in the passage.
        keys: (n_places,) number of the opening sentence; places with equal opening sentences share it.
        numbers: canonical opening sentence -> key.
        editions: (n_places,) number of the edition in `edition_names`.
        edition_names: PRINTED, and the names of the other editions.
        log_odds: (n_printed,) natural log-odds that the secret begins there, given the passage, up to a constant.
    """

    paragraphs: Sequence[Paragraph]
    pieces: Sequence[Piece]
    links: csr_array
    rows: IntArray
    starts: Sequence[Start]
    keys: IntArray
    numbers: Mapping[str, int]
    editions: IntArray
    edition_names: Sequence[str]
    log_odds: Float64Array

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def n_printed(self) -> int:
        """Number of places in passages; the places of pieces follow."""
        return len(self.rows) - len(self.pieces)

    def piece(self, place: int) -> Piece | None:
        """Return the piece of a place, None for a place in a passage."""
        number = place - self.n_printed
        return self.pieces[number] if number >= 0 else None

    def openings(self, place: int) -> Mapping[str, float]:
        """Return the opening sentences that a referee may hold, as it holds them, with their shares."""
        piece = self.piece(place)
        if piece is None:
            return {self.starts[place].sentence: 1.0}
        return openings(piece.text, piece.cut)

    def passages_of(self, place: int) -> IntArray:
        """Return the rows of the passages in which a place is, or which its piece holds."""
        number = place - self.n_printed
        if number < 0:
            return self.rows[place : place + 1]
        rows: IntArray = self.links[[number]].indices
        return rows

    def paragraph(self, place: int) -> Paragraph:
        """Return the passage from a place on; the number of a later sentence is added to its paragraph_id.

        A piece is a paragraph in reading order, with its likeliest opening sentence as the referee holds it.
        """
        piece = self.piece(place)
        if piece is not None:
            return Paragraph(
                paragraph_id=f"{piece.doc_id}:{piece.page}:{piece.edition}",
                doc_id=piece.doc_id,
                page=piece.page,
                heading="",
                text=in_reading_order(piece.text),
                opening_sentence=next(iter(self.openings(place))),
            )

        passage = self.paragraphs[int(self.rows[place])]
        start = self.starts[place]
        number = f"+{start.number}" if start.number else ""
        return replace(
            passage,
            paragraph_id=f"{passage.paragraph_id}{number}",
            text=passage.text[start.offset :],
            opening_sentence=start.sentence,
        )

    def find(self, sentence: str) -> IntArray:
        """Return the places with an opening sentence, compared as the game compares sentences, in order."""
        key = self.numbers.get(canonical(sentence), -1)
        return np.flatnonzero(self.keys == key)


def places_of(paragraphs: Sequence[Paragraph], pieces: Sequence[Piece] = ()) -> Places:
    """Return the places of a course, and of its other editions."""
    rows: list[int] = []
    starts: list[Start] = []
    for row, paragraph in enumerate(paragraphs):
        for start in starts_of(paragraph):
            rows.append(row)
            starts.append(start)
    weights = [start_weights().get(feature, 0.0) for feature in PLACE_FEATURES]
    log_odds = place_features(paragraphs, rows, starts) @ np.array(weights)

    names = {PRINTED: 0}
    editions = [0] * len(rows)
    for row, piece in enumerate(pieces, len(paragraphs)):
        likeliest = next(iter(openings(piece.text, piece.cut)))
        sentence = in_reading_order(likeliest, piece.text)
        rows.append(row)
        starts.append(
            Start(
                number=0,
                offset=0,
                sentence=sentence,
                reading=0,
                on_top=True,
            )
        )
        editions.append(names.setdefault(piece.edition, len(names)))

    keys: dict[str, int] = {}
    numbers = []
    for start in starts:
        sentence = canonical(start.sentence) or start.sentence  # "" for symbols alone
        numbers.append(keys.setdefault(sentence, len(keys)))

    return Places(
        paragraphs=paragraphs,
        pieces=pieces,
        links=links_of(paragraphs, pieces),
        rows=np.array(rows, dtype=np.int64),
        starts=starts,
        keys=np.array(numbers, dtype=np.int64),
        numbers=keys,
        editions=np.array(editions, dtype=np.int64),
        edition_names=tuple(names),
        log_odds=log_odds,
    )


def links_of(paragraphs: Sequence[Paragraph], pieces: Sequence[Piece]) -> csr_array:
    """Return the (n_pieces, n_paragraphs) table with 1 where a piece holds most words of a passage on its pages."""
    on_page: dict[tuple[str, int], list[int]] = defaultdict(list)
    long_words = []
    for row, paragraph in enumerate(paragraphs):
        for turn in range(len(paragraph.page_breaks) + 1):
            page = paragraph.page + turn
            on_page[paragraph.doc_id, page].append(row)
        all_words = set(words(paragraph.text))
        long_words.append([word for word in all_words if len(word) > 3])

    shape = (len(pieces), len(paragraphs))
    links = lil_array(shape, dtype=np.float32)
    for number, piece in enumerate(pieces):
        # some readers print English without spaces
        text = in_reading_order(piece.text)
        letters = text.casefold().replace(" ", "")
        shares: dict[int, float] = {}
        for page in range(piece.page, piece.last_page + 1):
            for row in on_page[piece.doc_id, page]:
                asked = long_words[row]
                n_there = sum(word in letters for word in asked)
                shares[row] = (n_there + 1) / (len(asked) + 1)

        most = max(shares.values(), default=1.0)
        least = min(MOST_WORDS, most)
        for row, share in shares.items():
            if share >= least:
                links[number, row] = 1.0
    return csr_array(links)


def starts_of(paragraph: Paragraph) -> Iterator[Start]:
    """Yield the places of a passage: each of its own sentences, and page breaks inside a sentence.

    The first sentence is yielded once for each of its readings.
    """
    body = paragraph.text[: paragraph.own_length or None]
    breaks = list(paragraph.page_breaks)
    is_turned = paragraph.on_top
    end = 0
    for number, sentence in enumerate(sentences(body)):
        offset = body.index(sentence, end)
        end = offset + len(sentence)
        while breaks and breaks[0] <= offset:
            is_turned = True
            breaks.pop(0)

        if number:
            yield Start(number, offset, sentence, 0, is_turned)
        else:
            for reading, text in enumerate(readings(paragraph)):
                at = max(0, body.find(text))
                yield Start(0, at, text, reading, is_turned)

        is_turned = bool(breaks) and breaks[0] < end
        if is_turned:
            offset = breaks.pop(0)
            rest = body[offset:end].strip()
            first = rest[:1]
            if first.isalpha() and not first.islower():
                yield Start(
                    number=number,
                    offset=offset,
                    sentence=rest,
                    reading=1,
                    on_top=True,
                )


def readings(paragraph: Paragraph) -> list[str]:
    """Return the possible first sentences of a passage, the likeliest first."""
    first, text = paragraph.opening_sentence, paragraph.text
    unlabelled = without_label(first) or first
    firsts = [first]
    n_label = len(first) - len(unlabelled)
    colon = _COLON.search(first, n_label)
    if colon:
        firsts.append(first[: colon.end()].rstrip())
    if paragraph.own_length and len(first) == paragraph.own_length:
        firsts.append(sentences(text)[0])  # it may continue after the display
    firsts.append(unlabelled)
    firsts += [reading for reading in alternatives(text) if text.startswith(reading)]
    return list(dict.fromkeys(firsts))[:MAX_READINGS]


def by_sentence(belief: Float64Array, keys: IntArray) -> Float64Array:
    """Return (n_candidates,) belief in the opening sentence of each candidate, summed over all that begin with it.

    Args:
        belief: (n_candidates,) probabilities.
        keys: (n_candidates,) of their sentences.
    """
    sums = np.bincount(keys, weights=belief)
    return np.asarray(sums[keys], dtype=np.float64)


def rank_of_sentence(
    row: int,
    belief: Float64Array,
    keys: IntArray,
) -> int:
    """Return the 1-based rank of a candidate's opening sentence among all opening sentences, by their summed belief."""
    sums = np.bincount(keys, weights=belief)
    is_before = sums > sums[keys[row]]
    return int(is_before.sum()) + 1
