"""Postings: an inverted index from words to the texts that contain them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

import numpy as np

from ingest.arrays import RowArray


class Postings(Mapping[str, RowArray]):
    """Rows of the texts that contain a word, ascending, by word.

    Args:
        texts: the words of each text; a word that occurs twice in a text counts once.
    """

    def __init__(self, texts: Iterable[Iterable[str]]) -> None:
        self._ids: dict[str, int] = {}
        ids, rows = array("i"), array("i")
        for row, text in enumerate(texts):
            ids.extend(
                self._ids.setdefault(word, len(self._ids))
                for word in dict.fromkeys(text)
            )
            rows.extend([row] * (len(ids) - len(rows)))
        order = np.argsort(ids, kind="stable")
        self._rows = cast(
            RowArray, np.array(rows, dtype=np.int32)[order]
        )  # half the memory
        self._starts = np.searchsorted(
            np.array(ids, dtype=np.int32)[order], np.arange(len(self._ids) + 1)
        )

    def __getitem__(self, word: str) -> RowArray:
        number = self._ids[word]
        return self._rows[self._starts[number] : self._starts[number + 1]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)
