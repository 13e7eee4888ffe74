"""The labels of captions, such as "Figure 3:"."""

import re

from quarry.languages.registry import LANGUAGES, alternatives

_CAPTION = re.compile(r"[^\W\d_]{2,12}\.? ?(?:[A-Z]\.)?\d+(?:[.\-–]\d+)*[.:)]? ?")
DRAWN = re.compile(
    alternatives(language.drawings for language in LANGUAGES), re.IGNORECASE
)
"""First word of a caption that is printed like the text. Definitions and theorems are numbered too, but no captions."""


def caption_label(text: str) -> str:
    """Return the label at the beginning of a text, if a full stop or a colon ends it, else ""."""
    label = _CAPTION.match(text)
    if label is None or not label.group().rstrip().endswith((".", ":")):
        return ""
    return label.group()


def without_label(text: str) -> str:
    """Remove the label of a caption, such as "Figure 3:"; return any other text unchanged."""
    return text.removeprefix(caption_label(text)) if DRAWN.match(text) else text
