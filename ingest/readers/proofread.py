"""What an engine misreads, told by the words around it: marks that lost their tail, letters made of the same strokes.

The rules are those of any print: no sentence goes on in small letters after a full stop, none begins with "The" after
a comma, and a word that nobody wrote, but for strokes divided otherwise, is the one that the document holds elsewhere.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from quarry.ingest.readers.lexicon import is_hebrew_word, lexicon
from quarry.ingest.readers.seen import SeenChar, SeenLine, SeenWord
from quarry.ingest.sentence import ends_no_sentence, is_starter

DOUBTFUL_BELOW = 85
"""Per cent of confidence below which a word may be another one."""
KNOWN_FROM = 90
"""Per cent from which on a word is one that the document holds."""
MIN_LETTERS = 4
"""Letters below which too many words have the same strokes."""
RISE, MARK_HEIGHT = 0.22, 0.55
"""Font sizes between a baseline and the foot of a note's mark at least, and its height at most."""

_CORE = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_STROKES = str.maketrans(
    {"l": "i", "1": "i", "|": "i", "r": "i", "n": "ii", "u": "ii", "m": "iii", "e": "c", "o": "c", "f": "t"}
)
_MARKS = frozenset("!|°*?’'‘\"”“")


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
        self._words: set[str] = set()
        self._by_strokes: dict[str, set[str]] = {}

    def learn(self, lines: Iterable[SeenLine]) -> None:
        """Take in the words of a page that were recognised for sure."""
        for word in _words(lines):
            core = _CORE.search(word.text)
            if core and word.confidence >= KNOWN_FROM:
                self._words.add(core.group().casefold())
                self._by_strokes.setdefault(strokes(core.group().casefold()), set()).add(core.group().casefold())

    def look_alike(self, word: str) -> str:
        """The one word with the same strokes, itself if it is known; "" if there is none, or several."""
        if word in self._words:
            return word
        found = self._by_strokes.get(strokes(word), set())
        if not found and "eng" in self._of:
            found = {word} if word in lexicon("eng") else _english_by_strokes().get(strokes(word), set())
        return next(iter(found)) if len(found) == 1 else ""

    def ended(self, word: str) -> str:
        """A Hebrew word whose last letter was recognised as a samekh, with the final mem that makes a word of it."""
        known = lexicon(next((name for name in ("Hebrew", "heb") if name in self._of), ""))
        other = word[:-1] + "ם"
        return other if is_hebrew_word(other, known) and not is_hebrew_word(word, known) else word


@functools.cache
def _english_by_strokes() -> dict[str, set[str]]:
    by_strokes: dict[str, set[str]] = {}
    for word in lexicon("eng"):
        if len(word) >= MIN_LETTERS and word.isalpha():
            by_strokes.setdefault(strokes(word), set()).add(word)
    return by_strokes


def proofread(lines: Sequence[SeenLine], vocabulary: Vocabulary) -> list[SeenLine]:
    """The lines of a page with what was surely misread put right."""
    vocabulary.learn(lines)
    texts = [_mended(word, vocabulary) for word in _words(lines)]
    for position, (text, following) in enumerate(zip(texts, [*texts[1:], ""], strict=True)):
        texts[position] = _with_mark(text, following)
    told = iter(texts)
    return [
        replace(line, words=tuple(_retold(_without_raised(word, line), next(told)) for word in line.words))
        for line in lines
    ]


def _words(lines: Iterable[SeenLine]) -> Iterator[SeenWord]:
    return (word for line in lines for word in line.words)


def _mended(word: SeenWord, vocabulary: Vocabulary) -> str:
    """A word's text, the one of the document with the same strokes where it was recognised with doubt."""
    core = _CORE.search(word.text)
    if core is not None and core.group().endswith("ס"):
        return word.text[: core.start()] + vocabulary.ended(core.group()) + word.text[core.end() :]
    if word.confidence >= DOUBTFUL_BELOW or core is None or len(core.group()) < MIN_LETTERS:
        return word.text
    told = core.group()
    found = vocabulary.look_alike(told.casefold())
    if not found or not (told.islower() or told.istitle() or told.casefold() == told):
        return word.text
    if told.istitle():
        found = found[0].upper() + found[1:]
    return word.text[: core.start()] + found + word.text[core.end() :]


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


def _without_raised(word: SeenWord, line: SeenLine) -> SeenWord:
    """A word without the mark of a note that was taken for a sign: small and high, after a sentence's mark."""
    chars = word.chars
    if len(chars) < 3 or chars[-1].text not in _MARKS or chars[-2].text not in ".,;:" or not chars[-3].text.isalnum():
        return word
    return replace(word, chars=chars[:-1]) if chars[-1].text not in '"”“' and _is_raised(chars[-1], line) else word


def _is_raised(char: SeenChar, line: SeenLine) -> bool:
    foot = line.baseline + line.slope * (char.x0 + char.x1) / 2 - char.bottom
    return foot > RISE * line.size and char.bottom - char.top < MARK_HEIGHT * line.size


def _retold(word: SeenWord, text: str) -> SeenWord:
    """A word with another text of nearly as many characters, its boxes shared out anew; as it is if it has that text."""
    if text == word.text or text.startswith(word.text):
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
