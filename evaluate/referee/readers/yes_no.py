"""Questions whose options say yes or no."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluate.referee.asks import ASKS_MEANING, ASKS_WORDS
from evaluate.referee.bounds import bounds_of
from evaluate.referee.features import features_in
from evaluate.referee.measure import after_number, measured
from evaluate.referee.option import UNKNOWN, Choice
from evaluate.referee.polarity import YES, answers_yes_or_no, polarity_of
from evaluate.referee.question import Asked
from evaluate.referee.scope import part_of
from evaluate.referee.seen import Seen
from evaluate.referee.subject import question_terms
from evaluate.referee.verdict import Verdict
from evaluate.referee.way_out import ALL, JUST_ONE, SEVERAL, way_out_holds


def by_yes_or_no(asked: Asked, choices: Sequence[Choice], seen: Seen) -> Verdict | None:
    """Whether something is there, begins the text, or is more than so many, with options that say yes or no."""
    if not answers_yes_or_no(asked, choices) or (len(asked.targets) > 1 and any(choice.quoted for choice in choices)):
        return None
    counts = _counts_asked(asked, choices, seen)
    if counts is None:
        return None
    all_meant = (
        re.search(r"\bboth\b|\ball\b|# and (?:\w+ )*#|# ו-? ?#|\band (?:an?|any)\b|וגם|\b2 המילים", asked.bare)
        is not None
    )
    n = min(counts) if all_meant else sum(counts)
    n_there = sum(count > 0 for count in counts)
    bounds = bounds_of(asked.bare, loose=False)
    if re.search(r"\b\d+ of\b|\d+ מה", asked.bare):  # "at least one of the words ..."
        n = n_there
    holds = bounds[0] <= n <= bounds[1] if bounds else n > 0
    holds = holds != asked.negated
    fits: list[bool | None] = []
    detailed = [False] * len(choices)
    for row, choice in enumerate(choices):
        polarity = polarity_of(choice)
        if polarity is None:
            fits.append(False if UNKNOWN.search(choice.folded) else None)
            continue
        if polarity is False:
            fits.append(not holds)
            continue
        detail = YES.sub("", choice.folded, count=1).strip(" ,;:-")
        if len(counts) > 1 and (ALL.search(detail) or JUST_ONE.search(detail) or SEVERAL.search(detail)):
            detailed[row] = True
            fits.append(way_out_holds(Choice(detail, detail, detail, ()), n_there, len(counts)))
            continue
        amount = bounds_of(detail, loose=bool(re.search(r"\b(?:times?|once|twice|\d)\b|פעם|פעמי", detail)))
        detailed[row] = amount is not None
        fits.append(holds and (amount is None or amount[0] <= n <= amount[1]))
    if any(fit and detail for fit, detail in zip(fits, detailed, strict=True)):
        fits = [bool(fit) and detail for fit, detail in zip(fits, detailed, strict=True)]
    return Verdict(fits)


def _counts_asked(asked: Asked, choices: Sequence[Choice], seen: Seen) -> list[int] | None:
    """How often each thing that a yes-or-no question asks for is there, None where that cannot be checked."""
    if ASKS_MEANING.search(asked.bare):
        return None
    if not asked.targets and bounds_of(asked.bare, loose=False):
        n = measured(asked, choices, seen, after_number(asked.bare))
        return None if n is None else [n]
    if not asked.edge and not ASKS_WORDS.search(asked.bare) and not bounds_of(asked.bare, loose=False):
        return None
    if asked.targets:
        return [asked.count(term, seen) for term in asked.targets]
    explicit_term = re.search(
        r"\bthe (?:word|term|name|phrase|expression)\b (?!in\b|of\b)|ה(?:מילה|מונח|שם|ביטוי) (?!ה?ראשו)", asked.bare
    )
    features = [] if explicit_term else features_in(asked.bare)
    if features:
        return [asked.count_feature(feature, seen) for feature in features]
    if asked.edge == "begin" and re.search(r"\bcapital(?: letter)?\b|\bupper[- ]?case\b", asked.bare):
        return [int(part_of(seen, asked.scope).lstrip("\"'([")[:1].isupper())]
    terms = question_terms(asked)
    return [asked.count(term, seen) for term in terms] if terms else None
