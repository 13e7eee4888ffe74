"""Suggestions for mistyped names."""

import difflib
from collections.abc import Iterable

MIN_SIMILARITY = 0.7
"""Minimum similarity (Ratcliff and Obershelp) at which a name is suggested for a mistyped one."""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return `; did you mean NAME?` with the most similar of the names, "" if no name is similar."""
    by_folded = {item.casefold(): item for item in names}
    similar = difflib.get_close_matches(name.casefold(), by_folded, 1, MIN_SIMILARITY)
    return f"; did you mean {by_folded[similar[0]]}?" if similar else ""
