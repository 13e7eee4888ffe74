"""What every Referee must pass."""

from abc import ABC, abstractmethod

from evaluate.referee.spec import Posed, Referee, Secret
from player.question import N_QUESTIONS

SECRETS = (
    Secret(
        "Ivy climbs walls. It clings to bricks with small roots.",
        "Ivy climbs walls.",
        "plants",
        "what grows up",
    ),
    Secret(
        "עצים מאוזנים שומרים מפתחות. החיפוש בהם מהיר.",
        "עצים מאוזנים שומרים מפתחות.",
        "עצים",
        "מה שומר סדר",
    ),
)
OPTIONS = (
    ("Yes", "No", "Unclear", "Unknown"),
    ("ivy; moss", "walls; bricks", "roots", "none of these words"),
    ("עצים", "מפתחות", "חיפוש", "אף אחת מהמילים האלה"),
)
TEXTS = (
    'Does the word "clings" occur in the paragraph?',
    "Which of these words occur anywhere in the paragraph? Choose the first option with a word that is there.",
    "אילו מהמילים האלה מופיעות בפסקה?",
    "What?",
    "x" * 2_000,
)
ANSWERS = {"A", "B", "C", "D", "Not Relevant", None}


class RefereeContract(ABC):
    """Subclass it and say how the referee is made; it is asked as the practice server asks it."""

    @abstractmethod
    def make(self, seed: int) -> Referee:
        """The referee of a seed."""

    def questions(self, n: int = N_QUESTIONS) -> list[Posed]:
        """N questions, some of them odd."""
        return [
            (TEXTS[row % len(TEXTS)], OPTIONS[row % len(OPTIONS)]) for row in range(n)
        ]

    def test_each_question_gets_a_letter_not_relevant_or_none(self) -> None:
        for secret in (*SECRETS, Secret("", "")):
            for n in (0, 1, 7, N_QUESTIONS):
                answers = self.make(0).answers(secret, self.questions(n))
                assert len(answers) == n
                assert set(answers) <= ANSWERS

    def test_the_same_seed_answers_the_same_whatever_was_played_before(self) -> None:
        asked = self.questions()
        first = self.make(3).answers(SECRETS[0], asked)
        assert asked == self.questions()
        referee = self.make(3)
        referee.answers(SECRETS[1], asked[::-1])
        assert referee.answers(SECRETS[0], asked) == first
