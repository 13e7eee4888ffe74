"""What a referee is, and what it may answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

NOT_RELEVANT = "Not Relevant"
LETTERS = "ABCD"


class Referee(Protocol):
    """What answers the player's questions; it sees the paragraph, and of a question its text and its options."""

    def answer(self, paragraph: str, question: str, options: Sequence[str]) -> str:
        """One of "A", "B", "C", "D", for the option that fits, or "Not Relevant".

        Args:
            paragraph: the secret paragraph.
            question: the question's text, with no options in it.
            options: texts of A to D, in this order.
        """
