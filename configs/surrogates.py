"""Half surrogate pairs, which no UTF-8 file can hold."""

import re

HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape of JSON or YAML that may be half of a surrogate pair."""


def is_unicode(text: str) -> bool:
    """Return whether a text holds no half of a surrogate pair."""
    return not any("\ud800" <= char <= "\udfff" for char in text)
