"""Preparation of text for the referee: reading order, normalisation, folding, words, sentences and word forms."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import regex
import Stemmer

from quarry.languages.hebrew import HEBREW
from quarry.languages.reading_order import is_visual

QUOTE_MARKS = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»״″「」『』", '"'),
        **dict.fromkeys("‘’‚‛׳′`‹›", "'"),
        **dict.fromkeys("‐‑‒–—―−־", "-"),
    }
)
"""Quotation marks and dashes, with the ASCII character that replaces them."""

LONG_WORD = 18
"""Maximum number of letters of a word; a longer run of letters is several words without spaces."""
MAX_LONG_SHARE = 0.05
"""Maximum share of longer runs in a text with spaces between words."""
_LATIN_RUN = re.compile(r"[A-Za-z0-9%][A-Za-z0-9.,:/%+_-]*[A-Za-z0-9]|[A-Za-z0-9]")
"""A Latin word or a number in a reversed line, where "%" is its first character."""
_MIRRORED_BRACKETS = str.maketrans("()[]{}<>", ")(][}{><")


def readable(raw: str, whole: str) -> str:
    """Return a raw text in reading order: reverse its lines if its Hebrew words are reversed.

    Args:
        raw: the raw text.
        whole: the text that it is a part of, which decides whether words are reversed.
    """
    if not is_visual(whole):
        return raw

    # Latin words and numbers keep the order of their letters
    reversed_lines = []
    for line in raw.splitlines():
        mirrored = line[::-1].translate(_MIRRORED_BRACKETS)
        reversed_lines.append(_LATIN_RUN.sub(lambda run: run[0][::-1], mirrored))
    return "\n".join(reversed_lines)


def within(text: str, part: str) -> str:
    """Return a part of a raw text with its line breaks there; return the part itself if the text does not hold it."""
    pattern = r"\s+".join(map(re.escape, part.split()))
    match = re.search(pattern, text)
    return match[0] if match else part


def is_glued(text: str) -> bool:
    """Return whether a text has no spaces between words."""
    words = text.split()
    n_long = sum(len(word) > LONG_WORD and word.isascii() for word in words)
    return n_long > MAX_LONG_SHARE * len(words)


_INVISIBLE = regex.compile(r"[\p{Cf}\u0591-\u05c7]")


def normalise(text: str) -> str:
    """Apply NFKC, join lines, unify quotation marks and dashes, and remove invisible characters and Hebrew points."""
    plain = unicodedata.normalize("NFKC", text).translate(QUOTE_MARKS)
    return " ".join(_INVISIBLE.sub("", plain).split())


def fold(text: str) -> str:
    """Fold a text, so that words which differ only in case or width become equal."""
    return unicodedata.normalize("NFKC", text.casefold())


_REFEREE_WORD = regex.compile(
    r"[\p{L}\p{N}\p{M}]+(?:(?:(?<=\p{Nd})[.,](?=\p{Nd})|(?<=\p{L})['\"](?=\p{L}))[\p{L}\p{N}\p{M}]+)*"
)


@lru_cache(maxsize=4096)
def split_words(folded: str) -> tuple[tuple[str, int, int], ...]:
    """Split a folded text into words with start and end; "3.5", "1,000", "that's" and 'ארה"ב' are one word each."""
    matches = _REFEREE_WORD.finditer(folded)
    return tuple((match[0], match.start(), match.end()) for match in matches)


_ABBREVIATION = re.compile(
    r"e\.g|i\.e|cf|vs|dr|mr|mrs|ms|prof|figs|eqs|al|approx|resp|ca|eds?|jr|sr|st|viz"
)
_ABBREVIATION_OF_NUMBERS = re.compile(r"nos?|fig|eq|pp?|vol|ch|sec|art")
_END_MARK = re.compile(r"[.!?]+[\"')\]]*(?=\s|$)|[!?](?=[\u3040-\u9fff])|。")


def first_sentence(text: str) -> str:
    """Return the first sentence; abbreviations and initials do not end it, nor does a mark before a small letter."""
    for end in _END_MARK.finditer(text):
        ahead = text[end.end() :].lstrip()[:1]
        if ahead.islower():
            continue

        before = re.search(r"[\w.]+$", text[: end.start()])
        word = before[0] if before else ""
        folded = word.casefold()
        # "I" is no initial but a pronoun
        abbreviated = re.fullmatch("[A-HJ-Z]", word) or _ABBREVIATION.fullmatch(folded)
        if ahead.isdigit():
            abbreviated = abbreviated or _ABBREVIATION_OF_NUMBERS.fullmatch(folded)
        if not (ahead and end[0].startswith(".") and abbreviated):
            return text[: end.end()]
    return text


@dataclass(frozen=True, slots=True)
class VisibleContext:
    """The text that a referee takes for the paragraph while it answers.

    Attributes:
        text: the normalised text.
        opening: its first sentence.
    """

    text: str
    opening: str


@lru_cache(maxsize=4096)
def build_visible_context(
    paragraph: str,
    opening: str = "",
    paragraphs: tuple[str, ...] = (),
) -> VisibleContext:
    """Build the context of a paragraph, and of paragraphs that follow it.

    Args:
        paragraph: text of the paragraph.
        opening: its labelled opening sentence; "" or one that the paragraph does not hold is ignored.
        paragraphs: further text.
    """
    text, first = normalise(paragraph), normalise(opening)
    whole = " ".join([text, *map(normalise, paragraphs)])
    is_labelled = first and first in text
    return VisibleContext(whole, first if is_labelled else first_sentence(whole))


def same_form(one: str, other: str) -> bool:
    """Return whether two folded words are forms of one word.

    Latin words are compared by the English Snowball stemmer. Two Hebrew words are forms of one word if removing up to
    three prefix letters and an ending from one of them leaves the other, or the other without an ending. At least three
    letters must remain.
    """
    if _stem(one) == _stem(other):
        return True
    is_prefixed = not _bare_forms(one).isdisjoint(_affixed_forms(other))
    return is_prefixed or not _bare_forms(other).isdisjoint(_affixed_forms(one))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    # a new one each time: a Stemmer is not safe for several threads, and is cheap to make
    return str(Stemmer.Stemmer("english").stemWord(word))


_HEBREW_ENDINGS = ("יים", "ים", "ות", "יות", "ית", "ה", "ת", "י")
_FINALS = str.maketrans(*HEBREW.final_letters)


@lru_cache(maxsize=65536)
def _bare_forms(word: str) -> frozenset[str]:
    if not re.search("[א-ת]", word):
        return frozenset()
    forms = set()
    for ending in ("", *_HEBREW_ENDINGS):
        form = word.removesuffix(ending)
        if len(form) >= 3:
            forms.add(form.translate(_FINALS))
    return frozenset(forms)


@lru_cache(maxsize=65536)
def _affixed_forms(word: str) -> frozenset[str]:
    n_prefixes = len(word) - len(word.lstrip(HEBREW.prefixes))
    forms: set[str] = set()
    for n in range(min(3, n_prefixes) + 1):
        forms |= _bare_forms(word[n:])
    return frozenset(forms)
