"""How a referee comes to an answer, once it sees what it sees."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from typing import Protocol

from quarry.evaluate.referee.encoders import Encoder
from quarry.evaluate.referee.types import N_QUESTIONS
from quarry.evaluate.referee.visible_context import Seen
from quarry.player.questions.answer import LETTERS


class Manner(Protocol):
    """One way of answering."""

    def answer(self, seen: Seen, number: int, question: str, options: Sequence[str]) -> str:
        """A letter, or "Not Relevant".

        Args:
            seen: what is looked at.
            number: of the question, from 1.
            question: its text, with no options in it.
            options: texts of A to D, in this order.
        """


class Semantic:
    """Gives the option that is most like what is seen by an embedding model, whatever is asked; the first of equals.

    Args:
        encoder: of texts; see `encoder_unlike`.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._seen = functools.lru_cache(maxsize=64)(lambda text: encoder.of_queries([text])[0])

    def answer(self, seen: Seen, number: int, question: str, options: Sequence[str]) -> str:
        """The letter of the nearest option."""
        similarities = self._encoder.of_queries(list(options[: len(LETTERS)])) @ self._seen(seen.text)
        return LETTERS[int(similarities.argmax())]


class Random:
    """Any letter with the same chance, the same one whenever the same question is asked about the same text.

    Args:
        seed: another seed gives other letters.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def answer(self, seen: Seen, number: int, question: str, options: Sequence[str]) -> str:
        """The letter drawn for (seed, text, question, options)."""
        draw = drawn(self._seed, seen.text, question, tuple(options))
        return LETTERS[int.from_bytes(draw[:8], "big") % len(options[: len(LETTERS)])]


class Key:
    """A letter for each question's number, whatever is asked.

    Args:
        letters: of the questions 1, 2, ...; begun anew after the last.
    """

    def __init__(self, letters: str) -> None:
        self._letters = letters

    def answer(self, seen: Seen, number: int, question: str, options: Sequence[str]) -> str:
        """The number's letter."""
        return self._letters[(number - 1) % len(self._letters)]


def key_of(seed: int) -> str:
    """20 letters, others for another seed."""
    return "".join(LETTERS[byte % len(LETTERS)] for byte in drawn(seed, "key")[:N_QUESTIONS])


def drawn(*key: object) -> bytes:
    """32 bytes by chance, the same ones for the same key on every machine."""
    return hashlib.sha256(repr(key).encode("utf-8", "backslashreplace")).digest()
