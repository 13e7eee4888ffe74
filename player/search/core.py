"""The arithmetic of every search, on arrays, in log-odds: live search, games, replays, comparisons and tuning share it.

Arrays are (n_queries, n_columns): a row is a query, a column a paragraph. Columns are in the order of their
paragraph_id, which is how ties are broken: the earlier column wins. Everything that is known of a paragraph is a term
in natural-log odds, and a sum of terms is all that fusion, a book's lift and a document's prior are. The best paragraph
of a query stands at the calibrated log-odds that the course holds what is searched for, the others lie behind it by as
much as they are less likely; -inf stands for a paragraph that was not found.

The steps, in order: `combine` the named scores of a strategy, `relative`, `score_step` (that is: `weigh` strategies and
documents, `merge_duplicates`), then `slotted` for the paragraphs of one query, or `target_ranks` for one paragraph of
each of many, and `answering` for the step of the cascade that answers. Nothing here knows of hits, texts or models.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from quarry.configs.settings import Fusion, Merge, SearchSettings, SpillOver
from quarry.ingest.arrays import AnyFloatArray, BoolArray, IntArray
from quarry.ingest.paragraph import Document, Paragraph

NOT_FOUND = -np.inf
FARTHEST = 30.0
"""Log-odds beyond which nothing is told apart; keeps probabilities off 0 and 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """What the core knows of the paragraphs that it ranks.

    Attributes:
        rows: (n_columns,) row of each column in the course's paragraphs.
        document: (n_columns,) number of each one's document in `doc_ids`.
        doc_ids: documents that any paragraph stands in, ascending.
        twins: (n_groups, most twins of one) columns of paragraphs that say the same, ascending, then -1.
        column_of: (n_paragraphs,) column of each of the course's paragraphs, -1 of one that has none.
    """

    rows: IntArray
    document: IntArray
    doc_ids: tuple[str, ...]
    twins: IntArray
    column_of: IntArray

    def inside(self, doc_ids: Sequence[str]) -> BoolArray:
        """(n_columns,) whether each paragraph stands in one of these documents."""
        wanted: BoolArray = np.array([doc_id in doc_ids for doc_id in self.doc_ids], dtype=np.bool_)
        return wanted[self.document]

    def of(self, rows: IntArray) -> Columns:
        """The columns of some of these rows alone."""
        columns = np.unique(self.column_of[rows])
        column_of = np.full(len(self.column_of), -1, dtype=np.int64)
        column_of[self.rows[columns]] = np.arange(len(columns))
        moved = np.where(self.twins >= 0, column_of[self.rows[self.twins]], -1)
        moved = moved[(moved >= 0).sum(axis=1) > 1]
        n = len(columns)
        twins = np.sort(np.where(moved >= 0, moved, n), axis=1)[:, : int((moved >= 0).sum(axis=1).max(initial=0))]
        return replace(
            self,
            rows=self.rows[columns],
            document=self.document[columns],
            twins=np.where(twins < n, twins, -1),
            column_of=column_of,
        )

    @property
    def n_twins(self) -> int:
        """Paragraphs that another one stands for."""
        return int((self.twins >= 0).sum()) - len(self.twins)


def columns_of(paragraphs: Sequence[Paragraph], rows: Sequence[int] | None = None) -> Columns:
    """The columns of a course, or of some of its rows.

    Two paragraphs are twins where their texts are equal, or where ingest found one to say nearly the same as the other.
    """
    chosen = sorted(
        range(len(paragraphs)) if rows is None else rows, key=lambda row: (paragraphs[row].paragraph_id, row)
    )
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
        for other in others:  # a paragraph that is like two groups makes one of them
            groups[first] += groups[other]
            groups[other] = []
            group_of = {key: first if group == other else group for key, group in group_of.items()}
        groups[first].append(column)
        group_of |= dict.fromkeys(keys, first)
    same = [sorted(group) for group in groups if len(group) > 1]
    twins = np.full((len(same), max(map(len, same), default=0)), -1, dtype=np.int64)
    for line, group in enumerate(same):
        twins[line, : len(group)] = group
    column_of = np.full(len(paragraphs), -1, dtype=np.int64)
    column_of[chosen] = np.arange(len(chosen))
    return Columns(
        rows=np.array(chosen, dtype=np.int64),
        document=np.array([number[paragraphs[row].doc_id] for row in chosen], dtype=np.int64),
        doc_ids=doc_ids,
        twins=twins,
        column_of=column_of,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """What one strategy, or a fusion of several, makes of the paragraphs.

    Attributes:
        strategy: whose name hits carry.
        scores: (n_queries, n_columns) on its own scale, higher is better; finite where something was not found, too.
        log_odds: (n_queries, n_columns) of relevance, -inf where not found.
    """

    strategy: str
    scores: AnyFloatArray
    log_odds: AnyFloatArray


def combine(parts: Mapping[str, AnyFloatArray], weights: Mapping[str, float]) -> AnyFloatArray:
    """(n_queries, n_columns) weighted sum of named scores.

    Args:
        parts: (n_queries, n_columns) each, on scales of their own.
        weights: log-odds per unit of each; parts without a weight count nothing.
    """
    used = [name for name, weight in weights.items() if weight and name in parts]
    if not used:
        return np.zeros_like(next(iter(parts.values())))
    total: AnyFloatArray = np.float32(weights[used[0]]) * parts[used[0]]
    for name in used[1:]:
        total += np.float32(weights[name]) * parts[name]
    return total


def relative(scores: AnyFloatArray, answerable: AnyFloatArray) -> AnyFloatArray:
    """(n_queries, n_columns) log-odds: of the best of each query `answerable`, of the others as far behind as scores.

    Args:
        scores: (n_queries, n_columns) in log-odds, up to a constant for each query.
        answerable: (n_queries,) log-odds that the course holds what is searched for.
    """
    shifted: AnyFloatArray = scores + (answerable - scores.max(axis=1, initial=NOT_FOUND))[:, None]
    return shifted


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """What the books' names of some queries say.

    Attributes:
        inside: (n_queries, n_columns) whether a paragraph stands in a named book.
        lift: (n_queries,) log-odds by which their paragraphs are likelier.
        evidence: (n_queries,) log-odds that the course holds the paragraph at all.
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
    """What the strategies found, as one, with all that is known of the documents.

    Lifts and priors say which paragraph is likelier, not that any is likely: the best one is no more relevant for them
    than the best one was before. The evidence of a book's name then moves them all.

    Args:
        found: at least one, in declared order.
        priors: (n_columns,) log-odds of each paragraph's document before any hint; None for none.
        fusion, weights, rrf_k: as `fuse` takes them.
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
    """Several strategies as one.

    Args:
        found: at least one, in declared order.
        fusion: "first": of each query the first strategy that found anything; "rrf": by the sum of 1 / (rrf_k + rank);
            "linear": by the weighted sum of scores, where a strategy without a weight counts by its own log-odds.
        weights: log-odds per unit of each strategy's score.
        rrf_k: the larger, the less the first ranks stand out; 60 in the paper.
        known: (n_queries, n_columns) log-odds to be added; before ranks are taken, which leave no scale to add to.

    Returns:
        The best of each query is as relevant as the most relevant of all strategies, before `known` is added.

    Reference:
        Cormack, Clarke and Buettcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
        Methods, 2009; Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, 2023.
    """
    first = found[0]
    if len(found) > 1 and fusion == "first":
        scores, log_odds = found[-1].scores, found[-1].log_odds
        for item in found[-2::-1]:
            some = (item.log_odds > NOT_FOUND).any(axis=1, keepdims=True)
            scores, log_odds = np.where(some, item.scores, scores), np.where(some, item.log_odds, log_odds)
        first = Scored(first.strategy, scores, log_odds)
    if len(found) == 1 or fusion == "first":
        return first if known is None else Scored(first.strategy, first.scores, first.log_odds + known)
    anywhere = np.logical_or.reduce([item.log_odds > NOT_FOUND for item in found])
    highest = np.max([item.log_odds.max(axis=1, initial=NOT_FOUND) for item in found], axis=0)
    highest = np.where(np.isfinite(highest), highest, 0.0)
    if fusion == "rrf":
        sums = np.sum([_reciprocal_ranks(item.log_odds, rrf_k, known) for item in found], axis=0)
        log_odds = np.log(np.where(anywhere, sums, 1.0))
        return Scored("rrf", sums, relative(np.where(anywhere, log_odds, NOT_FOUND), highest))
    sums = np.sum([_weighted(item, weights.get(item.strategy)) for item in found], axis=0)
    log_odds = relative(np.where(anywhere, sums, NOT_FOUND), highest)
    return Scored("fused", sums, log_odds if known is None else log_odds + known)


def _reciprocal_ranks(log_odds: AnyFloatArray, rrf_k: int, known: AnyFloatArray | None) -> AnyFloatArray:
    order = np.argsort(-(log_odds if known is None else log_odds + known), axis=1, kind="stable")
    shares = np.empty(log_odds.shape)
    np.put_along_axis(shares, order, 1.0 / (rrf_k + 1.0 + np.arange(log_odds.shape[1]))[None, :], axis=1)
    return np.where(log_odds > NOT_FOUND, shares, 0.0)


def _weighted(item: Scored, weight: float | None) -> AnyFloatArray:
    """What a strategy adds to the sum of a linear fusion.

    Of one without a weight, what it did not find counts as the least that it found, or as even odds if that is less.
    """
    if weight is not None:
        return weight * item.scores
    there = item.log_odds > NOT_FOUND
    least = np.where(there, item.log_odds, np.inf).min(axis=1, initial=np.inf)[:, None]
    return np.where(there, item.log_odds, np.minimum(least, 0.0))


def merge_duplicates(log_odds: AnyFloatArray, columns: Columns, preferred: BoolArray | None = None) -> AnyFloatArray:
    """(n_queries, n_columns) log-odds with one paragraph of each group of twins left, the others -inf.

    Args:
        preferred: (n_queries, n_columns) of a group's paragraphs the best of these stays, if there are any.
    """
    if not len(columns.twins):
        return log_odds
    known = columns.twins >= 0
    members = np.where(known, columns.twins, 0)
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
    """One step of the cascade up to its slots: fuse the strategies, weigh the documents, merge duplicates.

    Args:
        found, named, priors, weights: as `weigh` takes them.
        filters: (n_queries,) whether a named book filters; of duplicates, the one in that book is then kept.

    Returns:
        What the strategies found, as one; and its (n_queries, n_columns) log-odds with duplicates merged.
    """
    fused = weigh(found, named, priors, settings.fusion, weights, settings.rrf_k)
    preferred = named.inside & filters[:, None] if len(columns.twins) else None
    return fused, merge_duplicates(fused.log_odds, columns, preferred)


def name_evidence(
    confidence: AnyFloatArray, taken: BoolArray, has_name: BoolArray, named: float, unnamed: float
) -> AnyFloatArray:
    """(n_queries,) log-odds that the course holds the paragraph, for books' names that were, or were not, resolved.

    Args:
        confidence: (n_queries,) 0..1, that one of the books is meant.
        taken: (n_queries,) whether any of them filters or is boosted.
        has_name: (n_queries,) whether a name was given.
        named, unnamed: log-odds for a name that was resolved for certain, and for one that was not resolved.
    """
    return np.where(taken, named * confidence, np.where(has_name, unnamed, 0.0))


@dataclass(frozen=True, slots=True)
class Slots:
    """How many paragraphs are returned, and which side has how many of them.

    Attributes:
        k: returned at most; pdf_k + global_k.
        pdf_k: reserved for the books that filter.
        global_k: for the whole course.
        spill_over: whether what one side leaves unused goes to the other.
        merge: "slots", or "relevance": one list, nothing reserved.
    """

    k: int
    pdf_k: int
    global_k: int
    spill_over: SpillOver = "always"
    merge: Merge = "slots"

    def n_alone(self) -> int:
        """Paragraphs returned where no book filters."""
        return self.k if self.merge == "relevance" or self.spill_over != "never" else self.global_k


def slots_of(settings: SearchSettings, k: int | None = None) -> Slots:
    """The slots for k paragraphs: those of the settings in proportion, so that they add up to k."""
    wanted = settings.k if k is None else k
    reserved = settings.pdf_k + settings.global_k
    pdf_k = round(wanted * settings.pdf_k / reserved) if reserved else 0
    return Slots(wanted, pdf_k, wanted - pdf_k, settings.spill_over, settings.merge)


def slot_places(
    before: IntArray, before_inside: IntArray, inside: BoolArray, n_inside: IntArray, slots: Slots
) -> IntArray:
    """Places, from 1, that paragraphs get among those that are returned; 0 for one that is not returned.

    Args:
        before: paragraphs that come before each one in the order of log-odds.
        before_inside: those of them that are in a book that filters.
        inside: whether each one is in such a book itself.
        n_inside: found paragraphs of those books; 0 where no book filters.
        slots: how many paragraphs each side has.

    Reference:
        The first design record: 15 filtered, then the first 5 unfiltered that are new.
    """
    alone = np.where(before < slots.n_alone(), before + 1, 0)
    if slots.merge == "relevance":
        return alone
    n_of_book = np.minimum(n_inside, slots.pdf_k)
    n_global = slots.global_k + (slots.pdf_k - n_of_book if slots.spill_over == "always" else 0)
    of_course = before - np.minimum(before_inside, slots.pdf_k)
    # with too few elsewhere, the course's slots hold the rest of the book: nothing is left that could spill over to it
    elsewhere = np.where(of_course < n_global, n_of_book + of_course + 1, 0)
    place = np.where(inside & (before_inside < slots.pdf_k), before_inside + 1, elsewhere)
    return np.where(n_inside > 0, place, alone)


def slotted(log_odds: AnyFloatArray, inside: BoolArray | None, slots: Slots) -> tuple[IntArray, BoolArray]:
    """Choose the paragraphs of one query that are returned, in order; tell which of them are in a book's slot.

    Args:
        log_odds: (n_columns,) with duplicates merged.
        inside: (n_columns,) whether each is in a book that filters; None where none does.
    """
    found = np.flatnonzero(log_odds > NOT_FOUND)
    order = found[np.argsort(-log_odds[found], kind="stable")]
    of_book = np.zeros(len(order), dtype=np.bool_) if inside is None else inside[order]
    n_inside = of_book.sum()
    before_inside = np.cumsum(of_book) - of_book
    places = slot_places(np.arange(len(order)), before_inside, of_book, n_inside, slots)
    returned = np.flatnonzero(places)
    returned = returned[np.argsort(places[returned])]
    if slots.merge != "relevance":
        of_book &= before_inside < slots.pdf_k
    return order[returned], of_book[returned]


def target_ranks(
    log_odds: AnyFloatArray, members: IntArray, filters: BoolArray, slots: Slots, targets: IntArray
) -> tuple[IntArray, AnyFloatArray]:
    """For each of many queries, the place at which `slotted` returns one paragraph, and the best log-odds it returns.

    Nothing is sorted: a place depends on counts of the paragraphs before it. That is what makes thousands of settings
    a minute.

    Args:
        log_odds: (n_queries, n_columns) with duplicates merged.
        members: (n_queries, most paragraphs of a query's books) columns of the books that filter, then -1.
        filters: (n_queries,) whether any does.
        targets: (n_queries,) column of the paragraph that is looked for, -1 for none.

    Returns:
        (n_queries,) place from 1, 0 where it is not returned; (n_queries,) log-odds, -inf where nothing is returned.
    """
    queries = np.arange(len(log_odds))
    target = log_odds[queries, targets]
    before = (log_odds > target[:, None]).view(np.uint8).sum(axis=1, dtype=np.uint32).astype(np.int64)
    tied = np.flatnonzero((log_odds == target[:, None]).view(np.uint8).sum(axis=1, dtype=np.uint32) > 1)
    for query in tied:
        before[query] += int((log_odds[query, : targets[query]] == target[query]).sum())
    known = (members >= 0) & filters[:, None]
    within = np.where(known, np.take_along_axis(log_odds, np.where(known, members, 0), axis=1), NOT_FOUND)
    n_inside = (within > NOT_FOUND).sum(axis=1)
    ahead = (within > target[:, None]) | ((within == target[:, None]) & (members < targets[:, None]))
    is_member = (known & (members == targets[:, None])).any(axis=1)
    places = slot_places(before, (ahead & known).sum(axis=1), is_member, n_inside, slots)
    best, best_inside = log_odds.max(axis=1, initial=NOT_FOUND), within.max(axis=1, initial=NOT_FOUND)
    none = np.zeros_like(before)
    first = slot_places(none, none, best_inside == best, n_inside, slots)  # of the best of all, then of the best inside
    first_inside = slot_places(np.ones_like(before), none, n_inside > 0, n_inside, slots)
    best = np.where(first > 0, best, np.where((first_inside > 0) & (n_inside > 0), best_inside, NOT_FOUND))
    return np.where((targets >= 0) & (target > NOT_FOUND), places, 0), best


def answering(best: Sequence[AnyFloatArray], threshold: float, lowered: float) -> IntArray:
    """(n_queries,) the step of the cascade that answers, -1 where none does.

    Args:
        best: of each step (n_queries,) the log-odds of the best paragraph that it returns.
        threshold: 0..1, relevance from which a step has found something.
        lowered: 0..1, the same where no step has.
    """
    answers = np.full(len(best[0]), -1, dtype=np.int64)
    for level in (lowered, threshold):
        passed = np.stack(best) >= threshold_log_odds(level)
        answers = np.where(passed.any(axis=0), passed.argmax(axis=0), answers)
    return answers


def can_still_pass(best: AnyFloatArray, highest: AnyFloatArray, threshold: float, lowered: float) -> BoolArray:
    """(n_queries,) whether a later step over the same marks may answer in place of the first.

    Without a book's name nothing is more relevant than the strategies' own best, `highest`, so that it would have to
    reach the threshold, unless the first step has not even reached the lowered one.

    Args:
        best: (n_queries,) log-odds of the best paragraph that the first step returns.
        highest: (n_queries,) the highest log-odds that any strategy gives.
        threshold, lowered: as `answering` takes them.
    """
    may: BoolArray = (best < threshold_log_odds(lowered)) | (highest >= threshold_log_odds(threshold))
    return may


SUREST_BOOK = 0.995
"""Confidence from which a book weighs no more: even an exact stem may be another course's file."""


def book_log_odds(confidence: float, n_in_book: int, n_in_course: int) -> float:
    """By how much likelier one paragraph of the book is than one of the rest, 0 at least.

    Args:
        confidence: 0..1, that the book is meant.
        n_in_book: its paragraphs.
        n_in_course: all paragraphs, its own among them.
    """
    surest = min(confidence, SUREST_BOOK)
    rest = n_in_course - n_in_book
    ratio = float(np.log(rest / n_in_book)) if n_in_book > 0 and rest > 0 else 0.0
    return max(0.0, log_odds_of(surest) + ratio)


def document_priors(documents: Iterable[Document], quality_weight: float, recency_weight: float) -> Mapping[str, float]:
    """Log-odds of each document's paragraphs, by doc_id: weights times quality and recency.

    Quality is the share of the document's blocks that were kept, in shares of the best one's; recency is its place
    among the dated documents, 0 for the oldest and 1 for the latest. What is not known counts as 0.
    """
    documents = list(documents)
    kept = {document.doc_id: _kept_share(document) for document in documents}
    best = max(kept.values(), default=0.0)
    dates = sorted({document.date for document in documents if document.date})
    age = {date: place / max(1, len(dates) - 1) for place, date in enumerate(dates)}
    return {
        document.doc_id: quality_weight * (kept[document.doc_id] / best if best else 0.0)
        + recency_weight * age.get(document.date, 0.0)
        for document in documents
    }


def _kept_share(document: Document) -> float:
    blocks = document.n_paragraphs + sum(document.rejected.values())
    return document.n_paragraphs / blocks if blocks else 0.0


def probabilities(log_odds: AnyFloatArray) -> AnyFloatArray:
    """0..1 of each of the log-odds, never quite either."""
    shares: AnyFloatArray = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -FARTHEST, FARTHEST, dtype=np.float64)))
    return shares


def probability(log_odds: float) -> float:
    """0..1, never quite either."""
    return float(probabilities(np.array(log_odds)))


def log_odds_of(probability: float) -> float:
    """Natural logarithm of the odds of a probability, within +-30."""
    if probability <= 0.0:
        return -FARTHEST
    if probability >= 1.0:
        return FARTHEST
    return min(max(float(np.log(probability) - np.log1p(-probability)), -FARTHEST), FARTHEST)


def threshold_log_odds(threshold: float) -> float:
    """Log-odds from which something counts as relevant; a threshold of 0 lets all through that was found."""
    return log_odds_of(threshold) if threshold > 0.0 else -float(np.finfo(np.float32).max)
