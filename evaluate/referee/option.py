"""Reading an option."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluate.referee.quotes import quoted_terms, unquoted
from evaluate.referee.text import fold, normalise

UNKNOWN = re.compile(
    r"\b(?:not sure|unsure|unclear|unknown|cannot|can't|could not|maybe|perhaps|partly|partially|not applicable|n/a"
    r"|unused|don't know|undetermined|implicitly|implied)\b"
    r"|^-*$"
    r"|לא ידוע|לא ניתן|אי אפשר|לא ברור|אולי|חלקית"
)
_OPTION_LABEL = re.compile(r"^\(?[A-Da-d][).:]\s+")
_NOUN_AHEAD = re.compile(
    r"^(?:with |by )?(?:the )?(?:word|name|term|phrase|expression|abbreviation)s? (?!or |and |/)(?=\S)"
    r"|^(?:ה?מיל(?:ה|ים)|ה?מונח|ה?שם|ה?ביטוי) (?=\S)"
    r"|^with (?=\S)"
)


@dataclass(frozen=True, slots=True)
class Choice:
    """An option as read: its text, folded; the same with quoted terms as "#"; its quoted terms."""

    text: str
    folded: str
    frame: str
    quoted: tuple[str, ...]


def read_option(option: str) -> Choice:
    """An option's text as the readers need it."""
    text = _OPTION_LABEL.sub("", normalise(option)).strip().rstrip(".")
    if len(text) > 2 and text[0] == text[-1] and text[0] in "\"'" and text.count(text[0]) == 2:
        return Choice(text, fold(text), "#", (text[1:-1].strip(),))
    return Choice(text, fold(text), " ".join(fold(unquoted(text)).split()), tuple(quoted_terms(text)))


def option_terms(choice: Choice) -> tuple[list[str], bool]:
    """The words or phrases of an option, and whether all of them are meant rather than any."""
    if choice.quoted:
        joined_by_and = re.search(r"#\s*(?:,?\s*and|&|\+|וגם|ו-?)\s*#|\bboth\b", choice.frame) is not None
        return list(choice.quoted), joined_by_and and not re.search(r"\bor\b|\beither\b|\bany\b|\bאו\b", choice.frame)
    text = _NOUN_AHEAD.sub("", choice.folded).strip()
    if re.search(r",|;|\bor\b|(?<!^)\bאו\b|\s/\s", text):
        parts = re.split(r"\s*(?:,|;|\s/\s|\beither\b|\bor\b|\band\b|\bאו\b)\s*", text)
        return [part for part in parts if part], False
    parts = re.split(r"\s+(?:and|&|\+)\s+", text)
    if len(parts) > 1 and all(len(part.split()) == 1 for part in parts):
        return parts, True
    return [text], False
