"""Games as JSON, each written as soon as it is over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from quarry.configs.terminal import visible_json
from quarry.ingest.arrays import Float64Array
from quarry.player.game.play import GameReport
from quarry.player.protocol import payloads as protocol


def report_json(report: GameReport) -> Mapping[str, object]:
    """A game as `run_game.py --json` prints it."""
    start, decision = report.start, report.decision
    return {
        "game_id": report.game_id,
        "book_name": start.book_name,
        "hint": start.hint,
        "association_domain": start.association_domain,
        "candidates": len(report.plan.rows),
        "questions": protocol.questions_json(report.plan.questions),
        "answers": list(report.answers),
        "guess": protocol.guess_json(decision.guess),
        "belief_before": _belief_in(decision.best, report.plan.prior),
        "belief_after": _belief_in(decision.best, decision.belief),
        "evidence": [
            {
                "question_number": found.number,
                "answer": found.letter,
                "bits": round(found.weight, 3),
                "clause": found.clause,
            }
            for found in decision.evidence
        ],
        "private_score": report.score.private_score,
        "league_points": report.score.league_points,
        "breakdown": dict(report.score.breakdown),
        "feedback": dict(report.score.feedback),
        "elapsed_s": round(report.elapsed_s, 3),
    }


def _belief_in(row: int, belief: Float64Array) -> float | None:
    """Of the guess; None where the search found nothing, so that the guess is none of its paragraphs."""
    return round(float(belief[row]), 6) if 0 <= row < len(belief) else None


class GameStream:
    """Writes `{"games": [...]}`, a game a line; or, with `lines`, each game as a document of its own.

    Args:
        write: takes text, and lets it out at once.
        lines: no document around the games.

    Attributes:
        played_on: what each game tells of where it was played: store, preset, server.
        failure: why nothing more is written, None while all is well; games that are under way go on.
    """

    def __init__(self, write: Callable[[str], object], *, lines: bool) -> None:
        self.played_on: Mapping[str, object] = {}
        self.failure: OSError | None = None
        self._write = write
        self._lines = lines
        self._n_games = 0

    def add(self, report: GameReport) -> None:
        """Write a game that is over just now."""
        game = {"time": datetime.now(UTC).isoformat(timespec="seconds"), **self.played_on, **report_json(report)}
        before = "" if self._lines else "," if self._n_games else '{"games": [\n'
        self._n_games += 1
        self._let_out(f"{before}{visible_json(game, indent=None)}\n")

    def close(self) -> None:
        """Write what makes the document whole; nothing where each game was one."""
        if not self._lines:
            self._let_out("]}\n" if self._n_games else '{"games": []}\n')

    def _let_out(self, text: str) -> None:
        if self.failure is None:
            try:
                self._write(text)
            except OSError as error:
                self.failure = error
