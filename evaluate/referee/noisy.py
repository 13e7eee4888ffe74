"""The referee that errs as often as it is told to."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from evaluate.errors import RefereeError
from evaluate.referee.types import LETTERS, NOT_RELEVANT, Referee


class NoisyReferee:
    """Another referee with some of its answers replaced, the same ones whenever the same question is asked.

    Args:
        inner: whose answers are replaced.
        wrong: share of the answers that become another letter, each one equally likely; 0..1.
        not_relevant: share that become "Not Relevant"; 0..1, and at most 1 together with `wrong`.
        seed: another seed replaces other answers.

    Raises:
        RefereeError: the shares are no shares.
    """

    def __init__(self, inner: Referee, wrong: float, not_relevant: float, seed: int) -> None:
        if not (0.0 <= wrong <= 1.0 and 0.0 <= not_relevant <= 1.0 and wrong + not_relevant <= 1.0 + 1e-9):
            raise RefereeError(
                "--referee noisy:WRONG,NOT_RELEVANT must have shares of 0..1, at most 1 together, "
                f"got {wrong:g} and {not_relevant:g}; use e.g. noisy:0.15,0.10"
            )
        self._inner = inner
        self._wrong = wrong
        self._not_relevant = not_relevant
        self._seed = seed

    def answer(self, paragraph: str, question: str, options: Sequence[str]) -> str:
        """The inner referee's answer, or what the draw of (seed, paragraph, question, options) puts in its place."""
        answer = self._inner.answer(paragraph, question, options)
        key = (self._seed, paragraph, question, tuple(options))
        digest = hashlib.sha256(repr(key).encode("utf-8", "backslashreplace")).digest()
        draw = int.from_bytes(digest[:8], "big") / 2**64
        if draw < self._wrong:
            others = [letter for letter in LETTERS[: len(options)] if letter != answer]
            return others[int.from_bytes(digest[8:16], "big") % len(others)] if others else answer
        return NOT_RELEVANT if draw < self._wrong + self._not_relevant else answer
