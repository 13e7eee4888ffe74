"""The guess: opening sentence, associative word, justifications and confidence, and the choice of the word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from ingest.arrays import Float32Array
from ingest.paragraph import Paragraph
from player.answer.associations import Associations, load_associations
from player.answer.ideas import Meanings, join
from player.answer.justify import Evidence, justify_sentence, justify_word
from player.protocol.messages import Guess
from player.questions.language import hebrew_forms, is_hebrew
from player.words import stems, words

EXACT_ONLY = 0.6
"""Share of the scorers that give points for equality alone; six of ten known scorers do, four give partial credit."""
N_WEIGHED = 300
"""Number of the likeliest words for which the expected score is computed."""
NAMED_FIRST, NAMED_LATER = 0.75, 0.8
"""Log-odds that a writer's first word gains, and loss of later words with the logarithm of their place; fitted, as
LEAST_SHARE, on 30 games of an outside writer."""
LEAST_SHARE = 0.1
"""A word that a writer names has at least this share before it gains."""
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
    word = associations[0]
    return Guess(
        opening_sentence=paragraph.opening_sentence,
        sentence_justification=justify_sentence(evidence, confidence),
        associative_word=word,
        word_justification=justify_word(evidence, word, domain),
        confidence=confidence,
    )


def associative_words(
    paragraph: Paragraph,
    domain: str,
    hint: str = "",
    meanings: Meanings | None = None,
    named: Sequence[str] = (),
) -> list[str]:
    """Return candidates for the associative word by their expected score, best first; at least one.

    No candidate occurs in the paragraph or names the domain. They are Hebrew if the domain is Hebrew.

    Args:
        domain: domain of the secret word, "" if unknown.
        hint: about the paragraph, "" if unknown.
        meanings: compares ideas with hint and paragraph; None ranks words with ideas by typicality.
        named: words of a writer, best first.
    """
    known, text = load_associations(), paragraph.text
    if any(map(is_hebrew, words(domain))):
        return _in_hebrew(known, domain, hint, text, meanings, named) or [LAST_RESORT]

    taken = {*stems(text), *stems(domain)}
    joined = join(
        known,
        domain,
        hint,
        text,
        lambda idea: stems(idea.word)[0] not in taken,
        meanings,
    )
    shares = np.zeros(len(known.words), dtype=np.float32)
    shares[joined.rows] = joined.row_shares
    unknown: dict[str, float] = defaultdict(float)
    for idea, share in zip(joined.ideas, joined.idea_shares.tolist(), strict=True):
        row = known.row_of(idea.word)
        if row is None:
            unknown[idea.word] += share
        else:
            shares[row] += share

    spelling: dict[int, str] = {}
    for place, word in enumerate(named):
        row = known.row_of(word)
        if row is None:
            unknown[word] = share_if_named(unknown[word], place)
        elif row not in spelling:
            spelling[row] = word
            shares[row] = share_if_named(float(shares[row]), place)

    best = np.argsort(-shares, kind="stable")[:N_WEIGHED]
    best = best[shares[best] > 0.0]
    worth = expected_scores(shares[best], known.likeness(best)).tolist()
    for row, value in zip(best.tolist(), worth, strict=True):
        unknown[spelling.get(row, known.words[row])] = value
    return _best_first(unknown) or [LAST_RESORT]


def _in_hebrew(
    known: Associations,
    domain: str,
    hint: str,
    text: str,
    meanings: Meanings | None,
    named: Sequence[str],
) -> list[str]:
    """Return the likeliest Hebrew words, best first."""
    taken = {hebrew_forms(word) for word in words(f"{text} {domain}")}

    def is_free(word: str) -> bool:
        return words(word) == [word] and hebrew_forms(word) not in taken

    joined = join(
        known, domain, hint, text, lambda idea: is_free(idea.hebrew), meanings
    )
    shares = defaultdict(float, known.in_hebrew(joined.rows, joined.row_shares))
    for idea, share in zip(joined.ideas, joined.idea_shares.tolist(), strict=True):
        shares[idea.hebrew] += share
    for place, word in enumerate(named):
        shares[word] = share_if_named(shares[word], place)
    return [word for word in _best_first(shares) if is_free(word)][:N_WEIGHED]


def share_if_named(share: float, place: int) -> float:
    """Return the share of a word, up to a factor of all words, after a writer has named it.

    Args:
        share: probability without the writer.
        place: number of words that the writer named before it.
    """
    log_odds = NAMED_FIRST - NAMED_LATER * np.log1p(place)
    return max(share, LEAST_SHARE) * float(np.exp(log_odds))


def _best_first(worth: Mapping[str, float]) -> list[str]:
    return sorted(worth, key=lambda word: (-worth[word], word))


def expected_scores(shares: Float32Array, likeness: Float32Array) -> Float32Array:
    """Return the (n,) expected score of each word, 0..1, if a share of the scorers gives points for equality alone.

    Args:
        shares: (n,) probability of each word to be the secret one.
        likeness: (n, n) as `Associations.likeness` returns it.
    """
    exact = (likeness >= 1.0).astype(np.float32) @ shares
    return np.asarray(
        EXACT_ONLY * exact + (1.0 - EXACT_ONLY) * (likeness @ shares), dtype=np.float32
    )
