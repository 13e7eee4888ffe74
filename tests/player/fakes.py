"""Small stand-ins for what the player is made of: paragraphs, strategies, an embedder, a game server."""

from __future__ import annotations

import functools
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from configs.settings import GameSettings, SearchSettings, Settings, load
from evaluate.referee.reading import answer_by_reading
from evaluate.referee.text import visible_context
from ingest.arrays import Float32Array
from ingest.embed import Embedder
from ingest.paragraph import Alias, AliasSource, Document, Paragraph
from player.player import Player
from player.protocol.client import GameState
from player.protocol.messages import Json
from player.questions.question import Question
from player.search.cache import CachingEmbedder
from player.search.core import log_odds_of, probability
from player.search.index import SearchIndex
from player.search.orchestrator import SearchOrchestrator
from player.search.references import References
from player.search.strategies.dense import Dense
from player.search.strategies.strategy import Strategy
from player.search.types import NOT_FOUND, Hit, Query, ScoreArrays
from player.words import words
from tests.contracts.paragraphs import paragraph


def hits(
    *paragraph_ids: str, strategy: str = "fake", relevance: float = 0.9
) -> list[Hit]:
    """Hits in this order, ranks from 1, each a tenth less relevant than the one before."""
    return [
        Hit(
            paragraph(paragraph_id),
            relevance - 0.1 * row,
            relevance - 0.1 * row,
            row + 1,
            strategy,
        )
        for row, paragraph_id in enumerate(paragraph_ids)
    ]


def document(
    doc_id: str, *aliases: tuple[str, AliasSource], same_as: str = ""
) -> Document:
    """A document that goes by its stem and by these aliases."""
    names = (Alias(doc_id, "stem"), *(Alias(text, source) for text, source in aliases))
    return Document(
        doc_id,
        f"{doc_id}.pdf",
        f"hash of {doc_id}",
        "1",
        names,
        1,
        0 if same_as else 1,
        {},
        same_as,
    )


def search_settings(**changes: Any) -> SearchSettings:
    """The settings of preset `dual` with the exact scan, changed."""
    return replace(_dual().search, **{"strategies": ("dense",)} | changes)


def game_settings(**changes: Any) -> GameSettings:
    """The settings of preset `dual`, changed."""
    return replace(_dual().game, **changes)


@functools.cache
def _dual() -> Settings:
    return load("dual")


def dense_of(paragraphs: Sequence[Paragraph], embedder: Embedder) -> Dense:
    """Dense search over the vectors of the texts."""
    vectors = embedder.embed_passages([item.text for item in paragraphs])
    return Dense(paragraphs, vectors, CachingEmbedder(embedder))


class WordsEmbedder:
    """Texts as unit vectors of their words' hashes: texts with the same words are alike, and nothing else counts."""

    def __init__(self, dim: int = 64) -> None:
        self._dim = dim
        self.n_queries = 0

    @property
    def spec(self) -> str:
        """Always "words"."""
        return "words"

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        """(len(texts), dim) unit vectors."""
        vectors = np.full((len(texts), self._dim), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in words(text):
                vectors[row, zlib.crc32(word.encode()) % self._dim] += 1.0
        return np.asarray(
            vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32
        )

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        """(len(texts), dim) unit vectors; counts the texts."""
        self.n_queries += len(texts)
        return self.embed_passages(texts)


class FixedEmbedder(WordsEmbedder):
    """An embedder that returns the vectors it was given, by text."""

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        super().__init__(len(next(iter(vectors.values()))))
        self._vectors = vectors

    @property
    def spec(self) -> str:
        """Always "fixed"."""
        return "fixed"

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        """(len(texts), dim) vectors as given."""
        return np.array([self._vectors[text] for text in texts], dtype=np.float32)


class ListStrategy(Strategy):
    """Finds the paragraphs of `relevance`, and remembers the hints and documents that it was asked for.

    `index_of` hands it the course.
    """

    name = ""

    def __init__(self, name: str, relevance: Mapping[str, float]) -> None:
        super().__init__(())
        self.name = name
        self.relevance = relevance
        self.asked: list[tuple[str, str]] = []

    def prepare(self, query: Query) -> None:
        """Nothing."""

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Ten times the relevance; what is not in the list is not found."""
        self.asked.append((query.hint, doc_id))
        found = [
            self.relevance.get(item.paragraph_id, 0.0) for item in self._paragraphs
        ]
        log_odds = [
            log_odds_of(relevance) if relevance else NOT_FOUND for relevance in found
        ]
        return ScoreArrays(10.0 * np.array(found), np.array(log_odds))


class FailingStrategy(ListStrategy):
    """Raises the error it was given."""

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__(name, {})
        self._error = error

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Nothing ever; raises."""
        raise self._error


def index_of(
    strategies: Sequence[ListStrategy], documents: Sequence[Document], *more: str
) -> SearchIndex:
    """An index over `more` paragraphs and those that the strategies find."""
    ids = {found for strategy in strategies for found in strategy.relevance}
    paragraphs = [paragraph(paragraph_id) for paragraph_id in sorted(ids | set(more))]
    for strategy in strategies:
        strategy._paragraphs = paragraphs
    by_name: dict[str, Strategy] = {strategy.name: strategy for strategy in strategies}
    return SearchIndex(by_name, References(documents, 0.9, 0.6), paragraphs)


def ranked(strategy: Strategy, query: Query, k: int = 1_000) -> list[Hit]:
    """The hits of a strategy alone, ties by paragraph_id."""
    found, paragraphs = (
        strategy.score(replace(query, keywords=query.keywords or "off")),
        strategy._paragraphs,
    )
    rows = [row for row in range(len(paragraphs)) if found.log_odds[row] > NOT_FOUND]
    rows.sort(key=lambda row: (-found.log_odds[row], paragraphs[row].paragraph_id))
    return [
        Hit(
            paragraphs[row],
            float(found.scores[row]),
            probability(float(found.relevance[row])),
            rank,
            strategy.name,
        )
        for rank, row in enumerate(rows[:k], 1)
    ]


def dense_player(
    paragraphs: Sequence[Paragraph], *, seed: int = 0, **changes: Any
) -> Player:
    """A player that searches these paragraphs by dense search over `WordsEmbedder`, with a small pool of questions."""
    embedder = WordsEmbedder()
    dense = dense_of(paragraphs, embedder)
    references = References(
        [document(doc_id) for doc_id in sorted({item.doc_id for item in paragraphs})],
        0.9,
        0.6,
    )
    orchestrator = SearchOrchestrator(
        SearchIndex({"dense": dense}, references, paragraphs),
        search_settings(spill_over="always"),
    )
    return Player(
        orchestrator, game_settings(**({"questions_pool": 150} | changes)), seed
    )


SUBJECTS = (
    ("Sorting", "merge quick heap pivot stable swap partition compare"),
    ("Hashing", "bucket probe collision digest chain salt modulus table"),
    ("Graphs", "vertex edge path cycle forest degree matching bridge"),
    ("Queues", "enqueue producer consumer buffer ring priority deadline arrival"),
    ("Caches", "eviction recency locality prefetch dirty victim associativity line"),
    (
        "Parsing",
        "grammar token lookahead terminal derivation ambiguity recursion symbol",
    ),
)


def course() -> list[Paragraph]:
    """Twelve paragraphs in two books; each has words of its own and shares some with its neighbours."""
    found = []
    for row in range(12):
        name, own = SUBJECTS[row % 6]
        _, other = SUBJECTS[(row + row // 6 + 1) % 6]
        mine = " ".join(own.split()[:4] if row < 6 else own.split()[4:])
        shared = " ".join(other.split()[row % 3 : row % 3 + 3])
        text = f"{name} begins with {mine}. Later lessons mention {shared} as well."
        found.append(paragraph(f"{'first' if row % 2 else 'second'}:{row + 1}:1", text))
    return found


def perfect_answer(question: Question, text: str) -> str:
    """As a careful referee answers by the letters: the harness's oracle, which shares no code with the player."""
    return answer_by_reading(
        visible_context(text), question.text, tuple(question.options)
    )


class FakeGameServer:
    """A game server that hands out the batches it was given, one a poll, and keeps what is sent to it.

    Args:
        batches: the messages of each poll; then there are none.
        game_id: of the game that is asked for.
    """

    def __init__(
        self, batches: Sequence[Sequence[Json]], game_id: str = "0101001"
    ) -> None:
        self._batches = list(batches)
        self._game_id = game_id
        self.sent: list[Json] = []

    def request_game(self) -> str:
        """The game_id as given."""
        return self._game_id

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
        """The next batch; after the last, nothing, a moment later."""
        place = int(cursor or "0")
        if place >= len(self._batches):
            time.sleep(min(wait_s, 0.005))
            return [], cursor
        return self._batches[place], str(place + 1)

    def send(self, envelope: Mapping[str, Any]) -> None:
        """Keep it."""
        self.sent.append(dict(envelope))

    def game(self, game_id: str) -> GameState:
        """A game that is never over."""
        return GameState(game_id, "running", None, None)

    def sent_types(self) -> list[str]:
        """The types of the messages sent, in order."""
        return [str(envelope["message_type"]) for envelope in self.sent]
