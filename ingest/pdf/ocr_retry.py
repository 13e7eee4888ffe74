"""Words of a scan that are none are looked at again: larger and smoother, or, in a Hebrew page, as Latin letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np

from quarry.ingest.pdf.lexicon import is_hebrew_word, lexicon, words_of
from quarry.ingest.pdf.ocr_word import Image, SeenChar, SeenLine, SeenWord

ABOVE, BELOW = 1.05, 0.5
"""Font sizes above and below a baseline that are cut out."""
BETWEEN = 30
"""White dots between two lines that are looked at together."""
LARGER = 2
"""Times that a line is enlarged to be seen again by the same model."""
UNSURE_BELOW = 85
"""Per cent of confidence below which a word that no dictionary holds is looked at again."""
BELIEVED_FROM, LATIN_FROM, ACCENTS_FROM = 50, 75, 80
"""Per cent from which on what the second look tells is believed: words, Latin letters in Hebrew, accents."""
ALIKE = 0.5
"""Share of a word's letters that the word with accents has, too."""
MAX_LINES = 16
"""Lines of a page that are looked at again: more are a page of formulas, which no look tells."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MIXED = re.compile(r"[a-z]{2}\d")
_LATIN = re.compile(r"[A-Za-z]")
_HEBREW = re.compile(r"[\u0590-\u05ff]")
_PREFIX = re.compile(r"[והבלמשכ]{1,2}[-־]")
_LATIN_WORD = re.compile(
    r"""[("'\[{]*[A-Za-z]+(?:['’-][A-Za-z]+)*[)\]"'}.,:;(]*|[("]?\d[\d.,]*[)".,]*|[A-Z]?\(?[a-z]\)?[.,]?"""
)

Recognise = Callable[[Image, Sequence[str], int], list[SeenLine]]


@dataclass(frozen=True, slots=True)
class _Strip:
    """A line cut out of a page: its place there and on the sheet, in dots, and the places of the words in doubt."""

    line: int
    left: int
    top: int
    on_sheet: int
    height: int
    runs: tuple[tuple[int, int], ...]


def with_second_look(
    image: Image, lines: Sequence[SeenLine], of: Sequence[str], recognise: Recognise, accents: bool
) -> list[SeenLine]:
    """The lines of a page, the words in doubt as a second look at their lines tells them, where that makes sense.

    Args:
        image: (height, width) grey values, in which the lines were recognised.
        of: the languages of the page, by Tesseract's names.
        recognise: image, languages, layout -> lines.
        accents: whether the model of all Latin letters is there for the second look.
    """
    hebrew = tuple(of) != ("eng",)
    is_doubtful = _is_doubtful_in_hebrew if hebrew else _is_doubtful
    found = [(at, runs) for at, line in enumerate(lines) if (runs := _runs(line.words, is_doubtful))]
    if hebrew:
        found = [(at, _grown(lines[at].words, runs)) for at, runs in found]
    if not found or len(found) > MAX_LINES or not lexicon("eng"):
        return list(lines)
    other = ("Latin",) if accents and not hebrew else ("eng",)
    scale = 1 if hebrew or accents else LARGER
    sheet, strips = _sheet(image, lines, found, scale)
    seen = recognise(sheet, other, 6)
    told = list(lines)
    for strip in strips:
        again = [
            _placed(word, strip, scale)
            for line in seen
            if strip.on_sheet <= line.baseline / scale < strip.on_sheet + strip.height
            for word in line.words
        ]
        line = lines[strip.line]
        words = list(line.words)
        for start, end in reversed(strip.runs):
            words[start:end] = (_latin if hebrew else _better)(words[start:end], again)
        told[strip.line] = replace(line, words=tuple(words if hebrew else _with_accents(words, again)))
    return told


def _is_doubtful(word: SeenWord) -> bool:
    parts = _WORD.findall(word.text)
    return (
        (word.confidence < UNSURE_BELOW or bool(_MIXED.search(word.text)))
        and any(len(part) > 2 for part in parts)
        and not all(part.casefold() in lexicon("eng") for part in parts)
    )


def _is_doubtful_in_hebrew(word: SeenWord) -> bool:
    if _LATIN.search(word.text):
        return True
    parts = _HEBREW.findall(word.text) and _WORD.findall(word.text)
    known = words_of(("heb", "Hebrew"))
    return word.confidence < LATIN_FROM and not (parts and all(is_hebrew_word(part, known) for part in parts))


def _runs(words: Sequence[SeenWord], is_doubtful: Callable[[SeenWord], bool]) -> tuple[tuple[int, int], ...]:
    """Starts and ends of the runs of words in doubt; a word with a Hebrew prefix begins one."""
    runs: list[tuple[int, int]] = []
    for at, word in enumerate(words):
        if not is_doubtful(word):
            continue
        if runs and runs[-1][1] == at and not _PREFIX.match(word.text):
            runs[-1] = runs[-1][0], at + 1
        else:
            runs.append((at, at + 1))
    return tuple(runs)


def _grown(words: Sequence[SeenWord], runs: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Runs of a line of Hebrew with the words beside that hold no Hebrew letter, as a year in the same brackets."""
    grown: list[tuple[int, int]] = []
    for start, end in runs:
        if _PREFIX.match(words[start].text):
            grown.append((start, end))
            continue
        floor = grown[-1][1] if grown else 0
        if start < floor:
            continue
        while start > floor and not _HEBREW.search(words[start - 1].text):
            start -= 1
        while end < len(words) and not _HEBREW.search(words[end].text):
            end += 1
        grown.append((start, end))
    return tuple(grown)


def _sheet(
    image: Image, lines: Sequence[SeenLine], found: Sequence[tuple[int, tuple[tuple[int, int], ...]]], scale: int
) -> tuple[Image, list[_Strip]]:
    """The lines in doubt below each other, enlarged, and where each stands."""
    strips, top_on_sheet = [], BETWEEN
    width = image.shape[1]
    for at, runs in found:
        line = lines[at]
        left = max(0, min(word.left for word in line.words) - BETWEEN)
        right = max(char.x1 for word in line.words for char in word.chars) + BETWEEN
        base = line.baseline + line.slope * (left + right) / 2
        top, bottom = max(0, int(base - ABOVE * line.size)), int(base + BELOW * line.size)
        piece = image[top:bottom, left:right]
        strips.append((_Strip(at, left, top, top_on_sheet, piece.shape[0] + BETWEEN, runs), piece))
        top_on_sheet += piece.shape[0] + BETWEEN
    sheet = np.full((top_on_sheet, width + 2 * BETWEEN), 255, dtype=np.uint8)
    for strip, piece in strips:
        sheet[strip.on_sheet : strip.on_sheet + piece.shape[0], BETWEEN : BETWEEN + piece.shape[1]] = piece
    return _enlarged(sheet, scale), [strip for strip, _ in strips]


def _enlarged(image: Image, scale: int) -> Image:
    """An image so many times as large, its edges smoothed."""
    if scale == 1:
        return image
    large = np.repeat(np.repeat(image, scale, axis=0), scale, axis=1).astype(np.uint16)
    padded = np.pad(large, 1, mode="edge")
    height, width = large.shape
    total = np.zeros_like(large)
    for dy in range(3):
        for dx in range(3):
            total += padded[dy : dy + height, dx : dx + width]
    return np.ascontiguousarray((total // 9).astype(np.uint8))


def _placed(word: SeenWord, strip: _Strip, scale: int) -> SeenWord:
    """A word of the sheet where it stands on the page."""
    across, down = strip.left - BETWEEN, strip.top - strip.on_sheet
    return replace(
        word,
        chars=tuple(
            SeenChar(
                char.text,
                char.x0 // scale + across,
                char.top // scale + down,
                char.x1 // scale + across,
                char.bottom // scale + down,
            )
            for char in word.chars
        ),
    )


def _within(words: Sequence[SeenWord], again: Sequence[SeenWord]) -> list[SeenWord]:
    """The words of the second look that stand where some of the first look do."""
    x0 = min(char.x0 for word in words for char in word.chars)
    x1 = max(char.x1 for word in words for char in word.chars)
    return [word for word in again if x0 < (word.chars[0].x0 + word.chars[-1].x1) / 2 < x1]


def _better(words: Sequence[SeenWord], again: Sequence[SeenWord]) -> list[SeenWord]:
    """What the second look tells, if it is as many words, surer than the first look's and in the dictionary."""
    found = _within(words, again)
    if len(found) != len(words):
        return list(words)
    return [
        new
        if new.confidence >= max(BELIEVED_FROM, old.confidence)
        and (parts := _WORD.findall(new.text))
        and (all(part.casefold() in lexicon("eng") for part in parts) or _is_accented(new, old))
        else old
        for old, new in zip(words, found, strict=True)
    ]


def _is_accented(new: SeenWord, old: SeenWord) -> bool:
    """Whether a word is surely the other one with accents, as in a name of another language."""
    return (
        new.confidence >= ACCENTS_FROM
        and not new.text.isascii()
        and all(char.isalpha() or char in ".,;:!?()'’\"“”" for char in new.text)
        and abs(len(new.text) - len(old.text)) < 2
        and SequenceMatcher(a=_bare(new.text), b=_bare(old.text)).ratio() > ALIKE
    )


def _bare(text: str) -> str:
    """A text without accents."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))


def _with_accents(words: Sequence[SeenWord], again: Sequence[SeenWord]) -> list[SeenWord]:
    """The words of a line that was looked at again, each with the accents that were seen then."""
    told = []
    for word in words:
        found = _within([word], again)
        same = len(found) == 1 and _bare(found[0].text) == _bare(word.text)
        told.append(found[0] if same and found[0].confidence >= ACCENTS_FROM else word)
    return told


def _latin(words: Sequence[SeenWord], again: Sequence[SeenWord]) -> list[SeenWord]:
    """The Latin words and numbers that the second look sees where the first one stumbled; a Hebrew prefix stays."""
    found = _within(words, again)
    prefix = _PREFIX.match(words[0].text) if len(words) == 1 else None
    if prefix:
        letters = [char for word in found for char in word.chars]
        letters = letters[: next((at for at, char in enumerate(letters) if not char.text.isalpha()), len(letters))]
        name = "".join(char.text for char in letters)
        if name and (name.casefold() in lexicon("eng") or len(name) == 1):
            return [SeenWord((*words[0].chars[: prefix.end()], *letters), words[0].confidence)]
        return list(words)
    if found and all(map(_is_latin, found)):
        return found
    return list(words)


def _is_latin(word: SeenWord) -> bool:
    """Whether a word is surely one of Latin letters: in the dictionary, or a name, a number or a formula's letter."""
    text = word.text
    core = _WORD.search(text)
    if word.confidence < LATIN_FROM or not _LATIN_WORD.fullmatch(text):
        return False
    if core is None:
        return True
    name = core.group()
    return len(name) == 1 or ((name.islower() or name.istitle()) and (name.casefold() in lexicon("eng")))
