"""Text for the terminal: escaped control characters, wrapped lines, plurals, and errors in one line."""

import json
import shutil
import textwrap
import unicodedata

MIN_SECRET_CHARS = 8
"""Minimum length of a token or key that is hidden in texts of others; shorter ones are placeholders."""
_BLANKS = frozenset("\n\r\t")
"""Characters that become blanks."""
_HARMLESS = frozenset("\u00ad\u200c\u200d\u200e\u200f")
"""Format characters that ordinary Hebrew, Arabic and Indic text needs; they cannot reorder the text around them."""


def visible(text: object) -> str:
    r"""Return a text on one line, with control characters, bidi overrides and lone surrogates escaped as `\x1b`.

    Line breaks and tabs become blanks.
    """
    return "".join(map(_visible_char, str(text)))


def visible_json(document: object, indent: int | None = 1) -> str:
    """Return a document as JSON in which control characters are escaped and other letters are left as they are.

    Args:
        indent: None writes one line.
    """
    return "".join(
        json.dumps(char)[1:-1] if char != "\n" and _is_active(char) else char
        for char in json.dumps(document, ensure_ascii=False, indent=indent)
    )


def wrap_lines(text: str) -> str:
    """Wrap a text to the width of the terminal between words, without control characters."""
    width = shutil.get_terminal_size().columns
    lines = textwrap.wrap(
        visible(text), width, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines)


def pluralize(n: int, noun: str) -> str:
    """Return `1 game` or `2 games`."""
    return f"{n:,} {noun}{'s' * (n != 1)}"


def describe_error(error: BaseException) -> str:
    """Describe an exception in one line: its type, its text and its cause, but not a traceback of another process."""
    text, cause = str(error), str(error.__cause__ or "")
    if cause not in text and "Traceback" not in cause:
        text += f" ({cause})"
    return f"{type(error).__name__}: {' '.join(text.split())[:300]}"


def _is_active(char: str) -> bool:
    """Return whether a terminal may act on a character instead of showing it."""
    if " " <= char <= "~":
        return False
    return (
        unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        and char not in _HARMLESS
    )


def _visible_char(char: str) -> str:
    if char in _BLANKS:
        return " "
    if _is_active(char):
        return char.encode("unicode_escape", "surrogatepass").decode("ascii")
    return char
