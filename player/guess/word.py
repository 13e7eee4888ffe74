"""Choice of the associative word."""

from collections.abc import Sequence

import numpy as np

from player.guess.ideas import Ideas
from quarry.course.paragraph import Paragraph
from quarry.languages.hebrew import HEBREW
from quarry.languages.words import shared_stem, words

FIRST_PROPOSAL_GAIN = 0.75
"""Log-odds that the first word of a writer gains; fitted on 30 games of an outside writer."""
LATER_PROPOSAL_LOSS = 0.8
"""Log-odds that later words gain less, by the logarithm of their rank; fitted on the same games."""
MIN_PROPOSAL_SHARE = 0.1
"""Minimum probability of a word of a writer, before the gain."""
DEFAULT_WORD = "idea"
"""Associative word if no other word is left."""


def associative_words(
    paragraph: Paragraph,
    domain: str,
    hint: str,
    ideas: Ideas,
    proposals: Sequence[str] = (),
) -> list[str]:
    """Rank possible associative words, likeliest first; there is at least one.

    No word occurs in the paragraph or names the domain. They are Hebrew if the domain is Hebrew.

    Args:
        paragraph: the guessed paragraph.
        domain: domain of the secret word, "" if unknown.
        hint: hint about the paragraph, "" if unknown.
        ideas: ranks the words of the domain.
        proposals: words of a writer, best first.
    """
    in_hebrew = any(map(HEBREW.begins, words(domain)))
    forbidden_stems = set(map(shared_stem, words(f"{paragraph.text} {domain}")))

    def is_allowed(word: str) -> bool:
        parts = words(word)
        return len(parts) == 1 and shared_stem(parts[0]) not in forbidden_stems

    shares = ideas.shares(domain, hint, paragraph.text, is_allowed, in_hebrew=in_hebrew)
    words_by_stem = {shared_stem(word): word for word in shares}
    for rank, proposal in enumerate(proposals):
        form = shared_stem(proposal.casefold())
        same_word = words_by_stem.get(form, "")
        if not is_allowed(proposal) or same_word in proposals[:rank]:
            continue
        words_by_stem[form] = proposal
        log_odds = FIRST_PROPOSAL_GAIN - LATER_PROPOSAL_LOSS * np.log1p(rank)
        share = max(shares.pop(same_word, 0.0), MIN_PROPOSAL_SHARE)
        shares[proposal] = share * float(np.exp(log_odds))
    best_first = sorted(shares, key=lambda word: (-shares[word], word))
    return best_first or [DEFAULT_WORD]
