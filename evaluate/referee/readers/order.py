"""Questions about what comes first, last or most often."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from evaluate.referee.asks import ASKS_MEANING
from evaluate.referee.option import UNKNOWN, Choice, option_terms
from evaluate.referee.polarity import answers_yes_or_no, polarity_of
from evaluate.referee.positions import positions
from evaluate.referee.question import Asked
from evaluate.referee.rules import TEXT_FIRST
from evaluate.referee.scope import part_of
from evaluate.referee.seen import Seen
from evaluate.referee.verdict import Verdict
from evaluate.referee.way_out import JUST_ONE, is_way_out, way_out_holds

_MOST = re.compile(
    r"\b(?:more|most) (?:often|frequent\w*|times|used|mentioned|repeated|common|occurrences)\b"
    r"|\b(?:uses?|used|occurs?|appears?|mentioned|repeated)\b[^?]*(?<!at )\bmost\b"
    r"|הכי הרבה|יותר פעמים|(?:ה)?רב(?:ות)? ביותר|לעיתים קרובות|בתדירות"
)
_FIRST = re.compile(
    TEXT_FIRST.pattern
    + r"|\bcomes? first\b|\bfirst (?:mentioned|used|occurring)|\b(?:before|earlier than) the (?:other|others|rest)"
    r"|לפני האחר"
)
_LATEST = re.compile(
    r"\b(?:occurs?|appears?|comes?|stands?|mentioned|used) (?:the )?(?:last|latest)\b"
    r"|\blast in the (?:paragraph|text|passage)"
    r"|(?:מופיע|מוזכר|נזכר)\w* אחרונ"
)
_ORDERED = re.compile(
    r"#.*?\b(before|earlier than|prior to|precede\w*|after|later than|follow\w*"
    r"|more (?:often|frequently|times) than)\b.*?#"
    r"|#.*?(לפני|אחרי|יותר פעמים).*?#"
)
_EQUALLY = re.compile(r"\bequal\w*|\bthe same\b|\bsame number\b|\bas often\b|\btie\b|באותה מידה|שווה|אותו מספר")


def by_order(asked: Asked, choices: Sequence[Choice], seen: Seen) -> Verdict | None:
    """Which comes first, last, or most often; whether one comes before another."""
    part = part_of(seen, asked.scope)
    if len(asked.targets) == 2 and (order := _ORDERED.search(asked.frame)) and answers_yes_or_no(asked, choices):
        one, other = (positions(term, part, asked.any_form) for term in asked.targets)
        relation = order[1] or order[2]
        if relation.startswith(("more", "יותר")):
            holds = len(one) > len(other)
        else:
            after = relation.startswith(("after", "later", "follow", "אחרי"))
            holds = bool(one and other) and (one[0] > other[0] if after else one[0] < other[0])
        missing = not (one and other)
        fits: list[bool | None] = []
        for choice in choices:
            if missing and re.search(r"\b(?:neither|missing|absent|not both|only one|one of them)\b", choice.folded):
                return Verdict([other is choice for other in choices])
            fits.append(polarity_of(choice) == holds if polarity_of(choice) is not None else False)
        return Verdict(fits)
    key: Callable[[list[int]], float] | None = None
    if _MOST.search(asked.bare):
        key = len
    elif _FIRST.search(asked.bare):
        key = _nearness_to_the_start
    elif _LATEST.search(asked.bare):
        key = max
    if key is None or asked.edge or ASKS_MEANING.search(asked.bare):
        return None
    found: list[list[int] | None] = []
    for choice in choices:
        if is_way_out(choice, choices) or UNKNOWN.search(choice.folded) or _EQUALLY.search(choice.folded):
            found.append(None)
            continue
        found.append(
            sorted(place for term in option_terms(choice)[0] for place in positions(term, part, asked.any_form))
        )
    present = [places for places in found if places]
    best = max((key(places) for places in present), default=None)
    n_best = sum(key(places) == best for places in present)
    fits = [bool(places) and key(places or [0]) == best for places in found]
    n_all = sum(places is not None for places in found)
    for row, choice in enumerate(choices):
        if found[row] is not None:
            continue
        if _EQUALLY.search(choice.folded):
            holds = n_best > 1
        else:
            holds = is_way_out(choice, choices) and way_out_holds(choice, len(present), n_all)
        if holds and (n_best != 1 or JUST_ONE.search(choice.folded)):
            return Verdict([other is choice for other in choices], len(present))
    return Verdict(fits, len(present))


def _nearness_to_the_start(places: list[int]) -> float:
    return -places[0]
