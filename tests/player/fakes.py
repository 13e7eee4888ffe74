"""Small stand-ins for what the player is made of: paragraphs, strategies, an embedder, a game server."""

import contextlib
import functools
import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import logit

from configs.settings import SearchSettings, Settings, load
from player.answer import Answers
from player.game.client import GameState
from player.game.journal import Journal
from player.player import Decision, Plan, Player
from player.question import Question
from player.round import Json, RoundStart
from player.search.books.resolver import BookResolver
from player.search.cache import CachingEmbedder
from player.search.calibration import embedder_calibration
from player.search.engine import SearchOrchestrator
from player.search.index import SearchIndex
from player.search.results import Hit, Query, ScoreArrays
from player.search.strategies.dense import Dense
from player.search.strategies.strategy import Strategy, StrategyInputs
from quarry.arrays import Float32Array
from quarry.course.course import Course
from quarry.course.paragraph import Alias, AliasSource, Document, Paragraph
from quarry.embed import Embedder
from tests.contracts.paragraphs import paragraph
from tests.fakes import HashingEmbedder, each


def ids_of(hits: Iterable[Hit]) -> list[str]:
    """The paragraph_id of each hit."""
    return [hit.paragraph.paragraph_id for hit in hits]


def document(
    doc_id: str,
    *aliases: tuple[str, AliasSource],
    same_as: str = "",
) -> Document:
    """A document that goes by its stem and by these aliases."""
    return Document(
        doc_id=doc_id,
        path=f"{doc_id}.pdf",
        content_hash=f"hash of {doc_id}",
        version="1",
        aliases=(Alias(doc_id, "stem"), *itertools.starmap(Alias, aliases)),
        n_pages=1,
        n_paragraphs=0 if same_as else 1,
        same_as=same_as,
    )


def titled(titles: Mapping[str, str]) -> list[Document]:
    """Documents that have these titles, by their stems."""
    return [document(stem, (title, "title")) for stem, title in titles.items()]


def search_settings(**changes: Any) -> SearchSettings:
    """The settings of preset `dual` with the exact scan, changed."""
    return replace(_dual().search, **{"strategies": ("dense",)} | changes)


@functools.cache
def _dual() -> Settings:
    return load("dual")


def course_with(
    documents: Sequence[Document] = (),
    paragraphs: Sequence[Paragraph] = (),
    **more: Any,
) -> Course:
    """A course of documents and paragraphs that is in no store."""
    return Course(
        location="",
        collection="",
        documents=tuple(documents),
        paragraphs=tuple(paragraphs),
        **more,
    )


def strategy_inputs(embedder: Embedder | None = None, **changes: Any) -> StrategyInputs:
    """The inputs of a strategy, changed."""
    caching = CachingEmbedder(embedder) if embedder else None
    inputs = StrategyInputs(search_settings(), embedder_calibration(), caching)
    return replace(inputs, **changes)


def dense_over(
    paragraphs: Sequence[Paragraph],
    vectors: Float32Array,
    embedder: Embedder,
    **changes: Any,
) -> Dense:
    """Dense search over these vectors."""
    course = course_with((), paragraphs, vectors=vectors)
    return Dense(course, strategy_inputs(embedder, **changes))


def dense_of(paragraphs: Sequence[Paragraph], embedder: Embedder) -> Dense:
    """Dense search over the vectors of the texts."""
    vectors = embedder.embed_passages(each(paragraphs, "text"))
    return dense_over(paragraphs, vectors, embedder)


class WordsEmbedder(HashingEmbedder):
    """Texts with the same words are alike, and nothing else counts; counts the hints that it embeds."""

    base = 1e-3

    def __init__(self) -> None:
        super().__init__("words", 64)
        self.n_queries = 0

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        self.n_queries += len(texts)
        return super().embed_queries(texts)


class FixedEmbedder(HashingEmbedder):
    """An embedder that returns the vectors it was given, by text."""

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        first, *_ = vectors.values()
        super().__init__("fixed", len(first))
        self._vectors = vectors

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        vectors = [self._vectors[text] for text in texts]
        return np.array(vectors, dtype=np.float32)


class ListStrategy(Strategy):
    """Finds the paragraphs of `relevance`, and remembers the hints and documents that it was asked for.

    `index_of` hands it the course.
    """

    def __init__(
        self,
        name: str,
        relevance: Mapping[str, float],
    ) -> None:
        super().__init__(())
        self.name = name
        self.relevance = relevance
        self.asked: list[tuple[str, str]] = []

    def score(
        self,
        query: Query,
        doc_id: str = "",
    ) -> ScoreArrays:
        """Ten times the relevance; what is not in the list is not found."""
        self.asked.append((query.hint, doc_id))
        ids = each(self._paragraphs, "paragraph_id")
        shares = np.array([self.relevance.get(each_id, 0.0) for each_id in ids])
        log_odds = logit(shares)
        return ScoreArrays(10.0 * shares, log_odds, log_odds)


def index_of(
    strategies: Sequence[ListStrategy],
    documents: Sequence[Document],
    *more: str,
) -> SearchIndex:
    """An index over `more` paragraphs and those that the strategies find."""
    ids = set(more).union(*each(strategies, "relevance"))
    paragraphs = list(map(paragraph, sorted(ids)))
    for strategy in strategies:
        strategy._paragraphs = paragraphs
    by_name = dict(zip(each(strategies, "name"), strategies, strict=True))
    return SearchIndex(by_name, BookResolver(course_with(documents)), paragraphs)


def dense_index(paragraphs: Sequence[Paragraph]) -> SearchIndex:
    """An index for dense search over `WordsEmbedder`."""
    dense = dense_of(paragraphs, WordsEmbedder())
    doc_ids = set(each(paragraphs, "doc_id"))
    books = list(map(document, sorted(doc_ids)))
    return SearchIndex({"dense": dense}, BookResolver(course_with(books)), paragraphs)


def dense_player(
    paragraphs: Sequence[Paragraph] | None = None,
    *,
    seed: int = 0,
    **changes: Any,
) -> Player:
    """A player with a `dense_index` of these paragraphs, or of `course`, and with a small pool of questions."""
    settings = search_settings(spill_over="always")
    index = dense_index(course() if paragraphs is None else paragraphs)
    search = SearchOrchestrator(index, settings)
    game = replace(_dual().game, **{"questions_pool": 60, **changes})
    return Player(search, game, seed=seed)


class Remembering:
    """A contestant that plays each round once: by hint and book, questions that it is given, and answers.

    Attributes:
        seen: the editions that it was told of, at each call for questions.
    """

    def __init__(self, player: Player) -> None:
        self.answer_warmup = player.answer_warmup
        self.seen: list[Any] = []
        self._player = player
        self._plans: dict[object, Plan] = {}
        self._decisions: dict[object, Decision] = {}

    def plan(
        self, start: RoundStart, questions: Sequence[Question] | None = None
    ) -> Plan:
        """Plan the round, or return its plan."""
        if questions is None:
            self.seen.append(dict(start.editions))
        key = start.book_name, start.hint, questions and tuple(questions)
        if key not in self._plans:
            self._plans[key] = self._player.plan(start, questions)
        return self._plans[key]

    def decide(self, plan: Plan, answers: Answers) -> Decision:
        """Decide on the round, or return its decision."""
        key = plan.start.hint, plan.questions, tuple(answers)
        if key not in self._decisions:
            self._decisions[key] = self._player.decide(plan, answers)
        return self._decisions[key]


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
    paragraphs = []
    for row in range(12):
        name, own = SUBJECTS[row % 6]
        half = row // 6
        _, other = SUBJECTS[(row + half + 1) % 6]
        first = row // 6 * 4
        book = "first" if row % 2 else "second"
        mine = " ".join(own.split()[first : first + 4])
        shared = " ".join(other.split()[row % 3 : row % 3 + 3])
        text = f"{name} begins with {mine}. Later lessons mention {shared} as well."
        paragraphs.append(paragraph(f"{book}:{row + 1}:1", text))
    return paragraphs


def opened(path: Path | None, *player: str) -> contextlib.closing[Journal]:
    """A journal of a server's player, which is closed after use."""
    return contextlib.closing(Journal(path, *player))


def check_reply(questions: Sequence[Json], guess: Json) -> None:
    """Check that questions and a guess are valid."""
    assert each(questions, "question_number") == [*range(1, 21)]
    for question in questions:
        assert question["question_text"].strip()
        options = question["options"]
        assert "".join(options) == "ABCD"
        assert len({*options.values()}) == 4
    assert 30 <= len(guess["sentence_justification"].split()) <= 50
    assert 20 <= len(guess["word_justification"].split()) <= 30
    assert guess["associative_word"].strip()
    assert 0.0 <= guess["confidence"] <= 1.0


class FakeGameServer:
    """A game server that hands out the batches it was given, one a poll, and keeps what is sent to it.

    Args:
        batches: the messages of each poll; then there are none.
        game_ids: of the games that are asked for.
        faults: by method, what its calls raise before they do what they are asked; None stands for no fault.

    Attributes:
        states: of games that do not run any more.
    """

    def __init__(
        self,
        batches: Sequence[Sequence[Json]],
        game_ids: Sequence[str] = ("0101001",),
        **faults: list[Any],
    ) -> None:
        self.sent: list[Json] = []
        self.states: dict[str, GameState] = {}
        self._batches = batches
        self._ids = list(game_ids)
        self._faults = faults

    def _perhaps_fail(self, method: str) -> None:
        faults = self._faults.get(method) or [None]
        fault = faults.pop(0)
        if fault is not None:
            raise fault

    def request_game(self) -> str:
        """The next game_id as given."""
        self._perhaps_fail("request_game")
        return self._ids.pop(0)

    def inbox(
        self,
        cursor: str,
        wait_s: float,
    ) -> tuple[Sequence[Json], str]:
        """The next batch; after the last, nothing, a moment later."""
        self._perhaps_fail("inbox")
        place = int(cursor or "0")
        if place >= len(self._batches):
            time.sleep(min(wait_s, 0.005))
            return [], cursor
        return self._batches[place], str(place + 1)

    def send(self, envelope: Json) -> None:
        """Keep a message."""
        self._perhaps_fail("send")
        self.sent.append(envelope)

    def game(self, game_id: str) -> GameState:
        """The state as given; else of a game that is never over."""
        return self.states.get(game_id) or GameState(game_id, "running")

    def sent_types(self) -> list[str]:
        """The types of the messages sent, in order."""
        return each(self.sent, "message_type")
