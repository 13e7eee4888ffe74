"""The clause of a question that asks, without its asides and instructions."""

from __future__ import annotations

import re

from evaluate.referee.text import fold

_INSTRUCTION = re.compile(
    r"(?:if|when|should|in case|choose|pick|select|answer|ties?|otherwise|prefer|in the case|for ties|where)\b"
    r"|אם\b|במקרה|בחר|יש לבחור|כאשר|סמן|ענה"
)
_ASKS = re.compile(r"\?|\b(?:which|what|how|does|is|are|do)\b|איז[הו]|\bכמה\b|\bהאם\b|\bכיצד\b|\bאיך\b|\bמה\b|\bבאיז")
_TRAILING_RULE = re.compile(
    r"[,;(:-]?\s*(?:and )?(?:"
    r"\bif (?:several|more than|two|both|many|multiple|none|no\b|neither|it (?:does|is) not|there|all|any\b(?!,))"
    r"|\bin case\b|(?<=\S )(?:choose|pick|select|prefer|take)\b"
    r"|\bאם (?:יש )?(?:כמה|יותר|שתי|שני|אף|אין|מספר)|(?<=\S )(?:בחר|יש לבחור|סמן)).*$"
)


def asking_clause(whole: str) -> str:
    """A question without its asides and its rules for several or no fitting options."""
    plain = re.sub(r"\((?![\"'])[^()]*\)|\((?:e\.g|such as|for example|like|למשל)[^()]*\)", " ", whole)
    plain = re.sub(r",\s*if any,?|,\s*אם בכלל,?", " ", plain, flags=re.IGNORECASE)
    clauses = [clause for clause in re.split(r"(?<=[.?!;])\s+", plain.strip()) if clause.strip()]
    kept = [clause for clause in clauses if not _INSTRUCTION.match(fold(clause)) or "?" in clause]
    if any(_ASKS.search(fold(clause)) for clause in kept):
        clauses = kept
    trimmed = (re.sub(_TRAILING_RULE.pattern, "", clause, flags=re.IGNORECASE) or clause for clause in clauses)
    return " ".join(trimmed)


def listed(main: str) -> tuple[str, ...]:
    """The unquoted words that a question lists after a colon: "How many of these occur: index, query, cache?"."""
    _, colon, tail = main.partition(":")
    items = [item.strip(" ?.") for item in re.split(r",|\band\b|\bor\b|\bאו\b", tail)]
    items = [item for item in items if item]
    too_long = any(len(item.split()) > 3 or re.match(r"an? ", item) for item in items)
    if not colon or len(items) < 2 or too_long or _ASKS.search(fold(tail.rstrip("?"))):
        return ()
    return tuple(items)
