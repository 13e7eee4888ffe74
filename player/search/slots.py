"""The slot rule: which paragraphs a search returns from a named book, from the whole course, and for rare words."""

import numpy as np

from configs.settings import SearchSettings
from player.search.results import NOT_FOUND, ScoreArrays
from quarry.arrays import AnyFloatArray, BoolArray, IntArray

SHARE_FOR_RARE_WORDS = 1 / 5
"""Share of the slots that paragraphs with rare words may take, if no hit holds these words; at least one slot."""


def n_slots(settings: SearchSettings, k: int | None = None) -> int:
    """Return the maximal number of hits: `k`, else `settings.k`, else the sum of the reserved slots."""
    return k or settings.k or settings.pdf_k + settings.global_k


def slotted(
    log_odds: AnyFloatArray,
    inside: BoolArray,
    settings: SearchSettings,
    *,
    k: int,
    lift: float = 0.0,
    filters: bool = True,
) -> tuple[IntArray, BoolArray]:
    """Choose the paragraphs to return.

    The book's slots come first, then the course's slots, each in the order of log-odds; ties go to the earlier
    paragraph. The course's slots go to the best of all paragraphs that are not in the book's slots. These may include
    paragraphs of the book, ranked without its lift. With a book that is boosted, the slots of the book go to the best
    of all paragraphs, and all hits are in the order of log-odds.

    Args:
        log_odds: (n_paragraphs,) with duplicates merged.
        inside: (n_paragraphs,) whether each is in a book that filters or is boosted.
        settings: the numbers of slots, and the rules of their merge and spill-over.
        k: maximal number of hits.
        lift: log-odds that were added to the paragraphs inside.
        filters: whether the book filters.

    Returns:
        (n_returned,) rows in order, and (n_returned,) whether each is in a book's slot.

    Example:
        With 15 book slots and 5 global ones: 15 filtered hits, then the first 5 unfiltered ones that are new.
    """
    n_found = np.count_nonzero(log_odds > NOT_FOUND)
    order = np.argsort(-log_odds, kind="stable")[:n_found]
    in_book = inside[order]
    if settings.merge == "relevance" or not in_book.any():
        is_open = settings.merge == "relevance" or settings.spill_over != "never"
        n = k if is_open else min(k, settings.global_k)
        return order[:n], in_book[:n] & filters

    may_take_slot = in_book | (not filters)
    in_slot = may_take_slot & (np.cumsum(may_take_slot) <= min(settings.pdf_k, k))
    n_global = k - int(in_slot.sum())
    if settings.spill_over != "always":
        n_global = min(settings.global_k, n_global)

    rest = np.flatnonzero(~in_slot)
    unlifted = log_odds[order[rest]] - lift * in_book[rest]
    best = rest[np.argsort(-unlifted, kind="stable")[:n_global]]
    ranks = np.concatenate([np.flatnonzero(in_slot), np.sort(best)])
    return order[ranks], in_slot[ranks] & filters


def with_rare_words(
    hits: IntArray,
    in_book: BoolArray,
    keyword: ScoreArrays,
    inside: BoolArray,
    *,
    k: int,
) -> tuple[IntArray, BoolArray]:
    """Replace the last hits by paragraphs with rare words that no hit holds, in the slots of the same side.

    Embeddings represent rare words poorly. At most `SHARE_FOR_RARE_WORDS` of the hits are replaced, at least one.

    Args:
        hits, in_book: result of `slotted`.
        keyword: scores by keywords; its `rare` is not None, and it has found only paragraphs that may be hits.
        inside: (n_paragraphs,) whether each is in a book that filters.
        k: maximal number of hits.
    """
    rare, log_odds = keyword.rare, keyword.log_odds
    assert rare is not None
    missing = np.bitwise_or.reduce(rare) & ~np.bitwise_or.reduce(rare[hits])
    fresh = np.flatnonzero((rare & missing) != 0)
    best_first = np.argsort(-log_odds[fresh], kind="stable")
    fresh = fresh[best_first][: max(1, int(k * SHARE_FOR_RARE_WORDS))]

    sides = []
    for is_book in (True, False):
        retained = hits[in_book == is_book]
        added = fresh[inside[fresh] == is_book]
        n_retained = max(0, len(retained) - len(added))
        sides.append(np.concatenate([retained[:n_retained], added]))
    slots = np.repeat([True, False], [len(side) for side in sides])
    return np.concatenate(sides)[:k], slots[:k]
