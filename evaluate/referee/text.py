"""Text as the referee compares it: normalised, folded, cut into words and sentences, reduced to forms."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import regex
import Stemmer

_QUOTE_MARKS = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»״″「」『』", '"'),
        **dict.fromkeys("‘’‚‛׳′`‹›", "'"),
        **dict.fromkeys("‐‑‒–—―−־", "-"),
    }
)


_INVISIBLE = regex.compile(r"[\p{Cf}\u0591-\u05c7]")


def normalise(text: str) -> str:
    """Apply NFKC, join lines, unify quotation marks and dashes, and remove invisible characters and Hebrew points."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTE_MARKS)
    return " ".join(_INVISIBLE.sub("", plain).split())


def fold(text: str) -> str:
    """Fold a text, so that words are equal that differ in case or width alone."""
    return unicodedata.normalize("NFKC", text.casefold())


_WORD = regex.compile(
    r"[\p{L}\p{N}\p{M}]+(?:(?:(?<=\p{Nd})[.,](?=\p{Nd})|(?<=\p{L})['\"](?=\p{L}))[\p{L}\p{N}\p{M}]+)*"
)


@lru_cache(maxsize=4096)
def tokens_of(folded: str) -> tuple[tuple[str, int, int], ...]:
    """Return the words of a folded text with start and end; "3.5", "1,000", "that's" and 'ארה"ב' are one word each."""
    return tuple((word[0], *word.span()) for word in _WORD.finditer(folded))


_ABBREVIATION = re.compile(
    r"e\.g|i\.e|cf|vs|dr|mr|mrs|ms|prof|figs|eqs|al|approx|resp|ca|eds?|jr|sr|st|viz"
)
_ABBREVIATION_OF_NUMBERS = re.compile(r"nos?|fig|eq|pp?|vol|ch|sec|art")
_SENTENCE_END = re.compile(r"[.!?]+[\"')\]]*(?=\s|$)|[!?](?=[\u3040-\u9fff])|。")


@lru_cache(maxsize=1024)
def sentences_of(text: str) -> tuple[str, ...]:
    """Return the sentences of a normalised text; abbreviations, initials and a lower-case continuation end none."""
    sentences, start = [], 0
    for end in _SENTENCE_END.finditer(text):
        ahead = text[end.end() :].lstrip()[:1]
        if ahead.islower():
            continue
        before = re.search(r"[\w.]+$", text[start : end.start()])
        word = before[0] if before else ""
        abbreviated = (
            re.fullmatch(r"[A-HJ-Z]", word)
            or _ABBREVIATION.fullmatch(word.casefold())
            or (ahead.isdigit() and _ABBREVIATION_OF_NUMBERS.fullmatch(word.casefold()))
        )
        if ahead and end[0].startswith(".") and abbreviated:
            continue
        sentences.append(text[start : end.end()].strip())
        start = end.end()
    return tuple(filter(None, [*sentences, text[start:].strip()]))


@dataclass(frozen=True, slots=True)
class VisibleContext:
    """The text that a referee takes for the paragraph while it answers.

    Attributes:
        text: normalised.
        opening: its first sentence, if it is known; "" if the sentences are to be found in the text.
    """

    text: str
    opening: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Its sentences, in order."""
        if not self.opening:
            return sentences_of(self.text)
        return (self.opening, *sentences_of(self.text[len(self.opening) :].strip()))


@lru_cache(maxsize=4096)
def visible_context(
    paragraph: str, opening: str = "", passages: tuple[str, ...] = ()
) -> VisibleContext:
    """Return the context of a paragraph and of passages that follow it.

    Args:
        opening: its first sentence as labelled; ignored if the paragraph does not begin with it.
    """
    text, first = normalise(paragraph), normalise(opening)
    return VisibleContext(
        " ".join([text, *map(normalise, passages)]),
        first if text.startswith(first) else "",
    )


def same_form(one: str, other: str) -> bool:
    """Return whether two folded words are forms of one word.

    Latin words are compared by the English Snowball stemmer. Hebrew words are forms of one word if one of them, bare or
    without an ending, is left when up to three prefix letters and an ending are removed from the other; at least three
    letters must be left.
    """
    if one == other or _stem(one) == _stem(other):
        return True
    return bool(_bare_forms(one) & _affixed_forms(other)) or bool(
        _bare_forms(other) & _affixed_forms(one)
    )


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    # a Stemmer object is not safe across threads, and costs little to make
    return str(Stemmer.Stemmer("english").stemWord(word))


_ENDINGS = ("יים", "ים", "ות", "יות", "ית", "ה", "ת", "י")
_FINALS = str.maketrans("ךםןףץ", "כמנפצ")


@lru_cache(maxsize=65536)
def _bare_forms(word: str) -> frozenset[str]:
    if not re.search("[א-ת]", word):
        return frozenset()
    forms = set()
    for ending in ("", *_ENDINGS):
        form = word.removesuffix(ending)
        if len(form) >= 3:
            forms.add(form.translate(_FINALS))
    return frozenset(forms)


@lru_cache(maxsize=65536)
def _affixed_forms(word: str) -> frozenset[str]:
    n_prefixes = min(3, len(word) - len(word.lstrip("ושהכלבמ")))
    return frozenset[str]().union(
        *(_bare_forms(word[n:]) for n in range(n_prefixes + 1))
    )
