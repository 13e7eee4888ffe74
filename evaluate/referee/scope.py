"""The part of the paragraph that a question asks about."""

from __future__ import annotations

import re

from evaluate.referee.seen import Seen
from evaluate.referee.text import words_of

FIRST_SENTENCE = (
    r"(?:first|opening|initial|1st) sentence|sentence (?:that|which) (?:opens|begins|starts)"
    r"|משפט ה?(?:ראשון|פותח)|משפט הפתיחה"
)
AFTER_FIRST = (
    r"(?:after|beyond|outside(?: of)?|past|following|other than|except(?: for)?|apart from|excluding|later than"
    rf"|but not in)\s+(?:its |the |in )*(?:{FIRST_SENTENCE})"
    r"|(?:אחרי|לאחר|מחוץ ל|למעט|פרט ל)\s*ה?(?:משפט ה(?:ראשון|פותח)|משפט הפתיחה)"
)
_SCOPES = (
    ("rest", re.compile(AFTER_FIRST)),
    ("first", re.compile(rf"[בהלו]?(?:{FIRST_SENTENCE})")),
    ("last", re.compile(r"(?:last|final|closing|concluding) sentence|[בהלו]?משפט ה?(?:אחרון|סוגר|מסיים)")),
    ("second", re.compile(r"(?:second|2nd) sentence|[בהלו]?משפט השני")),
    ("head", re.compile(r"first (\d+) words|(\d+) המילים הראשונות")),
    ("tail", re.compile(r"last (\d+) words|(\d+) המילים האחרונות")),
)


def read_scope(folded: str) -> tuple[str, int]:
    """The (name, n) of the part of the paragraph that a question asks about; ("", 0) for all of it."""
    for name, pattern in _SCOPES:
        found = pattern.search(folded)
        if found:
            return name, int(next((group for group in found.groups() if group), 0))
    return "", 0


def without_scopes(folded: str) -> str:
    """A question without the words that name a part of the paragraph."""
    for _, pattern in _SCOPES:
        folded = pattern.sub(" ", folded)
    return folded


def part_of(seen: Seen, scope: tuple[str, int]) -> str:
    """The part of what is seen that a (name, n) scope means."""
    name, n = scope
    text, sentences = seen.text, seen.sentences
    if name == "first":
        return sentences[0] if sentences else ""
    if name == "rest":
        return " ".join(sentences[1:])
    if name == "last":
        return sentences[-1] if sentences else ""
    if name == "second":
        return sentences[1] if len(sentences) > 1 else ""
    if name == "head":
        return " ".join(words_of(text)[:n])
    if name == "tail":
        return " ".join(words_of(text)[-n:]) if n else ""
    return text
