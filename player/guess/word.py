"""The choice of the associative word, by its expected score."""

from collections.abc import Sequence

import numpy as np

from player.associations import load_associations
from player.guess.ideas import Meanings, word_shares
from quarry.arrays import Float32Array
from quarry.course.paragraph import Paragraph
from quarry.languages.hebrew import HEBREW
from quarry.languages.words import form_of, words

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
    in_hebrew = any(map(HEBREW.begins, words(domain)))
    taken = set(map(form_of, words(f"{paragraph.text} {domain}")))

    def is_free(word: str) -> bool:
        parts = words(word)
        return len(parts) == 1 and form_of(parts[0]) not in taken

    shares = word_shares(
        domain,
        hint,
        paragraph.text,
        is_free,
        meanings,
        in_hebrew=in_hebrew,
    )
    associations = load_associations()
    spelling: dict[str, str] = {}
    for place, written in enumerate(named):
        word = written if in_hebrew else associations.base_form(written)
        if word not in spelling:
            spelling[word] = written
            log_odds = NAMED_FIRST - NAMED_LATER * np.log1p(place)
            share = max(shares.get(word, 0.0), LEAST_SHARE)
            shares[word] = share * float(np.exp(log_odds))

    worth = shares if in_hebrew else _scored(shares)
    ranked = sorted(worth, key=lambda word: (-worth[word], word))
    free = [spelling.get(word, word) for word in ranked if is_free(word)]
    return free[:N_WEIGHED] or [LAST_RESORT]


def _scored(shares: dict[str, float]) -> dict[str, float]:
    """Return the expected scores of the likeliest words that have a vector, and the shares of words without one."""
    associations = load_associations()
    worth: dict[str, float] = {}
    ranked: list[str] = []
    rows: list[int] = []
    for word in sorted(shares, key=lambda word: -shares[word]):
        row = associations.row_of(word)
        if row is None:
            worth[word] = shares[word]
        elif len(rows) < N_WEIGHED:
            ranked.append(word)
            rows.append(row)

    chances = [shares[word] for word in ranked]
    likeness = associations.likeness(np.array(rows, dtype=np.intp))
    of_ranked = np.array(chances, dtype=np.float32)
    scores = expected_scores(of_ranked, likeness)
    return worth | dict(zip(ranked, scores.tolist(), strict=True))


def expected_scores(shares: Float32Array, likeness: Float32Array) -> Float32Array:
    """Return the (n,) expected score of each word, 0..1, if a share of the scorers gives points for equality alone.

    Args:
        shares: (n,) probability of each word to be the secret one.
        likeness: (n, n) as `Associations.likeness` returns it.
    """
    exact = (likeness >= 1.0).astype(np.float32) @ shares
    partial = likeness @ shares
    scores = EXACT_ONLY * exact + (1.0 - EXACT_ONLY) * partial
    return np.asarray(scores, dtype=np.float32)
