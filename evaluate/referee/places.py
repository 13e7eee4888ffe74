"""Whether a word or phrase stands in a text, at its start, or at its end."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from quarry.evaluate.referee.scoring import same_form
from quarry.evaluate.referee.text import fold, tokens_of


def stands_in(term: str, text: str, any_form: bool = False) -> bool:
    """Whether a word or phrase stands in a text as whole words; both in any case.

    The words of a phrase may be joined otherwise ("inverted-index", "inverted index"), but no stop or comma may part
    them that the phrase does not have itself.
    """
    term, text = fold(term).strip(" .,;:"), fold(text)
    parts = _words(term)
    if not parts or any(char in "+#%=<>$€£°*^" or "\u3040" <= char <= "\u9fff" for char in term):
        return _stands_literally(term, text)
    words = tokens_of(text)
    stops_allowed = any(char in ".,;:!?" for char in term)
    for row in range(len(words) - len(parts) + 1):
        window = words[row : row + len(parts)]
        if _same(parts, [word for word, _, _ in window], any_form):
            gaps = "".join(text[left[2] : right[1]] for left, right in itertools.pairwise(window))
            if stops_allowed or not any(char in ".,;:!?" for char in gaps):
                return True
    return False


def starts(term: str, text: str, any_form: bool = False) -> bool:
    """Whether a text begins with a word or phrase."""
    parts = _words(term)
    return bool(parts) and _same(parts, _words(text)[: len(parts)], any_form)


def ends(term: str, text: str, any_form: bool = False) -> bool:
    """Whether a text ends with a word or phrase, stops aside."""
    parts = _words(term)
    return bool(parts) and _same(parts, _words(text)[-len(parts) :], any_form)


def _words(text: str) -> list[str]:
    return [word for word, _, _ in tokens_of(fold(text))]


def _same(parts: Sequence[str], words: Sequence[str], any_form: bool) -> bool:
    return len(parts) == len(words) and all(
        word == part or (any_form and same_form(word, part)) for word, part in zip(words, parts, strict=True)
    )


def _stands_literally(term: str, text: str) -> bool:
    """Whether a sign, a term with signs ("c++"), or one in a script without blanks is there; no Latin word is cut."""
    if not term:
        return False
    left = r"(?<!\w)" if term[0].isascii() and term[0].isalnum() else ""
    right = r"(?!\w)" if term[-1].isascii() and term[-1].isalnum() else ""
    return re.search(left + re.escape(term) + right, text) is not None
