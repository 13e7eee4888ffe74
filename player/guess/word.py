"""The choice of the associative word."""

from collections.abc import Sequence

import numpy as np

from player.guess.ideas import Ideas
from quarry.course.paragraph import Paragraph
from quarry.languages.hebrew import HEBREW
from quarry.languages.words import form_of, words

NAMED_FIRST, NAMED_LATER = 0.75, 0.8
"""Log-odds that a writer's first word gains, and loss of later words with the logarithm of their rank; fitted, as
MIN_SHARE, on 30 games of an outside writer."""
MIN_SHARE = 0.1
"""Minimum share of a word that a writer names, before it gains."""
LAST_RESORT = "idea"
"""Associative word if no other word is left."""


def associative_words(
    paragraph: Paragraph,
    domain: str,
    hint: str,
    ideas: Ideas,
    named: Sequence[str] = (),
) -> list[str]:
    """Return candidates for the associative word, likeliest first; at least one.

    No candidate occurs in the paragraph or names the domain. They are Hebrew if the domain is Hebrew.

    Args:
        domain: domain of the secret word, "" if unknown.
        hint: about the paragraph, "" if unknown.
        ideas: ranks the words of the domain.
        named: words of a writer, best first.
    """
    in_hebrew = any(map(HEBREW.begins, words(domain)))
    taken = set(map(form_of, words(f"{paragraph.text} {domain}")))

    def is_free(word: str) -> bool:
        parts = words(word)
        return len(parts) == 1 and form_of(parts[0]) not in taken

    shares = ideas.shares(domain, hint, paragraph.text, is_free, in_hebrew=in_hebrew)
    word_of = {form_of(word): word for word in shares}
    for rank, written in enumerate(named):
        form = form_of(written.casefold())
        listed = word_of.get(form, "")
        if not is_free(written) or listed in named[:rank]:
            continue
        word_of[form] = written
        log_odds = NAMED_FIRST - NAMED_LATER * np.log1p(rank)
        share = max(shares.pop(listed, 0.0), MIN_SHARE)
        shares[written] = share * float(np.exp(log_odds))
    ranked = sorted(shares, key=lambda word: (-shares[word], word))
    return ranked or [LAST_RESORT]
