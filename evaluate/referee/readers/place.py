"""Questions about where a word stands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluate.referee.option import UNKNOWN, Choice
from evaluate.referee.polarity import polarity_of
from evaluate.referee.positions import positions
from evaluate.referee.question import Asked
from evaluate.referee.scope import AFTER_FIRST, FIRST_SENTENCE, part_of
from evaluate.referee.seen import Seen
from evaluate.referee.subject import question_terms
from evaluate.referee.verdict import Verdict
from evaluate.referee.way_out import NONE

_LATER = re.compile(
    r"\blater\b|\bafter\b|\belsewhere\b|\bthe rest\b|\bremainder\b|\bfurther\b|\bsubsequent\w*|\bother sentences?\b"
    r"|\bafterwards?\b|\bbeyond\b"
    r"|בהמשך|אחר כך|לאחר|אחרי|מאוחר|בשאר|ביתר"
)
_FIRST_PLACE = re.compile(
    rf"{FIRST_SENTENCE}|^(?:yes,? )?(?:in |at )?(?:the )?(?:very )?(?:first|opening|start|beginning)(?: one| only)?$"
    r"|\bat the (?:very )?(?:start|beginning)\b"
    r"|^בראשון$|בתחילת"
)
_LAST_PLACE = re.compile(
    r"\b(?:last|final|closing) sentence\b|^(?:in |at )?the (?:very )?(?:last|end)$|\bat the end\b|משפט האחרון"
)


def _place(choice: Choice) -> str:
    """The place an option names: first, only first, not first, later, both, last, middle, half 1, half 2, nowhere."""
    text = choice.folded
    if choice.quoted or UNKNOWN.search(text):
        return ""
    if half := re.search(r"\b(first|second|1st|2nd) half\b|מחצית ה(ראשונה|שנייה)", text):
        return "half 1" if half[0].startswith(("first", "1st")) or "ראשונה" in half[0] else "half 2"
    first, later = _FIRST_PLACE.search(text), _LATER.search(text)
    negation = re.search(r"\bnot\b|n't\b|\bno\b|\bnever\b|\bלא\b|\bאינ\w+", text)
    if first and later:
        if re.search(AFTER_FIRST, text) or re.search(
            rf"\bnot (?:in |at )?(?:the |its )?(?:{FIRST_SENTENCE})|לא במשפט", text
        ):
            return "later"
        return "only first" if negation or re.search(r"\bonly\b|\bרק\b", text) else "both"
    if first:
        return "not first" if negation else "only first" if re.search(r"\bonly\b|\bרק\b", text) else "first"
    if _LAST_PLACE.search(text):
        return "last"
    if re.search(r"\bmiddle\b|\bin between\b|באמצע", text):
        return "middle"
    if re.search(r"\bboth (?:places|parts|of them)|^both$|בשני(?:הם)?", text):
        return "both"
    if later:
        return "later"
    absent = negation or NONE.search(text) or re.search(r"\bnowhere\b|\babsent\b|\bmissing\b|בשום", text)
    return "nowhere" if absent else ""


def by_place(asked: Asked, choices: Sequence[Choice], seen: Seen) -> Verdict | None:
    """Where a word stands: in the first sentence, later, not at all."""
    places = [_place(choice) for choice in choices]
    if any(re.search(r"\bsecond\b(?! (?:sentence|half))|\blatter\b", choice.folded) for choice in choices):
        return None  # the first and the second word, not sentence
    terms = question_terms(asked)
    n_read = sum(bool(place) for place in places)
    if not terms or n_read < 2 or all(place in ("", "nowhere", "both") for place in places):
        return None

    def stands_in(part: str) -> bool:
        return any(positions(term, part, asked.any_form) for term in terms)

    sentences = seen.sentences
    words = seen.text.split()
    middle = (len(words) + 1) // 2
    in_first, in_rest = stands_in(part_of(seen, ("first", 0))), stands_in(part_of(seen, ("rest", 0)))
    in_last = len(sentences) > 1 and stands_in(sentences[-1])
    in_half = stands_in(" ".join(words[:middle]))
    in_middle = stands_in(" ".join(sentences[1:-1]))
    told_apart = "last" in places
    holds = {
        "first": in_first and not (in_rest and "both" in places),
        "only first": in_first and not in_rest,
        "not first": not in_first,
        "later": not in_first and (in_middle if told_apart else in_rest),
        "both": in_first and in_rest,
        "last": in_last and not in_first and not in_middle,
        "middle": in_middle and not in_first,
        "half 1": in_half,
        "half 2": not in_half and stands_in(seen.text),
        "nowhere": not stands_in(seen.text),
    }
    fits: list[bool | None] = []
    for place, choice in zip(places, choices, strict=True):
        fits.append(holds[place] if place else False if UNKNOWN.search(choice.folded) else None)
    for row, choice in enumerate(choices):
        if fits[row] is None and polarity_of(choice):  # a plain yes besides the places
            fits[row] = stands_in(seen.text) and not any(fits)
    return Verdict(fits)
