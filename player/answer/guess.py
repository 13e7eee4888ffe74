"""The guess: opening sentence, associative word, justifications and confidence, and the choice of the word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quarry.ingest.arrays import Float32Array
from quarry.ingest.paragraph import Paragraph
from quarry.player.answer.associations import Associations, load_associations
from quarry.player.answer.justify import Evidence, justify_sentence, justify_word
from quarry.player.protocol.messages import Guess
from quarry.player.questions.language import hebrew_forms, is_hebrew, language_of
from quarry.player.words import words

EXACT_ONLY = 0.6
"""Share of the scorers that give points for equality alone; six of ten known scorers do, four give partial credit."""
N_WEIGHED = 300
"""Number of the likeliest words for which the expected score is computed."""
LAST_RESORT = "idea"
"""Associative word if no other word is left."""


def make_guess(
    paragraph: Paragraph,
    evidence: Sequence[Evidence],
    domain: str,
    confidence: float,
    associations: Sequence[str],
) -> Guess:
    """Return the guess of a paragraph.

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
    paragraph: Paragraph, domain: str, hint: str = "", associations: Associations | None = None
) -> list[str]:
    """Return candidates for the associative word by their expected score, best first; at least one.

    No candidate occurs in the paragraph or names the domain. They are Hebrew if the domain is Hebrew.

    Args:
        domain: domain of the secret word, "" if unknown.
        hint: about the paragraph, "" if unknown.
        associations: the bundled ones unless given.
    """
    known = associations or load_associations()
    rows, shares = known.rank(domain, hint, paragraph.text)
    if any(map(is_hebrew, words(domain))):
        taken = {hebrew_forms(word) for word in words(f"{paragraph.text} {domain}")}
        likeliest = sorted(known.in_hebrew(rows, shares).items(), key=lambda item: (-item[1], item[0]))
        return [word for word, _ in likeliest if hebrew_forms(word) not in taken][:N_WEIGHED] or [LAST_RESORT]
    best = np.argsort(-shares, kind="stable")[:N_WEIGHED]
    best = best[shares[best] > 0.0]
    worth = expected_scores(shares[best], known.likeness(rows[best]))
    ordered = rows[best][np.argsort(-worth, kind="stable")]
    return [known.words[row] for row in ordered.tolist()] or [LAST_RESORT]


def expected_scores(shares: Float32Array, likeness: Float32Array) -> Float32Array:
    """Return the (n,) expected score of each word, 0..1, if a share of the scorers gives points for equality alone.

    Args:
        shares: (n,) probability of each word to be the secret one.
        likeness: (n, n) as `Associations.likeness` returns it.
    """
    exact = (likeness >= 1.0).astype(np.float32) @ shares
    return np.asarray(EXACT_ONLY * exact + (1.0 - EXACT_ONLY) * (likeness @ shares), dtype=np.float32)
