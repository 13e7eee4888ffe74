"""The suite that every Referee passes."""

from abc import ABC, abstractmethod
from operator import eq

from evaluate.referee.protocol import Posed, Referee, Secret
from player.question import N_QUESTIONS
from quarry.languages.registry import detect_language
from quarry.languages.words import words

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
ELSEWHERE = {
    "English": ("zebra", "copper", "violin", "harbour"),
    "Hebrew": ("זברה", "נחושת", "כינור", "נמל"),
}
"""Words that no secret holds, by language."""
N_SEEDS = 5


def word_questions(secret: Secret) -> tuple[list[Posed], str]:
    """Return 20 questions about words of a secret's opening sentence, and the right letters, each five times."""
    language = detect_language(secret.paragraph)
    inside, outside = words(secret.opening_sentence), ELSEWHERE[language.name]
    posed: list[Posed] = []
    for number in range(N_QUESTIONS):
        lists = []
        for place in range(3):
            is_right = number % 4 == place
            word = inside[number % len(inside)] if is_right else outside[place]
            lists.append(f"{outside[3]}, {word}")
        text = language.ask_anywhere.format("; ".join(lists))
        posed.append((text, [*lists, language.no_word]))
    return posed, "ABCD" * (N_QUESTIONS // 4)


class RefereeContract(ABC):
    """Subclass it and say how the referee is made; it is asked as the practice server asks it.

    Attributes:
        min_right: least share of its answers to questions about words of the opening sentence that are right; chance is
            0.25. Set it to 0 for a referee that does not look at the paragraph, or answers nothing.
    """

    min_right = 0.4

    @abstractmethod
    def make(self, seed: int) -> Referee:
        """Return the referee of a seed."""

    def questions(self, n: int = N_QUESTIONS) -> list[Posed]:
        """Return n questions, some of them odd."""
        return [
            (TEXTS[row % len(TEXTS)], OPTIONS[row % len(OPTIONS)]) for row in range(n)
        ]

    def test_each_question_gets_a_letter_not_relevant_or_none(self) -> None:
        for secret in (*SECRETS, Secret("", "")):
            for n in (0, 1, 7, N_QUESTIONS):
                answers = self.make(0).answers(secret, self.questions(n))
                assert len(answers) == n
                assert set(answers) <= ANSWERS

    def test_words_of_the_paragraph_are_found(self) -> None:
        n_right = n_answers = 0
        for secret in SECRETS:
            questions, letters = word_questions(secret)
            for seed in range(N_SEEDS):
                answers = self.make(seed).answers(secret, questions)
                n_right += sum(map(eq, answers, letters))
                n_answers += len(answers) - answers.count(None)
        assert n_right >= self.min_right * n_answers
        assert n_answers or not self.min_right, "no question was answered"

    def test_the_same_seed_answers_the_same_whatever_was_played_before(self) -> None:
        asked = self.questions()
        first = self.make(3).answers(SECRETS[0], asked)
        assert asked == self.questions()
        referee = self.make(3)
        referee.answers(SECRETS[1], asked[::-1])
        assert referee.answers(SECRETS[0], asked) == first
