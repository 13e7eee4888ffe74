"""Text that somebody else wrote, made safe to print: nothing in it is interpreted, all of it is shown."""

from __future__ import annotations

import json
import unicodedata

_HARMLESS = frozenset("\u00ad\u200c\u200d\u200e\u200f")
"""Format characters that ordinary Hebrew, Arabic and Indic text needs; they cannot reorder what stands around them."""


def visible(text: object) -> str:
    r"""The text on one line, with escape sequences, controls, bidi overrides and lone surrogates written as `\x1b`.

    Line breaks and tabs become blanks.
    """
    return "".join(" " if char in "\n\r\t" else _spelt(char) if _acts(char) else char for char in str(text))


def visible_json(document: object, indent: int | None = 1) -> str:
    """A document as JSON, non-ASCII letters as they are, with whatever a terminal would act on escaped.

    Args:
        indent: None writes it on one line.
    """
    return "".join(
        _json_escape(char) if char != "\n" and _acts(char) else char
        for char in json.dumps(document, ensure_ascii=False, indent=indent)
    )


def _acts(char: str) -> bool:
    """Whether a terminal may act on the character instead of showing it."""
    if " " <= char <= "~":
        return False
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and char not in _HARMLESS


def _spelt(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def _json_escape(char: str) -> str:
    return json.dumps(char)[1:-1]
