"""posterior -> opening sentence, associative word, justifications, confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.embed import Embedder
from ingest.paragraph import Paragraph
from player.associations import load_associations
from player.protocol import Guess
from player.questions.belief import NOT_RELEVANT
from player.questions.question import LETTERS, Question
from player.questions.rates import FloatArray
from player.words import is_stop_word, stems, words

SENTENCE_WORDS = (35, 50)
WORD_WORDS = (20, 30)
"""Words of the two justifications, least and most."""

N_NEIGHBOURS = 12
"""Other candidates whose words may become the associative word."""
MAX_ASSOCIATIONS = 160
"""Words that are embedded to find the associative one."""
_COMMON_WORDS = ("idea", "subject", "lesson", "knowledge", "theory")
"""Associative words of last resort."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One answered question, and what it says for the paragraph that is guessed.

    Attributes:
        number: of the question, from 1.
        letter: the answer.
        option: the text of the option that was answered.
        weight: bits by which the answer favours the paragraph over the average candidate.
    """

    number: int
    letter: str
    option: str
    weight: float


def weigh_answers(
    best: int,
    prior: FloatArray,
    questions: Sequence[Question],
    support: FloatArray,
    answers: Sequence[str | None],
) -> list[Evidence]:
    """The answered questions by what they say for candidate `best`, most first; declined ones are left out.

    Args:
        best: row of the candidate that is guessed.
        prior: (n_paragraphs,) probabilities before the answers.
        support: (n_questions, n_paragraphs) log2 probability of each answer, as `belief.Posterior` has it.
        answers: (n_questions,) as `protocol.read_answers` gives them.
    """
    evidence = []
    for number, (question, bits, answer) in enumerate(zip(questions, support, answers, strict=True), 1):
        if answer is None or answer == NOT_RELEVANT:
            continue
        weight = float(bits[best] - np.log2(np.exp2(bits) @ prior))
        evidence.append(Evidence(number, answer, question.options[LETTERS.index(answer)], weight))
    return sorted(evidence, key=lambda item: (-item.weight, item.number))


def make_guess(
    paragraph: Paragraph,
    evidence: Sequence[Evidence],
    domain: str,
    confidence: float,
    associations: Sequence[str],
) -> Guess:
    """The guess that `paragraph` is the one.

    Args:
        evidence: as `weigh_answers` gives it.
        domain: the broad domain of the secret associative word, "" if unknown.
        confidence: 0..1.
        associations: as `associative_words` gives them; the first is guessed.
    """
    word = associations[0]
    return Guess(
        opening_sentence=paragraph.opening_sentence,
        sentence_justification=justify_sentence(evidence, confidence),
        associative_word=word,
        word_justification=justify_word(evidence, word, domain),
        confidence=confidence,
    )


def associative_words(
    paragraph: Paragraph, neighbours: Sequence[Paragraph], domain: str, embedder: Embedder, hint: str = ""
) -> Sequence[str]:
    """Words that domain, hint and paragraph bring to mind and that do not occur in the paragraph, likeliest first.

    They come from a general vocabulary where the domain is named in English and the embedder is the one that the
    vocabulary was made with; otherwise from the neighbouring candidates. At least one comes back.

    Args:
        neighbours: other candidates, most probable first; their words serve the association.
        domain: the broad domain of the secret associative word, "" if unknown.
        hint: what was told about the paragraph, "" if nothing.
    """
    taken = set(stems(paragraph.text)) | set(stems(domain))
    found = _from_vocabulary(paragraph, domain, hint, embedder) or _from_neighbours(
        paragraph, neighbours, domain, embedder, taken
    )
    free = [word for word in (*found, *_COMMON_WORDS) if taken.isdisjoint(stems(word))]
    return free or _COMMON_WORDS[:1]


def _from_vocabulary(paragraph: Paragraph, domain: str, hint: str, embedder: Embedder) -> list[str]:
    associations = load_associations()
    same_model = embedder.spec == associations.spec and embedder.dim == len(associations.basis)
    if not same_model or not domain.isascii() or not any(char.isalpha() for char in domain):
        return []
    return associations.rank(embedder.embed_queries([domain, hint or paragraph.text, paragraph.text]))


def _from_neighbours(
    paragraph: Paragraph, neighbours: Sequence[Paragraph], domain: str, embedder: Embedder, taken: set[str]
) -> list[str]:
    """Words of the neighbouring candidates by their similarity to the domain and to the paragraph, summed."""
    seen: dict[str, None] = {}
    for neighbour in neighbours[:N_NEIGHBOURS]:
        for word in words(neighbour.text):
            if len(word) > 3 and word.isalpha() and not is_stop_word(word) and taken.isdisjoint(stems(word)):
                seen.setdefault(word)
    candidates = list(seen)[:MAX_ASSOCIATIONS]
    if not candidates:
        return []
    targets = embedder.embed_queries([domain or paragraph.opening_sentence, paragraph.text])
    closeness = embedder.embed_queries(candidates) @ targets.T
    return [candidates[row] for row in np.argsort(-closeness.sum(axis=1), kind="stable")]


def justify_sentence(evidence: Sequence[Evidence], confidence: float) -> str:
    """35 to 50 words that cite the answers which said most for the paragraph."""
    cited = [_citation(item) for item in evidence[:3]]
    return _fit(
        [
            f"{'What decided it' if evidence[0].weight > 0.0 else 'The answers hardly speak for it'}: {_series(cited)}."
            if cited
            else "No usable answer came back, so the hint alone decides here.",
            f"Weighing all the answers together, this paragraph keeps {_percent(confidence)} of the belief, "
            "more than any other one.",
            "Its subject fits the hint.",
        ],
        SENTENCE_WORDS,
    )


def justify_word(evidence: Sequence[Evidence], word: str, domain: str) -> str:
    """20 to 30 words that cite two answers."""
    cited = [_citation(item, short=True) for item in evidence[:2]]
    field = " ".join(domain.split()[:3]) or "this subject"
    ground = f"according to {_series(cited)}" if cited else "as far as the hint tells"
    return _fit(
        [f"The word {word} belongs to {field} and lies close to what the paragraph teaches {ground}."], WORD_WORDS
    )


def _citation(item: Evidence, *, short: bool = False) -> str:
    if short:
        return f"question {item.number} (answer {item.letter})"
    option = " ".join(item.option.split()[:4])
    return f'question {item.number} (answer {item.letter}: "{option}")'


def _series(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f}%"


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
