"""The ranking of a search: scores and settings in, slots and relevance out.

Arrays are (n_paragraphs,), in the order of the course. Ties go to the earlier paragraph. A paragraph that was not found
has -inf.

Order and relevance are two arrays. The order may use everything: fusion, the named book, the kind of a paragraph. The
relevance of a paragraph is the calibrated probability that it answers the hint, from its own evidence alone. Both are
natural log-odds. Live search, games, replays, comparisons and tuning all call `rank`. This module uses no hits, texts
or models.
"""

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from configs.settings import KeywordMode, SearchSettings
from player.search.results import NOT_FOUND, ScoreArrays, StepName, Tier
from player.search.slots import best_first, n_slots, slotted, with_rare_words
from quarry.arrays import AnyFloatArray, BoolArray, IntArray

TRACE = 1e-6
"""Smallest difference, in log-odds, of paragraphs in the order of reciprocal ranks, so that they do not tie."""
FARTHEST = 30.0
"""Maximum log-odds by which the best paragraph of a course is ahead of others, so that no probability is 0 or 1."""
LOWEST = float(np.finfo(np.float32).min)
"""The log-odds of the threshold 0; scores may be of single precision."""
SUREST_BOOK = 0.995
"""Higher confidence in a book adds no lift: even an exact stem may be another course's file."""

Scored = Mapping[str, ScoreArrays]
"""Scores of several strategies by name, in declared order."""


@dataclass(frozen=True, slots=True, eq=False)
class Book:
    """The document that a query names.

    Attributes:
        inside: (n_paragraphs,) whether a paragraph is in it.
        confidence: 0..1, confidence that it is meant; 0 without one.
        evidence: (n_paragraphs,) log-odds by the name, see `SearchIndex.resolve_book`. It counts only if the name is
            in doubt: a book that neither filters nor is boosted. None without such a name.
        doc_id: id of the document; "" without one.
    """

    inside: BoolArray
    confidence: float = 0.0
    evidence: AnyFloatArray | None = None
    doc_id: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class RankInput:
    """Everything that a ranking depends on besides the settings; `LiveSearch.score` returns one.

    Attributes:
        book: the named document.
        kind_log_odds: (n_paragraphs,) prior of each paragraph's kind, which count by `search.kind_weight`.
        groups: as in `SearchIndex.groups`.
        weights: log-odds per unit of each strategy's score, for linear fusion.
        keywords: mode of keywords, None without them.
        k: maximal number of hits; None takes the settings' number.
        scores: scores of each strategy that has answered.
    """

    book: Book
    kind_log_odds: AnyFloatArray
    groups: IntArray
    weights: Mapping[str, float]
    keywords: KeywordMode | None
    k: int | None = None
    scores: Scored = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Result of a ranking: the step that answers.

    Attributes:
        scored: scores of each strategy.
        strategy: name of the fusion, or of the only strategy.
        fused: fused scores, with duplicates merged; the hits are chosen by its log-odds, which have all priors.
        hits: (n_hits,) rows of the paragraphs to return, in order.
        in_book_slot: (n_hits,) whether each takes a slot of the book.
        inside: (n_paragraphs,) whether each is in the named book.
        tier: use of that book.
        lift: log-odds that were added to the order of the paragraphs of the named book.
        answered_by: name of the step, if its hits reach a threshold.
        is_fallback: whether it is the step of keywords.
        filler: the first step, whose paragraphs fill the slots that this one leaves empty; None if it fills none.
    """

    scored: Scored
    strategy: str
    fused: ScoreArrays
    hits: IntArray
    in_book_slot: BoolArray
    inside: BoolArray
    tier: Tier
    lift: float
    answered_by: StepName
    is_fallback: bool
    filler: "Ranking | None"

    @property
    def is_relevant(self) -> bool:
        """Whether a hit reaches the threshold."""
        return self.answered_by not in ("", "lowered")

    def found_by(self, row: int) -> list[str]:
        """Return the names of the strategies that found a paragraph."""
        scored = self.scored.items()
        return [name for name, item in scored if item.log_odds[row] > NOT_FOUND]


def tier_of(confidence: float, settings: SearchSettings) -> Tier:
    """Return the use of a book that is named with a confidence, 0..1; 0 is no book."""
    if not confidence or confidence < settings.boost_confidence:
        return "none"
    return "filter" if confidence >= settings.filter_confidence else "boost"


def lift_of(book: Book, settings: SearchSettings) -> float:
    """Return the log-odds, at least 0, that are added to the paragraphs of a book."""
    if tier_of(book.confidence, settings) == "none":
        return 0.0
    n_inside = np.count_nonzero(book.inside)
    n_outside = len(book.inside) - n_inside
    odds_of_others = n_outside / n_inside if n_inside and n_outside else 1.0
    surest = min(max(book.confidence, 1.0 - SUREST_BOOK), SUREST_BOOK)
    return settings.boost * max(0.0, log_odds_of(surest) + math.log(odds_of_others))


def book_prior(book: Book, settings: SearchSettings) -> AnyFloatArray:
    """Return (n_paragraphs,) the log-odds of a named book: its lift, or the evidence by its name."""
    is_in_doubt = tier_of(book.confidence, settings) == "none"
    if is_in_doubt and book.evidence is not None:
        return settings.boost * book.evidence
    lifts: AnyFloatArray = lift_of(book, settings) * book.inside
    return lifts


def rank(
    inputs: RankInput,
    settings: SearchSettings,
    ask_keywords: Callable[[], Scored] = dict,
) -> Ranking | None:
    """Rank step by step, and return the step that answers: fuse, lift, merge duplicates, fill the slots.

    The first step is that of all strategies. The second is that of keywords, if no strategy has answered, and in the
    mode "fallback" if they found nothing relevant; with a book that filters, hits of the first step fill the slots that
    it leaves empty. The first step that reaches the threshold answers, else the first that reaches the lowered
    threshold, else the first. None if no step has scores.

    Args:
        inputs: the input of the ranking.
        settings: settings of the search.
        ask_keywords: returns the scores of keyword search for the second step; {} if it is not possible.
    """
    first = _rank_step(inputs, inputs.scores, settings) if inputs.scores else None
    may_follow = settings.cascade and inputs.keywords == "fallback"
    if first is not None and (first.is_relevant or not may_follow):
        return first
    scored = ask_keywords()
    if not scored:
        return first
    second = _rank_step(inputs, scored, settings, first, is_fallback=True)
    if first is None:
        return second
    if second.is_relevant or (second.answered_by and not first.answered_by):
        return second
    return first


def best_rows(inputs: RankInput, settings: SearchSettings, n: int) -> IntArray:
    """Return the rows of the n best paragraphs by the scores of the strategies so far, best first."""
    if not inputs.scores:
        return np.empty(0, dtype=np.int64)
    _, fused = fuse(inputs, inputs.scores, settings)
    return best_first(fused.log_odds, n)


def _rank_step(
    inputs: RankInput,
    scored: Scored,
    settings: SearchSettings,
    first: Ranking | None = None,
    *,
    is_fallback: bool = False,
) -> Ranking:
    """Return one step of a ranking.

    Args:
        inputs: the input of the ranking.
        scored: the scores of at least one strategy.
        settings: settings of the search.
        first: the step before this one; None if there is none.
        is_fallback: whether this is the step of keywords.
    """
    book, lift = inputs.book, lift_of(inputs.book, settings)
    tier = tier_of(book.confidence, settings)
    filters = tier == "filter"
    in_filter = book.inside & filters
    strategy, fused = fuse(inputs, scored, settings)

    # what the first step found in the book stays, behind what the fallback finds
    filler = None
    if first is not None and filters and first.strategy not in scored:
        filler = first
        fused = _filled(fused, filler.fused)
    order = merge_duplicates(fused.log_odds, inputs.groups, in_filter)
    fused = replace(fused, log_odds=order)

    k = n_slots(settings, inputs.k)
    has_slots = filters or (lift > 0.0 and settings.pdf_k > 0)
    hits, in_book_slot = slotted(
        order,
        book.inside & has_slots,
        settings,
        k=k,
        lift=lift,
        filters=filters,
    )
    if settings.cascade and inputs.keywords == "fused":
        for item in scored.values():
            if item.rare is not None:
                item = replace(item, rare=item.rare & (order > NOT_FOUND))
                hits, in_book_slot = with_rare_words(
                    hits, in_book_slot, item, in_filter, k=k
                )

    return Ranking(
        scored=scored,
        strategy=strategy,
        fused=fused,
        hits=hits,
        in_book_slot=in_book_slot,
        inside=book.inside,
        tier=tier,
        lift=lift,
        answered_by=_answered_by(
            fused.relevance_log_odds[hits],
            book.inside[hits],
            settings,
            tier=tier,
            is_fallback=is_fallback,
        ),
        is_fallback=is_fallback,
        filler=filler,
    )


def _answered_by(
    relevance_log_odds: AnyFloatArray,
    in_book: BoolArray,
    settings: SearchSettings,
    *,
    tier: Tier,
    is_fallback: bool,
) -> StepName:
    """Return the name of the step with some hits; "" if they reach no threshold.

    Args:
        relevance_log_odds: (n_hits,) the relevance of each.
        in_book: (n_hits,) whether each is in the named book.
        settings: the thresholds.
        tier: use of the named book.
        is_fallback: whether keywords found the hits, as a fallback.
    """
    is_relevant = relevance_log_odds >= threshold_log_odds(settings.threshold)
    if is_relevant.any():
        if is_fallback:
            return "fallback"
        if tier == "none" or not in_book[is_relevant].any():
            return "original"
        return tier
    lowered = threshold_log_odds(settings.lowered_threshold)
    if settings.cascade and (relevance_log_odds >= lowered).any():
        return "lowered"
    return ""


def _filled(fused: ScoreArrays, earlier: ScoreArrays) -> ScoreArrays:
    """Add the paragraphs that the fallback did not find, after all others, as the first step found them."""
    order = fused.log_odds
    is_added = (order == NOT_FOUND) & (earlier.log_odds > NOT_FOUND)
    if not is_added.any():
        return fused
    shift = earlier.log_odds[is_added].max() + TRACE
    shift -= order[order > NOT_FOUND].min(initial=0.0)
    return ScoreArrays(
        np.where(is_added, earlier.scores, fused.scores),
        np.where(is_added, earlier.log_odds - shift, order),
        np.where(is_added, earlier.relevance_log_odds, fused.relevance_log_odds),
    )


def fuse(
    inputs: RankInput, scored: Scored, settings: SearchSettings
) -> tuple[str, ScoreArrays]:
    """Fuse several strategies into one; return its name and scores.

    This is the one place where the priors of the book and of the paragraphs' kinds enter the log-odds. The relevance of
    a paragraph is the highest that a strategy gives it.

    Args:
        scored: at least one.
    """
    prior = book_prior(inputs.book, settings)
    prior = prior + settings.kind_weight * inputs.kind_log_odds
    if len(scored) == 1:
        ((name, only),) = scored.items()
        return name, replace(only, log_odds=only.log_odds + prior)
    if settings.fusion == "rrf":
        return "rrf", _by_ranks(scored, prior, settings.rrf_k)
    return "fused", _by_weights(scored, prior, inputs.weights)


def _by_ranks(scored: Scored, prior: AnyFloatArray, rrf_k: float) -> ScoreArrays:
    """Order paragraphs by the sum of 1 / (rrf_k + rank) over all strategies.

    The log-odds of a paragraph are lowered until they fall in this order, by at least `TRACE` a rank.

    Args:
        prior: (n_paragraphs,) log-odds that are added to those of each strategy before it ranks.

    Reference:
        Cormack, Clarke and Buettcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
        Methods, 2009.
    """
    sums, ranks = np.zeros(len(prior)), np.arange(len(prior))
    for item in scored.values():
        log_odds = item.log_odds + prior
        order = np.argsort(-log_odds, kind="stable")
        is_found = log_odds[order] > NOT_FOUND
        sums[order] += is_found / (rrf_k + 1.0 + ranks)

    relevance_log_odds = _highest_relevance(scored)
    order = np.argsort(-sums, kind="stable")
    lowest = np.minimum.accumulate((relevance_log_odds + prior)[order])
    fused = np.empty(len(prior))
    fused[order] = lowest - TRACE * ranks
    return ScoreArrays(sums, fused, relevance_log_odds)


def _by_weights(
    scored: Scored, prior: AnyFloatArray, weights: Mapping[str, float]
) -> ScoreArrays:
    """Order paragraphs by the weighted sum of the scores of all strategies.

    A strategy without a weight counts by its relevance, and paragraphs that it did not find by its lowest, at most 0.

    Args:
        prior: (n_paragraphs,) log-odds that are added to the sum.
        weights: log-odds per unit of each strategy's score.

    Reference:
        Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, 2023.
    """
    sums = np.zeros(len(prior))
    for name, item in scored.items():
        if name in weights:
            sums += np.float32(weights[name]) * item.scores
        else:
            is_found = item.relevance_log_odds > NOT_FOUND
            lowest = item.relevance_log_odds[is_found].min(initial=0.0)
            sums += np.where(is_found, item.relevance_log_odds, lowest)

    relevance_log_odds = _highest_relevance(scored)
    log_odds = np.where(relevance_log_odds > NOT_FOUND, sums + prior, NOT_FOUND)
    return ScoreArrays(sums, log_odds, relevance_log_odds)


def _highest_relevance(scored: Scored) -> AnyFloatArray:
    """Return (n_paragraphs,) the highest relevance that a strategy gives each paragraph."""
    highest: AnyFloatArray = np.max(
        [item.relevance_log_odds for item in scored.values()], axis=0
    )
    return highest


def merge_duplicates(
    log_odds: AnyFloatArray, groups: IntArray, preferred: BoolArray
) -> AnyFloatArray:
    """Keep one paragraph of each group of duplicates; the others get -inf.

    Args:
        groups: as in `SearchIndex.groups`.
        preferred: (n_paragraphs,) paragraphs to keep rather than the others of their group.
    """
    members = np.flatnonzero(groups >= 0)
    goes_first = preferred[members] & (log_odds[members] > NOT_FOUND)
    order = members[np.lexsort((-log_odds[members], ~goes_first))]
    _, firsts = np.unique(groups[order], return_index=True)

    merged = log_odds.copy()
    merged[members] = NOT_FOUND
    best = order[firsts]
    merged[best] = log_odds[best]
    return merged


def probability(log_odds: float) -> float:
    """Return the probability of log-odds, never 0 or 1."""
    return 1.0 / (1.0 + math.exp(-min(max(log_odds, -FARTHEST), FARTHEST)))


@functools.lru_cache
def log_odds_of(probability: float) -> float:
    """Return the natural logarithm of the odds of a probability, within +-30."""
    with np.errstate(divide="ignore"):
        log_odds = np.log(probability) - np.log1p(-probability)
    return float(np.clip(log_odds, -FARTHEST, FARTHEST))


def threshold_log_odds(threshold: float) -> float:
    """Return the log-odds of a threshold; every paragraph that was found passes the threshold 0."""
    return log_odds_of(threshold) if threshold > 0.0 else LOWEST
