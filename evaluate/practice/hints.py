"""Makes hints for practice games about a course that has no labelled games."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from evaluate.games.labelled import LabelledGame, tokens
from evaluate.referee.context import fold, same_form
from quarry.arrays import Float32Array
from quarry.course.paragraph import Paragraph
from quarry.embed import Embedder
from quarry.languages.registry import detect_language
from quarry.languages.words import is_stop_word, words

N_GAMES = 60
"""Maximum number of games that are made about a course."""
N_HINT_WORDS = 5
"""Number of words of a hint."""
MIN_HINT_LETTERS = 4
"""Minimum number of letters of a word of a hint."""
MAX_SHARE = 0.2
"""Maximum share of the paragraphs that hold a word of a hint."""
MAX_VOCABULARY = 800
"""Maximum number of words of a course that are embedded, the frequent ones first."""


def make_games(
    paragraphs: Sequence[Paragraph], vectors: Float32Array, embedder: Embedder
) -> list[tuple[LabelledGame, Paragraph]]:
    """Make practice games about paragraphs of a course that has no labelled games.

    A hint lists words of the course that are similar to the paragraph in meaning, in its language, and do not occur in
    it.

    Args:
        paragraphs: paragraphs of the course.
        vectors: (n_paragraphs, dim) vectors of the paragraphs, by `embedder`.
        embedder: embedder of the store.
    """
    prose = [row for row, item in enumerate(paragraphs) if item.kind == "prose"]
    rows = prose or [*range(len(paragraphs))]
    rows = rows[:: max(1, len(rows) // N_GAMES)][:N_GAMES]
    # subtract the mean: otherwise some words are near every paragraph
    centred = vectors - vectors.mean(axis=0)
    vocabulary = _vocabulary(paragraphs)
    if not vocabulary:
        return []
    word_vectors = embedder.embed_queries(vocabulary)

    games: list[tuple[LabelledGame, Paragraph]] = []
    for row in rows:
        paragraph = paragraphs[row]
        language = detect_language(paragraph.text)
        order = np.argsort(-(word_vectors @ centred[row]), kind="stable")
        nearest = [vocabulary[at] for at in order.tolist()]
        same_language = [word for word in nearest if detect_language(word) == language]
        near = _absent_words(paragraph.text, same_language)
        if not near:
            continue
        game = LabelledGame(
            f"made-{len(games) + 1}",
            paragraph.doc_id,
            ", ".join(near[1:] or near),
            associative_word=near[0],
            opening_sentence=paragraph.opening_sentence,
            paragraph=paragraph.text,
        )
        games.append((game, paragraph))
    return games


def _vocabulary(paragraphs: Sequence[Paragraph]) -> list[str]:
    """Return the words of a course that a hint may hold, the most frequent first."""
    n_paragraphs: Counter[str] = Counter()
    for paragraph in paragraphs:
        n_paragraphs.update(sorted(set(words(paragraph.text))))
    most = max(1, MAX_SHARE * len(paragraphs))
    vocabulary = []
    for word, n in n_paragraphs.most_common():
        is_plain = word.isalpha() and len(word) >= MIN_HINT_LETTERS
        if is_plain and n <= most and not is_stop_word(word):
            vocabulary.append(word)
    return vocabulary[:MAX_VOCABULARY]


def _absent_words(text: str, near: Sequence[str]) -> list[str]:
    """Return the first words that do not occur in a text in any form, and no two forms of one word."""
    text_words = {fold(word) for word in (*words(text), *tokens(text))}
    absent: list[str] = []
    for word in near:
        if len(absent) > N_HINT_WORDS:
            break
        if not any(_is_alike(word, other) for other in (*absent, *text_words)):
            absent.append(word)
    return absent


def _is_alike(word: str, other: str) -> bool:
    """Return whether two words may be forms of one word."""
    shorter, longer = sorted((word, other), key=len)
    is_part = len(shorter) >= MIN_HINT_LETTERS and shorter in longer
    return is_part or same_form(word, other)
