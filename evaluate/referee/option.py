"""Reading an option: a yes, a no, a word on the other options, or words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from quarry.evaluate.referee.quotes import quoted_terms, unquoted
from quarry.evaluate.referee.text import fold, normalise

Says = Literal["words", "yes", "no", "none", "all", "several", "nothing"]

_SAYS: tuple[tuple[Says, re.Pattern[str]], ...] = (
    (
        "nothing",
        re.compile(
            r"-*|.*\b(?:not sure|unsure|unclear|unknown|cannot|can't|maybe|perhaps|partly|partially|not applicable)\b.*"
            r"|.*(?:לא ידוע|לא ניתן|אי אפשר|לא ברור|אולי|חלקית).*"
        ),
    ),
    ("several", re.compile(r"(?:more than one|two or more|several of|יותר מ-?אחת|שתיים או יותר)\b.*")),
    (
        "none",
        re.compile(
            r"(?:none|neither|nothing) .*|no (?:such )?(?:words?|one|lists?)\b.*|something else"
            r"|(?:an|some |any )?other (?:word|one)s?|(?:אף|שום) .*|מילה אחרת"
        ),
    ),
    (
        "all",
        re.compile(r"(?:both|all)(?: (?:of|are|do|occur|appear|words|two|three)\b.*)?|(?:שתיהן|שניהם|כולן|כולם)\b.*"),
    ),
    ("yes", re.compile(r"(?:yes|true|כן|נכון)\b.*")),
    ("no", re.compile(r"(?:no|false|לא)\b.*")),
)
_NONE_AS_LAST = re.compile(r"none|neither|nothing|(?:an)?other|otherwise|אחרת?|אף")
_LABEL = re.compile(r"^\(?[A-Da-d][).:]\s+")
_LEAD_IN = re.compile(
    r"^(?:with |by )?(?:the )?(?:words?|names?|terms?|phrases?) (?!or |and )(?=\S)|^with (?=\S)"
    r"|^ב?ה?מיל(?:ה|ים) (?!או )(?=\S)"
)
_ONLY = re.compile(r"\b(?:only|just)\b|\bרק\b|\bבלבד\b")
_PARTED = re.compile(r",\s*|;\s*|(?<=\S) (?:or|and|או|/) (?=\S)")
_BOTH = re.compile(r"\band\b|&|\bboth\b|# ?ו-? ?#")


@dataclass(frozen=True, slots=True)
class Option:
    """An option as read.

    Attributes:
        says: what it is; one that says nothing never fits.
        terms: the words that it names.
        all_meant: all of them must be there, else one is enough.
        only: and no other word that is asked of may be there.
    """

    says: Says
    terms: tuple[str, ...] = ()
    all_meant: bool = False
    only: bool = False


def read_option(option: str, *, last: bool = False, repeated: bool = False) -> Option:
    """An option's text.

    Args:
        last: it stands last, where even a single word, such as "other", is about the others.
        repeated: the question repeats it, so that it names words even if they look like "none" or "no".
    """
    text = _LABEL.sub("", normalise(option)).strip().rstrip(".")
    quoted, folded = quoted_terms(text), fold(text)
    if quoted:
        frame = fold(unquoted(text))
        return Option("words", tuple(quoted), _BOTH.search(frame) is not None, _ONLY.search(frame) is not None)
    if repeated:
        return Option("words", tuple(_PARTED.split(folded)))
    for says, pattern in _SAYS:
        if pattern.fullmatch(folded):
            return Option(says)
    if last and _NONE_AS_LAST.fullmatch(folded):
        return Option("none")
    bare = _ONLY.sub(" ", folded).strip()
    only = bool(bare) and bare != folded
    parts = _PARTED.split(_LEAD_IN.sub("", bare if only else folded))
    terms = (re.sub(r"^(?:or|and|או) (?=\S)", "", part) for part in parts)
    return Option("words", tuple(terms), " and " in folded, only)
