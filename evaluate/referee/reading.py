"""Reading: the manner that reads questions by rules and checks what is seen."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from evaluate.referee.option import read_option
from evaluate.referee.question import ODD_PART, read_question
from evaluate.referee.readers.amount import by_amount
from evaluate.referee.readers.letter import by_letter
from evaluate.referee.readers.order import by_order
from evaluate.referee.readers.place import by_place
from evaluate.referee.readers.presence import by_presence
from evaluate.referee.readers.yes_no import by_yes_or_no
from evaluate.referee.seen import Seen
from evaluate.referee.types import LETTERS, NOT_RELEVANT
from evaluate.referee.verdict import settle

N_KEPT = 2**17
"""Readings that are remembered."""


class Reading:
    """Reads a question's wording by rules, English or Hebrew, and checks the text; always the same answer.

    It understands what can be checked in a text's letters: which words occur, how it begins or ends, where
    a word stands, what comes first or more often, what signs there are, how much there is of something. Words match
    whole, in any script, after NFKC and case folding; inflected forms only where the question says "in any form".
    It is strict: where no option fits, or several do and the question has no rule for that, nothing is relevant.
    """

    def __init__(self) -> None:
        self._remembered = functools.lru_cache(maxsize=N_KEPT)(_read)

    def answer(self, seen: Seen, number: int, question: str, options: Sequence[str]) -> str:
        """The letter of the one option that holds, "Not Relevant" for what it cannot parse or decide."""
        return self._remembered(seen, question, tuple(options))


def _read(seen: Seen, question: str, options: tuple[str, ...]) -> str:
    asked = read_question(question)
    if ODD_PART.search(asked.bare):
        return NOT_RELEVANT
    choices = [read_option(option) for option in options[: len(LETTERS)]]
    for reader in (by_amount, by_place, by_order, by_letter, by_yes_or_no, by_presence):
        verdict = reader(asked, choices, seen)
        if verdict is not None:
            return settle(asked, verdict)
        if reader is by_order and re.search(r"\bhow (?:many|often|long)\b|(?:^|\s)כמה\b", asked.bare):
            break  # of an amount that cannot be counted nothing else can be said
    return NOT_RELEVANT
