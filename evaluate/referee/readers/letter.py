"""Questions about the letter that the text begins with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluate.referee.option import Choice
from evaluate.referee.question import Asked
from evaluate.referee.scope import part_of
from evaluate.referee.seen import Seen
from evaluate.referee.text import fold
from evaluate.referee.verdict import Verdict
from evaluate.referee.way_out import NONE

_LETTER_RANGE = re.compile(
    r"^(?:\W|\b(?:from|between|letters?|the|in|a letter)\b|בין|אות(?:יות)?)*"
    r"([^\W\d_])\W*\s*(?:-|to|through|and|עד|ל-?)\s*\W*([^\W\d_])(?!\w)"
)


def by_letter(asked: Asked, choices: Sequence[Choice], seen: Seen) -> Verdict | None:
    """With which letter the text, or its first word, begins."""
    asks_letter = re.search(r"\bletters?\b|\balphabet\b|\bאות\b|\bהאות\b|אלפבית", asked.bare)
    if asked.edge != "begin" or not asks_letter or asked.targets:
        return None
    initial = next((char for char in fold(part_of(seen, asked.scope)) if char.isalnum()), "")
    fits: list[bool | None] = []
    for choice in choices:
        found = _LETTER_RANGE.match(choice.folded)
        single = re.findall(r"(?<!\w)[^\W\d_](?!\w)", choice.folded)
        if found:
            fits.append(found[1] <= initial <= found[2])
        elif re.search(r"\bvowels?\b|\bconsonants?\b", choice.folded):
            fits.append(initial.isalpha() and (initial in "aeiou") == ("vowel" in choice.folded))
        elif re.search(r"\b(?:digits?|numbers?)\b|ספרה|מספר", choice.folded):
            fits.append(initial.isdigit())
        elif single and len(choice.folded) <= 30 and not NONE.search(choice.folded):
            fits.append(initial in single)
        else:
            fits.append(None)
    for row, choice in enumerate(choices):
        if fits[row] is None and NONE.search(choice.folded):
            fits[row] = not any(fits)
    return Verdict(fits) if sum(fit is not None for fit in fits) >= 2 else None
