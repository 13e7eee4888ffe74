"""Games as JSON, from reports and from the journal."""

from __future__ import annotations

from collections.abc import Sequence

from quarry.ingest.arrays import Float64Array
from quarry.player.game.game import GameReport
from quarry.player.game.journal import GameRecord
from quarry.player.protocol import messages as protocol
from quarry.player.protocol.messages import Json


def report_json(report: GameReport) -> Json:
    """Write a finished game as `run_game.py --json` prints it."""
    decision = report.decision
    return _game_json(report.record) | {
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


def history_json(games: Sequence[GameRecord]) -> Json:
    """Write the games of a journal as one document, without tokens."""
    return {
        "history": [
            {
                **_game_json(game),
                "server": game.server,
                "against": game.referee,
                "began": game.began,
                "ended": game.ended,
                "ending": game.ending,
            }
            for game in games
        ]
    }


def _game_json(game: GameRecord) -> Json:
    start, score = game.start, game.score
    return {
        "game_id": game.game_id,
        "book_name": start.book_name if start else "",
        "hint": start.hint if start else "",
        "association_domain": start.association_domain if start else "",
        "questions": protocol.questions_json(game.questions),
        "answers": list(game.answers or ()),
        "guess": protocol.guess_json(game.guess) if game.guess else None,
        "private_score": score.private_score if score else None,
        "league_points": score.league_points if score else None,
        "breakdown": dict(score.breakdown) if score else {},
        "feedback": dict(score.feedback) if score else {},
    }


def _belief_in(row: int, belief: Float64Array) -> float | None:
    """Return the belief in the guess; None if it is not one of the candidates."""
    return round(float(belief[row]), 6) if 0 <= row < len(belief) else None
