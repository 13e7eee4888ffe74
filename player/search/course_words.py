"""The words of a course: inverted indexes, and the stems of its paragraphs."""

import functools
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from quarry.course.paragraph import Paragraph
from quarry.languages.words import stems

_NO_ROWS = np.empty(0, dtype=np.int32)


class InvertedIndex:
    """Inverted index of texts.

    Args:
        texts: the words of each text.
    """

    def __init__(self, texts: Iterable[Iterable[str]]) -> None:
        rows: dict[str, array[int]] = {}
        for row, text in enumerate(texts):
            for word in dict.fromkeys(text):
                rows.setdefault(word, array("i")).append(row)
        # int32 takes half the memory
        self._rows = {
            word: np.array(numbers, np.int32) for word, numbers in rows.items()
        }

    def __contains__(self, word: str) -> bool:
        return word in self._rows

    def rows(self, word: str) -> NDArray[np.int32]:
        """Return the rows of the texts that hold a word, ascending."""
        return self._rows.get(word, _NO_ROWS)

    def rows_of_any(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Return the rows of the texts that hold one of several words; a row may be returned twice."""
        return np.concatenate([_NO_ROWS, *map(self.rows, words)])

    def containing(self, part: str) -> Iterator[str]:
        """Find the words of the texts that contain a part, which is not empty."""
        end = 0
        while (at := self._lines.find(part, end)) >= 0:
            end = self._lines.index("\n", at)
            yield self._lines[self._lines.rfind("\n", 0, at) + 1 : end]

    @functools.cached_property
    def _lines(self) -> str:
        """All words, one a line: a search in one text is faster than in many."""
        return "\n".join([*self._rows, ""])


@functools.lru_cache(1)
def paragraph_stems(paragraphs: tuple[Paragraph, ...]) -> Sequence[Sequence[str]]:
    """Return the stems of the text of each paragraph; the last course is cached, for all that need them."""
    # equal stems are one string, since a large course has millions
    return [list(map(sys.intern, stems(item.text))) for item in paragraphs]
