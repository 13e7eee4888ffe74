"""Options that speak of the others: none of these, several, both, only one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluate.referee.option import Choice

NONE = re.compile(
    r"\bnone\b|\bneither\b|\bnothing\b|\bno (?:such )?(?:word|one|name|term|phrase)s?\b|\bnot (?:any|one)\b"
    r"|\b(?:the )?(?:words? |terms? )?(?:do|does) not (?:occur|appear)|\ball (?:are |of them are )?absent"
    r"|\b(?:(?:an)?other|(?:a )?different) (?:word|letter|number|one|answer|phrase|option|term|than)s?\b"
    r"|\bsomething (?:else|different)\b|\bsome other\b|\b(?:any|every|anything) (?:other|else)\b|\bnone of|\bzero of"
    r"|^(?:an)?other$"
    r"|\bאף (?:אחת?|מילה|אפשרות)|\bשום\b|\bלא מופיע\w*|\bאינ[הן] מופיע|\bמשהו אחר|\bמילה אחרת|\bאחרת?\b"
    r"|\bכל מילה אחרת"
)
SEVERAL = re.compile(
    r"\bmore than (?:one|1)\b|\b(?:two|2) or more\b|\bat least (?:two|2)\b|^several\b"
    r"|\bseveral (?:of|occur|appear|words)|^multiple\b|\bsome of (?:them|these)\b|\ba few of\b"
    r"|יותר מ-?(?:אחת|אחד|1)|(?:שתיים|שניים|שתי|2)\b.* או יותר|\bלפחות (?:שתיים|שתי|שניים)|^כמה\b|\bמספר מהן"
)
ALL = re.compile(
    r"^(?:yes,? )?both(?: (?:of (?:them|these|those|the)|occur|appear|words?|terms?|are|do)\b.*)?$"
    r"|^(?:yes,? )?all(?: (?:of (?:them|these|those|the)|occur|appear|words?|terms?|are|do|two|three|four|\d)\b.*)?$"
    r"|^(?:כן,? )?(?:שתיהן|שניהם|כולן|כולם)\b|^(?:שתי|כל|כל שלוש) (?:ה?מילים|אלה|אלו|השלוש)"
)
JUST_ONE = re.compile(r"\b(?:exactly|only|just) (?:one|1)\b|\bone of (?:the two|them) only|\bרק אחת?\b|בדיוק אחת?")


def is_way_out(choice: Choice, others: Sequence[Choice], named: bool = False) -> bool:
    """Whether an option speaks of the other options, or of words `named` in the question, and names nothing itself."""
    if choice.quoted or not (
        NONE.search(choice.folded)
        or SEVERAL.search(choice.folded)
        or ALL.search(choice.folded)
        or JUST_ONE.search(choice.folded)
    ):
        return False
    if named or len(choice.folded.split()) > 1 or choice.folded in ("none", "neither", "nothing", "nowhere"):
        return True
    # a lone "several" or "other" may be one of the words asked for; then it looks like them
    rest = [other for other in others if other is not choice]
    return any(other.quoted for other in rest) or (
        choice.text[:1].isupper() and any(other.text[:1].islower() for other in rest)
    )


def way_out_holds(choice: Choice, n_fitting: int, n_all: int) -> bool:
    """Whether such an option is right when `n_fitting` of the `n_all` things that the others name are there."""
    text = choice.folded
    return (
        (n_fitting == 0 and NONE.search(text) is not None)
        or (n_fitting >= 2 and SEVERAL.search(text) is not None)
        or (n_fitting == n_all and n_all > 1 and ALL.search(text) is not None and not NONE.search(text))
        or (n_fitting == 1 and JUST_ONE.search(text) is not None)
    )
