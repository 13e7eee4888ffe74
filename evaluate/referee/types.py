"""The questions and the secret of a referee, and the protocol that every referee implements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from quarry.evaluate.games.labelled import LabelledGame
from quarry.ingest.paragraph import Paragraph
from quarry.player.questions.answer import Answer

N_QUESTIONS = 20

Posed = tuple[str, Sequence[str]]
"""The text of a question, without options, and the texts of A to D, in this order."""

Retriever = Callable[[str], tuple[str, ...]]
"""Maps the text of a question to the passages of the course that are nearest to it."""


@dataclass(frozen=True, slots=True)
class Secret:
    """All that is known about the secret paragraph; the view of a referee says how much of it the referee sees.

    Attributes:
        paragraph: the whole text.
        opening_sentence: as labelled.
        book_name, hint: as the player is told.
    """

    paragraph: str
    opening_sentence: str
    book_name: str = ""
    hint: str = ""


def secret_of(game: LabelledGame, paragraph: Paragraph | None) -> Secret | None:
    """Return the labelled texts, completed from the ingested paragraph; None if neither has a text."""
    labelled = game.paragraph if game.paragraph != game.opening_sentence else ""
    text = labelled or (paragraph.text if paragraph else "")
    opening = game.opening_sentence or (paragraph.opening_sentence if paragraph else "")
    return Secret(text, opening, game.book_name, game.hint) if text else None


class Referee(Protocol):
    """Answers the player's questions."""

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """Answer each question with "A", "B", "C", "D" or "Not Relevant"; None where no answer is sent.

        Args:
            secret: of the game.
            questions: by their numbers, from 1.
        """
