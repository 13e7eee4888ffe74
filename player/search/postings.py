"""Postings: an inverted index from words to the texts that contain them."""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

import numpy as np

from quarry.arrays import RowArray


class Postings(Mapping[str, RowArray]):
    """Rows of the texts that contain a word, ascending, by word.

    Args:
        texts: the words of each text; a word that occurs twice in a text counts once.
    """

    def __init__(self, texts: Iterable[Iterable[str]]) -> None:
        self._ids: dict[str, int] = {}
        ids, rows = array("i"), array("i")
        for row, text in enumerate(texts):
            for word in dict.fromkeys(text):
                ids.append(self._ids.setdefault(word, len(self._ids)))
                rows.append(row)
        order = np.argsort(ids, kind="stable")
        # int32 takes half the memory
        self._rows = cast(RowArray, np.array(rows, dtype=np.int32)[order])
        self._ends = np.cumsum(np.bincount(ids, minlength=len(self._ids)))

    def __getitem__(self, word: str) -> RowArray:
        number = self._ids[word]
        start = self._ends[number - 1] if number else 0
        return self._rows[start : self._ends[number]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)
