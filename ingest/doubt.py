"""How much a text looks as if it was read wrongly: letters in reverse, no spaces, characters that mean nothing."""

from __future__ import annotations

from collections.abc import Iterable

from ingest.readers.model import UNKNOWN

WORTH_ASKING = 0.3
"""Doubt, 0..1, from which on another reader is asked."""

MIN_FINAL_LETTERS = 5
"""Letters of a form that only ends words, below which a text says nothing about its direction."""

_FINAL_FORMS = frozenset("ךםןףץ")
_LONG_WORD = 25
"""Letters from which on a word is several without spaces, in scripts that have them."""


def doubtfulness(lines: Iterable[str]) -> float:
    """The doubt about a text, 0..1: the largest of three shares.

    - of the Hebrew letters that only end words, those that begin one: in a text read backwards, all of them;
    - of the letters of alphabets with spaces, those in words too long to be words;
    - of the visible characters, those that the file does not tell.
    """
    first = last = letters = run_together = visible = unknown = 0
    for line in lines:
        for word in line.split():
            visible += len(word)
            unknown += word.count(UNKNOWN)
            bare = word.strip("()[]{}.,:;!?\"'-")
            if not bare:
                continue
            first += len(bare) > 1 and bare[0] in _FINAL_FORMS
            last += len(bare) > 1 and bare[-1] in _FINAL_FORMS
            if bare.isalpha() and bare[0] < "\u0900":  # from there on, scripts that need not part words
                letters += len(bare)
                run_together += len(bare) if len(bare) >= _LONG_WORD else 0
    backwards = first / (first + last) if first + last >= MIN_FINAL_LETTERS else 0.0
    return max(backwards, run_together / max(1, letters), unknown / max(1, visible))
