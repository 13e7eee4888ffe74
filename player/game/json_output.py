"""A finished game as JSON."""

from __future__ import annotations

from quarry.ingest.arrays import Float64Array
from quarry.player.game.game import GameReport
from quarry.player.protocol import messages as protocol
from quarry.player.protocol.messages import Json


def report_json(report: GameReport) -> Json:
    """Write a finished game as `run_game.py --json` prints it."""
    start, decision, score = report.start, report.decision, report.score
    return {
        "game_id": report.game_id,
        "book_name": start.book_name,
        "hint": start.hint,
        "association_domain": start.association_domain,
        "questions": protocol.questions_json(report.plan.questions),
        "answers": list(report.answers),
        "guess": protocol.guess_json(decision.guess),
        "private_score": score.private_score,
        "league_points": score.league_points,
        "breakdown": dict(score.breakdown),
        "feedback": dict(score.feedback),
        "candidates": len(report.plan.rows),
        "belief_before": _belief_in(decision.best, report.plan.prior),
        "belief_after": _belief_in(decision.best, decision.belief),
        "evidence": [
            {
                "question_number": item.number,
                "answer": item.letter,
                "bits": round(item.weight, 3),
                "clause": item.clause,
            }
            for item in decision.evidence
        ],
        "elapsed_s": round(report.elapsed_s, 3),
    }


def _belief_in(row: int, belief: Float64Array) -> float | None:
    """Return the belief in the guess; None if it is not one of the candidates."""
    return round(float(belief[row]), 6) if 0 <= row < len(belief) else None
