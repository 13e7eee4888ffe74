"""What somebody who mistyped a name may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

NEAR = 0.7
"""Likeness (Ratcliff and Obershelp) from which a name is offered in the place of another."""


def meant(name: str, names: Iterable[str]) -> str:
    """`; did you mean NAME?` for the name that is most like the mistyped one, "" where none is near."""
    by_folded = {known.casefold(): known for known in names}
    near = difflib.get_close_matches(name.casefold(), by_folded, 1, NEAR)
    return f"; did you mean {by_folded[near[0]]}?" if near else ""
