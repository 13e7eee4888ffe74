"""Player: what to answer, ask and guess; it knows nothing of servers."""

from __future__ import annotations

import ast
import hashlib
import operator
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from configs.settings import GameSettings, Settings
from ingest.embed import Embedder
from ingest.paragraph import Paragraph
from ingest.store import ParagraphStore
from player.errors import AllStrategiesFailedError, QueryError
from player.guess import Evidence, associative_words, make_guess, weigh_answers
from player.protocol import Guess, RoundStart
from player.questions.belief import FloatArray, channel, posterior, prior_from_relevance
from player.questions.design import N_QUESTIONS, design
from player.questions.pool import IntArray, Question, build_pool
from player.search.orchestrator import SearchOrchestrator, build_orchestrator, store_embedder
from player.search.types import Hit, Query, SearchResult

MAX_WARMUP_CHARS = 2_000
"""Of a warm-up question, read; finding the sum takes quadratic time."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the player holds between its questions and its guess.

    Attributes:
        start: what was told about the paragraph.
        result: what the search found; its hits are the candidates.
        prior: (n_candidates,) belief before the answers.
        questions: the 20.
        cells: (20, n_candidates) option index that fits each candidate.
        questions_ms: milliseconds that the questions took, after the search.
    """

    start: RoundStart
    result: SearchResult
    prior: FloatArray
    questions: tuple[Question, ...]
    cells: IntArray
    questions_ms: float


@dataclass(frozen=True, slots=True)
class Decision:
    """The guess and how it came about.

    Attributes:
        belief: (n_candidates,) belief after the answers.
        best: row of the candidate that is guessed.
        evidence: the answers by what they say for it, most first.
        associations: words that may be the associative one, likeliest first.
    """

    guess: Guess
    belief: FloatArray
    best: int
    evidence: tuple[Evidence, ...]
    associations: tuple[str, ...]


class Player:
    """Plays the rounds of any number of games; holds no state of a game.

    Args:
        orchestrator: finds the candidates.
        embedder: of the same store, for the associative word.
        settings: how it plays.
        seed: of its questions; the same game and seed give the same questions.
        paragraphs: all of the course, to play on where a search finds nothing: the player always answers.

    Attributes:
        orchestrator: as given.
    """

    def __init__(
        self,
        orchestrator: SearchOrchestrator,
        embedder: Embedder,
        settings: GameSettings,
        seed: int = 0,
        paragraphs: Sequence[Paragraph] = (),
    ) -> None:
        self.orchestrator = orchestrator
        self._embedder = embedder
        self._settings = settings
        self._seed = seed
        self._paragraphs = paragraphs
        self._noise = channel(settings.wrong_rate, settings.not_relevant_rate)

    def answer_warmup(self, question: str) -> str:
        """The result of the sum in a question such as "What is 7 * 8?"; "0" where none can be made out."""
        text = question[:MAX_WARMUP_CHARS].lower().translate(_SIGNS)
        for pattern, sign in _SPELT_SIGNS.items():
            text = re.sub(pattern, sign, text)
        for found in sorted(re.findall(r"[-(]*\d[\d\s.+*/()-]*", text), key=len, reverse=True):
            value = _value(found)
            if value is not None:
                return str(int(value)) if float(value).is_integer() else f"{value:.10g}"
        return "0"

    def plan(self, start: RoundStart) -> Plan:
        """Search, and the 20 questions; where nothing can be found, every paragraph of the course is a candidate.

        Raises:
            QueryError: nothing was found, and the player knows no paragraph.
        """
        result = self._candidates(start)
        started = time.perf_counter()
        relevance = np.array([hit.relevance for hit in result.hits])
        prior = prior_from_relevance(relevance, self._settings.prior_temperature, self._settings.prior_floor)
        texts = [hit.paragraph.text for hit in result.hits]
        seed = self._game_seed(start)
        pool = build_pool(texts, prior, self._settings.questions_pool, seed)
        rows = design(pool, prior, self._noise, seed)
        questions = tuple(pool.questions[row] for row in rows)
        cells = _padded_cells(pool.cells[rows], len(texts))
        return Plan(start, result, prior, _padded(questions), cells, 1000.0 * (time.perf_counter() - started))

    def decide(self, plan: Plan, answers: Sequence[str | None]) -> Decision:
        """The guess after the answers.

        Args:
            answers: (20,) as `protocol.read_answers` gives them.
        """
        belief = posterior(plan.prior, plan.cells, answers, self._noise)
        order = np.argsort(-belief, kind="stable")
        best = int(order[0])
        evidence = weigh_answers(best, plan.prior, plan.questions, plan.cells, answers, self._noise)
        paragraphs = [plan.result.hits[row].paragraph for row in order]
        domain = plan.start.association_domain
        associations = associative_words(paragraphs[0], paragraphs[1:], domain, self._embedder)
        guess = make_guess(paragraphs[0], evidence, domain, float(belief[best]), associations)
        return Decision(guess, belief, best, tuple(evidence), tuple(associations))

    def _candidates(self, start: RoundStart) -> SearchResult:
        query = Query(start.hint or start.book_name, start.book_name, self._settings.candidates)
        try:
            result = self.orchestrator.search(query)
        except QueryError:
            result = SearchResult(query, ())
        except AllStrategiesFailedError as error:
            result = SearchResult(query, (), failures=error.failures)
        if result.hits:
            return result
        if not self._paragraphs:
            raise QueryError(f"hint must lead to at least one paragraph, got {query.hint!r}; say it in other words")
        why = "nothing was found, so every paragraph may be it"
        hits = [
            Hit(paragraph, score=0.0, relevance=0.0, rank=rank, strategy="course", slot="global", why=why)
            for rank, paragraph in enumerate(self._paragraphs, 1)
        ]
        return replace(result, hits=tuple(hits), relevant=False, answered_by="course")

    def _game_seed(self, start: RoundStart) -> int:
        """A number that is the same for the same round, so that a repeated ROUNDSTART gets the same questions."""
        key = f"{self._seed}|{start.book_name}|{start.hint}"
        return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")


def build_player(store: ParagraphStore, settings: Settings, seed: int = 0) -> Player:
    """A player over a store.

    Raises:
        EmbedderError: the store's embedder cannot be loaded.
        SettingsError: a strategy is unknown.
    """
    embedder = store_embedder(store, settings)
    orchestrator = build_orchestrator(store, settings, embedder)
    return Player(orchestrator, embedder, settings.game, seed, store.paragraphs)


def _padded(questions: tuple[Question, ...]) -> tuple[Question, ...]:
    """Exactly 20 questions: where the candidates' words do not give as many, true but idle ones follow."""
    spare = [
        Question(
            f"About how many sentences has the paragraph? (question {number})",
            ("one or two", "three or four", "five or six", "more than six"),
            "filler",
            frozenset({f"filler {number}"}),
        )
        for number in range(len(questions) + 1, N_QUESTIONS + 1)
    ]
    return questions + tuple(spare)


def _padded_cells(cells: IntArray, n_candidates: int) -> IntArray:
    idle = np.zeros((N_QUESTIONS - len(cells), n_candidates), dtype=np.int8)
    return np.vstack([cells.reshape(-1, n_candidates), idle])


_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-"})
_SPELT_SIGNS = {
    r"\bplus\b": "+",
    r"\bminus\s*": "-",
    r"\b(times|multiplied by)\b": "*",
    r"(?<=\d)\s*x\s*(?=[\d(-])": "*",
    r"\bdivided by\b": "/",
    r"(?<=\d),(?=\d{3}\b)": "",
    r"(?<![\d.])0+(?=\d)": "",
}
"""How signs and numbers are written in prose, and how in a sum; thousands' commas and leading zeros go."""
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _value(expression: str) -> float | None:
    """The value of a sum of numbers with + - * / and parentheses; None if it is not one."""
    plain = " ".join(expression[:200].split()).rstrip(".+-*/( ")
    while plain.endswith(")") and plain.count(")") > plain.count("("):
        plain = plain[:-1].rstrip()
    try:
        return _evaluate(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError, OverflowError):
        return None


def _evaluate(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluate(node.left), _evaluate(node.right))
    raise ValueError("not a sum")
