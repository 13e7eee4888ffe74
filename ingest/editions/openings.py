"""Openings of a piece: the strings that a referee's program may take for its opening sentence."""

import re
from collections.abc import Iterator
from itertools import islice

MAX_LINES = 60
"""Lines of a piece in which the end of its first sentence is looked for."""
N_HEAD = 3
"""Lines within which a full stop ends the opening; else the opening is the first line."""
MIN_WORDS = 5
"""A sentence of content has so many words."""
SHORT_LINE = 0.75
"""A line that is shorter than this share of the longest one, before a line that begins a sentence, is a heading."""
N_SENTENCES = 4
"""The most sentences of content that are openings."""
BY_RULE, FIRST_LINE, BY_MODEL = 0.8, 0.1, 0.1
"""Shares of the programs that open a page by rule, with its first line, or with a sentence that a model chooses."""
MODEL_CHOOSES = 0.8
"""Share of the programs whose model chooses the opening of other pieces."""
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")
_MARKER = re.compile(r"^[-–•◦*]\s*")


def openings(text: str, cut: str) -> dict[str, float]:
    """Return the openings of a piece with their shares, the likeliest first; they sum to 1.

    Args:
        text: raw text of the piece.
        cut: cut of its edition; pages are opened by rule, other pieces by a model.
    """
    rule, line, model = BY_RULE, FIRST_LINE, BY_MODEL
    if cut != "page":
        model = MODEL_CHOOSES
        rule = (1.0 - model) * rule / (rule + line)
        line = 1.0 - rule - model

    shares = {by_rule(text): rule}
    first = next(iter(_lines(text)), "")
    shares[first] = shares.get(first, 0.0) + line
    sentences = list(islice(_sentences(text), N_SENTENCES)) or [first]
    weights = [0.5**number for number in range(len(sentences))]
    for sentence, weight in zip(sentences, weights, strict=True):
        share = model * weight / sum(weights)
        shares[sentence] = shares.get(sentence, 0.0) + share
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def by_rule(text: str) -> str:
    """Return the opening as a public referee cuts it.

    It ends with the first line that begins with a full stop (where a sentence ends in visual order), else with a full
    stop within three lines, else with the first line.
    """
    lines = _lines(text)
    for number, line in enumerate(lines[:MAX_LINES]):
        if number and line.lstrip().startswith("."):
            return "\n".join(lines[: number + 1])
    head = "\n".join(lines[:N_HEAD])
    stop = head.find(". ")
    if stop > 0:
        return head[: stop + 1]
    if head.rstrip().endswith("."):
        return head
    return lines[0] if lines else ""


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of content of a piece, without headings, captions and markers before them."""
    short = SHORT_LINE * max(map(len, text.splitlines()), default=0)
    start = 0
    for end in _SENTENCE_END.finditer(text):
        stretch = text[start : end.end()].lstrip(" ")
        lines = stretch.strip().split("\n")
        is_on_top = start == 0 or stretch.startswith("\n")
        start = end.end()
        while is_on_top and len(lines) > 1 and len(lines[0]) < short:
            if not _begins(lines[1].strip()):
                break
            lines.pop(0)

        sentence = _MARKER.sub("", "\n".join(lines).strip())
        if _begins(sentence) and len(sentence.split()) >= MIN_WORDS:
            yield sentence


def _begins(text: str) -> bool:
    """Return whether a text may begin a sentence: with a capital or a Hebrew letter."""
    return text[:1].isupper() or "א" <= text[:1] <= "ת"
