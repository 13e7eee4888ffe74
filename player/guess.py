"""Posterior -> opening sentence, associative word, justifications, confidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ingest.embed import Embedder
from ingest.paragraph import Paragraph
from player.associations import load_associations
from player.justify import Evidence, justify_sentence, justify_word
from player.protocol import Guess
from player.questions.language import language_of
from player.words import is_stop_word, stems, words

N_NEIGHBOURS = 12
"""Other candidates whose words may become the associative word."""
MAX_ASSOCIATIONS = 160
"""Words that are embedded to find the associative one."""
_COMMON_WORDS = ("idea", "subject", "lesson", "knowledge", "theory")
"""Associative words of last resort."""


def make_guess(
    paragraph: Paragraph,
    evidence: Sequence[Evidence],
    domain: str,
    confidence: float,
    associations: Sequence[str],
) -> Guess:
    """The guess that `paragraph` is the one.

    Args:
        evidence: as `justify.weigh_answers` gives it.
        domain: the broad domain of the secret associative word, "" if unknown.
        confidence: 0..1.
        associations: as `associative_words` gives them; the first is guessed.
    """
    word, language = associations[0], language_of(paragraph.text)
    return Guess(
        opening_sentence=paragraph.opening_sentence,
        sentence_justification=justify_sentence(evidence, confidence, language),
        associative_word=word,
        word_justification=justify_word(evidence, word, domain, language),
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
