"""Why a practice game was lost, in plain lines: the server knows what the player was looking for."""

from __future__ import annotations

import numpy as np

from quarry.ingest.paragraph import Paragraph
from quarry.player.game.game import GameReport
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
    misled = ", ".join(f"{number} ({report.answers[number - 1]})" for number in misleading(report, row))
    lines.append(f"answers that spoke against it and for the guess: {misled or 'none'}")
    return lines


def misleading(report: GameReport, row: int) -> list[int]:
    """The numbers of the questions whose answers spoke against a candidate and for the one that was guessed.

    Args:
        row: of the candidate among those of the plan.
    """
    numbers = []
    for number, answer in enumerate(report.answers):
        letter = letter_row(answer)
        if letter is not None:
            fits = report.plan.fits[:, number, :, letter].max(axis=0)
            if np.log2(max(fits[report.decision.best], LEAST) / max(fits[row], LEAST)) > MISLEADING:
                numbers.append(number + 1)
    return numbers
