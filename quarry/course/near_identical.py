"""Search for near-identical paragraphs: those that have a few words more or less than an earlier paragraph."""

import unicodedata
from collections import Counter
from collections.abc import Iterable

import regex

from quarry.course.paragraph import Paragraph
from quarry.languages.registry import LANGUAGES

MIN_COMMON_WORDS = 0.95
"""Minimum share of common words of two near-identical paragraphs: one may have a tenth more words than the other."""

SHINGLE_WORDS = 3
"""Number of consecutive words in a shingle."""

MIN_JACCARD = 0.6
"""Minimum Jaccard similarity of the shingles of two paragraphs that are compared word by word. If one has a tenth more
words, about .62 is left."""

PERMUTATIONS = 128
"""Number of permutations of a MinHash."""

_SENTENCE_ENDS = frozenset(".!?:")
"""Signs after which a sentence begins."""
_PIECE = regex.compile(r"[\p{L}\p{M}]+|\p{N}+|[\p{Sm}.!?:]")
"""Words, numbers, and signs of mathematics and of ends of sentences."""
_DECISIVE = frozenset().union(
    *(language.with_prefixes(language.decisive.split()) for language in LANGUAGES)
)
"""Words that change a statement, such as negations."""


def near_identical(paragraphs: Iterable[Paragraph]) -> dict[str, str]:
    """Map the paragraph_id of each near-identical paragraph to that of the original.

    Case, punctuation and spacing are ignored. One of the two paragraphs has all words of the other in order, and a few
    more. No word replaces another one, since it may be the opposite. The added words are no name (a word with a capital
    inside a sentence), number, date, negation or relation such as "<", and no word is added more than once.

    Args:
        paragraphs: the first of several near-identical ones is the original.

    Reference:
        Broder, On the Resemblance and Containment of Documents, 1997.
    """
    from datasketch import MinHash, MinHashLSH

    texts = {paragraph.paragraph_id: _Words(paragraph.text) for paragraph in paragraphs}
    order = {paragraph_id: number for number, paragraph_id in enumerate(texts)}
    index = MinHashLSH(threshold=MIN_JACCARD, num_perm=PERMUTATIONS, weights=(0.1, 0.9))
    duplicates = {}
    for paragraph_id, text in texts.items():
        sketch = MinHash(num_perm=PERMUTATIONS)
        shingles = []
        for start in range(max(1, len(text.words) - SHINGLE_WORDS + 1)):
            shingle = " ".join(text.words[start : start + SHINGLE_WORDS])
            shingles.append(shingle.encode())
        sketch.update_batch(shingles)
        highest, original = 0.0, ""
        for other in sorted(map(str, index.query(sketch)), key=order.__getitem__):
            similarity = _similarity(text, texts[other])
            if similarity > highest:
                highest, original = similarity, other
        if highest >= MIN_COMMON_WORDS:
            duplicates[paragraph_id] = original
        else:
            index.insert(paragraph_id, sketch)
    return duplicates


class _Words:
    """The words and numbers of a text.

    Attributes:
        words: all of them, in order and case-folded.
        named: the words that have a capital inside a sentence.
        decisive: negations, numbers and signs that change a statement, in order.
    """

    def __init__(self, text: str) -> None:
        self.words: list[str] = []
        self.named: set[str] = set()
        begins = True

        plain = unicodedata.normalize("NFKC", text).replace("->", "→")
        for piece in _PIECE.findall(plain):
            if piece in _SENTENCE_ENDS:
                begins = True
                continue
            word = piece.casefold()
            self.words.append(word)
            if piece[0].isupper() and not begins:
                self.named.add(word)
            begins = False
        self.decisive = [
            word for word in self.words if word in _DECISIVE or not word[0].isalpha()
        ]


def _similarity(text: _Words, other: _Words) -> float:
    """Return the share of common words; 0 unless one paragraph only adds ordinary words to the other."""
    shorter, longer = sorted((text.words, other.words), key=len)
    rest = iter(longer)
    is_whole = all(word in rest for word in shorter)
    added = Counter(longer) - Counter(shorter)
    is_named = not added.keys().isdisjoint(text.named | other.named)
    if not is_whole or is_named or text.decisive != other.decisive:
        return 0.0
    if max(added.values(), default=0) > 1:
        return 0.0
    n_added = len(longer) - len(shorter)
    return 1.0 - n_added / max(1, len(shorter) + len(longer))
