"""Sentences of a paragraph, verbatim; the first one is its opening sentence."""

from __future__ import annotations

import re

from quarry.ingest.paragraph import Paragraph

_CANDIDATE = re.compile(r"""(?:\.(?: \.){2,}|\.{2,}|[.!?…。]+)[)\]"'”’»״]*(?=\s|$)""")
_INITIAL = re.compile(r"[^\W\d_]\.")
_SECTION_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|\(?(?:\d+|[a-zA-Z])\))\s+(?=[^\W\d_])")
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
_SELDOM_LAST = _words("al etc inc ltd co corp dept univ jan feb mar apr jun jul aug sep sept oct nov dec")
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
    """Return other readings of the first sentence of a paragraph, likeliest first.

    A short first sentence may be a heading run into the text, with or without the next sentence. A number before the
    first word may be the number of a section. Some referees stop at the first full stop.
    """
    first, *others = sentences(text) or [""]
    found = []
    if others and len(first.split()) <= HEADING_WORDS:
        found += [f"{first} {others[0]}", others[0]]
    found.append(_SECTION_NUMBER.sub("", first))
    stop = _FULL_STOP.search(text)
    if stop:
        found.append(text[: stop.end()])
    return tuple(dict.fromkeys(sentence for sentence in found if sentence and sentence != first))


def sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph in order, verbatim; the first one is its opening sentence."""
    found = []
    while text := text.lstrip():
        end = _end_of_first(text)
        found.append(text[:end].strip())
        text = text[end:]
    return found


def sentences_of(paragraph: Paragraph) -> list[str]:
    """Return the sentences of a passage in order; the list or display after a lead-in begins a new sentence."""
    text, length = paragraph.text, paragraph.own_length
    return [*sentences(text[:length]), *sentences(text[length:])] if length else sentences(text)


def _end_of_first(text: str) -> int:
    """Return the end of the first sentence; the length of the text if no sentence ends."""
    balanced = text.count("(") == text.count(")")
    for match in _CANDIDATE.finditer(text):
        end = match.end()
        head, tail = text[:end], text[end:].lstrip()
        if not tail:
            break
        if balanced and head.count("(") > head.count(")"):
            continue
        if _ends_sentence(text[: match.start()], match.group(), tail):
            return end
    return len(text)


def _ends_sentence(before: str, mark: str, tail: str) -> bool:
    """Return whether the sentence ends at `mark`, between `before` and `tail`."""
    following = tail.lstrip("([\"'“‘„«")
    first = following[:1]
    cased = before[-1:].lower() != before[-1:].upper() or not before[-1:].isalpha()
    if (first.islower() and cased) or tail[0] in ",;:.)]}!?–—":
        return False
    if mark == ".." and before.endswith(" "):  # from one number to another
        return False
    words = before.split()
    label = _IN_BRACKETS.sub("", before).split()
    if "." in mark and (len(words) < 2 or (len(label) == 2 and _NUMBER.fullmatch(label[1]))):
        return False
    if mark[0] != ".":
        return True
    if mark.startswith(("..", ". .")):
        return True
    last = words[-1].lstrip("([\"'“‘„«")
    bare = last.casefold()
    next_word = re.split(r"[\s,.;:]", following, maxsplit=1)[0].casefold()
    closed = len(mark) > 1
    if bare in _NEVER_LAST and not closed:
        return False
    if bare in _SELDOM_LAST:
        return not (first.isdigit() or tail[0] in "([") and (bare != "al" or next_word in _STARTERS)
    if (
        not closed
        and (re.fullmatch(r"[^\W\d_]", last) or re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]", last))
        and last[0].isupper()
    ):
        return not _INITIAL.match(following) and (next_word in _STARTERS or not first.isalpha())
    return True
