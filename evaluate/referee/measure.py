"""The number that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from evaluate.referee.features import FEATURES, features_in
from evaluate.referee.option import Choice
from evaluate.referee.positions import positions
from evaluate.referee.question import Asked
from evaluate.referee.scope import part_of
from evaluate.referee.seen import Seen
from evaluate.referee.subject import question_terms
from evaluate.referee.text import fold, sentences_of, tokens_of, words_of

_ODD_UNITS = re.compile(
    r"\b(?:words?|sentences?)\b (?:that|which|start|begin|end|with|longer|shorter|of (?!the|this)"
    r"|in (?:quot|paren|capital|ital|bold|english|latin|hebrew))"
    r"|\b(?:long|short|capitali[sz]ed|hyphenated|quoted) words"
)
_UNITS: tuple[tuple[re.Pattern[str], Callable[[str], int]], ...] = (
    (
        re.compile(r"\b(?:different|distinct|unique) words\b|מילים שונות"),
        lambda text: len({word for word, _, _ in tokens_of(fold(text))}),
    ),
    (re.compile(r"\bsentences?\b|\bמשפט(?:ים)?\b"), lambda text: len(sentences_of(text))),
    (
        re.compile(r"\bwords\b|\bword count\b|\bword long\b|\bמילים\b|\bהמילים\b|\bתיבות\b"),
        lambda text: len(words_of(text)),
    ),
    (re.compile(r"\bletters\b|\bletter count\b|\bאותיות\b"), lambda text: sum(char.isalpha() for char in text)),
    (re.compile(r"\bcharacters\b|\bתווים\b"), len),
    *((feature.name, feature.count) for feature in FEATURES),
)


def after_number(folded: str) -> int:
    """Where the first number of a phrase ends, 0 if it has none."""
    number = re.search(r"\d+", folded)
    return number.end() if number else 0


def measured(asked: Asked, choices: Sequence[Choice], seen: Seen, after: int) -> int | None:
    """The number that a question asks for, None where it asks for something else."""
    part = part_of(seen, asked.scope)
    terms = (
        question_terms(asked)
        if re.search(r"#|\btimes\b|\boften\b|פעמים|\bsentence\b|\bמשפט\b", asked.bare) or asked.targets
        else ()
    )
    if re.search(r"\b(?:which|what) sentence\b|באיזה משפט", asked.bare):
        holders = [
            row
            for row, sentence in enumerate(seen.sentences, 1)
            if any(positions(term, sentence, asked.any_form) for term in terms)
        ]
        return (holders[0] if holders else 0) if terms else None
    if re.search(r"\btimes\b|\bhow (?:often|frequently)\b|\boccurrences\b|פעמים", asked.bare):
        features = features_in(asked.bare) if not terms else []
        if terms:
            return sum(len(positions(term, part, asked.any_form)) for term in terms)
        return sum(feature.count(part) for feature in features) if features else None
    if len(terms) > 1 and re.search(
        r"\bhow many (?:of\b|are\b|do\b|occur|appear|can\b|(?:\w+ )?#)|\bnumber of (?:the|these)\b|כמה מ", asked.bare
    ):
        return sum(bool(asked.count(term, seen)) for term in terms)
    if _ODD_UNITS.search(asked.bare):
        return None
    if re.search(r"\bfirst word\b|המילה הראשונה|\blast word\b|המילה האחרונה", asked.bare):
        words = words_of(part)
        row = 0 if re.search(r"first word|הראשונה", asked.bare) else -1
        return sum(char.isalpha() for char in words[row]) if words else None
    best: tuple[int, int] | None = None
    for asked_of in (asked.bare[after:], asked.bare, " ".join(choice.folded for choice in choices)):
        for row, (unit, _) in enumerate(_UNITS):
            found = unit.search(asked_of)
            if found and (best is None or found.start() < best[0]):
                best = (found.start(), row)
        if best is not None:
            return _UNITS[best[1]][1](part)
    return None
