"""What an engine misreads, told by the words around it: marks that lost their tail, letters made of the same strokes.

The rules are those of any print: no sentence goes on in small letters after a full stop, none begins with "The" after
a comma, and a word that nobody wrote, but for strokes divided otherwise, is the one that the document holds elsewhere.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from quarry.ingest.paragraphs.sentence import ends_no_sentence, is_starter
from quarry.ingest.pdf.lexicon import is_hebrew_word, lexicon, words_of
from quarry.ingest.pdf.ocr_word import RISE, SeenChar, SeenLine, SeenWord

OFTEN = 3
"""Times from which on a word that no dictionary holds is one of the document's own."""
KNOWN_FROM = 90
"""Per cent from which on a word is one that the document holds."""
MIN_LETTERS = 4
"""Letters below which too many words have the same strokes."""
MARK_HEIGHT = 0.7
"""Font sizes that a note's mark is high at most."""

_CORE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_STROKES = str.maketrans(
    {"l": "i", "1": "i", "|": "i", "r": "i", "n": "ii", "u": "ii", "m": "iii", "e": "c", "o": "c", "f": "t", "y": "v"}
)
_QUOTES = frozenset('"”“')
_SINGLE_QUOTES = frozenset("’'")
_OPENING = ("‘", "'")


def strokes(word: str) -> str:
    """A word by the strokes of its letters: those that an engine confuses with each other have the same."""
    return word.translate(_STROKES)


class Vocabulary:
    """The words that a document surely holds, by their strokes, and behind them those of the engine's own models.

    Args:
        of: the languages of the document, by Tesseract's names.
    """

    def __init__(self, of: Sequence[str]) -> None:
        self._of = tuple(of)
        self._counts: Counter[str] = Counter()
        self._by_strokes: dict[str, set[str]] = {}

    def learn(self, lines: Iterable[SeenLine]) -> None:
        """Take in the words of a page that were recognised for sure."""
        for word in _words(lines):
            core = _CORE.search(word.text)
            if core and word.confidence >= KNOWN_FROM:
                self._counts[core.group().casefold()] += 1
                self._by_strokes.setdefault(strokes(core.group().casefold()), set()).add(core.group().casefold())

    def look_alike(self, word: str) -> str:
        """The one word with the same strokes, itself if it is known; "" if there is none, or several."""
        if "eng" not in self._of or self._counts[word] >= OFTEN or word in lexicon("eng"):
            return word
        here = self._by_strokes.get(strokes(word), set()) & (lexicon("eng") or self._counts.keys()) - {word}
        found = here or _english_by_strokes().get(strokes(word), set())
        likeness = {other: SequenceMatcher(a=word, b=other).ratio() for other in found}
        best = [other for other in found if likeness[other] == max(likeness.values())]
        return best[0] if len(best) == 1 else ""

    def ended(self, word: str) -> str:
        """A Hebrew word whose last letter was recognised as a samekh, with a final mem if only that makes it a word."""
        known = lexicon(next((name for name in ("heb", "Hebrew") if name in self._of), ""))
        other = word[:-1] + "ם"
        if (word in known and len(word) >= MIN_LETTERS) or not (is_hebrew_word(other, known) or word.endswith("יס")):
            return word
        return other


@functools.cache
def _english_by_strokes() -> dict[str, set[str]]:
    words = [word for word in lexicon("eng") if len(word) >= MIN_LETTERS and word.isalpha()]
    by_strokes: dict[str, set[str]] = {}
    for word, key in zip(words, strokes("\n".join(words)).split("\n"), strict=True):
        by_strokes.setdefault(key, set()).add(word)
    return by_strokes


def proofread(lines: Sequence[SeenLine], vocabulary: Vocabulary) -> list[SeenLine]:
    """The lines of a page with what was surely misread put right."""
    quoting = any(word.text.startswith(_OPENING) for word in _words(lines))
    quotes = _QUOTES | _SINGLE_QUOTES if quoting else _QUOTES
    lines = [replace(line, words=tuple(_without_raised(line.words, line, quotes))) for line in lines]
    vocabulary.learn(lines)
    texts = [_mended(word, vocabulary) for word in _words(lines)]
    for position, (text, following) in enumerate(zip(texts, [*texts[1:], ""], strict=False)):
        texts[position] = _with_mark(text, following)
    told = iter(texts)
    return [
        replace(line, words=tuple(_retold(word, next(told)) for word in line.words)) for line in lines if line.words
    ]


def n_known(text: str, of: Sequence[str]) -> int:
    """How many more words of a text are in the dictionaries of some languages than are not; 0 without dictionaries."""
    words = [word.casefold() for word in _CORE.findall(text) if len(word) >= MIN_LETTERS]
    known = words_of(tuple(of))
    return sum(1 if is_hebrew_word(word, known) else -1 for word in words) if known else 0


def _words(lines: Iterable[SeenLine]) -> Iterator[SeenWord]:
    return (word for line in lines for word in line.words)


def _mended(word: SeenWord, vocabulary: Vocabulary) -> str:
    """A word's text, each part that is no word made the one with the same strokes."""
    return _CORE.sub(lambda core: _known(core.group(), vocabulary), word.text)


def _known(told: str, vocabulary: Vocabulary) -> str:
    if told.endswith("ס"):
        return vocabulary.ended(told)
    if len(told) < MIN_LETTERS or not (told.islower() or told.istitle()):
        return told
    found = vocabulary.look_alike(told.casefold()) or told
    if found == told.casefold():
        return told
    return found[0].upper() + found[1:] if told[0].isupper() else found


def _with_mark(text: str, following: str) -> str:
    """A word whose comma lost its tail, or whose full stop grew one, with the mark that the next word asks for."""
    start = following.lstrip("(\"'“‘")
    if len(text) < 3 or not start[:1].isascii() or not start[:1].isalpha() or not text[-2].isalnum():
        return text
    if text.endswith(".") and start[0].islower() and (len(start) > 1 or start == "a") and not ends_no_sentence(text):
        return text[:-1] + ","
    if text.endswith(",") and start.istitle() and is_starter(start):
        return text[:-1] + "."
    return text


def _without_raised(words: Sequence[SeenWord], line: SeenLine, quotes: frozenset[str]) -> list[SeenWord]:
    """The words of a line without the marks of notes: signs that stand small and high after a sentence's mark."""
    kept: list[SeenWord] = []
    for word in words:
        end = len(word.chars)
        while end and not word.chars[end - 1].text.isalpha() and _is_raised(word.chars[end - 1], line):
            end -= 1
        before = word.text[:end] or (kept[-1].text if kept else "")
        mark = word.text[end:]
        if (
            mark
            and not quotes.issuperset(mark)
            and len(before) > MIN_LETTERS
            and before[-1] in ".,;:"
            and before[-2].isalpha()
        ):
            if end:
                kept.append(replace(word, chars=word.chars[:end]))
            continue
        kept.append(word)
    return kept


def _is_raised(char: SeenChar, line: SeenLine) -> bool:
    foot = line.baseline + line.slope * (char.x0 + char.x1) / 2 - char.bottom
    return foot > RISE * line.size and char.bottom - char.top < MARK_HEIGHT * line.size


def _retold(word: SeenWord, text: str) -> SeenWord:
    """A word with another text of nearly as many characters, its boxes shared out anew."""
    if text == word.text:
        return word
    old = word.chars
    if len(text) == len(old):
        return replace(word, chars=tuple(replace(char, text=one) for char, one in zip(old, text, strict=True)))
    ends = [old[min(len(old) - 1, position * len(old) // len(text))] for position in range(len(text))]
    left, right = old[0].x0, old[-1].x1
    width = (right - left) / len(text)
    return replace(
        word,
        chars=tuple(
            SeenChar(one, round(left + at * width), end.top, round(left + (at + 1) * width), end.bottom)
            for at, (one, end) in enumerate(zip(text, ends, strict=True))
        ),
    )
