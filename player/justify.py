"""Which answers moved the belief, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.paragraph import Paragraph
from player.questions.belief import NOT_RELEVANT
from player.questions.kinds import KINDS
from player.questions.question import LETTERS, Question
from player.questions.rates import FloatArray

SENTENCE_WORDS = (35, 50)
WORD_WORDS = (20, 30)
"""Words of the two justifications, least and most."""
N_CITED, N_CITED_FOR_WORD = 3, 2
"""Answers that each of them cites."""
MAX_NAMED = 2
"""Words or features of an option that a clause repeats."""
MAX_CLAUSE = 10
"""Words of a clause without its citation: three of them, and what frames them, stay within the limit."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One answered question, and what it says for the paragraph that is guessed.

    Attributes:
        number: of the question, from 1.
        letter: the answer.
        option: the text of the option that was answered.
        weight: bits by which the answer favours the paragraph over the average candidate.
        clause: what the answer says of the paragraph, as the rest of a sentence ("it has "index""); "" where the answer
            does not speak for it or there is nothing to say.
    """

    number: int
    letter: str
    option: str
    weight: float
    clause: str = ""


def weigh_answers(
    best: int,
    paragraph: Paragraph,
    prior: FloatArray,
    questions: Sequence[Question],
    support: FloatArray,
    answers: Sequence[str | None],
) -> list[Evidence]:
    """The answered questions by what they say for the guessed paragraph, most first; declined ones are left out.

    Args:
        best: row of the candidate that is guessed.
        paragraph: the same candidate.
        prior: (n_paragraphs,) probabilities before the answers.
        support: (n_questions, n_paragraphs) log2 probability of each answer, as `belief.Posterior` has it.
        answers: (n_questions,) as `protocol.read_answers` gives them.
    """
    evidence = []
    for number, (question, bits, answer) in enumerate(zip(questions, support, answers, strict=True), 1):
        if answer is None or answer == NOT_RELEVANT:
            continue
        option = LETTERS.index(answer)
        weight = float(bits[best] - np.log2(np.exp2(bits) @ prior))
        kind = KINDS.get(question.kind)
        clause = kind.cite(question, option, paragraph) if kind is not None and weight > 0.0 else ""
        evidence.append(Evidence(number, answer, question.options[option], weight, clause))
    return sorted(evidence, key=lambda item: (-item.weight, item.number))


def justify_sentence(evidence: Sequence[Evidence], confidence: float) -> str:
    """35 to 50 words that say what the three most telling answers found in the paragraph."""
    cited = evidence[:N_CITED]
    if not cited:
        lead = "No usable answer came back, so the hint alone decides here."
    elif cited[0].weight > 0.0:
        lead = f"The answers point to this paragraph: {_series([_cite(item) for item in cited])}."
    else:
        lead = f"The answers hardly speak for this paragraph: {_series([_cite(item) for item in cited])}."
    return _fit(
        [
            lead,
            f"Weighed together, all answers leave it {100.0 * confidence:.0f}% of the belief, more than any other one.",
            "Its subject fits the hint.",
        ],
        SENTENCE_WORDS,
    )


def justify_word(evidence: Sequence[Evidence], word: str, domain: str) -> str:
    """20 to 30 words that cite two answers."""
    cited = [f"question {item.number} (answer {item.letter})" for item in evidence[:N_CITED_FOR_WORD]]
    field = " ".join(domain.split()[:3]) or "this subject"
    ground = f"according to {_series(cited)}" if cited else "as far as the hint tells"
    return _fit(
        [f"The word {word} belongs to {field} and lies close to what the paragraph teaches {ground}."], WORD_WORDS
    )


def _cite(item: Evidence) -> str:
    """What an answer says, with its number and letter."""
    if item.clause:
        return f"{item.clause} (question {item.number}, answer {item.letter})"
    return f'question {item.number} (answer {item.letter}: "{" ".join(item.option.split()[:4])}")'


def _series(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


_PADDING = (
    "The other candidates were weighed by the very same answers.",
    "Each answer counts as much as its known error rate allows.",
    "Declined questions count for nothing.",
)
"""Sentences that are true of every guess, for a justification that is too short without them."""


def _fit(sentences: Sequence[str], limits: tuple[int, int]) -> str:
    """As many of the sentences, in order, as the limit allows, with padding where they are too few.

    Args:
        sentences: the first always stays; it is cut if it is longer than the limit by itself.
        limits: words, least and most.
    """
    least, most = limits
    words_so_far = sentences[0].split()
    if len(words_so_far) > most:
        return f"{' '.join(words_so_far[:most]).rstrip(',;:(.')}."
    for sentence in sentences[1:]:
        if len(words_so_far) + len(sentence.split()) <= most:
            words_so_far += sentence.split()
    for sentence in _PADDING:
        if len(words_so_far) < least and len(words_so_far) + len(sentence.split()) <= most:
            words_so_far += sentence.split()
    return " ".join(words_so_far)
