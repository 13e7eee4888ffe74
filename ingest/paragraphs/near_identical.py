"""Paragraphs -> which of them say the same as an earlier one, in all but a few words."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import regex

from quarry.ingest.paragraph import Paragraph

SAME_FROM = 0.95
"""Share of words in common, in order, from which two paragraphs are the same: one word in twenty may be another.
Different exercises of one template reach .92 in a real course of 1,044 paragraphs."""

SHINGLE = 3
"""Words in a row that are compared as one."""

CANDIDATE_FROM = 0.6
"""Jaccard similarity of shingles from which a pair is looked at: one word in twenty replaced leaves about .74."""

PERMUTATIONS = 128


def near_identical(paragraphs: Iterable[Paragraph]) -> dict[str, str]:
    """The paragraph_id of the first near-identical paragraph, by that of each which is not the first.

    Case, punctuation and spacing do not count. Paragraphs that share a template are different: their numbers differ, or
    a word that comes more than once in one of them, as the thing spoken of does, has been replaced all through.

    Args:
        paragraphs: in the order in which the first one counts.

    Reference:
        Broder, On the Resemblance and Containment of Documents, 1997.
    """
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=CANDIDATE_FROM, num_perm=PERMUTATIONS, weights=(0.1, 0.9))
    words_of: dict[str, list[str]] = {}
    found: dict[str, str] = {}
    for paragraph in paragraphs:
        words = _words(paragraph.text)
        sketch = MinHash(num_perm=PERMUTATIONS)
        sketch.update_batch([shingle.encode() for shingle in _shingles(words)])
        scored = [(_similarity(words, words_of[other]), other) for other in index.query(sketch)]
        best = max(scored, key=lambda pair: (pair[0], pair[1]), default=(0.0, ""))
        if best[0] >= SAME_FROM:
            found[paragraph.paragraph_id] = best[1]
        else:
            words_of[paragraph.paragraph_id] = words
            index.insert(paragraph.paragraph_id, sketch)
    return found


def _words(text: str) -> list[str]:
    folded: list[str] = regex.findall(r"[\p{L}\p{M}]+|\p{N}+", unicodedata.normalize("NFKC", text).casefold())
    return folded


def _shingles(words: Sequence[str]) -> set[str]:
    return {" ".join(words[start : start + SHINGLE]) for start in range(max(1, len(words) - SHINGLE + 1))}


def _similarity(words: Sequence[str], others: Sequence[str]) -> float:
    """Share of words in common, in order; 0 where what differs is what the paragraphs speak of."""
    from rapidfuzz.distance import Indel

    mine, theirs = Counter(words), Counter(others)
    changed = (mine - theirs) + (theirs - mine)
    if any(word.isnumeric() or count > 1 for word, count in changed.items()):
        return 0.0
    return float(Indel.normalized_similarity(words, others))
