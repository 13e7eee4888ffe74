"""Ligatures to which a file gives no letters: those of Calibri on Windows, and any of them from macOS and XeTeX.

Windows and XeTeX write the letters at their numbers as glyphs, "relaƟes" for "relaties". macOS leaves them out of the
map of a font or maps them to private codes. The words that a ligature completes tell which one it is.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ingest.pdf.model import UNKNOWN, Glyph, text_of
from quarry.languages.words import is_common

OF_CALIBRI = {"Ō": "ft", "ƞ": "tf", "Ɵ": "ti", "Ʃ": "tt", "ƫ": "tti"}
"""Ligatures of Calibri by the letters at their numbers as glyphs, which Windows writes into files."""

_LIGATURES = (
    *("ti", "tt", "tti", "ft", "fti", "ftt", "tf"),
    *("fi", "fl", "ff", "ffi", "ffl", "fj", "th"),
)
"""Ligatures of fonts of text."""

FOREIGN = frozenset(map(chr, (*range(0x180, 0x200), *range(0x700, 0x1E00)))).union(
    "ĈĉĊċĜĝĠġĤĥĴĵŜŝŬŭ"
)
"""Letters of other scripts and of rare languages, unlikely between Latin letters."""

UNMAPPED = "\0"
"""Text of all glyphs of a font that its map leaves out, so that several ligatures share it."""

MIN_OTHER_LETTERS = 3
"""Minimum number of other letters of a word that tells which ligature it has."""


def spell_ligatures(
    glyphs: Sequence[Glyph],
    private: frozenset[tuple[int, str]],
    known: dict[tuple[int, str], str],
) -> None:
    """Spell the ligatures of a page; other glyphs at private codes are unknown.

    Args:
        glyphs: in the order of drawing.
        private: fonts and texts of glyphs at private codes, or of `FOREIGN` ones.
        known: ligatures of the pages before; those of the page are added.
    """
    of_calibri = set()
    for before, glyph in itertools.pairwise(glyphs):
        if glyph.text in OF_CALIBRI and _is_inside_word(before, glyph):
            of_calibri.add(glyph.font)

    found = {key: UNKNOWN for key in private if key[1] not in FOREIGN}
    if private:
        ligatures = _find_ligatures(glyphs, private, frozenset())
        for key in private.intersection(known):
            ligatures.setdefault(key, known[key])
        rest = private.difference(ligatures)
        if rest:
            # a rare word may be on the page again, with a ligature that is known
            words = frozenset(_words(glyphs, private, ligatures))
            ligatures |= _find_ligatures(glyphs, rest, words)
        known |= ligatures
        found |= ligatures

    for glyph in glyphs:
        letters = found.get((glyph.font, glyph.text))
        if glyph.font in of_calibri:
            letters = OF_CALIBRI.get(glyph.text, letters)
        glyph.text = letters or glyph.text


def _is_inside_word(before: Glyph, glyph: Glyph) -> bool:
    """Return whether a glyph is after a small Latin letter of the same word."""
    is_next = before.y == glyph.y and not glyph.parted
    return is_next and "a" <= before.text <= "z"


def _words(
    glyphs: Sequence[Glyph],
    private: frozenset[tuple[int, str]],
    ligatures: Mapping[tuple[int, str], str],
) -> Iterator[str]:
    """Yield the case-folded words of a page with these ligatures."""
    for run in _runs(glyphs, private):
        texts = [ligatures.get((glyph.font, glyph.text), glyph.text) for glyph in run]
        yield "".join(texts).casefold()


def _find_ligatures(
    glyphs: Sequence[Glyph], private: frozenset[tuple[int, str]], words: frozenset[str]
) -> dict[tuple[int, str], str]:
    """Return the ligatures that complete most of the words with a private code, by its font and text.

    Args:
        words: words of the page that complete others although they are rare in general language.
    """
    runs_with: defaultdict[tuple[int, str], list[list[Glyph]]] = defaultdict(list)
    for run in _runs(glyphs, private):
        keys = private.intersection([(glyph.font, glyph.text) for glyph in run])
        if len(keys) == 1:
            (key,) = keys
            runs_with[key].append(run)

    found = {}
    for key, runs in runs_with.items():
        _, code = key
        ligature = _usual_ligature(runs, code, words)
        if ligature:
            found[key] = ligature
    return found


def _usual_ligature(
    runs: Sequence[Sequence[Glyph]], code: str, words: frozenset[str]
) -> str:
    """Return the ligature that completes most of some words with a private code, "" if none completes half of them.

    Words with `UNMAPPED` glyphs that another ligature completes are spelled with it.
    """
    completed = [(run, _completing_ligatures(run, code, words)) for run in runs]
    telling = [
        ligatures for run, ligatures in completed if len(run) > MIN_OTHER_LETTERS
    ]
    n_words = Counter(itertools.chain.from_iterable(telling))
    best = max(_LIGATURES, key=n_words.__getitem__)
    n_known = n_words[best] if code != UNMAPPED else sum(map(bool, telling))
    if 2 * n_known <= len(telling):
        return ""

    for run, ligatures in completed if code == UNMAPPED else ():
        if ligatures and best not in ligatures and len(run) >= MIN_OTHER_LETTERS:
            other = max(ligatures, key=n_words.__getitem__)
            for glyph in run:
                glyph.text = glyph.text.replace(UNMAPPED, other)
    return best


def _completing_ligatures(
    run: Sequence[Glyph], code: str, words: frozenset[str]
) -> list[str]:
    """Return the ligatures that make a common word, or one of `words`, of a run of letters with a private code."""
    text = text_of(run)
    completing = []
    for ligature in _LIGATURES:
        word = text.replace(code, ligature).casefold()
        if word in words or is_common(word):
            completing.append(ligature)
    return completing


def _runs(
    glyphs: Sequence[Glyph], private: frozenset[tuple[int, str]]
) -> Iterator[list[Glyph]]:
    """Yield the runs of Latin letters and of glyphs at private codes that are drawn side by side."""
    run: list[Glyph] = []
    for glyph in glyphs:
        is_letter = glyph.text.isascii() and glyph.text.isalpha()
        is_part = is_letter or (glyph.font, glyph.text) in private
        is_next = is_part and not glyph.parted
        if run and not (is_next and glyph.y == run[-1].y):
            yield run
            run = []
        if is_part:
            run.append(glyph)
    if run:
        yield run
