"""Why a practice game was lost, in plain lines: the server knows what the player was looking for."""

from __future__ import annotations

import numpy as np

from quarry.ingest.paragraph import Paragraph
from quarry.player.play import GameReport
from quarry.player.questions.answer import letter_row
from quarry.player.questions.belief import rank_of

MISLEADING = 1.0
"""Bits by which an answer speaks for the guess and against the paragraph, from which on it is named."""
LEAST = 0.01
"""Of a fit: no answer is wholly impossible."""


def why_lost(report: GameReport, paragraph: Paragraph) -> list[str]:
    """What became of the paragraph: which it was, its place and belief before and after, the answers that misled.

    Empty where it was guessed.
    """
    plan, decision = report.plan, report.decision
    row = plan.result.row_of(paragraph)
    if row == decision.best:
        return []
    lines = [f'the paragraph was {paragraph.doc_id} p{paragraph.page}: "{paragraph.opening_sentence}"']
    if row is None:
        return [*lines, f"it was not among the {len(plan.result.hits)} candidates: the search lost it"]
    before, after = rank_of(row, plan.prior), rank_of(row, decision.belief)
    lines.append(
        f"place {before} of {len(plan.prior)} before the answers with belief {plan.prior[row]:.3f}, place {after} "
        f"after them with {decision.belief[row]:.3f}"
    )
    misled = []
    for number, answer in enumerate(report.answers):
        letter = letter_row(answer)
        if letter is not None:
            fits = plan.fits[:, number, :, letter].max(axis=0)
            if np.log2(max(fits[decision.best], LEAST) / max(fits[row], LEAST)) > MISLEADING:
                misled.append(f"{number + 1} ({answer})")
    lines.append(f"answers that spoke against it and for the guess: {', '.join(misled) or 'none'}")
    return lines
