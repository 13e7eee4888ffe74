"""The search of arrays: scores and settings in, slots, steps and relevance out, for one query and for many.

Arrays are (n_queries, n_columns): a row is a query, a column a paragraph. Columns are in the order of their
paragraph_id. Ties go to the earlier column. A paragraph that was not found has -inf.

Order and relevance are two arrays. The order may use everything: fusion, the named book, the kind of a passage. The
relevance of a paragraph is the calibrated probability that it answers the hint, from its own evidence alone. Both are
natural log-odds. Live search, games, replays, comparisons and tuning all call `search`. This module uses no hits, texts
or models.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from configs.settings import KeywordMode, SearchSettings
from ingest.arrays import AnyFloatArray, BoolArray, IntArray
from ingest.paragraph import Paragraph
from player.search.slots import NO_COLUMN, NOT_FOUND, n_slots, slotted

TRACE = 1e-6
"""Paragraphs in the order of reciprocal ranks differ by at least so many log-odds, so that they do not tie."""
FARTHEST = 30.0
"""Log-odds are clipped to +-30, so that no probability is 0 or 1."""
SUREST_BOOK = 0.995
"""Higher confidence in a book adds no lift: even an exact stem may be another course's file."""


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
        if doc_id not in self.doc_ids:
            return np.zeros(len(self.rows), dtype=np.bool_)
        inside: BoolArray = self.document == self.doc_ids.index(doc_id)
        return inside


def columns_of(paragraphs: Sequence[Paragraph]) -> Columns:
    """Return the columns of a course.

    Two paragraphs are duplicates if their texts are equal, or if ingest found them nearly identical.
    """
    rows = sorted(
        range(len(paragraphs)), key=lambda row: (paragraphs[row].paragraph_id, row)
    )
    doc_ids = sorted({paragraph.doc_id for paragraph in paragraphs})
    number = {doc_id: place for place, doc_id in enumerate(doc_ids)}
    return Columns(
        rows=np.array(rows, dtype=np.int64),
        document=np.array(
            [number[paragraphs[row].doc_id] for row in rows], dtype=np.int64
        ),
        doc_ids=tuple(doc_ids),
        duplicates=_duplicates([paragraphs[row] for row in rows]),
    )


def _duplicates(paragraphs: Sequence[Paragraph]) -> IntArray:
    """Return the groups of duplicates among paragraphs, as `Columns` holds them."""
    group_of: dict[str, list[int]] = {}
    for column, paragraph in enumerate(paragraphs):
        keys = (f"={paragraph.text}", paragraph.same_as or paragraph.paragraph_id)
        first, second = (group_of.get(key, []) for key in keys)
        group = first if first is second else [*first, *second]
        group.append(column)
        for key in keys:
            group_of[key] = group
        if first is not second:  # a duplicate of two groups merges them
            for key, members in group_of.items():
                if members and (members is first or members is second):
                    group_of[key] = group

    groups = {id(group): sorted(group) for group in group_of.values()}
    same = sorted(group for group in groups.values() if len(group) > 1)
    duplicates = np.full((len(same), max(map(len, same), default=0)), NO_COLUMN)
    for line, group in enumerate(same):
        duplicates[line, : len(group)] = group
    return duplicates


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores of one strategy, or of a fusion of several.

    Attributes:
        strategy: name of the strategy in its hits.
        scores: (n_queries, n_columns) on its own scale, higher is better; finite also if not found.
        log_odds: (n_queries, n_columns) by which paragraphs are ordered, up to a constant for each query; -inf where
            not found.
        relevance: (n_queries, n_columns) log-odds that the paragraph answers the hint; -inf where not found.
    """

    strategy: str
    scores: AnyFloatArray
    log_odds: AnyFloatArray
    relevance: AnyFloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Books:
    """The named books of some queries.

    Attributes:
        inside: (n_queries, n_columns) whether a paragraph is in the named book.
        lift: (n_queries,) log-odds that are added to the order of the paragraphs of this book.
        filters: (n_queries,) whether the book filters.
        evidence: (n_queries, n_columns) log-odds of the order by a name in doubt; None without such names.
    """

    inside: BoolArray
    lift: AnyFloatArray
    filters: BoolArray
    evidence: AnyFloatArray | None = None


def books_of(
    confidence: AnyFloatArray,
    inside: BoolArray,
    settings: SearchSettings,
    evidence: AnyFloatArray | None = None,
) -> Books:
    """Return what named books change in a search.

    The lift of a book is the log-odds, at least 0, by which its paragraphs are likelier than others.

    Args:
        confidence: (n_queries,) 0..1, confidence that the book is right; 0 without a book.
        inside: (n_queries, n_columns) whether a paragraph is in the book.
        evidence: (n_queries, n_columns) log-odds by the name, see `SearchIndex.name_evidence`. It counts only if the
            name is in doubt: a book that neither filters nor is boosted.
    """
    n_inside = inside.sum(axis=1)
    n_outside = inside.shape[1] - n_inside
    is_part = (n_inside > 0) & (n_outside > 0)
    ratio = np.log(np.where(is_part, n_outside, 1) / np.where(is_part, n_inside, 1))

    surest = np.clip(confidence, 1.0 - SUREST_BOOK, SUREST_BOOK)
    log_odds = np.maximum(0.0, np.log(surest / (1.0 - surest)) + ratio)
    is_taken = (confidence > 0.0) & (confidence >= settings.boost_confidence)
    if evidence is not None:
        evidence = np.where(is_taken[:, None], 0.0, settings.boost * evidence)
    return Books(
        inside,
        np.where(is_taken, settings.boost * log_odds, 0.0).astype(np.float32),
        is_taken & (confidence >= settings.filter_confidence),
        evidence,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of the cascade, for many queries.

    Attributes:
        scored: fused scores; in its log-odds, which have lifts and priors, duplicates are merged.
        chosen: (n_queries, k) columns that are returned, in order, then -1.
        in_book: (n_queries, k) whether each takes a slot of the book.
        best: (n_queries,) log-odds of the most relevant paragraph that is returned.
    """

    scored: Scored
    chosen: IntArray
    in_book: BoolArray
    best: AnyFloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A search of many queries.

    Attributes:
        steps: the steps of the cascade that were needed, in order.
        answer: (n_queries,) index of the step whose paragraphs are returned.
        relevant: (n_queries,) whether this step passes the threshold.
        lowered: (n_queries,) whether it only passes the lowered threshold.
    """

    steps: Sequence[Step]
    answer: IntArray
    relevant: BoolArray
    lowered: BoolArray


def search(
    scores_of: Callable[[bool], Sequence[Scored]],
    books: Books,
    priors: AnyFloatArray | None,
    columns: Columns,
    settings: SearchSettings,
    weights: Mapping[str, float],
    keywords: KeywordMode,
    k: int | None = None,
) -> Found | None:
    """Search step by step: fuse, lift, merge duplicates, fill the slots, and choose the step that answers.

    The first step is that of all strategies. The second is that of keywords, in the mode "fallback", if the first one
    found nothing relevant for some query.

    Args:
        scores_of: returns the scores of each strategy, in declared order, of the first step or (True) of the fallback;
            none if all have failed. It is called once for each step that is needed.
        priors: (n_columns,) log-odds that are added to the order; None adds nothing.
        weights: log-odds per unit of each strategy's score, for linear fusion.
        k: maximal number of hits; None takes the settings' number.

    Returns:
        The search; None if no step has scores.
    """
    level = threshold_log_odds(settings.threshold)
    falls_back = settings.cascade and keywords == "fallback"
    steps: list[Step] = []
    for is_fallback in (False, True):
        if steps and not (falls_back and (steps[0].best < level).any()):
            break
        scored = scores_of(is_fallback)
        if scored:
            fused = fuse(scored, books, priors, settings, weights)
            steps.append(fill_slots(fused, books, columns, settings, k))
    if not steps:
        return None

    best = np.stack([step.best for step in steps])
    lowered = settings.lowered_threshold if settings.cascade else settings.threshold
    passed, passed_lowered = best >= level, best >= threshold_log_odds(lowered)
    relevant: BoolArray = np.asarray(passed.any(axis=0))
    answer = np.where(relevant, passed.argmax(axis=0), passed_lowered.argmax(axis=0))
    is_lowered: BoolArray = np.asarray(passed_lowered.any(axis=0))
    return Found(steps, answer, relevant, is_lowered & ~relevant)


def fill_slots(
    fused: Scored,
    books: Books,
    columns: Columns,
    settings: SearchSettings,
    k: int | None = None,
) -> Step:
    """Merge duplicates, and choose the paragraphs to return; see `slotted`."""
    preferred = books.inside & books.filters[:, None]
    log_odds = merge_duplicates(fused.log_odds, columns, preferred)
    n_queries, n_hits = len(log_odds), min(n_slots(settings, k), log_odds.shape[1])
    chosen = np.full((n_queries, n_hits), NO_COLUMN)
    in_book = np.zeros((n_queries, n_hits), dtype=np.bool_)
    best = np.full(n_queries, NOT_FOUND)

    for query in range(n_queries):
        filters, lift = bool(books.filters[query]), float(books.lift[query])
        has_slots = filters or (lift > 0.0 and settings.pdf_k > 0)
        inside = books.inside[query] if has_slots else None
        hits, slots = slotted(
            log_odds[query], inside, settings, n_hits, lift, filters=filters
        )
        chosen[query, : len(hits)], in_book[query, : len(hits)] = hits, slots
        best[query] = fused.relevance[query, hits].max(initial=NOT_FOUND)
    return Step(replace(fused, log_odds=log_odds), chosen, in_book, best)


def fuse(
    scored: Sequence[Scored],
    books: Books,
    priors: AnyFloatArray | None,
    settings: SearchSettings,
    weights: Mapping[str, float],
) -> Scored:
    """Fuse several strategies into one, and add lifts and priors to the order.

    "rrf" orders by the sum of 1 / (rrf_k + rank); lifts and priors are added before it ranks. "linear" orders by the
    weighted sum of scores; a strategy without a weight counts by its relevance. The relevance of a paragraph is the
    highest that a strategy gives it.

    Args:
        scored: at least one, in declared order.
        priors, weights: arguments of `search`.

    Reference:
        Cormack, Clarke and Buettcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
        Methods, 2009; Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, 2023.
    """
    first = scored[0]
    known = np.zeros(1, dtype=np.float32) if priors is None else priors
    if books.lift.any():
        known = known + books.lift[:, None] * books.inside
    if books.evidence is not None:
        known = known + books.evidence
    if len(scored) == 1:
        return replace(first, log_odds=first.log_odds + known)

    relevance = np.max([item.relevance for item in scored], axis=0)
    found = relevance > NOT_FOUND
    if settings.fusion == "rrf":
        shares = [_reciprocal_ranks(item.log_odds + known, settings) for item in scored]
        sums: AnyFloatArray = np.sum(shares, axis=0)
        return Scored("rrf", sums, _falling(relevance + known, sums), relevance)

    terms = [_weighted(item, weights.get(item.strategy)) for item in scored]
    total: AnyFloatArray = np.sum(terms, axis=0)
    log_odds = np.where(found, total + known, NOT_FOUND)
    return Scored("fused", total, log_odds, relevance)


def _falling(log_odds: AnyFloatArray, sums: AnyFloatArray) -> AnyFloatArray:
    """Lower log-odds until they fall in the order of `sums`, by at least `TRACE` a rank."""
    order = np.argsort(-sums, axis=1, kind="stable")
    lowest = np.minimum.accumulate(np.take_along_axis(log_odds, order, axis=1), axis=1)
    in_order = np.empty(log_odds.shape)
    steps = TRACE * np.arange(log_odds.shape[1])
    np.put_along_axis(in_order, order, lowest - steps, axis=1)
    return in_order


def _reciprocal_ranks(
    log_odds: AnyFloatArray, settings: SearchSettings
) -> AnyFloatArray:
    order = np.argsort(-log_odds, axis=1, kind="stable")
    ranks = 1.0 + np.arange(log_odds.shape[1])[None, :]
    shares = np.empty(log_odds.shape)
    np.put_along_axis(shares, order, 1.0 / (settings.rrf_k + ranks), axis=1)
    return np.where(log_odds > NOT_FOUND, shares, 0.0)


def _weighted(item: Scored, weight: float | None) -> AnyFloatArray:
    """Return the term of one strategy in the sum of a linear fusion.

    If a strategy has no weight, paragraphs that it did not find get its lowest log-odds, at most 0.
    """
    if weight is not None:
        return np.float32(weight) * item.scores
    found = item.relevance > NOT_FOUND
    lowest = np.where(found, item.relevance, 0.0).min(axis=1, initial=0.0)
    return np.where(found, item.relevance, lowest[:, None])


def combine(
    parts: Mapping[str, AnyFloatArray], weights: Mapping[str, float]
) -> AnyFloatArray:
    """Return the weighted sum of named scores, in the shape of one of them.

    Args:
        parts: arrays of one shape, on different scales.
        weights: log-odds per unit of each; parts without a weight are ignored.
    """
    total: AnyFloatArray | None = None
    for name, weight in weights.items():
        if weight and name in parts:
            term = np.float32(weight) * parts[name]
            total = term if total is None else np.add(total, term, out=total)
    return np.zeros_like(next(iter(parts.values()))) if total is None else total


def merge_duplicates(
    log_odds: AnyFloatArray, columns: Columns, preferred: BoolArray | None = None
) -> AnyFloatArray:
    """Keep one paragraph of each group of duplicates; the others get -inf.

    Args:
        preferred: (n_queries, n_columns) paragraphs to keep rather than the others of their group.
    """
    if not len(columns.duplicates):
        return log_odds
    is_member = columns.duplicates >= 0
    members = np.where(is_member, columns.duplicates, 0)
    values = np.where(is_member, log_odds[:, members], NOT_FOUND)
    if preferred is not None:
        chosen = preferred[:, members] & (values > NOT_FOUND)
        others = chosen.any(axis=2, keepdims=True) & ~chosen
        values = np.where(others, NOT_FOUND, values)

    best = np.argmax(values, axis=2)[:, :, None]
    kept = np.take_along_axis(np.broadcast_to(members, values.shape), best, axis=2)
    kept = kept[:, :, 0]
    merged = log_odds.copy()
    merged[:, members[is_member]] = NOT_FOUND
    np.put_along_axis(merged, kept, np.take_along_axis(log_odds, kept, axis=1), axis=1)
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
    lowest = -float(np.finfo(np.float32).max)
    return log_odds_of(threshold) if threshold > 0.0 else lowest
