"""Every game that a journal holds, as a table for the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from quarry.configs.terminal import visible
from quarry.player.game.journal import Kept, Past
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.payloads import Json

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class Summary:
    """All games together; None where none was scored.

    Attributes:
        mean_score: of the private scores, 0..100.
    """

    n_games: int
    n_scored: int
    mean_score: float | None
    league_points: int


def summary(games: Sequence[Past]) -> Summary:
    """What the games come to."""
    scores = [game.kept.score for game in games if game.kept.score is not None]
    mean = sum(score.private_score for score in scores) / len(scores) if scores else None
    return Summary(len(games), len(scores), mean, sum(score.league_points for score in scores))


def history_json(games: Sequence[Past]) -> Json:
    """The games as one document, the oldest first; holds no token."""
    return {"history": [_game_json(game) for game in games]}


def history_table(games: Sequence[Past]) -> Table:
    """The games as a table for the terminal; nothing in it is interpreted."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("when", "game", "against", "hint", "guess", "score", "points"):
        table.add_column(name, justify="right" if name in {"score", "points"} else "left")
    for game in games:
        kept = game.kept
        table.add_row(
            *(
                Text(visible(cell))
                for cell in (
                    moment(kept.began),
                    kept.game_id or "-",
                    _short(game.against or game.server),
                    _short(kept.start.hint if kept.start else "-"),
                    _short(kept.guess.opening_sentence if kept.guess else "-"),
                    f"{kept.score.private_score:.1f}" if kept.score else game.ending,
                    str(kept.score.league_points) if kept.score else "-",
                )
            )
        )
    return table


def moment(seconds: float | None) -> str:
    """A moment in local time, to the minute; "-" for none."""
    try:
        return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M") if seconds is not None else "-"
    except (ValueError, OverflowError, OSError):  # an altered journal
        return "-"


def _game_json(game: Past) -> Json:
    kept: Kept = game.kept
    start, score = kept.start, kept.score
    answers = kept.answers or (None,) * len(kept.questions)
    asked = protocol.questions_json(kept.questions)
    return {
        "game_id": kept.game_id,
        "server": game.server,
        "against": game.against,
        "began": kept.began,
        "ended": game.ended,
        "ending": game.ending,
        "book_name": start.book_name if start else "",
        "hint": start.hint if start else "",
        "association_domain": start.association_domain if start else "",
        "questions": [
            {**question, "answer": answers[row] if row < len(answers) else None} for row, question in enumerate(asked)
        ],
        "guess": protocol.guess_json(kept.guess) if kept.guess else None,
        "private_score": score.private_score if score else None,
        "league_points": score.league_points if score else None,
        "breakdown": dict(score.breakdown) if score else {},
        "feedback": dict(score.feedback) if score else {},
    }


def _short(text: str) -> str:
    return text if len(text) <= 48 else f"{text[:47]}…"
