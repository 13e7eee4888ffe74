"""The labels of captions, such as "Figure 3:"."""

import re

from quarry.languages.registry import LANGUAGES, alternatives

_CAPTION = re.compile(r"[^\W\d_]{2,12}\.? ?(?:[A-Z]\.)?\d+(?:[.\-–]\d+)*[.:)]? ?")
DRAWN = re.compile(
    alternatives(language.drawings for language in LANGUAGES), re.IGNORECASE
)
"""First word of a caption in the size of the text; a definition or a theorem is numbered and set off too."""


def label_of(text: str) -> str:
    """Return the label that a text begins with if a full stop or a colon ends it, else ""."""
    label = _CAPTION.match(text)
    if label is None or not label.group().rstrip().endswith((".", ":")):
        return ""
    return label.group()


def without_label(text: str) -> str:
    """Return a caption without its label, such as "Figure 3:"; another text unchanged."""
    return text.removeprefix(label_of(text)) if DRAWN.match(text) else text
