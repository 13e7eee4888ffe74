"""Counts as people read them."""

from __future__ import annotations


def counted(n: int, noun: str, several: str = "") -> str:
    """`1 game`, `2 games`.

    Args:
        several: the plural where it is not the noun and an s.
    """
    return f"{n:,} {noun if n == 1 else several or f'{noun}s'}"
