"""The protocol of referees: the secret and the questions that they get, and the answers that they give."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from evaluate.games.labelled import LabelledGame
from evaluate.referee.context import readable, within
from player.answer import Answer
from quarry.course.paragraph import Paragraph

Posed = tuple[str, Sequence[str]]
"""The text of a question without its options, and the texts of the options A to D."""


@dataclass(frozen=True, slots=True)
class Secret:
    """The secret paragraph and its game; the view of a referee decides which part of it the referee sees.

    Attributes:
        paragraph: the whole text.
        opening_sentence: the labelled opening sentence.
        book_name, hint: as the player gets them.
    """

    paragraph: str
    opening_sentence: str
    book_name: str = ""
    hint: str = ""


def build_secret(game: LabelledGame, paragraph: Paragraph) -> Secret:
    """Build the secret of a game from the label, and from the ingested paragraph where the label has no text."""
    text = game.paragraph or paragraph.text
    opening = game.opening_sentence or paragraph.opening_sentence
    if game.edition:
        text, opening = readable(text, text), readable(within(text, opening), text)
    return Secret(text, opening, game.book_name, game.hint)


class Referee(Protocol):
    """Answers the player's questions."""

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """Answer each question with "A", "B", "C", "D" or "Not Relevant"; None sends no answer.

        Args:
            secret: the secret of the game.
            questions: the questions in the order of their numbers.
        """
        ...
