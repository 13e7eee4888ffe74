"""The canonical form in which texts are compared."""

import unicodedata


def canonical(text: str) -> str:
    """Return the letters and digits of a text, case-folded after NFKC."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
