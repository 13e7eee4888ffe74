"""Hints made by a machine: words of the course near the paragraph, none of them in it, in its language."""

import re
from collections.abc import Sequence

import numpy as np

from evaluate.games.locating import check_games
from evaluate.practice.hints import make_games
from quarry.arrays import Float32Array
from quarry.course.paragraph import Paragraph
from quarry.languages.registry import detect_language
from tests.contracts.paragraphs import paragraph
from tests.fakes import HashingEmbedder, each

TOPICS = (
    ("garden", "moss", "petals", "roots"),
    ("integral", "matrix", "prime", "vector"),
    ("פרחים", "שורשים", "עלים", "גבעולים"),
)


class TopicEmbedder(HashingEmbedder):
    """Three topics, each with its own axis: the number of a text's words that are of it."""

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        counts = np.zeros((len(texts), 3), dtype=np.float32)
        for row, text in enumerate(texts):
            for column, topic in enumerate(TOPICS):
                counts[row, column] = sum(map(text.count, topic))
        return counts


def course() -> list[Paragraph]:
    """Four paragraphs of each topic, each with two of its words."""
    paragraphs: list[Paragraph] = []
    for words in TOPICS:
        for first in range(4):
            text = f"{words[first]} {words[(first + 1) % 4]}. 17."
            number = len(paragraphs) + 1
            paragraphs.append(paragraph(f"alpha:{number}:1", text))
    return paragraphs


def test_hints_keep_the_rule_with_the_nearest_words_that_the_paragraph_lacks() -> None:
    paragraphs, embedder = course(), TopicEmbedder()
    vectors = embedder.embed_passages(each(paragraphs, "text"))
    pairs = make_games(paragraphs, vectors, embedder)
    games = {item.text: game for game, item in pairs}
    assert len(games) == 12

    for first, second, *others in TOPICS:
        game = games[f"{first} {second}. 17."]
        assert game.associative_word in others
        words = set(re.findall(r"\w+", game.hint))
        assert len(words.intersection(others)) == 1

    for text, game in games.items():
        assert check_games([game], paragraphs) == []
        assert game.opening_sentence in text
        assert detect_language(game.hint) == detect_language(text)
