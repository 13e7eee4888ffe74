"""What a paragraph may have that a reader sees at a glance: a number, a quotation, a formula."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from player.questions.question import FitArray

SEEN = 0.97
"""Probability that a careful reader notices a feature that is there."""
IMAGINED = 0.02
"""Probability that a careful reader sees one that is not there."""


@dataclass(frozen=True, slots=True)
class Feature:
    """Something a paragraph has or has not.

    Attributes:
        name: its key.
        said: its name in a question, by language.
        pattern: what shows it.
    """

    name: str
    said: dict[str, str]
    pattern: re.Pattern[str]


FEATURES = (
    Feature("digits", {"en": "digits", "he": "ספרות"}, re.compile(r"\d")),
    Feature("question", {"en": "a question mark", "he": "סימן שאלה"}, re.compile(r"\?")),
    Feature("parentheses", {"en": "parentheses", "he": "סוגריים"}, re.compile(r"\(")),
    Feature("colon", {"en": "a colon", "he": "נקודתיים"}, re.compile(r":")),
    Feature("semicolon", {"en": "a semicolon", "he": "נקודה ופסיק"}, re.compile(r";")),
    Feature("percent", {"en": "a percentage", "he": "אחוז"}, re.compile(r"\d\s*%|\bper ?cent|אחוז", re.IGNORECASE)),
    Feature(
        "year",
        {"en": "a calendar year", "he": "שנה לועזית"},
        re.compile(r"(?<![\d.,])(?:1[5-9]\d\d|20\d\d)(?![\d.,]\d|\d)"),
    ),
    Feature(
        "quotation",
        {"en": "quotation marks", "he": "מירכאות"},
        re.compile(r"“[^”]+”|„[^“”]+[“”]|(?<!\w)\"[^\"]+\"(?!\w)|‘[^’]{2,}’(?!\w)"),
    ),
)


def read_features(texts: Sequence[str]) -> FitArray:
    """(n_features, n_paragraphs) probability that a reader finds each feature, in the order of `FEATURES`."""
    there = np.array([[feature.pattern.search(text) is not None for text in texts] for feature in FEATURES])
    return np.where(there, SEEN, IMAGINED).astype(np.float32)
