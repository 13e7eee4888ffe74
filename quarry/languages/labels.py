"""The labels of captions and of statements, such as "Figure 3:" and "Theorem (Euler)."."""

import re

from quarry.languages.registry import LANGUAGES, OTHER_LABELS, alternatives

_CAPTION = re.compile(
    r"[^\W\d_]{2,12}\.? ?(?:[A-Z]\.)?\d+(?:[.\-–]\d+)*(?:[.)]| ?:| [–—-](?= [^\W\d]))? ?"
)
DRAWN = re.compile(
    alternatives(language.drawings for language in LANGUAGES), re.IGNORECASE
)
"""First word of a caption that is printed like the text. Definitions and theorems are numbered too, but no captions."""

_STATEMENT_WORDS = [
    *OTHER_LABELS.split(),
    *(label for language in LANGUAGES for label in language.labels.values()),
]
_STATEMENT = re.compile(
    alternatives(_STATEMENT_WORDS) + r"(?: \([^()]*\))?[.:](?: |$)",
    re.IGNORECASE,
)


_STATEMENT_LABEL = re.compile(
    alternatives(_STATEMENT_WORDS) + r"(?: \d+(?:\.\d+)*[.:]?|\.) ", re.IGNORECASE
)


def begins_statement(text: str) -> bool:
    """Return whether a text begins with an unnumbered label of a statement, such as "Proof." or "Theorem (Euler)."."""
    return text[0] == text[0].upper() and _STATEMENT.match(text) is not None


def after_statement_label(text: str) -> str:
    """Return the text after the label of a statement, such as "Claim 3." or "Claim.", "" if there is no such label."""
    label = _STATEMENT_LABEL.match(text)
    return text[label.end() :] if label else ""


def caption_label(text: str) -> str:
    """Return the label at the beginning of a text, if a full stop or a colon ends it, else "".

    A dash, or a space and a colon, may end that of a figure or the like; one in capitals, "FIGURE 3", needs no end.
    """
    match = _CAPTION.match(text)
    if match is None:
        return ""
    label = match.group().rstrip()
    if label.endswith((" :", " –", " —", " -")):
        return match.group() if DRAWN.match(text) else ""
    is_in_capitals = label.isupper() and DRAWN.match(text) is not None
    return match.group() if label.endswith((".", ":")) or is_in_capitals else ""


def drawing_label(text: str) -> str:
    """Return the label of a figure or a table at the beginning of a text, such as "Figure 3:", else ""."""
    return caption_label(text) if DRAWN.match(text) else ""


def without_label(text: str) -> str:
    """Remove the label of a figure or a table; return any other text unchanged."""
    return text.removeprefix(drawing_label(text))
