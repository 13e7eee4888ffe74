"""The terms that a question or an option quotes."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"(?<!\w)[הובלמכש]{0,2}-?\"(.+?)\"(?!\w)")
_SINGLE_QUOTED = re.compile(r"(?<!\w)'(.+?)'(?!\w)")


def quoted_terms(text: str) -> list[str]:
    """The terms in double quotation marks, or in single ones where there are no double ones."""
    terms = _QUOTED.findall(text) or _SINGLE_QUOTED.findall(text)
    return [term.strip() for term in terms if term.strip()]


def unquoted(text: str) -> str:
    """A text with its quoted terms replaced by "#"."""
    pattern = _QUOTED if _QUOTED.search(text) else _SINGLE_QUOTED
    return pattern.sub(" # ", text)
