"""Questions about which of the options' words are there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluate.referee.asks import ASKS_MEANING, ASKS_WORDS
from evaluate.referee.bounds import bounds_of
from evaluate.referee.option import Choice, option_terms
from evaluate.referee.polarity import answers_yes_or_no
from evaluate.referee.positions import positions
from evaluate.referee.question import Asked
from evaluate.referee.readers.named import option_fits
from evaluate.referee.scope import part_of
from evaluate.referee.seen import Seen
from evaluate.referee.verdict import Verdict
from evaluate.referee.way_out import is_way_out, way_out_holds

_HOW_OFTEN = re.compile(r"\b(?:times|once|twice)\b|פעמי|\bפעם")


def by_presence(asked: Asked, choices: Sequence[Choice], seen: Seen) -> Verdict | None:
    """Which of the options' words occur, or begin or end the text."""
    asks_words = asked.edge or asked.scope[0] in ("head", "tail") or ASKS_WORDS.search(asked.bare)
    if ASKS_MEANING.search(asked.bare) or not asks_words:
        return None
    if answers_yes_or_no(asked, choices) and not any(choice.quoted for choice in choices):
        return None
    bounds = bounds_of(asked.bare, loose=False) if _HOW_OFTEN.search(asked.main) else None

    def there(term: str) -> bool:
        n = asked.count(term, seen)
        return bounds[0] <= n <= bounds[1] if bounds else (n > 0) != asked.negated

    way_outs = [is_way_out(choice, choices, len(asked.targets) > 1) for choice in choices]
    named = [term for choice, way_out in zip(choices, way_outs, strict=True) if not way_out for term in choice.quoted]
    targets = list(asked.targets) if len(asked.targets) > 1 else []
    fits: list[bool | None] = []
    loosely = []
    for choice, way_out in zip(choices, way_outs, strict=True):
        fit = False if way_out else option_fits(asked, choice, there, targets or named, seen)
        fits.append(fit)
        loosely.append(bool(fit))
    n_fitting = sum(there(term) for term in targets) if targets else sum(loosely)
    n_all = len(targets) or way_outs.count(False)
    readable = not any(fit is None for fit in fits)
    for row, choice in enumerate(choices):
        if way_outs[row] and (readable or n_fitting) and way_out_holds(choice, n_fitting, n_all):
            if n_fitting == 1 and any(fits):
                continue  # the option itself says more
            return Verdict([other is choice for other in choices], n_fitting)
    part = part_of(seen, asked.scope)
    places = [
        min(
            (place for term in option_terms(choice)[0] for place in positions(term, part, asked.any_form)),
            default=len(part),
        )
        for choice in choices
    ]
    return Verdict(fits, n_fitting if readable else None, places)
