"""How much a text looks as if it was read wrongly: letters in reverse, no spaces, characters that mean nothing."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from quarry.ingest.pdf.model import UNKNOWN

WORTH_ASKING = 0.3
"""Doubt, 0..1, from which on another reader is asked."""

MIN_FINAL_LETTERS = 5
"""Letters of a form that only ends words, below which a text says nothing about its direction."""

MIN_ACCENTED_WORDS = 20
"""Words with letters beyond ASCII below which a text says nothing about its letters."""

_FINAL_FORMS = frozenset("ךםןףץ")
_STRANGE = frozenset(["So", "Co", "Cn", "Cc", "Cs"])
_PLAIN = re.compile(r"""[("'“‘„\[]*(?:[^\W\d_]+(?:[-’'"״׳/][^\W\d_]+)*|[\d.,]*\d%?|[^\w\s])[)\]"'”’.,;:!?…]*-?""")
_LONG_WORD = 25
"""Letters from which on a word is several without spaces, in scripts that have them."""


def doubtfulness(lines: Iterable[str]) -> float:
    """The doubt about a text, 0..1: the largest of five shares.

    - of the Hebrew letters that only end words, those that begin one: in a text read backwards, all of them;
    - of the letters of alphabets with spaces, those in words too long to be words;
    - of the words with letters beyond ASCII, those with a capital after a small letter, as one script's letters have
      that the file calls another's;
    - of the visible characters, those that the file does not tell;
    - of the visible characters, those that are neither letters, figures nor signs of writing or mathematics.
    """
    seen: Counter[str] = Counter()
    first = last = letters = run_together = accented = jumbled = 0
    for line in lines:
        for word in line.split():
            seen.update(word)
            bare = word.strip("()[]{}.,:;!?\"'-")
            if not bare:
                continue
            first += len(bare) > 1 and bare[0] in _FINAL_FORMS
            last += len(bare) > 1 and bare[-1] in _FINAL_FORMS
            if not bare.isascii() and len(bare) > 2 and bare.isalpha() and bare.lower() != bare.upper():
                accented += 1
                jumbled += any(one.islower() and other.isupper() for one, other in itertools.pairwise(bare))
            if bare.isalpha() and bare[0] < "\u0900":  # from there on, scripts that need not part words
                letters += len(bare)
                run_together += len(bare) if len(bare) >= _LONG_WORD else 0
    backwards = first / (first + last) if first + last >= MIN_FINAL_LETTERS else 0.0
    mixed = jumbled / accented if accented >= MIN_ACCENTED_WORDS else 0.0
    visible = max(1, seen.total())
    strange = sum(count for char, count in seen.items() if unicodedata.category(char) in _STRANGE and char != UNKNOWN)
    return max(backwards, mixed, run_together / max(1, letters), seen[UNKNOWN] / visible, strange / visible)


def oddness(lines: Iterable[str]) -> float:
    """Share of the pieces between spaces that are neither words, numbers nor single signs, 0..1; 1 without any.

    A page that was recognised badly has letters, figures and signs mixed.
    """
    pieces = [piece for line in lines for piece in line.split()]
    return sum(not _PLAIN.fullmatch(piece) for piece in pieces) / len(pieces) if pieces else 1.0
