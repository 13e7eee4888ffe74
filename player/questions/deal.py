"""Deals words into the three lists of a question, so that all four answers are about equally likely."""

import numpy as np

from player.question import NONE_OF_THESE
from quarry.arrays import BoolArray, Float64Array, RowArray

N_LISTS = NONE_OF_THESE
"""Number of options that name words, before the last one."""
FULL = 0.25
"""Maximum share of the belief for which a list is the answer; then it gets no further word."""


def deal(
    has_word: BoolArray,
    worth: Float64Array,
    n: int,
    size: int,
    generator: np.random.Generator,
) -> RowArray:
    """Return (n, N_LISTS, size) words, ascending within a list; -1 fills up short lists.

    The words of each question are drawn without replacement in proportion to their worth. Each word is added to the
    list that is the least likely answer, until all lists are full.

    Args:
        has_word: (n_draws, n_words) whether each draw from the belief has the word; n_draws is a multiple of 64.
        worth: (n_words,) weight of each word, positive.
        n: number of questions.
        size: maximum number of words of a list.
        generator: source of the draws.

    Reference:
        Kool, van Hoof and Welling, Stochastic Beams and Where to Find Them, 2019: Gumbel noise on log-weights.
    """
    n_words = len(worth)
    n_drawn = min(n_words, 2 * N_LISTS * size)
    noise = generator.gumbel(size=(n, n_words))
    order = np.argsort(-np.log(worth) - noise, axis=1)[:, :n_drawn]

    packed = np.packbits(has_word.T, axis=1)
    bits = np.ascontiguousarray(packed).view(np.uint64)
    list_shape = (n, N_LISTS)
    bits_of_lists = np.zeros((*list_shape, bits.shape[1]), dtype=np.uint64)
    lengths = np.zeros(list_shape, dtype=np.intp)
    lists = np.full((*list_shape, size), -1)
    each = np.arange(n)
    for words in order.T:
        # share of the draws for which each list is the first that has a word
        so_far = np.bitwise_or.accumulate(bits_of_lists, axis=1)
        n_bits = np.bitwise_count(so_far)
        counts = n_bits.sum(axis=2, dtype=np.intp)
        n_first = np.diff(counts, axis=1, prepend=0)
        share = n_first / len(has_word)

        is_open = (lengths < size) & (share < FULL)
        open_shares = np.where(is_open, share, np.inf)
        target = np.argmin(open_shares, axis=1)
        active = each[is_open[each, target]]
        if not len(active):
            break
        group = target[active]
        word = words[active]
        lists[active, group, lengths[active, group]] = word
        lengths[active, group] += 1
        bits_of_lists[active, group] |= bits[word]

    # -1 would sort first
    lists[lists < 0] = n_words
    lists = np.sort(lists, axis=2)
    lists[lists == n_words] = -1
    return lists
