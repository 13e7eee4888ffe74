"""Scoring and rank fusion on arrays of log-odds, shared by live search, games, replays, comparisons and tuning.

Arrays are (n_queries, n_columns): a row is a query, a column a paragraph. Columns are in the order of their
paragraph_id. Ties go to the earlier column. All evidence about a paragraph is a term in natural log-odds: fusion, the
lift of a book and the prior of a passage's kind add terms. The best paragraph of a query has the calibrated log-odds
that the course holds the paragraph. Every other paragraph has lower log-odds, by as much as it is less likely. A
paragraph that was not found has -inf.

The order of the calls: `combine` adds the scores of a strategy, `relative` shifts them, `score_step` calls `weigh` and
`merge_duplicates`, `slots.slotted` chooses the paragraphs to return, and `answering` chooses the step of the cascade
that answers. This module uses no hits, texts or models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quarry.configs.settings import Fusion, SearchSettings
from quarry.ingest.arrays import AnyFloatArray, BoolArray, IntArray
from quarry.ingest.paragraph import Paragraph

NOT_FOUND = -np.inf
TRACE = 1e-6
"""Paragraphs in the order of reciprocal ranks differ by at least so many log-odds, so that they do not tie."""
FARTHEST = 30.0
"""Log-odds are clipped to +-30, so that no probability is 0 or 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns of the arrays: the paragraph, document and group of duplicates of each column.

    Attributes:
        rows: (n_columns,) row of each column in the course's paragraphs.
        document: (n_columns,) index of each column's document in `doc_ids`.
        doc_ids: documents that have paragraphs, ascending.
        duplicates: (n_groups, size of the largest) columns of duplicates, ascending, then -1.
    """

    rows: IntArray
    document: IntArray
    doc_ids: tuple[str, ...]
    duplicates: IntArray

    def inside(self, doc_id: str) -> BoolArray:
        """Return (n_columns,) whether each paragraph is in a document; "" is no document."""
        wanted: BoolArray = np.array([doc_id == known for known in self.doc_ids], dtype=np.bool_)
        return wanted[self.document]


def columns_of(paragraphs: Sequence[Paragraph]) -> Columns:
    """Return the columns of a course.

    Two paragraphs are duplicates if their texts are equal, or if ingest found them nearly identical.
    """
    chosen = sorted(range(len(paragraphs)), key=lambda row: (paragraphs[row].paragraph_id, row))
    doc_ids = tuple(sorted({paragraphs[row].doc_id for row in chosen}))
    number = {doc_id: place for place, doc_id in enumerate(doc_ids)}
    group_of: dict[str, int] = {}
    groups: list[list[int]] = []
    for column, row in enumerate(chosen):
        paragraph = paragraphs[row]
        keys = (f"={paragraph.text}", paragraph.same_as or paragraph.paragraph_id)
        known = sorted({group_of[key] for key in keys if key in group_of})
        if not known:
            known = [len(groups)]
            groups.append([])
        first, *others = known
        for other in others:  # a duplicate of two groups merges them
            groups[first] += groups[other]
            groups[other] = []
            group_of = {key: first if group == other else group for key, group in group_of.items()}
        groups[first].append(column)
        group_of |= dict.fromkeys(keys, first)
    same = [sorted(group) for group in groups if len(group) > 1]
    duplicates = np.full((len(same), max(map(len, same), default=0)), -1, dtype=np.int64)
    for line, group in enumerate(same):
        duplicates[line, : len(group)] = group
    return Columns(
        rows=np.array(chosen, dtype=np.int64),
        document=np.array([number[paragraphs[row].doc_id] for row in chosen], dtype=np.int64),
        doc_ids=doc_ids,
        duplicates=duplicates,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores of one strategy, or of a fusion of several.

    Attributes:
        strategy: name of the strategy in its hits.
        scores: (n_queries, n_columns) on its own scale, higher is better; finite also if not found.
        log_odds: (n_queries, n_columns) of relevance, -inf where not found.
    """

    strategy: str
    scores: AnyFloatArray
    log_odds: AnyFloatArray


def combine(parts: Mapping[str, AnyFloatArray], weights: Mapping[str, float]) -> AnyFloatArray:
    """Return the (n_queries, n_columns) weighted sum of named scores.

    Args:
        parts: (n_queries, n_columns) each, on different scales.
        weights: log-odds per unit of each; parts without a weight are ignored.
    """
    used = [name for name, weight in weights.items() if weight and name in parts]
    if not used:
        return np.zeros_like(next(iter(parts.values())))
    total: AnyFloatArray = np.float32(weights[used[0]]) * parts[used[0]]
    for name in used[1:]:
        total += np.float32(weights[name]) * parts[name]
    return total


def relative(scores: AnyFloatArray, answerable: AnyFloatArray) -> AnyFloatArray:
    """Shift the scores of each query by a constant, so that the best paragraph has the log-odds `answerable`.

    Args:
        scores: (n_queries, n_columns) in log-odds, up to a constant for each query.
        answerable: (n_queries,) log-odds that the course holds the paragraph.
    """
    shifted: AnyFloatArray = scores + (answerable - scores.max(axis=1, initial=NOT_FOUND))[:, None]
    return shifted


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """Evidence of the book names of some queries.

    Attributes:
        inside: (n_queries, n_columns) whether a paragraph is in the named book.
        lift: (n_queries,) log-odds to add to the paragraphs of this book.
        evidence: (n_queries,) log-odds that the course holds the paragraph.
    """

    inside: BoolArray
    lift: AnyFloatArray
    evidence: AnyFloatArray


def weigh(
    found: Sequence[Scored],
    named: Named,
    priors: AnyFloatArray | None,
    fusion: Fusion,
    weights: Mapping[str, float],
    rrf_k: int,
) -> Scored:
    """Fuse the scores of the strategies, and add lifts, priors and the evidence of the book's name.

    Lifts and priors change the order. They never make the best paragraph more relevant. The evidence of a book's name
    is added to all paragraphs.

    Args:
        found: at least one, in declared order.
        priors: (n_columns,) prior log-odds of each paragraph; None adds nothing.
        fusion, weights, rrf_k: arguments of `fuse`.
    """
    known = None if priors is None else np.broadcast_to(priors, named.inside.shape)
    if named.lift.any():
        lift = named.lift[:, None] * named.inside
        known = lift if known is None else known + lift
    fused = fuse(found, fusion, weights, rrf_k, known)
    shift = named.evidence
    if known is not None:
        before = np.max([item.log_odds.max(axis=1, initial=NOT_FOUND) for item in found], axis=0)
        after = fused.log_odds.max(axis=1, initial=NOT_FOUND)
        some = np.isfinite(after)
        shift = shift - np.where(some, np.maximum(0.0, np.where(some, after, 0.0) - np.where(some, before, 0.0)), 0.0)
    if not shift.any():
        return fused
    return Scored(fused.strategy, fused.scores, fused.log_odds + shift[:, None].astype(fused.log_odds.dtype))


def fuse(
    found: Sequence[Scored],
    fusion: Fusion,
    weights: Mapping[str, float],
    rrf_k: int,
    known: AnyFloatArray | None = None,
) -> Scored:
    """Fuse several strategies into one.

    Args:
        found: at least one, in declared order.
        fusion: "rrf" sums 1 / (rrf_k + rank); "linear" takes the weighted sum of scores, and the log-odds of a strategy
            without a weight.
        weights: log-odds per unit of each strategy's score.
        rrf_k: a larger value makes the first ranks count less; 60 in the paper.
        known: (n_queries, n_columns) log-odds to add; "rrf" adds them before it ranks.

    Returns:
        The fused scores. The best paragraph of each query has the highest log-odds of any strategy, before `known` is
        added. With "rrf", every other paragraph has the highest log-odds that a strategy gives it, but at most
        those of the paragraph ranked before it.

    Reference:
        Cormack, Clarke and Buettcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
        Methods, 2009; Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, 2023.
    """
    if len(found) == 1:
        (only,) = found
        return only if known is None else Scored(only.strategy, only.scores, only.log_odds + known)
    anywhere = np.logical_or.reduce([item.log_odds > NOT_FOUND for item in found])
    highest = np.max([item.log_odds.max(axis=1, initial=NOT_FOUND) for item in found], axis=0)
    highest = np.where(np.isfinite(highest), highest, 0.0)
    if fusion == "rrf":
        sums = np.sum([_reciprocal_ranks(item.log_odds, rrf_k, known) for item in found], axis=0)
        best = np.max([item.log_odds for item in found], axis=0)
        best = np.where(anywhere, best if known is None else best + known, NOT_FOUND)
        return Scored("rrf", sums, relative(_falling(best, np.where(anywhere, sums, 0.0)), highest))
    sums = np.sum([_weighted(item, weights.get(item.strategy)) for item in found], axis=0)
    log_odds = relative(np.where(anywhere, sums, NOT_FOUND), highest)
    return Scored("fused", sums, log_odds if known is None else log_odds + known)


def _falling(log_odds: AnyFloatArray, sums: AnyFloatArray) -> AnyFloatArray:
    """Lower log-odds until they fall in the order of `sums`, by at least `TRACE` a rank."""
    order = np.argsort(-sums, axis=1, kind="stable")
    lowest = np.minimum.accumulate(np.take_along_axis(log_odds, order, axis=1), axis=1)
    in_order = np.empty(log_odds.shape)
    np.put_along_axis(in_order, order, lowest - TRACE * np.arange(log_odds.shape[1]), axis=1)
    return in_order


def _reciprocal_ranks(log_odds: AnyFloatArray, rrf_k: int, known: AnyFloatArray | None) -> AnyFloatArray:
    order = np.argsort(-(log_odds if known is None else log_odds + known), axis=1, kind="stable")
    shares = np.empty(log_odds.shape)
    np.put_along_axis(shares, order, 1.0 / (rrf_k + 1.0 + np.arange(log_odds.shape[1]))[None, :], axis=1)
    return np.where(log_odds > NOT_FOUND, shares, 0.0)


def _weighted(item: Scored, weight: float | None) -> AnyFloatArray:
    """Return the term of one strategy in the sum of a linear fusion.

    If a strategy has no weight, paragraphs that it did not find get its lowest log-odds, at most 0.
    """
    if weight is not None:
        return weight * item.scores
    there = item.log_odds > NOT_FOUND
    least = np.where(there, item.log_odds, np.inf).min(axis=1, initial=np.inf)[:, None]
    return np.where(there, item.log_odds, np.minimum(least, 0.0))


def merge_duplicates(log_odds: AnyFloatArray, columns: Columns, preferred: BoolArray | None = None) -> AnyFloatArray:
    """Keep one paragraph of each group of duplicates; the others get -inf.

    Args:
        preferred: (n_queries, n_columns) paragraphs to keep rather than the others of their group.
    """
    if not len(columns.duplicates):
        return log_odds
    known = columns.duplicates >= 0
    members = np.where(known, columns.duplicates, 0)
    values = np.where(known, log_odds[:, members], NOT_FOUND)
    if preferred is not None:
        chosen = preferred[:, members] & known & (values > NOT_FOUND)
        values = np.where(chosen | ~chosen.any(axis=2, keepdims=True), values, NOT_FOUND)
    best = np.argmax(values, axis=2)
    kept = np.take_along_axis(np.broadcast_to(members, values.shape), best[:, :, None], axis=2)[:, :, 0]
    folded = log_odds.copy()
    folded[:, members[known]] = NOT_FOUND
    np.put_along_axis(folded, kept, np.take_along_axis(log_odds, kept, axis=1), axis=1)
    return folded


def score_step(
    found: Sequence[Scored],
    named: Named,
    priors: AnyFloatArray | None,
    columns: Columns,
    filters: BoolArray,
    settings: SearchSettings,
    weights: Mapping[str, float],
) -> tuple[Scored, AnyFloatArray]:
    """Score one step of the cascade: fuse the strategies, add lifts and priors, merge duplicates.

    Args:
        found, named, priors, weights: arguments of `weigh`.
        filters: (n_queries,) whether the named book filters; the duplicate in that book is then kept.

    Returns:
        The fused scores, and their (n_queries, n_columns) log-odds with duplicates merged.
    """
    fused = weigh(found, named, priors, settings.fusion, weights, settings.rrf_k)
    preferred = named.inside & filters[:, None] if len(columns.duplicates) else None
    return fused, merge_duplicates(fused.log_odds, columns, preferred)


def name_evidence(
    confidence: AnyFloatArray, taken: BoolArray, has_name: BoolArray, named: float, unnamed: float
) -> AnyFloatArray:
    """Return (n_queries,) the log-odds that the course holds the paragraph, from whether the book's name was resolved.

    Args:
        confidence: (n_queries,) 0..1, confidence that the book is right.
        taken: (n_queries,) whether the book filters or is boosted.
        has_name: (n_queries,) whether a name was given.
        named, unnamed: log-odds of a name that was resolved with confidence 1, and of an unresolved name.
    """
    return np.where(taken, named * confidence, np.where(has_name, unnamed, 0.0))


def answering(best: Sequence[AnyFloatArray], threshold: float, lowered: float) -> IntArray:
    """Return (n_queries,) the index of the cascade step that answers, -1 if no step answers.

    Args:
        best: for each step, (n_queries,) log-odds of the best paragraph that it returns.
        threshold: 0..1, relevance from which a step answers.
        lowered: 0..1, the threshold to use if no step answers.
    """
    answers = np.full(len(best[0]), -1, dtype=np.int64)
    for level in (lowered, threshold):
        passed = np.stack(best) >= threshold_log_odds(level)
        answers = np.where(passed.any(axis=0), passed.argmax(axis=0), answers)
    return answers


SUREST_BOOK = 0.995
"""Higher confidence in a book adds no lift: even an exact stem may be another course's file."""


def book_log_odds(confidence: float, n_in_book: int, n_in_course: int) -> float:
    """Return the lift of a book: the log-odds, at least 0, by which its paragraphs are likelier than others.

    Args:
        confidence: 0..1, confidence that the book is right.
        n_in_book: number of its paragraphs.
        n_in_course: number of all paragraphs.
    """
    surest = min(confidence, SUREST_BOOK)
    rest = n_in_course - n_in_book
    ratio = float(np.log(rest / n_in_book)) if n_in_book > 0 and rest > 0 else 0.0
    return max(0.0, log_odds_of(surest) + ratio)


def probabilities(log_odds: AnyFloatArray) -> AnyFloatArray:
    """Return the probabilities of log-odds, never 0 or 1."""
    shares: AnyFloatArray = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -FARTHEST, FARTHEST, dtype=np.float64)))
    return shares


def log_odds_of(probability: float) -> float:
    """Return the natural logarithm of the odds of a probability, within +-30."""
    if probability <= 0.0:
        return -FARTHEST
    if probability >= 1.0:
        return FARTHEST
    return min(max(float(np.log(probability) - np.log1p(-probability)), -FARTHEST), FARTHEST)


def threshold_log_odds(threshold: float) -> float:
    """Return the log-odds of a threshold; every paragraph that was found passes the threshold 0."""
    return log_odds_of(threshold) if threshold > 0.0 else -float(np.finfo(np.float32).max)
