"""How scores of BM25 become log-odds of relevance."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeywordCalibration:
    """Fitted numbers of keyword search.

    Attributes:
        bias: of the log-odds that the best hit is what is searched for.
        share: their slope on the share of the highest possible score.
        nats: log-odds between two paragraphs of one course per unit of BM25.
    """

    bias: float
    share: float
    nats: float
