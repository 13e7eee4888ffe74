"""What the game's rule says about a paragraph, given the hint: none of the hint's words occurs in it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import regex
from numpy.typing import NDArray

from quarry.ingest.arrays import Float32Array, RowArray
from quarry.ingest.paragraph import Paragraph
from quarry.player.words import is_stop_word, stems, words

_HEBREW = regex.compile(r"\p{Hebrew}{3,}")
_HEBREW_PREFIXES = "ושכלבמה"
_LEAST_LETTERS = 3
"""Letters of a Hebrew word that must be left when a prefix goes."""


WORDS_KEPT = 65_536
"""Words whose base forms are kept."""
MOST_SHARED = 32
"""Counts of shared words from which on more of them say nothing."""
COMMON = 8
"""A word that stands in one of so many paragraphs is kept as a mark of each, which takes less than their rows."""


class Likelihood:
    """How referees keep the rule: a mixture of those who keep it, with slips, and those who do not care.

    Args:
        keep: share of the referees who keep the rule.
        slip: how much likelier a word that does not occur is chosen than one that does, by a referee who keeps it.

    A paragraph that shares n of the hint's words is as likely as keep * slip**n + (1 - keep), against 1 for one that
    shares none: the first shared word says most, and no number of them says more than that the referee does not care.
    """

    def __init__(self, keep: float, slip: float) -> None:
        self._table = np.log(keep * slip ** np.arange(MOST_SHARED) + (1.0 - keep)).astype(np.float32)

    def log_odds(self, shared: RowArray) -> Float32Array:
        """(n_paragraphs,) what the counts of shared words say, 0 where there are none."""
        found: Float32Array = self._table.take(shared, mode="clip")
        return found


CONTENT = Likelihood(keep=0.99, slip=0.02)
"""Of words that carry meaning. Hints that people wrote never broke it, which 600 games cannot tell from one in 100."""
FUNCTION = Likelihood(keep=0.97, slip=0.05)
"""Of words like "the", which referees often overlook: a hint that has some of them then says nothing."""
RELATED = Likelihood(keep=0.85, slip=0.2)
"""Of words that occur in another form only: the rule forbids the word, and many writers avoid its relatives too."""


Holders = NDArray[np.uint32] | NDArray[np.uint8]
"""Which paragraphs hold a word: their rows, ascending, or, of a common one, (n_paragraphs,) 1 for each that does."""


@dataclass(frozen=True, slots=True)
class _Index:
    """Which paragraphs hold a word, by the words that occur in them and by the base forms of those."""

    by_word: Mapping[str, Holders]
    by_form: Mapping[str, Holders]


class RuleEvidence:
    """What a hint's words say against the paragraphs that contain them.

    Args:
        paragraphs: the course; its words are looked up when first needed.
        weight: of the evidence, 1 for as much as was fitted.
    """

    def __init__(self, paragraphs: Sequence[Paragraph], weight: float = 1.0) -> None:
        self._paragraphs = paragraphs
        self._weight = weight

    @functools.cached_property
    def _index(self) -> _Index:
        by_word: dict[str, list[int]] = {}
        by_form: dict[str, list[int]] = {}
        forms: dict[str, tuple[str, ...]] = {}
        for row, paragraph in enumerate(self._paragraphs):
            unique = set(words(paragraph.text))
            for word in unique:
                by_word.setdefault(word, []).append(row)
                if word not in forms:
                    forms[word] = base_forms(word)
            for form in {form for word in unique for form in forms[word]}:
                by_form.setdefault(form, []).append(row)
        n = len(self._paragraphs)
        return _Index(_as_holders(by_word, n), _as_holders(by_form, n))

    @functools.cached_property
    def _evidence(self) -> Float32Array:
        """(MOST_SHARED**3,) log-odds by the counts of words that carry meaning, function words and related ones."""
        content, function, related = (kind.log_odds(np.arange(MOST_SHARED)) for kind in (CONTENT, FUNCTION, RELATED))
        evidence: Float32Array = content[:, None, None] + function[None, :, None] + related[None, None, :]
        return self._weight * evidence.ravel()

    def log_odds(self, hint: str) -> Float32Array:
        """(n_paragraphs,) natural log of how much less likely each paragraph is for the words it shares; 0 or less."""
        index = self._index
        said = dict.fromkeys(words(hint))
        content: list[Holders] = []
        function: list[Holders] = []
        related: list[Holders] = []
        for word in said:
            holders = index.by_word.get(word)
            if is_stop_word(word):
                if holders is not None:
                    function.append(holders)
                continue
            kin = [index.by_form[form] for form in base_forms(word) if form in index.by_form]
            if kin:
                related.append(kin[0] if len(kin) == 1 else self._any_of(kin))
            if holders is not None:
                content.append(holders)
        counts = self._counted(content), self._counted(function), self._counted(related)
        counts[2][:] -= counts[0]  # every word is among its own relatives
        if len(said) >= MOST_SHARED:
            for of_kind in counts:
                np.minimum(of_kind, MOST_SHARED - 1, out=of_kind)
        # the three counts as digits of one number, by which the evidence is looked up once
        places = counts[0]
        for of_kind in counts[1:]:
            places *= MOST_SHARED
            places += of_kind
        evidence: Float32Array = self._evidence.take(places)
        return evidence

    def _counted(self, found: Sequence[Holders]) -> RowArray:
        """(n_paragraphs,) of how many words each paragraph is a holder."""
        n = len(self._paragraphs)
        rows = [holders for holders in found if holders.dtype == np.uint32]
        counts: RowArray = np.bincount(np.concatenate(rows), minlength=n) if rows else np.zeros(n, dtype=np.intp)
        marks = [holders for holders in found if holders.dtype == np.uint8]
        if marks:
            total: NDArray[Any] = np.zeros(n, dtype=np.uint8 if len(marks) < 256 else np.uint32)
            for holders in marks:
                total += holders
            counts += total
        return counts

    def _any_of(self, kin: Sequence[Holders]) -> NDArray[np.uint8]:
        marks = np.zeros(len(self._paragraphs), dtype=np.uint8)
        for holders in kin:
            if holders.dtype == np.uint8:
                marks |= holders.astype(np.uint8, copy=False)
            else:
                marks[holders] = 1
        return marks


def _as_holders(lists: Mapping[str, list[int]], n_paragraphs: int) -> dict[str, Holders]:
    found: dict[str, Holders] = {}
    for key, rows in lists.items():
        found[key] = np.array(rows, dtype=np.uint32)
        if len(rows) * COMMON > n_paragraphs:
            marks = np.zeros(n_paragraphs, dtype=np.uint8)
            marks[rows] = 1
            found[key] = marks
    return found


@functools.lru_cache(WORDS_KEPT)
def base_forms(word: str) -> tuple[str, ...]:
    """What a word may be a form of: its stem; of a Hebrew word, also what is left without one or two prefix letters."""
    if not _HEBREW.fullmatch(word):
        return tuple(dict.fromkeys(stems(word)))
    found = [word]
    for cut in (1, 2):
        rest = word[cut:]
        if len(rest) < _LEAST_LETTERS or word[cut - 1] not in _HEBREW_PREFIXES:
            break
        found.append(rest)
    return tuple(found)
