"""What a paragraph does: define, tell history, give an example, compare, prove, instruct."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from player.questions.question import FitArray

OTHER_WEIGHT = 1.0
"""Weight of "none of these" beside one weight for each cue."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """One thing that a paragraph may mainly do.

    Attributes:
        name: its key.
        said: what it does, by language.
        cues: expressions that show it.
    """

    name: str
    said: dict[str, str]
    cues: re.Pattern[str]


def _cues(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


PURPOSES = (
    Purpose(
        "history",
        {"en": "it tells who did something in the past, and when", "he": "היא מספרת מי עשה משהו בעבר, ומתי"},
        _cues(r"\b1[5-9]\d\d\b|\b20[012]\d\b|\bcentury\b|\binvented\b|\bpublished\b|\bin his\b|במאה|המציא|פרסם"),
    ),
    Purpose(
        "example",
        {"en": "it works through an example or a case", "he": "היא עוברת על דוגמה או מקרה"},
        _cues(
            r"\bfor (?:example|instance)\b|\bsuppose\b|\bconsider\b|\bimagine\b|\bsay,|\bexample\b|\btake (?:a|the)\b"
            r"|לדוגמה|למשל|נניח|דוגמה"
        ),
    ),
    Purpose(
        "definition",
        {"en": "it says what a term means", "he": "היא אומרת מה פירושו של מונח"},
        _cues(
            r"\bis called\b|\bare called\b|\bwe call\b|\bdefine[ds]?\b|\bmeans\b|\brefers to\b|\bknown as\b"
            r"|נקרא|מוגדר|הגדרה"
        ),
    ),
    Purpose(
        "comparison",
        {"en": "it weighs two things against each other", "he": "היא משווה בין שני דברים"},
        _cues(
            r"\bwhereas\b|\bunlike\b|\bby contrast\b|\bcompared?\b|\bon the other hand\b|\bbetter than\b"
            r"|\brather than\b"
            r"|לעומת|בניגוד|לעומת זאת"
        ),
    ),
    Purpose(
        "proof",
        {"en": "it argues that a claim must be true", "he": "היא מוכיחה טענה"},
        _cues(
            r"\bproof\b|\bprove[ds]?\b|\btheorem\b|\blemma\b|\bit follows\b|\binduction\b|\bhence\b"
            r"|הוכחה|נוכיח|משפט|מכאן ש"
        ),
    ),
    Purpose(
        "instruction",
        {"en": "it tells the reader what to do", "he": "היא אומרת לקורא מה לעשות"},
        _cues(
            r"\bshould\b|\bdo not\b|\bnever\b|\balways\b|\bmake sure\b|\btry\b|\bkeep\b|\bavoid\b|\bremember\b"
            r"|כדאי|יש ל|אל ת"
        ),
    ),
)
BY_NAME = {purpose.name: row for row, purpose in enumerate(PURPOSES)}


def read_purposes(texts: Sequence[str]) -> FitArray:
    """(n_purposes, n_paragraphs) weight of each purpose by its cues, at most 4 of them."""
    counts = [[min(4, len(purpose.cues.findall(text))) for text in texts] for purpose in PURPOSES]
    return np.array(counts, dtype=np.float32)
