"""Fusion of the hits of several strategies; pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from player.search.threshold import log_odds, probability
from player.search.types import Hit


def reciprocal_rank_fusion(runs: Sequence[Sequence[Hit]], rrf_k: int) -> list[Hit]:
    """The paragraphs of all runs by the sum of 1 / (rrf_k + rank), best first; ties go to the smaller paragraph_id.

    Args:
        runs: each best first, with ranks from 1.
        rrf_k: the larger, the less the first ranks stand out; 60 in the paper.

    Returns:
        One hit a paragraph: strategy "rrf" and the sum as score. The first is as relevant as the most relevant hit of
        all runs, the odds of the others fall with their sums.

    Reference:
        Cormack, Clarke and Buettcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
        Methods, 2009.
    """
    sums: dict[str, float] = {}
    for run in runs:
        for hit in run:
            paragraph_id = hit.paragraph.paragraph_id
            sums[paragraph_id] = sums.get(paragraph_id, 0.0) + 1.0 / (rrf_k + hit.rank)
    highest = max(sums.values(), default=1.0)
    return _fused(runs, sums, {key: math.log(value / highest) for key, value in sums.items()}, "rrf")


def linear_fusion(runs: Sequence[Sequence[Hit]], weights: Mapping[str, float]) -> list[Hit]:
    """The paragraphs of all runs by the weighted sum of their scores, best first; ties go to the smaller paragraph_id.

    Args:
        runs: each best first, of one strategy.
        weights: log-odds per unit of each strategy's score. A paragraph that a run lacks has, of keywords, 0, and of
            any other strategy the lowest score of the run.

    Returns:
        One hit a paragraph: strategy "fused" and the sum as score. The first is as relevant as the most relevant hit of
        all runs, the others are behind by the difference of their sums.

    Reference:
        Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, 2023.
    """
    sums: dict[str, float] = {hit.paragraph.paragraph_id: 0.0 for run in runs for hit in run}
    for run in runs:
        if not run:
            continue
        weight = weights[run[0].strategy]
        missing = 0.0 if run[0].strategy == "keyword" else min(hit.score for hit in run)
        scores = {hit.paragraph.paragraph_id: hit.score for hit in run}
        for paragraph_id in sums:
            sums[paragraph_id] += weight * scores.get(paragraph_id, missing)
    highest = max(sums.values(), default=0.0)
    return _fused(runs, sums, {key: value - highest for key, value in sums.items()}, "fused")


def _fused(
    runs: Sequence[Sequence[Hit]], scores: Mapping[str, float], behind: Mapping[str, float], strategy: str
) -> list[Hit]:
    """One hit a paragraph, by score; `behind` is by how many log-odds each is less likely than the first."""
    first: dict[str, Hit] = {}
    found_by: dict[str, list[str]] = {}
    for run in runs:
        for hit in run:
            first.setdefault(hit.paragraph.paragraph_id, hit)
            found_by.setdefault(hit.paragraph.paragraph_id, []).append(f"rank {hit.rank} by {hit.strategy}")
    best = max((log_odds(hit.relevance) for run in runs for hit in run), default=0.0)
    order = sorted(scores, key=lambda paragraph_id: (-scores[paragraph_id], paragraph_id))
    return [
        replace(
            first[paragraph_id],
            score=scores[paragraph_id],
            relevance=probability(best + behind[paragraph_id]),
            rank=rank,
            strategy=strategy,
            why=", ".join(found_by[paragraph_id]),
        )
        for rank, paragraph_id in enumerate(order, 1)
    ]
