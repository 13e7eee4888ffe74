"""Dealing words into three lists, so that all four answers are about equally likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import BoolArray, Float64Array, RowArray

N_LISTS = 3
"""Options that name words; the fourth option is "none of these"."""
FULL = 0.25
"""A list gets no further word when it is the answer for this share of the belief."""


def deal(
    seen: BoolArray,
    worth: Float64Array,
    shape: tuple[int, int],
    generator: np.random.Generator,
) -> RowArray:
    """Return (n, N_LISTS, size) words, ascending within a list; -1 fills up short lists.

    The words of a question come in an order drawn by their worth (Gumbel noise on its logarithm: without replacement,
    Kool et al., 2019). Each word goes to the list that is the least likely answer, until all lists are full.

    Args:
        seen: (n_draws, n_words) whether each draw from the belief has the word; n_draws is a multiple of 64.
        worth: (n_words,) of a word, positive.
        shape: number of questions, and most words of a list.
    """
    n, size = shape
    order = _drawn_order(worth, n, min(len(worth), 2 * N_LISTS * size), generator)
    bits = np.ascontiguousarray(np.packbits(seen.T, axis=1)).view(np.uint64)
    drawn = np.zeros((n, N_LISTS, bits.shape[1]), dtype=np.uint64)
    filled = np.zeros((n, N_LISTS), dtype=np.intp)
    lists = np.full((n, N_LISTS, size), -1, dtype=np.intp)
    each = np.arange(n)
    for words in order.T:
        share = _answers(drawn) / len(seen)
        is_open = (filled < size) & (share < FULL)
        target = np.argmin(np.where(is_open, share, np.inf), axis=1)
        active = each[is_open[each, target]]
        if not len(active):
            break
        group, word = target[active], words[active]
        lists[active, group, filled[active, group]] = word
        filled[active, group] += 1
        drawn[active, group] |= bits[word]

    # -1 would sort first
    lists = np.sort(np.where(lists < 0, len(worth), lists), axis=2)
    return np.where(lists == len(worth), -1, lists)


def _drawn_order(
    worth: Float64Array, n: int, n_drawn: int, generator: np.random.Generator
) -> RowArray:
    """Return (n, n_drawn) words, drawn without replacement by their worth, in the order of the draws."""
    noisy = np.log(worth) + generator.gumbel(size=(n, len(worth)))
    drawn = np.argpartition(-noisy, n_drawn - 1, axis=1)[:, :n_drawn]
    ranks = np.argsort(-np.take_along_axis(noisy, drawn, axis=1), axis=1)
    order: RowArray = np.take_along_axis(drawn, ranks, axis=1)
    return order


def _answers(drawn: NDArray[np.uint64]) -> NDArray[np.integer]:
    """Return the (n, N_LISTS) number of draws for which each list is the first that has a word."""
    so_far = np.bitwise_or.accumulate(drawn, axis=1)
    counts = np.bitwise_count(so_far).sum(axis=2, dtype=np.intp)
    return np.asarray(np.diff(counts, axis=1, prepend=0))
