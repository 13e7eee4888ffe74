"""A referee's hints: labelled ones, changed a little, or words of the surroundings that the paragraph itself lacks."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from quarry.evaluate.games.check import MAX_HINT_WORDS, shared_words
from quarry.evaluate.games.labeller import shared_stems
from quarry.ingest.paragraph import Paragraph
from quarry.player.words import is_stop_word, stems, words

FEWEST_WORDS = 4
N_DRAFT_WORDS = 9
DROPPED_SHARE = 0.25
"""Of a labelled hint's words, left out at most."""
REACH = 2
"""Paragraphs before and after that a draft takes words from."""
SHORTEST = 4
"""Letters of a word of a draft."""


def edited(hint: str, text: str, seed: int) -> str:
    """A labelled hint with its clauses in another order and a few words fewer; "" where that breaks the rule.

    Args:
        text: of the paragraph.
        seed: another seed edits otherwise.
    """
    chance = np.random.default_rng(seed)
    clauses = [clause.strip() for clause in re.split(r"[;:,\u2014]\s+", hint) if clause.strip()]
    ordered = [clauses[row] for row in chance.permutation(len(clauses))]
    told = ", ".join(ordered).split()[:MAX_HINT_WORDS]
    loose = [row for row, word in enumerate(told) if _plain(word) and not is_stop_word(_plain(word))]
    n_dropped = min(int(DROPPED_SHARE * len(told)), len(told) - FEWEST_WORDS, len(loose))
    if n_dropped > 0:
        dropped = set(chance.choice(loose, size=int(chance.integers(0, n_dropped + 1)), replace=False).tolist())
        told = [word for row, word in enumerate(told) if row not in dropped]
    return _kept(told, text)


def drafted(paragraph: Paragraph, around: Sequence[Paragraph], course_counts: Counter[str], n_course: int) -> str:
    """Words that say what a paragraph is about and do not occur in it, the most telling first; "" where there are none.

    They come from its heading and its neighbours; those of nearer neighbours, and rarer ones, come first.

    Args:
        around: the paragraphs of its document, in order.
        course_counts: paragraphs of the course that have each stem.
        n_course: paragraphs of the course.
    """
    place = next(row for row, other in enumerate(around) if other.paragraph_id == paragraph.paragraph_id)
    taken = set(stems(paragraph.text))
    weights: dict[str, float] = {}
    spelt: dict[str, str] = {}
    sources = [(1.0, paragraph.heading)] + [
        (1.0 / abs(row - place), around[row].text)
        for row in range(max(0, place - REACH), min(len(around), place + REACH + 1))
        if row != place
    ]
    for weight, text in sources:
        for word, stem in zip(words(text), stems(text), strict=True):
            if stem in taken or len(word) < SHORTEST or is_stop_word(word) or not word.isalpha():
                continue
            rarity = math.log(n_course / (1.0 + course_counts[stem]))
            weights[stem] = weights.get(stem, 0.0) + weight * max(rarity, 0.0)
            spelt.setdefault(stem, word)
    best = sorted(weights, key=lambda stem: (-weights[stem], stem))
    return _kept([spelt[stem] for stem in best[:N_DRAFT_WORDS]], paragraph.text)


def keeps_the_rule(hint: str, text: str) -> bool:
    """Whether a hint has at most 15 words, and none that the text has."""
    return len(hint.split()) <= MAX_HINT_WORDS and not shared_words(hint, text)


def _kept(told: Sequence[str], text: str) -> str:
    """The words that the paragraph has in no form, as a hint."""
    allowed = [word for word in told if not shared_words(word, text) and not shared_stems(word, text)]
    hint = " ".join(allowed).strip(" ,;:")
    return hint if len(words(hint)) >= min(FEWEST_WORDS, len(told)) > 0 and keeps_the_rule(hint, text) else ""


def _plain(word: str) -> str:
    found = words(word)
    return found[0] if found else ""
