"""The referee that answers by chance."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from evaluate.referee.types import LETTERS


class RandomReferee:
    """Any letter with the same chance, the same one whenever the same question is asked about the same paragraph.

    Args:
        seed: another seed gives other letters.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def answer(self, paragraph: str, question: str, options: Sequence[str]) -> str:
        """The letter drawn for (seed, paragraph, question, options)."""
        key = repr((self._seed, paragraph, question, tuple(options)))
        digest = hashlib.sha256(key.encode("utf-8", "backslashreplace")).digest()
        return LETTERS[int.from_bytes(digest[:8], "big") % len(options[: len(LETTERS)])]
