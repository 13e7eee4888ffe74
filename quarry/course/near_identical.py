"""Near-identical paragraphs: those that say the same as an earlier one in all but a few words."""

import unicodedata
from collections import Counter
from collections.abc import Iterable

import regex

from quarry.course.paragraph import Paragraph
from quarry.languages.registry import LANGUAGES

MIN_SIMILARITY = 0.95
"""Minimum share of words in common, in order, of two paragraphs that are the same: one word in twenty may differ.
Different exercises of one template reach .92 in a real course of 1,044 paragraphs."""

SHINGLE_WORDS = 3
"""Number of words in a row of a shingle."""

MIN_JACCARD = 0.6
"""Minimum Jaccard similarity of the shingles of a compared pair: one word in twenty replaced leaves about .74."""

PERMUTATIONS = 128

MIN_PARAGRAPHS = 3
"""Minimum number of paragraphs with a word that is no name, in a script without capitals."""

_QUANTITIES = frozenset(
    word for language in LANGUAGES for word in language.quantities.split()
)


def near_identical(paragraphs: Iterable[Paragraph]) -> dict[str, str]:
    """Map the paragraph_id of each near-identical paragraph to that of the first one like it.

    Case, punctuation and spacing are ignored. Two paragraphs are different if they differ in a name, a number or a
    date, or in a word that occurs more than once in one of them. A word is a name if it has a capital inside a
    sentence, or if it has small letters nowhere in the course; in a script without capitals, if fewer than three
    paragraphs have it. A rare word that is added without replacing another one makes no difference.

    Args:
        paragraphs: in the order in which the first one counts.

    Reference:
        Broder, On the Resemblance and Containment of Documents, 1997.
    """
    from datasketch import MinHash, MinHashLSH

    texts = {paragraph.paragraph_id: _Words(paragraph.text) for paragraph in paragraphs}
    ordinary = _ordinary_words(texts.values())
    index = MinHashLSH(threshold=MIN_JACCARD, num_perm=PERMUTATIONS, weights=(0.1, 0.9))
    copies = {}
    for paragraph_id, text in texts.items():
        sketch = MinHash(num_perm=PERMUTATIONS)
        shingles = []
        for start in range(max(1, len(text.words) - SHINGLE_WORDS + 1)):
            shingle = " ".join(text.words[start : start + SHINGLE_WORDS])
            shingles.append(shingle.encode())
        sketch.update_batch(shingles)
        candidates = [(0.0, "")]
        for other in map(str, index.query(sketch)):
            similarity = _similarity(text, texts[other], ordinary)
            candidates.append((similarity, other))
        similarity, original = max(candidates)
        if similarity >= MIN_SIMILARITY:
            copies[paragraph_id] = original
        else:
            index.insert(paragraph_id, sketch)
    return copies


class _Words:
    """The words and numbers of a text.

    Attributes:
        words: in order, in small letters.
        small: those that begin with a small letter.
        named: those that have a capital inside a sentence.
    """

    def __init__(self, text: str) -> None:
        self.words: list[str] = []
        self.small: set[str] = set()
        self.named: set[str] = set()
        begins = True

        for piece in regex.findall(
            r"[\p{L}\p{M}]+|\p{N}+|[.!?:]", unicodedata.normalize("NFKC", text)
        ):
            if piece in ".!?:":
                begins = True
                continue
            word = piece.casefold()
            self.words.append(word)
            if piece[0].islower():
                self.small.add(word)
            elif piece[0].isupper() and not begins:
                self.named.add(word)
            begins = False


def _ordinary_words(texts: Iterable[_Words]) -> set[str]:
    """Return the words of a course that are no names: in small letters somewhere, or without case and not rare."""
    ordinary = set()
    n_with: Counter[str] = Counter()
    for text in texts:
        ordinary |= text.small
        n_with.update({word for word in text.words if word.upper() == word.lower()})
    return ordinary | {
        word for word, count in n_with.items() if count >= MIN_PARAGRAPHS
    }


def _similarity(text: _Words, other: _Words, ordinary: set[str]) -> float:
    """Return the share of words in common, in order; 0 if the paragraphs differ in a name, number or repeated word."""
    from rapidfuzz.distance import Indel

    mine = Counter(text.words)
    theirs = Counter(other.words)
    removed = mine - theirs
    added = theirs - mine
    named = text.named | other.named
    for word, count in (removed + added).items():
        if removed and added and word not in ordinary:
            return 0.0
        is_number = word in _QUANTITIES or any(map(str.isnumeric, word))
        if count > 1 or is_number or word in named:
            return 0.0
    return float(Indel.normalized_similarity(text.words, other.words))
