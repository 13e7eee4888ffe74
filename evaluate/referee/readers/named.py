"""Whether what an option names is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from evaluate.referee.features import FEATURES
from evaluate.referee.option import UNKNOWN, Choice, option_terms
from evaluate.referee.question import Asked
from evaluate.referee.seen import Seen
from evaluate.referee.text import fold

_ORDINAL_TARGET = re.compile(
    r"\b(?:the )?(first|second|third|fourth|former|latter)\b|\b(?:ה)(ראשונה?|שנייה?|שלישית?)\b"
)
_ORDINALS = {"first": 0, "former": 0, "second": 1, "latter": 1, "third": 2, "fourth": 3}
_HEBREW_ORDINALS = {"ראשון": 0, "ראשונה": 0, "שני": 1, "שנייה": 1, "שלישי": 2, "שלישית": 2}
_BUT_NOT = re.compile(
    r"\b(?:but|and) not\b|\bwithout\b|\bnot\b|(?:\b|(?<=\s))(?:אך|אבל) (?:לא|בלי)|\bולא\b|\bבלי\b|\bללא\b"
)
_ASKS_TERM = re.compile(
    r"\b(?:words?|names?|terms?|phrases?|expressions?|strings?)\b|מיל(?:ה|ים)|מהמילים|מונח|שמות|ביטוי"
)


def option_fits(
    asked: Asked, choice: Choice, there: Callable[[str], bool], known: Sequence[str], seen: Seen
) -> bool | None:
    """Whether what an option names is there; None where it names nothing that could be checked."""
    only = re.search(r"\bonly\b|\bjust\b|\balone\b|\bרק\b|\bבלבד\b", choice.frame)
    if choice.quoted:
        if re.search(r"\bneither\b|\bnor\b|\bnone of\b", choice.frame):
            return not any(there(term) for term in choice.quoted)
        before, but_not, after = (
            choice.frame.partition(found[0]) if (found := _BUT_NOT.search(choice.frame)) else (choice.frame, "", "")
        )
        n_before = before.count("#")
        wanted, unwanted = choice.quoted[:n_before], choice.quoted[n_before:]
        if but_not and not after.count("#"):  # '"index" does not occur'
            return not any(there(term) for term in wanted)
        if only:
            unwanted += tuple(term for term in known if term not in choice.quoted)
        _, all_meant = option_terms(choice)
        all_meant = all_meant or re.search(r"\b(?:all|both|every)\b", asked.bare) is not None
        found_all = all(map(there, wanted)) if all_meant else any(map(there, wanted)) or not wanted
        return found_all and not any(there(term) for term in unwanted)
    if not choice.folded or (UNKNOWN.search(choice.folded) and " " in choice.folded):
        return False  # a lone "unknown" may be one of the words asked for
    if (
        len(known) > 1
        and (only or not asked.edge)
        and (
            ordinal := _ORDINAL_TARGET.fullmatch(
                re.sub(r"\b(?:only|just|one|word|of them|רק|בלבד)\b", "", choice.folded).strip()
            )
        )
    ):
        row = {**_ORDINALS, **_HEBREW_ORDINALS}[ordinal[1] or ordinal[2]]
        return row < len(known) and all(there(term) == (place == row) for place, term in enumerate(known))
    if not _ASKS_TERM.search(asked.bare) or asked.edge:
        name = re.sub(r"^(?:with )?(?:an?|the|any|some|one) |^ב", "", choice.folded)
        feature = next((feature for feature in FEATURES if feature.name.fullmatch(name)), None)
        if feature:
            return (asked.count_feature(feature, seen) > 0) != asked.negated
    if asked.edge == "begin" and re.fullmatch(r"(?:with )?(?:an )?article", choice.folded):
        return any(there(word) for word in ("a", "an", "the"))
    if len(choice.folded.split()) > (15 if asked.edge else 6) and not re.search(r",|\bor\b", choice.folded):
        return None
    if only:
        alone = re.sub(r"\b(?:only|just|alone)\b|\bרק\b|\bבלבד\b", "", choice.folded).strip()
        rest = [term for term in known if fold(term) != alone]
        return there(alone) and not any(map(there, rest)) if 0 < len(rest) < len(known) else None
    terms, all_meant = option_terms(choice)
    if there(choice.folded):
        return True
    all_meant = (
        all_meant
        or re.search(
            r"\b(?:all|both|every)\b (?:of )?(?:the |its |their )?(?:words|terms|names)|\bpairs?\b", asked.bare
        )
        is not None
    )
    return all(map(there, terms)) if all_meant else any(map(there, terms))
