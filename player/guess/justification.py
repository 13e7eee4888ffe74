"""Justifications of the guess, which cite the answers that moved the belief.

They are always in English, since a public referee counts English words such as "because" and "evidence".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from player.answer import LETTERS, Answers, letter_rows
from player.question import Question
from player.questions.kinds import KINDS, join_words
from quarry.arrays import Float64Array
from quarry.course.paragraph import Paragraph

SENTENCE_WORDS, WORD_WORDS = (30, 50), (20, 30)
"""Minimum and maximum number of words of the justifications, by every way to count."""
N_CITED = 3
"""Number of answers that the justification of the sentence cites."""
N_CITED_FOR_WORD = 2
"""Number of answers that the justification of the word cites."""
MAX_CLAUSE = 8
"""Maximum number of words of a clause without its citation, so that three clauses keep within the limit."""
MAX_DOMAIN = 5
"""Maximum number of words of domain and associative word together; if there are more, the domain is left out."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One answered question as evidence for the guessed paragraph.

    Attributes:
        number: number of the question, from 1.
        letter: the answer.
        weight: bits by which the answer favours the paragraph over the average candidate.
        clause: the meaning of the answer as a clause, such as 'it has "index"'; "" if the answer does not favour the
            paragraph.
    """

    number: int
    letter: str
    weight: float
    clause: str = ""

    @property
    def citation(self) -> str:
        """The number and the answer of the question, as justifications cite them."""
        return f"question {self.number} (answer {self.letter})"


def weigh_answers(
    best: int,
    paragraph: Paragraph,
    prior: Float64Array,
    questions: Sequence[Question],
    support: Float64Array,
    answers: Answers,
) -> list[Evidence]:
    """Compute the evidence of the answers for the guessed paragraph, strongest first; declined answers are left out.

    Args:
        best: the guessed candidate.
        paragraph: its paragraph from its place on.
        prior: (n_candidates,) probabilities before the answers.
        questions: (n_questions,) the questions.
        support: (n_questions, n_candidates) log2 probability of each answer, as in `Posterior`.
        answers: (n_questions,) as `read_answers` of player/game/messages.py returns them.
    """
    evidence = []
    for row, option in letter_rows(answers).items():
        question, bits = questions[row], support[row]
        average = np.log2(np.exp2(bits) @ prior)
        weight = float(bits[best] - average)

        clause = ""
        if weight > 0.0 and question.kind in KINDS:
            clause = KINDS[question.kind].cite(question, option, paragraph)
        if count_most_words(clause) > MAX_CLAUSE:
            clause = ""
        evidence.append(Evidence(row + 1, LETTERS[option], weight, clause))
    return sorted(evidence, key=lambda item: (-item.weight, item.number))


def justify_sentence(evidence: Sequence[Evidence], confidence: float) -> str:
    """Write 30 to 50 words: the strongest facts about different words, with their answers, and the belief.

    Args:
        evidence: as `weigh_answers` returns it.
        confidence: belief in the paragraph, 0..1; no other paragraph has more.
    """
    # clauses about different words come first
    words_so_far: set[str] = set()
    facts: list[str] = []
    others: list[str] = []
    for item in evidence:
        quoted = item.clause.split('"')[1::2]
        words = set(quoted or [item.clause])
        is_new = item.clause and words_so_far.isdisjoint(words)
        if is_new and len(facts) < N_CITED:
            words_so_far |= words
            facts.append(
                f"{item.clause} (question {item.number}, answer {item.letter})"
            )
        else:
            others.append(item.citation)

    lead = _lead(facts, others[: N_CITED - len(facts)])
    for closing in _CLOSINGS:
        text = f"{lead}{closing.format(belief=percent(confidence))}."
        if count_most_words(text) <= SENTENCE_WORDS[1]:
            break
    return text


def _lead(facts: Sequence[str], others: Sequence[str]) -> str:
    """Write the begin of the justification of the sentence.

    It has six of the words of reasoning that a public referee counts.

    Args:
        facts: strongest facts, with their answers.
        others: citations of other answers.
    """
    if facts:
        noted = f"{join_words(others)} counted as well, " if others else ""
        return (
            f"The evidence indicates this paragraph because {join_words(facts)}; "
            f"{noted}therefore the reasoning suggests it"
        )

    if others:
        return (
            f"Based on the hint and the evidence of all answers, such as {join_words(others)}, "
            "the reasoning indicates this paragraph, because no other suits its theme better"
        )
    return (
        "No usable answer came back as evidence; therefore the reasoning is based on "
        "the hint and the name of the lecture alone, and their theme suggests this paragraph"
    )


def justify_word(
    evidence: Sequence[Evidence],
    word: str,
    domain: str,
) -> str:
    """Write 20 to 30 words: the reason for the associative word, and two answers that led to the paragraph.

    Args:
        evidence: as `weigh_answers` returns it.
        word: the associative word.
        domain: domain of the word, "" if unknown.
    """
    domain = " ".join(domain.replace('"', " ").split())
    has_domain = any(map(str.isalpha, domain))
    ground = "The domain" if has_domain else "The hint"
    n_words = count_most_words(domain) + count_most_words(word)
    if has_domain and n_words <= MAX_DOMAIN:
        ground = f'{ground} "{domain}"'
    citations = [item.citation for item in evidence[:N_CITED_FOR_WORD]]
    rest = "no evidence came back, therefore the reasoning is based on the hint alone."
    if citations:
        rest = f"the reasoning is based on evidence from {join_words(citations)}."
    return f"{ground} suggests the word {word}, because its theme fits; {rest}"


def count_fewest_words(text: str) -> int:
    """Return the lowest number of words by common ways to count; "state-of-the-art" is 1."""
    n_with_letters = sum(any(map(str.isalnum, part)) for part in text.split())
    return min(n_with_letters, len(_COUNTED_WORD.findall(text)))


def count_most_words(text: str) -> int:
    """Return the highest number of words by common ways to count; "state-of-the-art" is 4."""
    return max(len(text.split()), len(_COUNTED_WORD.findall(text)))


def percent(confidence: float) -> str:
    """Write a belief in percent, never 0 or 100: .873 as 87%, .0034 as 0.3%."""
    if confidence < 0.01:
        return f"{max(0.1, 100.0 * confidence):.1f}%"
    return f"{min(99.0, round(100.0 * confidence)):.0f}%"


_COUNTED_WORD = re.compile(r"\w+")
"""A run of letters and digits."""
_CLOSINGS = (
    ", based on all that is known, with {belief} of the belief, and no other paragraph holds more",
    ", with {belief} of the belief, and no other paragraph holds more",
    ", with {belief} of the belief",
    "",
)
"""Endings of the justification, the longest first; the first one that keeps the limit is used."""
