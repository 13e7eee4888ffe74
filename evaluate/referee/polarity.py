"""Options that say yes or no."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluate.referee.option import UNKNOWN, Choice
from evaluate.referee.question import Asked

_NO = re.compile(
    r"^(?:no|not|false|absent|never|nowhere|missing|none|neither|without|incorrect|wrong)\b"
    r"|\b(?:does|do|is|are|has|have) not\b|n't\b|\bno\b"
    r"|^(?:לא|אין|אינ\w+|שגוי|נעדר\w*|חסר\w*|אף)\b|\bלא (?:מופיע|מוזכר|נמצא|קיימ)"
)
YES = re.compile(
    r"^(?:yes|yep|true|correct|right|present|it (?:does|is|occurs|appears|contains|has)|they (?:do|are)|occurs?"
    r"|appears?|does|contains?|mentioned|included|there (?:is|are)"
    r"|כן|נכון|אמת|מופיע\w*|מוזכר\w*|קיימ\w*|יש|נמצא\w*)\b"
)


def polarity_of(choice: Choice) -> bool | None:
    """True for a yes, False for a no, None for what is neither."""
    text = choice.folded
    if UNKNOWN.search(text):
        return None
    if YES.search(text) and not re.match(
        r"(?:it |they )?(?:does|do|is|are|has|have) not\b|there (?:is|are) no\b", text
    ):
        return True
    return False if _NO.search(text) else None


def answers_yes_or_no(asked: Asked, choices: Sequence[Choice]) -> bool:
    """Whether the options are a yes and a no, and not words such as "right" and "wrong" to choose from."""
    unquoted = [choice for choice in choices if not choice.quoted]
    polarities = [polarity_of(choice) for choice in unquoted]
    if True not in polarities or False not in polarities:
        return False
    plain = any(re.match(r"(?:yes|no|true|false|כן|לא)\b", choice.folded) for choice in unquoted)
    return plain or not re.search(r"\b(?:which|what|how)\b|\bאיז|\bמה\b", asked.bare)
