"""Types of a round: its start, the guess and the score."""

from dataclasses import dataclass
from typing import Any

OPENING_WEIGHT = 0.5
"""Weight of the opening sentence in the score."""
OPENING_SCORE = "opening_sentence_score"
"""Name of the points of the opening sentence in a score."""
WON_POINTS = 90.0
"""Minimum points of an opening sentence that wins a game; a sentence with 9 of 10 words right has them."""
BANDS = ((0.95, 0.98), (0.85, 0.88), (0.70, 0.75))
"""Minimum similarities of raw text, and the points that a public referee gives for them, 0..1."""
UNSURE_POINTS = {
    round(100.0 * band, 2) for _, band in BANDS if 100.0 * band < WON_POINTS
}
"""Points at which a printed sentence has lost and a raw one has won; the score does not say which it was."""
ROUNDING = 0.2
"""Maximum number of points by which rounded and weighted points of an opening sentence exceed 100."""
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RoundStart:
    """Q21ROUNDSTART: name of the book, hint, and domain of the associative word.

    Attributes:
        editions: earlier games by edition, as `Journal.editions` returns them; never part of the message.
    """

    match_id: str
    book_name: str = ""
    hint: str = ""
    association_domain: str = ""
    auth_token: str = ""
    editions: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """Q21SCOREFEEDBACK: the score of the guess.

    Attributes:
        private_score: 0..100.
        breakdown: points by part, as sent.
        feedback: remarks by part, as sent.
    """

    private_score: float
    league_points: int
    breakdown: dict[str, float]
    feedback: dict[str, str]

    @property
    def opening_points(self) -> float | None:
        """Points of the opening sentence, 0..100; None if the referee did not send them, or weighs them in its own way.

        Some referees send weighted points, which add up to the score.
        """
        points = self.breakdown.get(OPENING_SCORE, -1.0)
        total = sum(self.breakdown.values())
        if len(self.breakdown) > 1 and abs(total - self.private_score) < 1.0:
            points /= OPENING_WEIGHT
        is_in_range = 0.0 <= points <= 100.0 + ROUNDING
        return min(points, 100.0) if is_in_range else None

    @property
    def outcome(self) -> str:
        """WON, LOST, or "" if the points of the opening sentence are missing, or depend on the kind of secret."""
        points = self.opening_points
        if points is None or round(points, 2) in UNSURE_POINTS:
            return ""
        return "WON" if points >= WON_POINTS else "LOST"


@dataclass(frozen=True, slots=True)
class Guess:
    """The guess at the end of a game.

    Attributes:
        confidence: probability of the sentence, 0..1.
    """

    opening_sentence: str
    sentence_justification: str
    associative_word: str
    word_justification: str
    confidence: float
