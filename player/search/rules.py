"""What the game's rule says about a paragraph, given the hint: none of the hint's words occurs in it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import regex

from quarry.ingest.arrays import Float32Array, RowArray
from quarry.ingest.paragraph import Paragraph
from quarry.player.words import is_stop_word, stems, words

_HEBREW = regex.compile(r"\p{Hebrew}{3,}")
_HEBREW_PREFIXES = "ושכלבמה"
_LEAST_LETTERS = 3
"""Letters of a Hebrew word that must be left when a prefix goes."""


WORDS_KEPT = 65_536
"""Words whose base forms are kept."""


class Likelihood:
    """How referees keep the rule: a mixture of those who keep it, with slips, and those who do not care.

    Args:
        keep: share of the referees who keep the rule.
        slip: how much likelier a word that does not occur is chosen than one that does, by a referee who keeps it.

    A paragraph that shares n of the hint's words is as likely as keep * slip**n + (1 - keep), against 1 for one that
    shares none: the first shared word says most, and no number of them says more than that the referee does not care.
    """

    def __init__(self, keep: float, slip: float) -> None:
        self._table = np.log(keep * slip ** np.arange(32) + (1.0 - keep)).astype(np.float32)

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


@dataclass(frozen=True, slots=True)
class _Index:
    """Rows of paragraphs, ascending, by the words that occur in them and by the base forms of those."""

    by_word: Mapping[str, RowArray]
    by_form: Mapping[str, RowArray]


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
        return _Index(_as_rows(by_word), _as_rows(by_form))

    def log_odds(self, hint: str) -> Float32Array:
        """(n_paragraphs,) natural log of how much less likely each paragraph is for the words it shares; 0 or less."""
        index = self._index
        content, function, related = np.zeros((3, len(self._paragraphs)), dtype=np.intp)
        for word in dict.fromkeys(words(hint)):
            rows = index.by_word.get(word)
            if is_stop_word(word):
                if rows is not None:
                    function[rows] += 1
                continue
            kin = [index.by_form[form] for form in base_forms(word) if form in index.by_form]
            if kin:
                related[np.unique(np.concatenate(kin)) if len(kin) > 1 else kin[0]] += 1
            if rows is not None:
                content[rows] += 1
                related[rows] -= 1  # every word is among its own relatives
        evidence = CONTENT.log_odds(content) + FUNCTION.log_odds(function) + RELATED.log_odds(related)
        return self._weight * evidence


def _as_rows(lists: Mapping[str, list[int]]) -> dict[str, RowArray]:
    return {key: np.array(rows, dtype=np.intp) for key, rows in lists.items()}


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
