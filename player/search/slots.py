"""The slot rule: which paragraphs a search returns from a named book, from the whole course, and for rare words."""

import numpy as np

from configs.settings import SearchSettings
from player.search.results import NOT_FOUND, ScoreArrays
from quarry.arrays import AnyFloatArray, BoolArray, IntArray

SHARE_FOR_RARE_WORDS = 1 / 5
"""Share of the hits that paragraphs with rare words may replace, if no hit holds these words; at least one hit."""


def n_slots(settings: SearchSettings, k: int | None = None) -> int:
    """Return the maximal number of hits: `k`, else `settings.k`, else the sum of the reserved slots."""
    return k or settings.k or settings.pdf_k + settings.global_k


def slotted(
    log_odds: AnyFloatArray,
    inside: BoolArray,
    settings: SearchSettings,
    *,
    k: int,
    lift: float,
    filters: bool,
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
    is_found = log_odds > NOT_FOUND
    found_inside = inside & is_found
    if settings.merge == "relevance" or not found_inside.any():
        is_open = settings.merge == "relevance" or settings.spill_over != "never"
        hits = best_first(log_odds, k if is_open else min(k, settings.global_k))
        return hits, inside[hits] & filters

    may_take_slot = found_inside if filters else is_found
    n_reserved = min(settings.pdf_k, k)
    in_slots = best_first(np.where(may_take_slot, log_odds, NOT_FOUND), n_reserved)
    n_global = k - len(in_slots)
    if settings.spill_over != "always":
        n_global = min(settings.global_k, n_global)

    has_slot = np.zeros(len(log_odds), dtype=np.bool_)
    has_slot[in_slots] = True
    unlifted = np.where(has_slot, NOT_FOUND, log_odds - lift * inside)
    others = np.sort(best_first(unlifted, n_global))
    others = others[np.argsort(-log_odds[others], kind="stable")]
    is_reserved = np.repeat([filters, False], [len(in_slots), len(others)])
    return np.concatenate([in_slots, others]), is_reserved


def best_first(log_odds: AnyFloatArray, n: int) -> IntArray:
    """Return the rows of the n best paragraphs that were found, best first; ties go to the earlier paragraph."""
    rows = np.flatnonzero(log_odds > NOT_FOUND)
    if 0 < n < len(rows):
        # sorting all paragraphs would take longer
        ascending = np.partition(log_odds[rows], -n)
        rows = rows[log_odds[rows] >= ascending[-n]]
    return rows[np.argsort(-log_odds[rows], kind="stable")][:n]


def with_rare_words(
    hits: IntArray,
    in_book_slot: BoolArray,
    keyword: ScoreArrays,
    in_filter: BoolArray,
    *,
    k: int,
) -> tuple[IntArray, BoolArray]:
    """Replace the last hits by paragraphs with rare words that no hit holds, in the slots of the same side.

    Embeddings represent rare words poorly. At most `SHARE_FOR_RARE_WORDS` of the hits are replaced, at least one.

    Args:
        hits, in_book_slot: result of `slotted`.
        keyword: scores by keywords; its `rare` is not None, and it has found only paragraphs that may be hits.
        in_filter: (n_paragraphs,) whether each is in a book that filters.
        k: maximal number of hits.
    """
    rare, log_odds = keyword.rare, keyword.log_odds
    assert rare is not None
    is_missing = ~rare[:, hits].any(axis=1)
    n_replaced = max(1, int(len(hits) * SHARE_FOR_RARE_WORDS))
    is_fresh = rare[is_missing].any(axis=0)
    fresh = best_first(np.where(is_fresh, log_odds, NOT_FOUND), n_replaced)

    sides = []
    for is_book in (True, False):
        retained = hits[in_book_slot == is_book]
        added = fresh[in_filter[fresh] == is_book]
        n_retained = max(0, len(retained) - len(added))
        sides.append(np.concatenate([retained[:n_retained], added]))
    slots = np.repeat([True, False], [len(side) for side in sides])
    return np.concatenate(sides)[:k], slots[:k]
