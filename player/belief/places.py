"""Places of a course where the secret may begin: sentences of paragraphs, and openings of raw pages and pieces."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from scipy.sparse import csr_array, lil_array

from player.starts import Start, start_log_odds
from quarry.arrays import Float32Array, Float64Array, IntArray
from quarry.course.openings import (
    content_sentences,
    find_printed,
    opening_by_rule,
)
from quarry.course.paragraph import Paragraph
from quarry.course.piece import Piece
from quarry.course.sentences import alternative_openings, sentences
from quarry.course.text import compared_form, one_line
from quarry.languages.labels import without_label
from quarry.languages.reading_order import in_reading_order
from quarry.languages.words import words

PRINTED = "printed"
"""Name of our own edition: paragraphs as they are printed."""
MAX_OPENINGS = 3
"""Maximum number of sentences with which a paragraph may open, or a piece without a printed sentence."""
MIN_HELD_SHARE = 0.6
"""Minimum share of a paragraph's words in a piece that holds it. A piece in which no paragraph has this share holds the
one with the highest share."""
NEXT_SENTENCE_RATIO = 0.6
"""Probability that a model chooses a content sentence, divided by that of the sentence before it."""
OnPages = dict[tuple[str, int], list[int]]
"""Maps the doc_id and number of a page to the rows of the paragraphs on it."""
_COLON = re.compile(r"(?<=\S)(?<!\b\w):(?=\s)")


@dataclass(frozen=True, eq=False)
class Places:
    """The places of a course, paragraph by paragraph in order; then the places of the pieces of other editions.

    Attributes:
        paragraphs: paragraphs of the course.
        pieces: pieces of other editions.
        links: (n_pieces, n_paragraphs) 1 where a piece holds a paragraph.
        vectors: (n_pieces, dim) vectors of the pieces; (n_pieces, 0) if they have none.
        paragraph_rows: (n_printed,) row in `paragraphs` of each place in a paragraph.
        piece_rows: (n_places - n_printed,) row in `pieces` of each other place.
        starts: (n_places,) the position in its paragraph or piece, with the opening sentence as it is printed.
        held_sentences: (n_places,) the opening sentence as the referee holds it.
        sentence_ids: (n_places,) number of the opening sentence; places with equal opening sentences share it.
        id_by_sentence: number of each opening sentence, by its canonical form.
        log_odds: (n_places,) natural log-odds that the secret begins there, given its paragraph, up to a constant; for
            a place in a piece, its log-probability given the piece.
    """

    paragraphs: Sequence[Paragraph]
    pieces: Sequence[Piece]
    links: csr_array
    vectors: Float32Array
    paragraph_rows: IntArray
    piece_rows: IntArray
    starts: Sequence[Start]
    held_sentences: Sequence[str]
    sentence_ids: IntArray
    id_by_sentence: Mapping[str, int]
    log_odds: Float64Array

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def n_printed(self) -> int:
        """Number of places in paragraphs."""
        return len(self.paragraph_rows)

    def piece(self, place: int) -> Piece | None:
        """Return the piece of a place; None for a place in a paragraph."""
        if place < self.n_printed:
            return None
        return self.pieces[int(self.piece_rows[place - self.n_printed])]

    def held_rows(self, place: int) -> IntArray:
        """Return the row of the paragraph of a place, or the rows of the paragraphs that its piece holds."""
        if place < self.n_printed:
            return self.paragraph_rows[[place]]
        rows: IntArray = self.links[self.piece_rows[[place - self.n_printed]]].indices
        return rows

    def as_paragraph(self, place: int) -> Paragraph:
        """Return the paragraph from a place on; the number of a later sentence is added to its paragraph_id.

        For a place in a piece, return the piece in reading order, with the opening sentence as the referee holds it.
        """
        start = self.starts[place]
        number = f"+{start.number}" if start.number else ""
        piece = self.piece(place)
        if piece is not None:
            return Paragraph(
                paragraph_id=f"{piece.doc_id}:{piece.page}:{piece.edition}{number}",
                doc_id=piece.doc_id,
                page=piece.page,
                heading="",
                text=in_reading_order(piece.text),
                opening_sentence=self.held_sentences[place],
            )

        paragraph = self.paragraphs[int(self.paragraph_rows[place])]
        return replace(
            paragraph,
            paragraph_id=f"{paragraph.paragraph_id}{number}",
            text=paragraph.text[start.offset :],
            opening_sentence=start.sentence,
        )

    def find(self, sentence: str) -> IntArray:
        """Return the places with an opening sentence, in order; sentences are compared as the game compares them."""
        sentence_id = self.id_by_sentence.get(compared_form(sentence), -1)
        return np.flatnonzero(self.sentence_ids == sentence_id)


def find_places(
    paragraphs: Sequence[Paragraph], pieces: Sequence[Piece] = ()
) -> Places:
    """Find the places of a course and of its other editions."""
    paragraph_rows: list[int] = []
    starts: list[Start] = []
    starts_by_row = [list(find_starts(paragraph)) for paragraph in paragraphs]
    for row, own_starts in enumerate(starts_by_row):
        paragraph_rows += [row] * len(own_starts)
        starts += own_starts
    log_odds = start_log_odds(paragraphs, paragraph_rows, starts).tolist()
    held_sentences = [start.sentence for start in starts]
    on_pages = _paragraphs_on_pages(paragraphs)

    piece_rows: list[int] = []
    for row, piece in enumerate(pieces):
        printed = []
        for paragraph_row in on_pages[piece.doc_id, piece.page]:
            printed += [start.sentence for start in starts_by_row[paragraph_row]]
        openings = _openings(piece, printed)
        shares = NEXT_SENTENCE_RATIO ** np.arange(len(openings))
        log_odds += np.log(shares / shares.sum()).tolist()
        for number, (held, sentence) in enumerate(openings.items()):
            piece_rows.append(row)
            held_sentences.append(held)
            starts.append(Start(number, 0, sentence, 0, on_top=not number))

    id_by_sentence: dict[str, int] = {}
    sentence_ids = []
    for start in starts:
        form = compared_form(start.sentence)
        sentence_ids.append(id_by_sentence.setdefault(form, len(id_by_sentence)))

    return Places(
        paragraphs=paragraphs,
        pieces=pieces,
        links=_link_pieces(paragraphs, pieces, on_pages),
        vectors=_vectors(pieces),
        paragraph_rows=np.array(paragraph_rows, dtype=np.int64),
        piece_rows=np.array(piece_rows, dtype=np.int64),
        starts=starts,
        held_sentences=held_sentences,
        sentence_ids=np.array(sentence_ids, dtype=np.int64),
        id_by_sentence=id_by_sentence,
        log_odds=np.array(log_odds),
    )


def _vectors(pieces: Sequence[Piece]) -> Float32Array:
    """Return the vectors of pieces, of zeros for a piece without one; (n_pieces, 0) if no piece has one."""
    rows = [np.frombuffer(piece.vector, np.float32) for piece in pieces]
    n_dimensions = max(map(len, rows), default=0)
    vectors = np.zeros((len(pieces), n_dimensions), dtype=np.float32)
    for vector, row in zip(vectors, rows, strict=True):
        vector[: len(row)] = row
    return vectors


def _openings(piece: Piece, printed: Sequence[str]) -> dict[str, str]:
    """Map the opening sentences that a referee with a piece may hold to the printed ones, the likeliest first.

    Args:
        printed: opening sentences of the places of its paragraphs, as they are printed.
    """
    if piece.is_page:
        opening = opening_by_rule(piece.text)
        return {one_line(opening): in_reading_order(opening, piece.text)}

    positions: list[tuple[int, int, str]] = []
    raw = find_printed(piece.text, printed)
    for number, (position, string) in enumerate(raw):
        if string:
            positions.append((position, number, string))

    openings: dict[str, str] = {}
    for _, number, string in sorted(positions):
        openings.setdefault(string, printed[number])
    if not openings:
        for string in islice(content_sentences(piece.text), MAX_OPENINGS):
            openings[string] = in_reading_order(string, piece.text)
    return openings


def _link_pieces(
    paragraphs: Sequence[Paragraph],
    pieces: Sequence[Piece],
    on_pages: OnPages,
) -> csr_array:
    """Return the (n_pieces, n_paragraphs) table with 1 where a piece holds most words of a paragraph on its pages."""
    long_words = []
    for paragraph in paragraphs:
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
            for row in on_pages[piece.doc_id, page]:
                paragraph_words = long_words[row]
                n_held = sum(word in letters for word in paragraph_words)
                shares[row] = (n_held + 1) / (len(paragraph_words) + 1)

        most = max(shares.values(), default=1.0)
        least = min(MIN_HELD_SHARE, most)
        for row, share in shares.items():
            if share >= least:
                links[number, row] = 1.0
    return csr_array(links)


def _paragraphs_on_pages(paragraphs: Sequence[Paragraph]) -> OnPages:
    """Return the rows of the paragraphs on each page."""
    on_pages: OnPages = defaultdict(list)
    for row, paragraph in enumerate(paragraphs):
        for turn in range(len(paragraph.page_breaks) + 1):
            on_pages[paragraph.doc_id, paragraph.page + turn].append(row)
    return on_pages


def find_starts(paragraph: Paragraph) -> Iterator[Start]:
    """Yield the start of each place of a paragraph: of its sentences, and of page breaks inside a sentence.

    The first sentence is yielded with each of its possible ends. A list after a lead-in has no places.
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
            for variant, text in enumerate(first_sentences(paragraph)):
                at = max(0, body.find(text))
                yield Start(0, at, text, variant, is_turned)

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
                    variant=1,
                    on_top=True,
                )


def first_sentences(paragraph: Paragraph) -> list[str]:
    """Return the possible first sentences of a paragraph, the likeliest first."""
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
    others = alternative_openings(text)
    firsts += [other for other in others if text.startswith(other)]
    return list(dict.fromkeys(firsts))[:MAX_OPENINGS]


def sum_by_sentence(belief: Float64Array, sentence_ids: IntArray) -> Float64Array:
    """Return the (n_candidates,) belief in the opening sentence of each candidate, summed over all that begin with it.

    Args:
        belief: (n_candidates,) probabilities.
        sentence_ids: (n_candidates,) numbers of their opening sentences.
    """
    sums = np.bincount(sentence_ids, weights=belief)
    return np.asarray(sums[sentence_ids], dtype=np.float64)


def rank_of_sentence(
    candidate: int,
    belief: Float64Array,
    sentence_ids: IntArray,
) -> int:
    """Return the 1-based rank of a candidate's opening sentence among all opening sentences, by their summed belief."""
    sums = np.bincount(sentence_ids, weights=belief)
    is_before = sums > sums[sentence_ids[candidate]]
    return int(is_before.sum()) + 1
