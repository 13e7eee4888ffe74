"""How much of the secret paragraph a referee sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from quarry.evaluate.referee.types import Secret
from quarry.evaluate.referee.visible_context import Seen, see, see_opening

Retriever = Callable[[str], tuple[str, ...]]
"""A question's text -> the passages of the course that are nearest to it."""


@dataclass(frozen=True, slots=True)
class View:
    """One way of seeing.

    Attributes:
        says: what is seen, for the help.
        look: what is seen of a secret while a question with this text is answered.
    """

    says: str
    look: Callable[[Secret, str, Retriever], Seen]


def no_passages(question: str) -> tuple[str, ...]:
    """Nothing: there is no course."""
    return ()


VIEWS: Mapping[str, View] = {
    "paragraph": View(
        "the whole paragraph (the default)",
        lambda secret, question, retrieve: see(secret.paragraph, secret.opening_sentence),
    ),
    "opening": View(
        "the labelled opening sentence alone, taken for the paragraph",
        lambda secret, question, retrieve: see_opening(secret.opening_sentence),
    ),
    "passages": View(
        "the labelled opening sentence and the four paragraphs of the course nearest to question_text",
        lambda secret, question, retrieve: see_opening(secret.opening_sentence, retrieve(question)),
    ),
    "name": View(
        "the book's name and the hint", lambda secret, question, retrieve: see(f"{secret.book_name}. {secret.hint}")
    ),
    "nothing": View("nothing at all", lambda secret, question, retrieve: see("")),
}
"""By name; another view is another line."""
