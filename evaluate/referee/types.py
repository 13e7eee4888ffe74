"""What a referee is, what it is asked, and what it may answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from quarry.player.questions.answer import Answer

N_QUESTIONS = 20

Posed = tuple[str, Sequence[str]]
"""A question's text, with no options in it, and the texts of A to D, in this order."""


@dataclass(frozen=True, slots=True)
class Secret:
    """What there is to know about the secret paragraph; a referee's view says how much of it is seen.

    Attributes:
        paragraph: the whole text.
        opening_sentence: as labelled.
        book_name, hint: as the player is told.
    """

    paragraph: str
    opening_sentence: str
    book_name: str = ""
    hint: str = ""


class Referee(Protocol):
    """What answers the player's questions."""

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """For each question "A", "B", "C", "D" or "Not Relevant"; None where no answer is sent.

        Args:
            secret: of the game.
            questions: by their numbers, from 1.
        """
