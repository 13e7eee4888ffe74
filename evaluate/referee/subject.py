"""The terms that a question is about, quoted or not."""

from __future__ import annotations

import re

from evaluate.referee.question import Asked

_IN_PLACE = r"(?:occurs?|appears?|is|are|in|anywhere|at|mentioned|used|contained|found|present|more|exists?|or not)"
_UNQUOTED_TARGETS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:word|term|name|phrase|expression|string|symbol|abbreviation)s? "
        r"(?!of |in |or |an? |any |some |that |which |does|do |is |are |from |occur|appear)"
        rf"(.+?)(?= {_IN_PLACE}\b|[?,.;:]|$)",
        r"\b(?:mention|contain|include|use|have|cite|name)s? (?:of )?"
        r"(?!an? |any |some |these|this|which|one |at |more )(?:the (?:word|term|name|phrase) )?"
        r"(.+?)(?= (?:in|anywhere|at|or|more|somewhere|by)\b|[?,.;]|$)",
        r"^(?:is|are|does|do|was|were) (?!an? |any |it |there )(?:the )?(.+?) "
        r"(?:mentioned|named|used|contained|included|found|present|occurs?|appears?|cited)\b",
        r"\b(?:begin|start|open|end)s? with (?:the (?:word|words|phrase) )?(?!an? |any )(.+?)(?=[?,.;]|$)",
        r"ה(?:מילה|מונח|שם|ביטוי|מושג|צירוף) (?!ה?ראשו)"
        r"(.+?)(?= (?:מופיע|מוזכר|נזכר|נמצא|קיימ|כלול|כתוב|בפסקה|בטקסט|במשפט)|[?,.]|$)",
        r"(?:מזכיר|מכיל|כולל)\w* (?:את )?(?:המילה |המונח |השם )?(.+?)(?= (?:בפסקה|בטקסט)|[?,.]|$)",
        r"^האם (.+?) (?:מופיע|מוזכר|נזכר|נמצא)",
    )
)


def question_terms(asked: Asked) -> tuple[str, ...]:
    """What a question is about: its quoted terms, else an unquoted one; none where that names no word."""
    if asked.targets:
        return asked.targets
    for pattern in _UNQUOTED_TARGETS:
        found = pattern.search(asked.bare)
        if found:
            term = found[1].strip(" '\"")
            if term and not re.search(
                r"\b(?:paragraph|passage|text|sentence|it|these|following)\b|פסקה|הטקסט|הבאות|הבאים", term
            ):
                return (term,)
    return ()
