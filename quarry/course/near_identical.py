"""Search for near-identical paragraphs: those that differ from an earlier paragraph in a few words only."""

import unicodedata
from collections import Counter
from collections.abc import Iterable

import regex

from quarry.course.paragraph import Paragraph
from quarry.languages.registry import LANGUAGES

MIN_COMMON_WORDS = 0.95
"""Minimum share of common words, in order, of two near-identical paragraphs: one word in twenty may differ. Different
exercises of one template reach .92 in a real course of 1,044 paragraphs."""

SHINGLE_WORDS = 3
"""Number of consecutive words in a shingle."""

MIN_JACCARD = 0.6
"""Minimum Jaccard similarity of the shingles of two paragraphs that are compared word by word. If one word in twenty
is replaced, about .74 is left."""

PERMUTATIONS = 128
"""Number of permutations of a MinHash."""

MIN_PARAGRAPHS = 3
"""Minimum number of paragraphs that hold an ordinary word of a script without capitals; rarer words count as names."""

_ENDS = frozenset(".!?:")
"""Signs after which a sentence begins."""
_PIECE = regex.compile(r"[\p{L}\p{M}]+|\p{N}+|[\p{Sm}.!?:]")
"""Words, numbers, and signs of mathematics and of ends of sentences."""
_DECISIVE = frozenset().union(
    *(language.with_prefixes(language.decisive.split()) for language in LANGUAGES)
)
"""Words that change a statement, such as negations."""
_NEGATING = ("un", "in", "im", "il", "ir", "non", "dis")
MIN_NEGATED = 4
"""Beginnings of English words that mean the opposite of the rest, and minimum number of letters of the rest: "into" is
no opposite of "to"."""


def near_identical(paragraphs: Iterable[Paragraph]) -> dict[str, str]:
    """Map the paragraph_id of each near-identical paragraph to that of the original.

    Case, punctuation and spacing are ignored. Two paragraphs are different if they differ in a name, a number, a date,
    a negation or a relation such as "<", or in a word that occurs more than once in one of them. A word is a name if it
    has a capital inside a sentence, or if it never begins with a small letter in the course; in a script without
    capitals, if fewer than MIN_PARAGRAPHS paragraphs have it. A rare word that is added without replacing another one
    makes no difference.

    Args:
        paragraphs: the first of several near-identical ones is the original.

    Reference:
        Broder, On the Resemblance and Containment of Documents, 1997.
    """
    from datasketch import MinHash, MinHashLSH

    texts = {paragraph.paragraph_id: _Words(paragraph.text) for paragraph in paragraphs}
    order = {paragraph_id: number for number, paragraph_id in enumerate(texts)}
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
        highest, original = 0.0, ""
        for other in sorted(map(str, index.query(sketch)), key=order.__getitem__):
            similarity = _similarity(text, texts[other], ordinary)
            if similarity > highest:
                highest, original = similarity, other
        if highest >= MIN_COMMON_WORDS:
            copies[paragraph_id] = original
        else:
            index.insert(paragraph_id, sketch)
    return copies


class _Words:
    """The words and numbers of a text.

    Attributes:
        words: all of them, in order and case-folded.
        small: the words that begin with a small letter.
        named: the words that have a capital inside a sentence.
        decisive: negations, numbers and signs that change a statement, in order.
    """

    def __init__(self, text: str) -> None:
        self.words: list[str] = []
        self.small: set[str] = set()
        self.named: set[str] = set()
        begins = True

        plain = unicodedata.normalize("NFKC", text).replace("->", "→")
        for piece in _PIECE.findall(plain):
            if piece in _ENDS:
                begins = True
                continue
            word = piece.casefold()
            self.words.append(word)
            if piece[0].islower():
                self.small.add(word)
            elif piece[0].isupper() and not begins:
                self.named.add(word)
            begins = False
        self.decisive = [
            word for word in self.words if word in _DECISIVE or not word[0].isalpha()
        ]


def _ordinary_words(texts: Iterable[_Words]) -> set[str]:
    """Return the words of a course that are not names: written small somewhere, or without case and not rare."""
    ordinary = set()
    n_with: Counter[str] = Counter()
    for text in texts:
        ordinary |= text.small
        n_with.update({word for word in text.words if word.upper() == word.lower()})
    return ordinary | {
        word for word, count in n_with.items() if count >= MIN_PARAGRAPHS
    }


def _similarity(text: _Words, other: _Words, ordinary: set[str]) -> float:
    """Return the share of common words, in order; 0 if the paragraphs differ in a decisive word."""
    from rapidfuzz.distance import Indel

    mine = Counter(text.words)
    theirs = Counter(other.words)
    removed = mine - theirs
    added = theirs - mine
    longer = [word for word in removed + added if len(word) >= MIN_NEGATED]
    opposites = {start + word for start in _NEGATING for word in longer}
    if text.decisive != other.decisive or opposites & {*removed, *added}:
        return 0.0
    named = text.named | other.named
    for word, count in (removed + added).items():
        if removed and added and word not in ordinary:
            return 0.0
        if count > 1 or word in named:
            return 0.0
    return float(Indel.normalized_similarity(text.words, other.words))
