"""Cuts of editions: each divides the text of a document's pages into pieces.

A cut is a function of the (n_pages,) texts and the number after its name, 0 without one. It yields the first and the
last page of a piece, from 1, and its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

Cut = Callable[[Sequence[str], int], Iterator[tuple[int, int, str]]]
