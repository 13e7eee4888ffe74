"""The referee that does not read, but picks the option most like the paragraph."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from evaluate.referee.encoders import Encoder
from evaluate.referee.types import LETTERS


class SemanticReferee:
    """Gives the option that is nearest to the paragraph by an embedding model, whatever is asked; never "Not Relevant".

    Args:
        encoder: of texts; see `encoder_unlike`.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._paragraph = functools.lru_cache(maxsize=64)(lambda text: encoder([text])[0])

    def answer(self, paragraph: str, question: str, options: Sequence[str]) -> str:
        """The letter of the nearest option, the first of equals."""
        similarities = self._encoder(list(options[: len(LETTERS)])) @ self._paragraph(paragraph)
        return LETTERS[int(similarities.argmax())]
