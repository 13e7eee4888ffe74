"""The search of arrays: scores and settings in, the step that answers with its slots and relevance out.

Arrays are (n_paragraphs,), in the order of the course. Ties go to the earlier paragraph. A paragraph that was not found
has -inf.

Order and relevance are two arrays. The order may use everything: fusion, the named book, the kind of a passage. The
relevance of a paragraph is the calibrated probability that it answers the hint, from its own evidence alone. Both are
natural log-odds. Live search, games, replays, comparisons and tuning all call `search`. This module uses no hits, texts
or models.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from configs.settings import KeywordMode, SearchSettings
from player.search.results import NOT_FOUND, ScoreArrays
from player.search.slots import n_slots, slotted, with_rare_words
from quarry.arrays import AnyFloatArray, BoolArray, IntArray
from quarry.course.paragraph import Paragraph

TRACE = 1e-6
"""Paragraphs in the order of reciprocal ranks differ by at least so many log-odds, so that they do not tie."""
LOWEST = float(np.finfo(np.float32).min)
"""The log-odds of the threshold 0; scores may be of single precision."""
FARTHEST = 30.0
"""Log-odds are clipped to +-30, so that no probability is 0 or 1."""
SUREST_BOOK = 0.995
"""Higher confidence in a book adds no lift: even an exact stem may be another course's file."""

Level = Literal["relevant", "lowered", ""]
Scored = Mapping[str, ScoreArrays]
"""Scores of several strategies by name, in declared order."""


def groups_of(paragraphs: Sequence[Paragraph]) -> IntArray:
    """Return (n_paragraphs,) the number of each paragraph's group of duplicates, -1 without duplicates.

    The store has found which paragraphs are (nearly) identical.
    """
    originals = [item.same_as or item.paragraph_id for item in paragraphs]
    _, groups, sizes = np.unique(
        np.array(originals, dtype=np.str_), return_inverse=True, return_counts=True
    )
    return np.where(sizes[groups] > 1, groups, -1)


@dataclass(frozen=True, slots=True, eq=False)
class Book:
    """Effect of a named book on a search.

    Attributes:
        inside: (n_paragraphs,) whether a paragraph is in the book.
        lift: log-odds that are added to the order of the paragraphs of this book.
        filters: whether the book filters.
        evidence: (n_paragraphs,) log-odds of the order by a name in doubt; None without such a name.
    """

    inside: BoolArray
    lift: float = 0.0
    filters: bool = False
    evidence: AnyFloatArray | None = None

    @property
    def prior(self) -> AnyFloatArray:
        """(n_paragraphs,) log-odds that the book adds to the order."""
        lifts: AnyFloatArray = self.lift * self.inside
        return lifts if self.evidence is None else lifts + self.evidence


def book_of(
    confidence: float,
    inside: BoolArray,
    settings: SearchSettings,
    evidence: AnyFloatArray | None = None,
) -> Book:
    """Return the effect of a named book.

    The lift of a book is the log-odds, at least 0, by which its paragraphs are likelier than others.

    Args:
        confidence: 0..1, confidence that the book is right; 0 without a book.
        inside: (n_paragraphs,) whether a paragraph is in the book.
        evidence: (n_paragraphs,) log-odds by the name, see `SearchIndex.name_evidence`. It counts only if the name is
            in doubt: a book that neither filters nor is boosted.
    """
    if not confidence or confidence < settings.boost_confidence:
        doubt = None if evidence is None else settings.boost * evidence
        return Book(inside, evidence=doubt)

    n_inside = np.count_nonzero(inside)
    n_outside = len(inside) - n_inside
    odds_of_others = n_outside / n_inside if n_inside and n_outside else 1.0
    surest = min(max(confidence, 1.0 - SUREST_BOOK), SUREST_BOOK)
    lift = max(0.0, log_odds_of(surest) + math.log(odds_of_others))
    filters = confidence >= settings.filter_confidence
    return Book(inside, settings.boost * lift, filters)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of the cascade.

    Attributes:
        scored: scores of each strategy.
        strategy: name of the fusion, or of the only strategy.
        fused: fused scores; in its log-odds, which have lifts and priors, duplicates are merged.
        hits: (n_hits,) rows of the paragraphs to return, in order.
        in_book: (n_hits,) whether each takes a slot of the book.
        best: log-odds of the most relevant hit.
        is_fallback: whether it is the step of keywords.
        level: whether its best hit is "relevant", reaches the "lowered" threshold only, or neither.
    """

    scored: Scored
    strategy: str
    fused: ScoreArrays
    hits: IntArray
    in_book: BoolArray
    best: float
    is_fallback: bool
    level: Level = ""


def search(
    scores_of: Callable[[bool], Scored],
    book: Book,
    priors: AnyFloatArray,
    groups: IntArray,
    settings: SearchSettings,
    weights: Mapping[str, float],
    keywords: KeywordMode,
    k: int | None = None,
) -> Step | None:
    """Search step by step, and return the step that answers: fuse, lift, merge duplicates, fill the slots.

    The first step is that of all strategies. The second is that of keywords, in the mode "fallback", if the first one
    found nothing relevant; with a book that filters, hits of the first step fill the slots that it leaves empty. The
    first step that reaches the threshold answers, else the first that reaches the lowered threshold, else the first.

    Args:
        scores_of: returns the scores of each strategy, of the first step or (True) of the fallback; none if all have
            failed. It is called once for each step that is needed.
        priors: (n_paragraphs,) log-odds that are added to the order.
        groups: as `groups_of` returns them.
        weights: log-odds per unit of each strategy's score, for linear fusion.
        k: maximal number of hits; None takes the settings' number.

    Returns:
        The step; None if no step has scores.
    """
    limits: dict[Level, float] = {"relevant": threshold_log_odds(settings.threshold)}
    if settings.cascade:
        limits["lowered"] = threshold_log_odds(settings.lowered_threshold)
    falls_back = settings.cascade and keywords == "fallback"
    steps: list[Step] = []
    for is_fallback in (False, True):
        if steps and not (falls_back and steps[0].best < limits["relevant"]):
            break
        scored = scores_of(is_fallback)
        if not scored:
            continue
        strategy, fused = fuse(
            scored,
            priors + book.prior,
            settings,
            weights,
        )
        if steps and book.filters:
            scored, fused = _filled(scored, fused, steps[0])
        merged = merge_duplicates(fused.log_odds, groups, book.inside & book.filters)
        fused = replace(fused, log_odds=merged)
        hits, in_book = _hits(
            fused,
            scored,
            book,
            settings,
            keywords,
            k,
        )
        best = float(fused.relevance[hits].max(initial=NOT_FOUND))
        steps.append(
            Step(
                scored,
                strategy,
                fused,
                hits,
                in_book,
                best,
                is_fallback,
            )
        )

    for level, limit in limits.items():
        for step in steps:
            if step.best >= limit:
                return replace(step, level=level)
    return steps[0] if steps else None


def _filled(
    scored: Scored, fused: ScoreArrays, first: Step
) -> tuple[Scored, ScoreArrays]:
    """Add the paragraphs that the fallback did not find, after all others, as the first step found them."""
    is_added = (fused.log_odds == NOT_FOUND) & (first.fused.log_odds > NOT_FOUND)
    if first.strategy in scored or not is_added.any():
        return scored, fused
    log_odds = np.where(is_added, first.fused.log_odds, NOT_FOUND)
    found = fused.log_odds[fused.log_odds > NOT_FOUND]
    lowered = log_odds - log_odds.max() + found.min(initial=0.0) - TRACE
    added = replace(first.fused, log_odds=log_odds)
    filled = ScoreArrays(
        np.where(is_added, first.fused.scores, fused.scores),
        np.where(is_added, lowered, fused.log_odds),
        np.where(is_added, first.fused.relevance, fused.relevance),
    )
    return {**scored, first.strategy: added}, filled


def _hits(
    fused: ScoreArrays,
    scored: Scored,
    book: Book,
    settings: SearchSettings,
    keywords: KeywordMode,
    k: int | None,
) -> tuple[IntArray, BoolArray]:
    """Return the rows of the paragraphs to return, and whether each takes a slot of the book."""
    k = n_slots(settings, k)
    has_slots = book.filters or (book.lift > 0.0 and settings.pdf_k > 0)
    hits, in_book = slotted(
        fused.log_odds,
        book.inside & has_slots,
        settings,
        k,
        book.lift,
        filters=book.filters,
    )
    if not settings.cascade or keywords != "fused":
        return hits, in_book

    inside = book.inside & book.filters
    for item in scored.values():
        if item.rare is not None:
            rare = np.where(fused.log_odds > NOT_FOUND, item.rare, 0)
            item = replace(item, rare=rare)
            hits, in_book = with_rare_words(hits, in_book, item, inside, k)
    return hits, in_book


def fuse(
    scored: Scored,
    prior: AnyFloatArray,
    settings: SearchSettings,
    weights: Mapping[str, float],
) -> tuple[str, ScoreArrays]:
    """Fuse several strategies into one, and add the prior to the order; return its name and scores.

    "rrf" orders by the sum of 1 / (rrf_k + rank); the prior is added before it ranks, and the log-odds are lowered
    until they fall in this order, by at least `TRACE` a rank. "linear" orders by the weighted sum of scores; a strategy
    without a weight counts by its relevance, and paragraphs that it did not find by its lowest, at most 0. The
    relevance of a paragraph is the highest that a strategy gives it.

    Args:
        scored: at least one.
        prior: (n_paragraphs,) log-odds.
        weights: argument of `search`.

    Reference:
        Cormack, Clarke and Buettcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
        Methods, 2009; Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, 2023.
    """
    if len(scored) == 1:
        ((name, only),) = scored.items()
        return name, replace(only, log_odds=only.log_odds + prior)

    relevance = np.max([item.relevance for item in scored.values()], axis=0)
    sums = np.zeros(len(prior))
    if settings.fusion == "rrf":
        places = np.arange(len(prior))
        for item in scored.values():
            log_odds = item.log_odds + prior
            order = np.argsort(-log_odds, kind="stable")
            is_found = log_odds[order] > NOT_FOUND
            sums[order] += is_found / (settings.rrf_k + 1.0 + places)

        order = np.argsort(-sums, kind="stable")
        lowest = np.minimum.accumulate((relevance + prior)[order])
        log_odds = np.empty(len(prior))
        log_odds[order] = lowest - TRACE * places
        return "rrf", ScoreArrays(sums, log_odds, relevance)

    for name, item in scored.items():
        if name in weights:
            sums += np.float32(weights[name]) * item.scores
        else:
            is_found = item.relevance > NOT_FOUND
            lowest = item.relevance[is_found].min(initial=0.0)
            sums += np.where(is_found, item.relevance, lowest)
    log_odds = np.where(relevance > NOT_FOUND, sums + prior, NOT_FOUND)
    return "fused", ScoreArrays(sums, log_odds, relevance)


def combine(
    parts: Mapping[str, AnyFloatArray], weights: Mapping[str, float]
) -> AnyFloatArray:
    """Return the weighted sum of named scores, in the shape of one of them.

    Args:
        parts: arrays of one shape, on different scales.
        weights: log-odds per unit of each; parts without a weight are ignored.
    """
    total = np.zeros_like(next(iter(parts.values())))
    for name, weight in weights.items():
        if name in parts:
            total = total + np.float32(weight) * parts[name]
    return total


def merge_duplicates(
    log_odds: AnyFloatArray, groups: IntArray, preferred: BoolArray
) -> AnyFloatArray:
    """Keep one paragraph of each group of duplicates; the others get -inf.

    Args:
        groups: as `groups_of` returns them.
        preferred: (n_paragraphs,) paragraphs to keep rather than the others of their group.
    """
    members = np.flatnonzero(groups >= 0)
    goes_first = preferred[members] & (log_odds[members] > NOT_FOUND)
    order = members[np.lexsort((-log_odds[members], ~goes_first))]
    _, places = np.unique(groups[order], return_index=True)

    merged = log_odds.copy()
    merged[members] = NOT_FOUND
    best = order[places]
    merged[best] = log_odds[best]
    return merged


def probability(log_odds: float) -> float:
    """Return the probability of log-odds, never 0 or 1."""
    return 1.0 / (1.0 + math.exp(-min(max(log_odds, -FARTHEST), FARTHEST)))


def log_odds_of(probability: float) -> float:
    """Return the natural logarithm of the odds of a probability, within +-30."""
    with np.errstate(divide="ignore"):
        log_odds = np.log(probability) - np.log1p(-probability)
    return float(np.clip(log_odds, -FARTHEST, FARTHEST))


def threshold_log_odds(threshold: float) -> float:
    """Return the log-odds of a threshold; every paragraph that was found passes the threshold 0."""
    return log_odds_of(threshold) if threshold > 0.0 else LOWEST
