"""What a referee looks at while it answers a question."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from quarry.evaluate.referee.text import normalise, sentences_of


@dataclass(frozen=True, slots=True)
class Seen:
    """A text, taken for the paragraph.

    Attributes:
        text: normalised; all that is seen.
        opening: what it begins with, where that is known to be one sentence; "" where the sentences are to be told
            from the text.
    """

    text: str
    opening: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Its sentences, in order."""
        if not self.opening:
            return sentences_of(self.text)
        rest = self.text[len(self.opening) :].strip()
        return (self.opening, *sentences_of(rest))


@functools.lru_cache(maxsize=1024)
def see(paragraph: str, opening: str = "") -> Seen:
    """A whole text.

    Args:
        opening: its first sentence, for a text that begins with it; "" where that is to be told from the text.
    """
    text, first = normalise(paragraph), normalise(opening)
    return Seen(text, first if text.startswith(first) else "")


@functools.lru_cache(maxsize=4096)
def see_opening(sentence: str, passages: tuple[str, ...] = ()) -> Seen:
    """An opening sentence, and what stands with it."""
    opening = normalise(sentence)
    return Seen(" ".join([opening, *map(normalise, passages)]), opening)
