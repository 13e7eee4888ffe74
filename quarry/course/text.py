"""The forms in which texts are compared."""

import unicodedata


def canonical(text: str) -> str:
    """Return the letters and digits of a text, case-folded after NFKC."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def compared_form(sentence: str) -> str:
    """Return the form in which the player compares sentences.

    It is the canonical form, or the sentence itself if it has no letters and digits.
    """
    return canonical(sentence) or sentence


def one_line(text: str) -> str:
    """Return a text on one line, with single blanks and all else kept, as referees compare openings."""
    return " ".join(text.split())
