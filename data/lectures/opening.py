"""Where the first sentence of a source paragraph ends, by rule, with the source's styles to help."""

from __future__ import annotations

import re

from data.lectures.lecture import Span, Spans, is_printed, plain_math

# Abbreviations that a capital, a digit or a bracket may follow inside a sentence.
_ABBREVIATION = re.compile(
    r"(?:e\.g|i\.e|cf|vs?|al|ca|approx|resp|viz|dr|prof|mrs?|ms|st"
    r"|figs?|eqs?|sect?|ch|vol|nos?|pp?|eds?|op)\.",
    re.IGNORECASE,
)

# A full stop, question or exclamation mark or ellipsis with its closing quotes and brackets, then white space.
_END = re.compile(r"([.!?…]+)([\"'”’»)\]]*)\s+")
_LAST_WORD = re.compile(r"[^\s(\[“‘\"'—–]+$")
_INITIAL = re.compile(r"(?:[A-Zא-ת]\.)(?:-?[A-Z]\.)*$")


def opening_sentence(spans: Spans) -> str:
    """The first sentence, in the characters `lecture.plain` gives.

    It ends at the first `.`, `!`, `?` or ellipsis (with the quotes and brackets that close behind it) that stands
    outside code and maths and before white space, unless an abbreviation or a person's initial ends there or a
    lower-case word follows. A `<!-- s -->` in the source overrides the rule. Without any end the whole text is one
    sentence.
    """
    text, opaque = "", list[bool]()
    for span in spans:
        if span.kind == "sentence_end":
            return text.strip()
        if is_printed(span):
            piece = _text(span)
            text += piece
            opaque += [span.kind != "text"] * len(piece)
    for match in _END.finditer(text):
        if not opaque[match.start()] and not _goes_on(text, opaque, match):
            return text[: match.end(2)].strip()
    return text.strip()


def _text(span: Span) -> str:
    return plain_math(span.text) if span.kind == "math" else span.text


def _goes_on(text: str, opaque: list[bool], match: re.Match[str]) -> bool:
    """Whether the sentence continues behind the mark that `match` found."""
    if match.end() == len(text):
        return False
    following = text[match.end()]
    if following.islower() and not opaque[match.end()]:
        return True
    if match[1] != "." or match[2]:
        return False
    word_match = _LAST_WORD.search(text[: match.end(1)])
    word = word_match[0] if word_match else ""
    return bool(_ABBREVIATION.fullmatch(word) or _INITIAL.fullmatch(word))
