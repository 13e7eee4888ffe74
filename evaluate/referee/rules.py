"""What a question says is to be answered where several options fit, or none."""

from __future__ import annotations

import re
from dataclasses import dataclass

SEVERAL_RULE = re.compile(
    r"(?:\b(?:if|when|should|in case)\b[^.?!]*?"
    r"\b(?:several|more than (?:one|1)|two or more|multiple|both|many|ties?|all)"
    r"|\b(?:where|for|with|among|of) (?:several|more than one|two or more|multiple|ties?)\b|\bties?\b"
    r"|\bאם[^.?!]*?(?:כמה|יותר מ|שתי|שתיים|שניים|מספר|שני))[^.?!]*"
)
_NONE_RULE = re.compile(
    r"\b(?:if|when|in case)\b[^.?!]*?\b(?:none|neither|no|not|nothing|absent)\b[^.?!]*?"
    r"\b(?:choose|answer|pick|select|mark|take)\s+(?:option |letter |answer )?[\"']?([a-d])\b"
    r"|\b(?:choose|answer|pick|select|mark|take)\s+(?:option |letter |answer )?[\"']?([a-d])[\"']?,? "
    r"(?:if|when) (?:none|neither|no|nothing|it does not|they do not)\b"
)
_LETTER_CHOICE = re.compile(
    r"\b(?:choose|answer|pick|select|mark|take)\s+(?:option |letter |answer )?[\"']?([b-d]\b|a\b(?! \w))"
)
_LETTER_BEFORE = re.compile(r"\b(?:option |letter |answer |choose |pick |select |mark |take )[\"']?([a-d])[\"']?,? $")
TEXT_FIRST = re.compile(
    r"\b(?:occurs?|appears?|comes?|stands?|(?:is )?(?:mentioned|used|found))\s+"
    r"(?:the )?(?:first|earliest|soonest)\b(?! sentence| in the list| listed)"
    r"|\bfirst to (?:occur|appear|come)|\b(?:first|earliest) in the (?:paragraph|text|passage)"
    r"|\bearliest\b(?! (?:\w+ )?(?:option|listed|in the list|letter|in (?:the )?order|choice))"
    r"|(?:מופיע|מוזכר|נזכר)\w* (?:ל?ראשונ\w*|קודם|תחילה|מוקדם)|(?:ראשונ\w*|קודם) (?:בפסקה|בטקסט)"
)
LIST_FIRST = re.compile(
    r"\b(?:first|earliest|topmost|uppermost)\s+"
    r"(?:such |fitting |matching |correct |right |applicable |suitable )?(?:\w+ )?"
    r"(?:option|listed|choice|answer|entry|item)"
    r"|\bearliest letter"
    r"|\b(?:first|earliest|topmost|uppermost) (?:\w+ )?(?:in|on|from|of) (?:the |this )?"
    r"(?:list|options|order|alphabet\w*|these|those|them|following|words|ones)"
    r"|\bfirst (?:one )?whose\b"
    r"|\bfirst (?:one )?(?:that|which|to) (?:fits?|match\w*|applies|apply|is (?:true|right|correct)|does)"
    r"|\blisted first\b|\bcomes? first in the (?:list|options)"
    r"|ה?ראשונה? (?:ברשימה|מביני?הן|מבין|מהן|מהם|לפי הסדר|שמתאימה)|האפשרות הראשונה|התשובה הראשונה|המוקדמת ברשימה"
)
_LIST_LAST = re.compile(r"\blast (?:\w+ )?(?:option|listed|choice|letter|in the list|of (?:them|these))|האחרונה ברשימה")


@dataclass(frozen=True, slots=True)
class Rules:
    """A question's rules for what its options leave open.

    Attributes:
        rule: "first", "last" (in the list) or "text" (in the paragraph), for several fitting options; "" if none.
        none_letter, several_letter: the option that the question reserves for these cases, "" if none.
    """

    rule: str
    none_letter: str
    several_letter: str


def read_rules(folded: str) -> Rules:
    """The rules that a folded question without its quoted terms gives."""
    several = SEVERAL_RULE.search(folded)
    rule, several_letter = "", ""
    if several:
        letter = _LETTER_CHOICE.search(several[0]) or _LETTER_BEFORE.search(folded[: several.start()])
        several_letter = letter[1].upper() if letter else ""
        if _LIST_LAST.search(several[0]):
            rule = "last"
        elif LIST_FIRST.search(several[0]) or re.search(
            r"\b(?:first|earliest)\b(?! in the (?:par|text|pas))|הראשונה", several[0]
        ):
            rule = "first"
        if TEXT_FIRST.search(LIST_FIRST.sub(" ", several[0])):
            rule = "text"
    elif LIST_FIRST.search(folded):
        rule = "first"
    none = _NONE_RULE.search(folded)
    return Rules(rule, (none[1] or none[2]).upper() if none else "", several_letter)
