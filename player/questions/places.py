"""Places where a referee's passage may begin, and how likely it is to begin at each of them."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import numpy as np

from quarry.configs.places import own_fit
from quarry.ingest.arrays import Float64Array, IntArray
from quarry.ingest.paragraph import Kind, Paragraph
from quarry.ingest.paragraphs.sentence import alternatives, sentences
from quarry.player.words import canonical

STARTS_FILE = Path(__file__).with_name("starts.json")
KINDS: tuple[Kind, ...] = get_args(Kind)
FEW_WORDS, USUAL_WORDS = 6, 40
PROSE_FIRST = 2.0
"""Natural log-odds by which a search ranks other passages lower than their kind deserves; the belief takes it back."""
MAX_READINGS = 3
"""Ways to cut the first sentence that are considered at the beginning of a passage."""
_COLON = re.compile(r"(?<=\S)(?<!\b\w):(?=\s)")

OF_PLACE = (
    *("later sentence", "top of page", "later sentence at top of page", "ends at a colon", "other reading"),
    *("after a colon", "sentence of few words", "sentence begins small", "log words left"),
    *("log words", "few words", "no end mark", "begins small", "introduces a list"),
)
"""Features of a place, and of the passage from there on, beside the kind of the passage."""


@dataclass(frozen=True, slots=True)
class Start:
    """One place in one passage.

    Attributes:
        number: of the sentence within the passage, from 0.
        offset: in the passage's text.
        sentence: the opening sentence, as it would be sent.
        reading: 0 for the usual way to cut the sentence, 1 for another.
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
        paragraphs: the passages.
        rows: (n_places,) row of each place's passage in `paragraphs`.
        starts: (n_places,) where in the passage it is.
        keys: (n_places,) number that places share whose opening sentences are equal as the game compares them.
        numbers: opening sentence, as it is compared -> key.
        log_odds: (n_places,) natural log-odds that a referee begins there, given the passage, up to a constant.
    """

    paragraphs: Sequence[Paragraph]
    rows: IntArray
    starts: Sequence[Start]
    keys: IntArray
    numbers: Mapping[str, int]
    log_odds: Float64Array

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def firsts(self) -> IntArray:
        """(n_paragraphs,) the first place of each passage."""
        return np.searchsorted(self.rows, np.arange(len(self.paragraphs)))

    def paragraph(self, place: int) -> Paragraph:
        """The passage from a place on; a later sentence's number is added to its paragraph_id."""
        passage, start = self.paragraphs[int(self.rows[place])], self.starts[place]
        number = f"+{start.number}" if start.number else ""
        return replace(
            passage,
            paragraph_id=f"{passage.paragraph_id}{number}",
            text=passage.text[start.offset :],
            opening_sentence=start.sentence,
        )

    def find(self, sentence: str) -> IntArray:
        """The places whose opening sentence equals a sentence as the game compares them, in order."""
        return np.flatnonzero(self.keys == self.numbers.get(canonical(sentence), -1))


def places_of(paragraphs: Sequence[Paragraph], weights: Mapping[str, float] | None = None) -> Places:
    """The places of a course.

    Args:
        paragraphs: the passages.
        weights: of the features, natural log-odds per unit; None takes the fitted ones.
    """
    weights = start_weights() if weights is None else weights
    rows: list[int] = []
    starts: list[Start] = []
    keys: dict[str, int] = {}
    for row, paragraph in enumerate(paragraphs):
        found = list(starts_of(paragraph))
        rows += [row] * len(found)
        starts += found
    features = place_features(paragraphs, rows, starts)
    return Places(
        paragraphs,
        np.array(rows, dtype=np.int64),
        starts,
        np.array([keys.setdefault(canonical(start.sentence), len(keys)) for start in starts], dtype=np.int64),
        keys,
        features @ np.array([weights.get(name, 0.0) for name in OF_PLACE]),
    )


def starts_of(paragraph: Paragraph) -> Iterator[Start]:
    """The places of a passage: each of its own sentences, and where a page turns inside one.

    The first sentence, and one at the top of a page, come in every reading.
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
    """What a referee may take for the first sentence of a passage, the likeliest first."""
    first, text = paragraph.opening_sentence, paragraph.text
    found = [first]
    colon = _COLON.search(first)
    if colon:
        found.append(first[: colon.end()].rstrip())
    if paragraph.own_length and len(first) == paragraph.own_length:
        found.append(sentences(text)[0])  # it may run on over the display
    found += [reading for reading in alternatives(text) if text.startswith(reading)]
    return list(dict.fromkeys(found))[:MAX_READINGS]


def place_features(paragraphs: Sequence[Paragraph], rows: Sequence[int], starts: Sequence[Start]) -> Float64Array:
    """(n_places, len(OF_PLACE)) features that say how likely a referee is to begin at each place."""
    table = np.zeros((len(starts), len(OF_PLACE)))
    for place, (row, start) in enumerate(zip(rows, starts, strict=True)):
        paragraph = paragraphs[row]
        text = paragraph.text
        later = start.number > 0
        n_words = len(text.split())
        table[place] = (
            later,
            start.on_top,
            later and start.on_top,
            start.reading > 0 and start.sentence.endswith(":"),
            start.reading > 0 and not start.sentence.endswith(":"),
            later and text[: start.offset].rstrip().endswith(":"),
            later and len(start.sentence.split()) < FEW_WORDS,
            later and _begins_small(start.sentence),
            later * np.log(max(1, len(text) - start.offset) / max(1, len(text))),
            np.log(max(n_words, 1) / USUAL_WORDS),
            n_words < FEW_WORDS,
            text.rstrip("\"'”’)»")[-1:] not in ".?!:",
            _begins_small(text),
            bool(paragraph.follows) or paragraph.own_length > 0,
        )
    return table


def kind_log_odds(paragraphs: Sequence[Paragraph]) -> Float64Array:
    """(n_paragraphs,) natural log-odds that a referee chooses a passage of each one's kind, up to a constant."""
    weights = start_weights()
    of_kind = {kind: weights.get(kind, 0.0) for kind in KINDS}
    return np.array([of_kind[paragraph.kind] for paragraph in paragraphs])


def search_log_odds(paragraphs: Sequence[Paragraph]) -> Float64Array:
    """(n_paragraphs,) what the kind of each passage adds to its log-odds in a search, which shows prose first."""
    return kind_log_odds(paragraphs) - PROSE_FIRST * is_other(paragraphs)


def is_other(paragraphs: Sequence[Paragraph]) -> Float64Array:
    """(n_paragraphs,) 1 for each passage that is no prose, else 0."""
    return np.array([float(paragraph.kind != "prose") for paragraph in paragraphs])


@functools.cache
def start_weights() -> Mapping[str, float]:
    """The fitted weights of all features; the user's own fit where there is one."""
    own = own_fit(STARTS_FILE)
    weights: dict[str, float] = json.loads((own if own.exists() else STARTS_FILE).read_text(encoding="utf-8"))[
        "weights"
    ]
    return weights


def _begins_small(text: str) -> bool:
    first = text.lstrip("([\"'“‘„«")[:1]
    return first.islower() or not first.isalnum()


def by_sentence(belief: Float64Array, keys: IntArray) -> Float64Array:
    """(n_candidates,) belief in the opening sentence of each candidate, summed over all that begin with it.

    Args:
        belief: (n_candidates,) probabilities.
        keys: (n_candidates,) of their sentences.
    """
    sums: Float64Array = np.bincount(keys, weights=belief).astype(np.float64)[keys]
    return sums


def rank_of_sentence(row: int, belief: Float64Array, keys: IntArray) -> int:
    """1-based rank of a candidate's opening sentence among the different ones, by their summed belief."""
    sums = np.bincount(keys, weights=belief)
    return int((sums > sums[keys[row]]).sum()) + 1
