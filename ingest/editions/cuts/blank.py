"""Pieces between blank lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ingest.editions.cuts.page import MIN_WORDS


def cut(pages: Sequence[str], _: int) -> Iterator[tuple[int, int, str]]:
    """Yield the blocks of each page that have enough words."""
    for number, text in enumerate(pages, start=1):
        for block in text.replace("\r", "").split("\n\n"):
            if len(block.split()) >= MIN_WORDS:
                yield number, number, block.strip()
