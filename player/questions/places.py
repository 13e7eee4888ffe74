"""Places where the secret passage may begin: its sentences, and the ways to end the first one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from quarry.ingest.arrays import Float64Array, IntArray
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.paragraphs.sentence import alternatives, sentences
from quarry.player.questions import start_model
from quarry.player.words import canonical

MAX_READINGS = 3
"""The most ways to end the first sentence of a passage."""
_COLON = re.compile(r"(?<=\S)(?<!\b\w):(?=\s)")


@dataclass(frozen=True, slots=True)
class Start:
    """One place in one passage.

    Attributes:
        number: number of the sentence within the passage, from 0.
        offset: position in the passage's text.
        sentence: the opening sentence of a guess.
        reading: 0 for the usual end of the sentence, more for another.
        on_top: whether it is the first whole sentence that begins on its page.
    """

    number: int
    offset: int
    sentence: str
    reading: int
    on_top: bool


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The places of a course, those of a passage together and in order.

    Attributes:
        paragraphs: passages of the course.
        rows: (n_places,) row of each place's passage in `paragraphs`.
        starts: (n_places,) in the passage.
        keys: (n_places,) number of the opening sentence; places with equal opening sentences share it.
        numbers: canonical opening sentence -> key.
        log_odds: (n_places,) natural log-odds that the secret begins there, given the passage, up to a constant.
        kind_log_odds: (n_paragraphs,) natural log-odds that a referee chooses a passage of this kind, up to a constant.
    """

    paragraphs: Sequence[Paragraph]
    rows: IntArray
    starts: Sequence[Start]
    keys: IntArray
    numbers: Mapping[str, int]
    log_odds: Float64Array
    kind_log_odds: Float64Array

    def __len__(self) -> int:
        return len(self.rows)

    def paragraph(self, place: int) -> Paragraph:
        """Return the passage from a place on; the number of a later sentence is added to its paragraph_id."""
        passage, start = self.paragraphs[int(self.rows[place])], self.starts[place]
        number = f"+{start.number}" if start.number else ""
        return replace(
            passage,
            paragraph_id=f"{passage.paragraph_id}{number}",
            text=passage.text[start.offset :],
            opening_sentence=start.sentence,
        )

    def find(self, sentence: str) -> IntArray:
        """Return the places with an opening sentence, compared as the game compares sentences, in order."""
        return np.flatnonzero(self.keys == self.numbers.get(canonical(sentence), -1))


def places_of(paragraphs: Sequence[Paragraph]) -> Places:
    """Return the places of a course."""
    rows: list[int] = []
    starts: list[Start] = []
    keys: dict[str, int] = {}
    for row, paragraph in enumerate(paragraphs):
        found = list(starts_of(paragraph))
        rows += [row] * len(found)
        starts += found
    compared = [canonical(start.sentence) or start.sentence for start in starts]  # "" for symbols alone
    return Places(
        paragraphs,
        np.array(rows, dtype=np.int64),
        starts,
        np.array([keys.setdefault(sentence, len(keys)) for sentence in compared], dtype=np.int64),
        keys,
        start_model.place_log_odds(paragraphs, rows, starts),
        start_model.kind_log_odds(paragraphs),
    )


def starts_of(paragraph: Paragraph) -> Iterator[Start]:
    """Yield the places of a passage: each of its own sentences, and page breaks inside a sentence.

    The first sentence is yielded once for each of its readings.
    """
    own = paragraph.text[: paragraph.own_length or None]
    breaks = list(paragraph.page_breaks)
    offset = 0
    turned = paragraph.on_top
    for number, sentence in enumerate(sentences(own)):
        offset = own.index(sentence, offset)
        while breaks and offset >= breaks[0]:
            turned = True
            breaks.pop(0)
        on_top, turned = turned, False
        if number == 0:
            for reading, text in enumerate(readings(paragraph)):
                yield Start(0, 0, text, reading, on_top)
        else:
            yield Start(number, offset, sentence, 0, on_top)
        offset += len(sentence)
        if breaks and breaks[0] < offset:
            start = breaks.pop(0)
            turned = True
            rest = own[start:offset].strip()
            if rest[:1].isalpha() and not rest[:1].islower():
                yield Start(number, start, rest, 1, on_top=True)


def readings(paragraph: Paragraph) -> list[str]:
    """Return the possible first sentences of a passage, the likeliest first."""
    first, text = paragraph.opening_sentence, paragraph.text
    found = [first]
    colon = _COLON.search(first)
    if colon:
        found.append(first[: colon.end()].rstrip())
    if paragraph.own_length and len(first) == paragraph.own_length:
        found.append(sentences(text)[0])  # the sentence may continue after the display
    found += [reading for reading in alternatives(text) if text.startswith(reading)]
    return list(dict.fromkeys(found))[:MAX_READINGS]


def by_sentence(belief: Float64Array, keys: IntArray) -> Float64Array:
    """Return (n_candidates,) belief in the opening sentence of each candidate, summed over all that begin with it.

    Args:
        belief: (n_candidates,) probabilities.
        keys: (n_candidates,) of their sentences.
    """
    sums: Float64Array = np.bincount(keys, weights=belief).astype(np.float64)[keys]
    return sums


def rank_of_sentence(row: int, belief: Float64Array, keys: IntArray) -> int:
    """Return the 1-based rank of a candidate's opening sentence among all opening sentences, by their summed belief."""
    sums = np.bincount(keys, weights=belief)
    return int((sums > sums[keys[row]]).sum()) + 1
