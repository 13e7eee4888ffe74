"""Fusion of the hits of several strategies; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from player.search.types import Hit


def reciprocal_rank_fusion(runs: Sequence[Sequence[Hit]], rrf_k: int) -> list[Hit]:
    """The paragraphs of all runs by the sum of 1 / (rrf_k + rank), best first; ties go to the smaller paragraph_id.

    Args:
        runs: each best first, with ranks from 1.
        rrf_k: the larger, the less the first ranks stand out; 60 in the paper.

    Returns:
        One hit a paragraph: strategy "rrf", the sum as score, and as relevance its share of the highest possible sum.

    Reference:
        Cormack, Clarke and Buettcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
        Methods, 2009.
    """
    sums: dict[str, float] = {}
    first: dict[str, Hit] = {}
    found_by: dict[str, list[str]] = {}
    for run in runs:
        for hit in run:
            paragraph_id = hit.paragraph.paragraph_id
            first.setdefault(paragraph_id, hit)
            sums[paragraph_id] = sums.get(paragraph_id, 0.0) + 1.0 / (rrf_k + hit.rank)
            found_by.setdefault(paragraph_id, []).append(f"rank {hit.rank} by {hit.strategy}")
    highest = len(runs) / (rrf_k + 1)
    order = sorted(sums, key=lambda paragraph_id: (-sums[paragraph_id], paragraph_id))
    return [
        replace(
            first[paragraph_id],
            score=sums[paragraph_id],
            relevance=sums[paragraph_id] / highest,
            rank=rank,
            strategy="rrf",
            why=", ".join(found_by[paragraph_id]),
        )
        for rank, paragraph_id in enumerate(order, 1)
    ]
