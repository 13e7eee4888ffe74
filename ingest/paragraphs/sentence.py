"""Sentences of a paragraph, verbatim; the first one is its opening sentence."""

import re

from ingest.paragraph import Paragraph

_CANDIDATE = re.compile(r"""(?:\.(?: \.){2,}|\.{2,}|[.!?…。]+)[)\]"'”’»״]*(?=\s|$)""")
_OPENING = "([\"'“‘„«"
_INITIAL = re.compile(r"[^\W\d_]\.")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_FULL_STOP = re.compile(r"[.!?](?=\s|$)")
HEADING_WORDS = 5
"""Maximal number of words of a first sentence that may be a heading run into its paragraph."""
_NUMBER = re.compile(r"[\dIVX]+(?:[.\-–]\d+)*|\(?[A-Za-zא-ת]\)?")
_IN_BRACKETS = re.compile(r"(?<=\S) \([^()]*\)$")
"""Source of a numbered label, as in "Theorem 2 (Gauss, 1801)."."""


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\S+", text))


_NEVER_LAST = _words("""
    e.g i.e cf v vs viz fig figs eq eqs eqn sec secs ch chap vol no nos p pp ref refs def thm prop lem alg tab app
    approx dr mr mrs ms prof st jr sr rev gen hon resp incl esp ed eds op a.k.a ca
""")
_SELDOM_LAST = _words(
    "al etc inc ltd co corp dept univ jan feb mar apr jun jul aug sep sept oct nov dec"
)
_STARTERS = _words("""
    a an the this that these those it its he she they we you i in on at by for from to of as if when while where what
    which who how why then thus hence so but and or nor yet also however therefore moreover furthermore finally first
    second next now here there once since because although though after before both each every all any some most many
    no not one two let suppose consider assume given note see our their his her another such unlike like with without
    is are can do does
""")


def opening_sentence(text: str) -> str:
    """Return the first sentence of a paragraph, verbatim; the whole text if no sentence ends.

    A label before the first sentence, one word with or without a number ("Proof.", "Definition 3."), belongs to it.
    """
    return text[: _end_of_first(text)].strip()


def alternatives(text: str) -> tuple[str, ...]:
    """Return other ends of the first sentence of a paragraph, likeliest first.

    A short first sentence may be a heading run into the text, with the next sentence. Some referees stop at the first
    full stop.
    """
    first, *others = sentences(text) or [""]
    readings = []
    if others and len(first.split()) <= HEADING_WORDS:
        readings.append(f"{first} {others[0]}")
    stop = _FULL_STOP.search(text)
    if stop and text[: stop.end()] != first:
        readings.append(text[: stop.end()])
    return tuple(readings)


def sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph in order, verbatim; the first one is its opening sentence."""
    parts = []
    while text := text.lstrip():
        end = _end_of_first(text)
        parts.append(text[:end].strip())
        text = text[end:]
    return parts


def sentences_of(paragraph: Paragraph) -> list[str]:
    """Return the sentences of a passage in order; the list or display after a lead-in begins a new sentence."""
    text, length = paragraph.text, paragraph.own_length
    return [*sentences(text[:length]), *sentences(text[length:])]


def _end_of_first(text: str) -> int:
    """Return the end of the first sentence; the length of the text if no sentence ends."""
    balanced = text.count("(") == text.count(")")
    for match in _CANDIDATE.finditer(text):
        end = match.end()
        tail = text[end:].lstrip()
        n_open = text.count("(", 0, end) - text.count(")", 0, end)
        if not tail or (balanced and n_open > 0):
            continue
        before = text[: match.start()]
        if _ends_sentence(before, match.group(), tail):
            return end
    return len(text)


def _ends_sentence(before: str, mark: str, tail: str) -> bool:
    """Return whether the sentence ends at `mark`, between `before` and `tail`."""
    following = tail.lstrip(_OPENING)
    last = before[-1:]
    is_cased = last.lower() != last.upper() or not last.isalpha()
    goes_on = following[:1].islower() and is_cased
    is_range = mark == ".." and last == " "
    if goes_on or is_range or tail[0] in ",;:.)]}!?–—":
        return False

    if "." in mark and _is_label(before):
        return False
    if mark[0] != "." or mark.startswith(("..", ". .")):
        return True
    word = before.rsplit(maxsplit=1)[-1].lstrip(_OPENING)
    return not _is_abbreviation(word, tail, is_closed=len(mark) > 1)


def _is_label(text: str) -> bool:
    """Return whether a text is one word, perhaps with a number, as in "Theorem 2 (Gauss, 1801)"."""
    if len(text.split()) < 2:
        return True
    label = _IN_BRACKETS.sub("", text).split()
    return len(label) == 2 and _NUMBER.fullmatch(label[1]) is not None


def _is_abbreviation(word: str, tail: str, is_closed: bool) -> bool:
    """Return whether a word before a full stop is an abbreviation or an initial inside a sentence.

    Args:
        tail: the text after the full stop.
        is_closed: whether a bracket or a quotation mark follows the full stop.
    """
    following = tail.lstrip(_OPENING)
    bare = word.casefold()
    if bare in _NEVER_LAST and not is_closed:
        return True
    if bare in _SELDOM_LAST and (following[:1].isdigit() or tail[0] in "(["):
        return True
    if is_closed or not _INITIALS.fullmatch(word) or not word[0].isupper():
        return False
    if _INITIAL.match(following):
        return True
    next_word, *_ = re.split(r"[\s,.;:]", following, maxsplit=1)
    begins = next_word.casefold() in _STARTERS
    return following[:1].isalpha() and not begins
