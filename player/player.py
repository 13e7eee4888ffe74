"""Player: answers the warm-up, chooses the questions and makes the guess, without any server."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from configs.settings import GameSettings, Settings
from ingest.arrays import Float64Array, IntArray, RowArray
from ingest.editions.piece import Piece
from ingest.paragraph import Paragraph
from ingest.store import Course
from player.answer.guess import associative_words, make_guess
from player.answer.ideas import Embed, Meanings
from player.answer.justify import Evidence, weigh_answers
from player.answer.sentence import best_opening
from player.errors import QueryError
from player.protocol.messages import Guess, RoundStart
from player.questions.answer import Answers
from player.questions.batch import choose_questions, fit_questions
from player.questions.belief import Posterior, update
from player.questions.candidates import Candidates
from player.questions.editions import edition_shares, likeness_of, with_editions
from player.questions.places import Places
from player.questions.prior import PriorModel, prior_of
from player.questions.question import FitArray, Question
from player.questions.referees import error_model_of
from player.questions.word_index import WordIndex, index_words
from player.search.build import build_orchestrator, require_strategies, store_embedder
from player.search.calibration import calibration_for
from player.search.orchestrator import SearchOrchestrator
from player.search.types import Hit, Query, SearchResult
from player.writer.rerank import rerank
from player.writer.tasks import ask_justifications, ask_words
from player.writer.writer import Writer, make_writer

MAX_WARMUP_CHARS = 2_000
"""The most characters of a warm-up question that are read; to find the sum takes quadratic time."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The player's state between its questions and its guess.

    Attributes:
        start: name, hint and domain.
        result: result of the search.
        places: places of the course.
        rows: (n_candidates,) places that the belief runs over, the likeliest before the answers first.
        prior: (n_candidates,) belief before the answers.
        questions: 20 of them.
        fits: (n_views, 20, n_candidates, 4) probability that a careful referee of that view finds each option fitting.
        questions_ms: milliseconds of the choice of the questions, after the search.
    """

    start: RoundStart
    result: SearchResult
    places: Places
    rows: RowArray
    prior: Float64Array
    questions: tuple[Question, ...]
    fits: FitArray
    questions_ms: float

    @property
    def keys(self) -> IntArray:
        """(n_candidates,) number of the opening sentence; candidates with equal opening sentences share it."""
        return self.places.keys[self.rows]

    def paragraph(self, row: int) -> Paragraph:
        """Return the passage of a candidate from its place on."""
        return self.places.paragraph(int(self.rows[row]))

    def hit(self, row: int) -> Hit:
        """Return the hit of a candidate, with its passage from its place on."""
        passages = self.places.passages_of(int(self.rows[row]))
        ranking = self.result.ranking
        assert ranking is not None
        ranked = np.flatnonzero(np.isin(ranking.rows, passages))
        found = ranking.hit(int(ranked[0]) if len(ranked) else len(ranking.rows) - 1)
        return replace(found, paragraph=self.paragraph(row))

    def row_of(self, sentence: str) -> int | None:
        """Return the row of the first candidate that begins with a sentence, or None."""
        found = np.flatnonzero(np.isin(self.rows, self.places.find(sentence)))
        return int(found[0]) if len(found) else None


@dataclass(frozen=True, slots=True)
class Decision:
    """The guess with the belief behind it.

    Attributes:
        belief: (n_candidates,) after the answers.
        confidence: belief in the guessed sentence, summed over all candidates that begin with it.
        referees: probability of each referee of the mixture after the answers, by name.
        best: row of the guessed candidate.
        evidence: evidence of the answers for the guess, strongest first.
        associations: candidates for the associative word, best first.
        decide_ms: milliseconds of the decision.
    """

    guess: Guess
    belief: Float64Array
    confidence: float
    referees: Mapping[str, float]
    best: int
    evidence: tuple[Evidence, ...]
    associations: tuple[str, ...]
    decide_ms: float


class Contestant(Protocol):
    """A player as the game loop calls it, from several threads at once; it holds no state of a game."""

    def answer_warmup(self, question: str) -> str:
        """Answer the warm-up question."""

    def plan(
        self, start: RoundStart, questions: Sequence[Question] | None = None
    ) -> Plan:
        """Search, and choose the questions unless they are given."""

    def decide(self, plan: Plan, answers: Answers) -> Decision:
        """Guess after the answers to the questions of the plan."""


class Player:
    """Plays the rounds of any number of games; holds no state of a game.

    Args:
        orchestrator: entry point of the search.
        settings: settings of the game.
        seed: seed of the questions; the same game and seed give the same questions.
        embed: embeds what the associative word is chosen by, and hints for pieces without passages; None does without.
        writer: re-ranks passages, and writes words and justifications; None does without.
        nats: log-odds of a cosine of 1 between a piece without passages and the hint.

    Attributes:
        orchestrator: as given.
        prior_model: parameters of the belief before the questions.
    """

    def __init__(
        self,
        orchestrator: SearchOrchestrator,
        settings: GameSettings,
        seed: int = 0,
        embed: Embed | None = None,
        writer: Writer | None = None,
        nats: float = 0.0,
    ) -> None:
        self._writer = writer
        self._meanings = embed and Meanings(embed)
        self._embed = embed
        self._nats = nats
        self.orchestrator = orchestrator
        self._settings = settings
        self._seed = seed
        self._read: tuple[Sequence[Paragraph], WordIndex] | None = None
        self._model = error_model_of(settings)
        self.prior_model = PriorModel(
            settings.prior_temperature,
            settings.prior_floor,
            {
                "filter": settings.prior_filter_share,
                "boost": settings.prior_boost_share,
            },
        )

    def index_of(
        self, paragraphs: Sequence[Paragraph], pieces: Sequence[Piece] = ()
    ) -> WordIndex:
        """Return the words of a course and its other editions, indexed again if the store has changed."""
        if self._read is None or self._read[0] is not paragraphs:
            self._read = paragraphs, index_words(paragraphs, pieces)
        return self._read[1]

    def answer_warmup(self, question: str) -> str:
        """Return the result of the sum in a question such as "What is 7 * 8?", "0" without a sum."""
        text = question[:MAX_WARMUP_CHARS].lower().translate(_SIGNS)
        for pattern, sign in _SPELT_SIGNS.items():
            text = re.sub(pattern, sign, text)
        for found in sorted(
            re.findall(r"[-(]*\d[\d\s.+*/()-]*", text), key=len, reverse=True
        ):
            value = _value(found)
            if value is not None:
                return str(int(value)) if float(value).is_integer() else f"{value:.10g}"
        return "0"

    def plan(
        self, start: RoundStart, questions: Sequence[Question] | None = None
    ) -> Plan:
        """Search and choose the 20 questions; if the search finds nothing, every paragraph is a candidate.

        Args:
            questions: None designs them.

        Raises:
            QueryError: nothing was found, and the course has no paragraph.
        """
        result = self.candidates(start)
        assert result.ranking is not None
        index = self.index_of(result.ranking.course, result.ranking.pieces)
        began = time.perf_counter()
        printed = prior_of(result, index.places, self.prior_model)
        shares = edition_shares(result, index, dict(start.editions))
        likeness = self._likeness(index.places.pieces, start.hint)
        prior = with_editions(printed, index, start.hint, shares, likeness)
        if self._writer:
            prior = rerank(prior, index.places, start, self._writer.reply)
        rows = np.argsort(-prior, kind="stable")[: self._settings.candidates or None]
        rows = rows[prior[rows] > 0.0]
        prior = prior[rows] / prior[rows].sum()
        candidates = Candidates(index, rows, prior, f"{start.book_name}. {start.hint}")
        if questions is None:
            pool_size = self._settings.questions_pool
            questions = choose_questions(
                candidates, self._model, pool_size, self._game_seed(start)
            )
        fits = fit_questions(questions, candidates)
        if self._meanings:
            with contextlib.suppress(Exception):  # the word is worth less than the game
                self._meanings.read(start.association_domain)
        questions_ms = 1000.0 * (time.perf_counter() - began)
        return Plan(
            start,
            result,
            index.places,
            rows,
            prior,
            tuple(questions),
            fits,
            questions_ms,
        )

    def _likeness(self, pieces: Sequence[Piece], hint: str) -> dict[int, float]:
        """Return the log-odds of the pieces without passages by the hint; {} if it cannot be embedded."""
        if self._embed is not None and any(piece.vector for piece in pieces):
            with contextlib.suppress(Exception):  # the search says what is wrong
                return likeness_of(pieces, self._embed([hint])[0], self._nats)
        return {}

    def posterior(self, plan: Plan, answers: Answers) -> Posterior:
        """Return the belief after the answers, without a guess.

        Args:
            answers: (20,) as `protocol.read_answers` returns them.
        """
        kinds = [question.kind for question in plan.questions]
        pieces = plan.rows >= plan.places.n_printed
        return update(plan.prior, plan.fits, kinds, answers, self._model, pieces)

    def decide(self, plan: Plan, answers: Answers) -> Decision:
        """Guess after the answers.

        Args:
            answers: (20,) as `protocol.read_answers` returns them.
        """
        started = time.perf_counter()
        found = self.posterior(plan, answers)
        belief = found.belief
        opening, best, confidence = best_opening(belief, plan.rows, plan.places)
        paragraph = replace(plan.paragraph(best), opening_sentence=opening)
        evidence = weigh_answers(
            best, paragraph, plan.prior, plan.questions, found.support, answers
        )
        domain = plan.start.association_domain
        ask = self._writer and self._writer.reply
        named = ask_words(plan.start, paragraph, ask) if ask else ()
        associations = associative_words(
            paragraph, domain, plan.start.hint, self._meanings, named
        )
        guess = make_guess(paragraph, evidence, domain, confidence, associations)
        if ask:
            word = guess.associative_word
            reasons = ask_justifications(paragraph, word, domain, evidence, ask)
            guess = replace(
                guess,
                sentence_justification=reasons[0] or guess.sentence_justification,
                word_justification=reasons[1] or guess.word_justification,
            )
        names = [referee.name for referee in self._model.referees]
        referees = dict(zip(names, found.referees.tolist(), strict=True))
        elapsed_ms = 1000.0 * (time.perf_counter() - started)
        return Decision(
            guess,
            belief,
            confidence,
            referees,
            best,
            tuple(evidence),
            tuple(associations),
            elapsed_ms,
        )

    def candidates(self, start: RoundStart) -> SearchResult:
        """Search, and rank the paragraphs that the belief runs over: those found, then the rest of the course.

        Raises:
            QueryError: nothing was found, and the course has no paragraph.
        """
        k = self._settings.candidates or None
        query = Query(start.hint or start.book_name, start.book_name, k)
        result = self.orchestrator.candidates(query)
        if result.ranking is None or not len(result.ranking.rows):
            raise QueryError(
                f"hint must lead to at least one paragraph, got {query.hint!r}; say it in other words"
            )
        return result

    def _game_seed(self, start: RoundStart) -> int:
        """Return the seed of a round, so that a repeated ROUNDSTART gets the same questions."""
        key = f"{self._seed}|{start.book_name}|{start.hint}"
        return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")


def build_player(
    store: Course,
    settings: Settings,
    seed: int = 0,
) -> Player:
    """Make a player for the course of a store.

    Args:
        seed: seed of the questions.

    Raises:
        EmbedderError: the store's embedder cannot be loaded.
        SettingsError: a strategy is unknown, or the writer cannot be called.
    """
    require_strategies(settings.search)
    embedder = store_embedder(store, settings)
    orchestrator = build_orchestrator(store, settings, embedder)
    return Player(
        orchestrator,
        settings.game,
        seed,
        embedder.embed_queries,
        make_writer(settings.game),
        calibration_for(store).dense.nats,
    )


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
"""Signs in words and in a sum; commas of thousands and leading zeros are dropped."""
_SUM_NODES = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Constant,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.USub,
)
"""Nodes of a sum; an expression of other nodes is never evaluated."""


def _value(expression: str) -> float | None:
    """Return the value of a sum of numbers with + - * / and parentheses; None for anything else."""
    plain = " ".join(expression[:200].split()).rstrip(".+-*/( ")
    while plain.endswith(")") and plain.count(")") > plain.count("("):
        plain = plain[:-1].rstrip()
    try:
        tree = ast.parse(plain, mode="eval")
        if not all(isinstance(node, _SUM_NODES) for node in ast.walk(tree)):
            return None
        found: float = eval(compile(tree, "", "eval"), {"__builtins__": {}})
        return found
    except (
        SyntaxError,
        ValueError,
        ZeroDivisionError,
        RecursionError,
        MemoryError,
        OverflowError,
    ):
        return None
