"""GameRecord: the facts of one game, as they are stored and printed."""

from dataclasses import asdict, dataclass

from player.answer import Answer
from player.game import messages as protocol
from player.player import Decision, Plan
from player.question import Question
from player.round import Guess, Json, RoundStart, Score
from quarry.addresses import is_url
from quarry.arrays import Float64Array


@dataclass(frozen=True, slots=True)
class Label:
    """The secret of a game, which the referee reveals after the guess, and why it was found or lost.

    Attributes:
        paragraph_id: id of the secret paragraph.
        associative_word: the secret word; "" if there is none.
        explanation: sentences that name the step that found or lost the secret, and the answers against it.
    """

    paragraph_id: str
    opening_sentence: str
    associative_word: str
    won: bool
    explanation: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """A game. Facts that are unknown, or have not happened yet, are None or empty.

    Attributes:
        answers: (20,) a letter, "Not Relevant", or None for a missing answer.
        label: the label; None before the guess, and if the referee reveals nothing.
    """

    game_id: str
    start: RoundStart | None = None
    questions: tuple[Question, ...] = ()
    answers: tuple[Answer, ...] | None = None
    guess: Guess | None = None
    score: Score | None = None
    label: Label | None = None

    @property
    def outcome(self) -> str:
        """WON, LOST, or "" if it is unknown."""
        if self.label is not None:
            return "WON" if self.label.won else "LOST"
        return self.score.outcome if self.score else ""

    @property
    def secret_opening(self) -> str:
        """Opening sentence of the secret: that of the label, or the guess if it has won; "" if unknown."""
        if self.label is not None:
            return self.label.opening_sentence
        if self.guess is not None and self.outcome == "WON":
            return self.guess.opening_sentence
        return ""


@dataclass(frozen=True, slots=True)
class SavedMessage:
    """A message of the referee and the reply to it.

    Attributes:
        key: type of the message; for a warm-up call, also the question.
        received: the message as it came.
        at: time at which the reply was ready, in seconds since the epoch.
    """

    key: str
    reply: Json
    received: Json
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedGame(GameRecord):
    """A game as the journal holds it.

    Attributes:
        key: key of the game in the journal.
        began: time of the request in seconds since the epoch.
        ending: "running", "over" or "given up".
        messages: messages in the order of the replies; () in a list of games.
    """

    key: int
    server: str
    began: float
    ending: str
    messages: tuple[SavedMessage, ...] = ()

    @property
    def where(self) -> str:
        """The server, or a name such as "practice" or "callbacks" for games without one."""
        if is_url(self.server):
            return f"server {self.server}"
        return self.server or "callbacks"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedGame:
    """A game that this process has played to its score.

    Attributes:
        answers: (20,) as in `GameRecord`.
        key: key of the game in the journal, 0 if no journal holds it.
        elapsed_s: seconds from the request for the game to its score.
    """

    game_id: str
    plan: Plan
    answers: tuple[Answer, ...]
    decision: Decision
    score: Score
    key: int = 0
    elapsed_s: float = 0.0

    @property
    def guess(self) -> Guess:
        """The guess of the decision."""
        return self.decision.guess

    @property
    def outcome(self) -> str:
        """WON, LOST, or "" if it is unknown."""
        return self.score.outcome

    @property
    def record(self) -> GameRecord:
        """The facts of the game, without a label."""
        return GameRecord(
            game_id=self.game_id,
            start=self.plan.start,
            questions=self.plan.questions,
            answers=self.answers,
            guess=self.guess,
            score=self.score,
        )

    def as_json(self) -> Json:
        """Return the game as `run_game.py --json` prints it."""
        start, decision = self.plan.start, self.decision
        evidence = [
            {
                "question_number": item.number,
                "answer": item.letter,
                "bits": round(item.weight, 3),
                "clause": item.clause,
            }
            for item in decision.evidence
        ]

        return {
            "game_id": self.game_id,
            "book_name": start.book_name,
            "hint": start.hint,
            "association_domain": start.association_domain,
            "questions": protocol.questions_json(self.plan.questions),
            "answers": list(self.answers),
            "guess": protocol.guess_json(self.guess),
            **asdict(self.score),
            "candidates": len(self.plan.prior),
            "earlier_editions": dict(start.editions),
            "belief_before": _belief_in(decision.best, self.plan.prior),
            "belief_after": _belief_in(decision.best, decision.belief),
            "evidence": evidence,
            "elapsed_s": round(self.elapsed_s, 3),
        }


def _belief_in(row: int, belief: Float64Array) -> float | None:
    """Return the belief in the guess; None if it is not one of the candidates."""
    return round(float(belief[row]), 6) if row >= 0 else None
