"""Games as JSON: those that are over, each written as soon as it is, and those of the journal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from quarry.configs.terminal import visible_json
from quarry.ingest.arrays import Float64Array
from quarry.player.game.game import GameReport
from quarry.player.game.ledger import GameRecord
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.payloads import Guess, Json, RoundStart, Score
from quarry.player.questions.answer import Answers
from quarry.player.questions.question import Question


def report_json(report: GameReport) -> Json:
    """Write a game as `run_game.py --json` prints it."""
    decision = report.decision
    game = _game_json(report.game_id, report.start, report.plan.questions, report.answers, decision.guess, report.score)
    return game | {
        "candidates": len(report.plan.result.hits),
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
        "elapsed_s": round(report.elapsed_s, 3),
    }


def history_json(games: Sequence[GameRecord]) -> Json:
    """Write the games of a journal as one document; holds no token."""
    return {"history": [_record_json(game) for game in games]}


def _record_json(record: GameRecord) -> Json:
    game = _game_json(record.game_id, record.start, record.questions, record.answers or (), record.guess, record.score)
    return game | {
        "server": record.server,
        "against": record.referee,
        "began": record.began,
        "ended": record.ended,
        "ending": record.ending,
    }


def _game_json(
    game_id: str,
    start: RoundStart | None,
    questions: Sequence[Question],
    answers: Answers,
    guess: Guess | None,
    score: Score | None,
) -> Json:
    return {
        "game_id": game_id,
        "book_name": start.book_name if start else "",
        "hint": start.hint if start else "",
        "association_domain": start.association_domain if start else "",
        "questions": protocol.questions_json(questions),
        "answers": list(answers),
        "guess": protocol.guess_json(guess) if guess else None,
        "private_score": score.private_score if score else None,
        "league_points": score.league_points if score else None,
        "breakdown": dict(score.breakdown) if score else {},
        "feedback": dict(score.feedback) if score else {},
    }


def _belief_in(row: int, belief: Float64Array) -> float | None:
    """Return the belief in the guess; None where the search found nothing, so that it is none of its paragraphs."""
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
