"""Player: answers the warm-up, chooses the questions and makes the guess. It knows no server."""

import contextlib
import hashlib
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

import numpy as np

from configs.settings import GameSettings, Settings
from player.answer import Answers
from player.belief.editions import LIKENESS_WEIGHT, edition_shares, with_editions
from player.belief.places import Places
from player.belief.posterior import Posterior, update
from player.belief.prior import compute_prior
from player.belief.referees import mixture
from player.belief.word_index import WordIndex, index_words
from player.deadlines import Runner, due_after_share
from player.errors import QueryError, SearchError
from player.guess.ideas import Embed, Ideas
from player.guess.justification import (
    Evidence,
    justify_sentence,
    justify_word,
    weigh_answers,
)
from player.guess.opening import best_opening
from player.guess.word import associative_words
from player.question import N_QUESTIONS, FitArray, Question
from player.questions.batch import choose_questions, fit_questions
from player.questions.candidates import Candidates
from player.questions.kinds import WRONG_BY_KIND
from player.round import Guess, RoundStart
from player.search.available import find_strategies
from player.search.build import build_orchestrator
from player.search.calibration import course_calibration
from player.search.engine import SearchOrchestrator
from player.search.results import Hit, Query, SearchResult
from player.search.stores import store_embedder
from player.warmup import answer_warmup
from player.writer.rerank import rerank
from player.writer.tasks import ask_justifications, ask_words
from player.writer.writer import Writer, make_writer
from quarry.arrays import Float32Array, Float64Array, IntArray, RowArray
from quarry.course.paragraph import Paragraph
from quarry.course.piece import Piece
from quarry.store import Course
from quarry.terminal import describe_error
from quarry.threads import start_in_thread

_log = logging.getLogger(__name__)
MAX_LOADING_S = 120.0
"""Maximum number of seconds that `Player.preload` waits."""
EMBED_SHARE = 0.25
"""Maximum share of the time until a reply is due that a call of the embedder may take."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The player's state between its questions and its guess.

    Attributes:
        start: name of the book, hint and domain.
        result: result of the search.
        places: places of the course.
        candidate_places: (n_candidates,) the place of each candidate, the likeliest before the answers first.
        prior: (n_candidates,) belief before the answers.
        questions: the 20 questions.
        fits: (n_views, 20, n_candidates, 4) probability that a careful referee of that view finds each option fitting.
        questions_ms: milliseconds that the choice of the questions took, without the search.
    """

    start: RoundStart
    result: SearchResult
    places: Places
    candidate_places: RowArray
    prior: Float64Array
    questions: tuple[Question, ...]
    fits: FitArray
    questions_ms: float

    @property
    def sentence_ids(self) -> IntArray:
        """(n_candidates,) number of the opening sentence; candidates with equal opening sentences share it."""
        return self.places.sentence_ids[self.candidate_places]

    def as_paragraph(self, candidate: int) -> Paragraph:
        """Return the paragraph of a candidate from its place on."""
        return self.places.as_paragraph(int(self.candidate_places[candidate]))

    def piece(self, candidate: int) -> Piece | None:
        """Return the piece of a candidate; None for one in a paragraph."""
        return self.places.piece(int(self.candidate_places[candidate]))

    def hit(self, candidate: int) -> Hit:
        """Return the hit of a candidate's best paragraph, with its text from the place on."""
        order = self.result.course_order
        assert order is not None
        rows = self.places.held_rows(int(self.candidate_places[candidate]))
        paragraph = self.as_paragraph(candidate)
        return replace(order.best_hit(rows), paragraph=paragraph)

    def find_candidate(self, sentence: str) -> int | None:
        """Return the first candidate that begins with a sentence, None if there is none."""
        begins = np.isin(self.candidate_places, self.places.find(sentence))
        return int(begins.argmax()) if begins.any() else None


@dataclass(frozen=True, slots=True)
class Decision:
    """The guess, and the belief that it follows from.

    Attributes:
        guess: the guess; its confidence is the belief in the sentence, summed over all candidates that begin with it.
        belief: (n_candidates,) belief after the answers.
        best: the guessed candidate; -1 if there are no candidates.
        evidence: evidence of the answers for the guess, strongest first.
        associations: possible associative words, best first.
        decide_ms: milliseconds that the decision took.
    """

    guess: Guess
    belief: Float64Array
    best: int
    evidence: Sequence[Evidence]
    associations: Sequence[str]
    decide_ms: float = 0.0


class Contestant(Protocol):
    """A player as the game loop calls it, from several threads at once; it keeps no state of a game."""

    def answer_warmup(self, question: str) -> str:
        """Answer the warm-up question."""
        ...

    def plan(
        self, start: RoundStart, questions: Sequence[Question] | None = None
    ) -> Plan:
        """Search, and choose the questions unless the caller passes them."""
        ...

    def decide(self, plan: Plan, answers: Answers) -> Decision:
        """Guess after the answers to the questions of the plan."""
        ...


class Player:
    """Plays the rounds of any number of games; it keeps no state of a game.

    Args:
        orchestrator: entry point of the search.
        settings: settings of the game.
        seed: seed of the questions; the same game and seed give the same questions.
        embed: embeds ideas for the associative word, and hints to compare with pieces of other editions; None skips
            both.
        writer: re-ranks paragraphs, and writes words and justifications; None skips these steps.
        log_odds_per_similarity: log-odds of a cosine of 1 between a piece of another edition and the hint.
    """

    def __init__(
        self,
        orchestrator: SearchOrchestrator,
        settings: GameSettings,
        *,
        seed: int = 0,
        embed: Embed | None = None,
        writer: Writer | None = None,
        log_odds_per_similarity: float = 0.0,
    ) -> None:
        self.orchestrator = orchestrator
        self._settings = settings
        self._seed = seed
        self._embed = embed and _limit_time(embed)
        self._ideas = Ideas(self._embed)
        self._writer = writer
        self._log_odds_per_similarity = log_odds_per_similarity
        self._mixture = mixture(WRONG_BY_KIND)
        self._word_index: WordIndex | None = None

    answer_warmup = staticmethod(answer_warmup)

    def preload(self) -> None:
        """Rehearse two rounds without a writer, so that everything is loaded before the first game.

        The first goes up to its questions. A failure is logged. After MAX_LOADING_S the rehearsal goes on while the
        first game begins.
        """
        try:  # in a thread, which is used again for the first round
            start_in_thread(self._rehearse).result(MAX_LOADING_S)
        except Exception as error:
            _log.warning("loading failed: %s", describe_error(error))

    def _rehearse(self) -> None:
        start = RoundStart("", "", "an idea and an example of it", "science")
        paragraphs = self.plan(start, asks_writer=False).places.paragraphs
        middle = paragraphs[len(paragraphs) // 2]
        start = replace(start, book_name=middle.doc_id, hint=middle.opening_sentence)
        plan = self.plan(start, asks_writer=False)
        self.decide(plan, ["A"] * N_QUESTIONS, asks_writer=False)

    def plan(
        self,
        start: RoundStart,
        questions: Sequence[Question] | None = None,
        *,
        asks_writer: bool = True,
    ) -> Plan:
        """Search and choose the 20 questions; if the search finds nothing, every paragraph is a candidate.

        Args:
            questions: None designs them.
            asks_writer: let the writer re-rank paragraphs, if there is one.

        Raises:
            QueryError: the search finds nothing, and the course has no paragraph.
        """
        result = self.search(start)
        order = result.course_order
        assert order is not None
        paragraphs = order.paragraphs
        index = self._word_index
        # the store may have changed
        if index is None or index.places.paragraphs is not paragraphs:
            self._word_index = index = index_words(paragraphs, order.pieces)
        began = time.perf_counter()
        prior = self._prior(start, result, index)
        if self._writer and asks_writer:
            prior = rerank(prior, index.places, start, self._writer.reply)
        likeliest = np.argsort(-prior, kind="stable")
        candidate_places = likeliest[prior[likeliest] > 0.0]
        prior = prior[candidate_places] / prior[candidate_places].sum()

        candidates = Candidates(
            index, candidate_places, prior, f"{start.book_name}. {start.hint}"
        )
        if questions is None:
            # a repeated ROUNDSTART gets the same questions
            key = f"{self._seed}|{start.book_name}|{start.hint}"
            seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")
            pool_size = self._settings.questions_pool
            questions = choose_questions(candidates, pool_size, seed)

        fits = fit_questions(questions, candidates)
        with contextlib.suppress(SearchError):  # the guess tries it again
            self._ideas.find_words(start.association_domain)
        return Plan(
            start=start,
            result=result,
            places=index.places,
            candidate_places=candidate_places,
            prior=prior,
            questions=tuple(questions),
            fits=fits,
            questions_ms=1000.0 * (time.perf_counter() - began),
        )

    def _prior(
        self, start: RoundStart, result: SearchResult, index: WordIndex
    ) -> Float64Array:
        """Return the (n_places,) belief before the writer re-ranks paragraphs."""
        places = index.places
        likeness = np.zeros(len(places.pieces))
        if self._embed and len(likeness):
            weight = LIKENESS_WEIGHT * self._log_odds_per_similarity
            with contextlib.suppress(SearchError):  # which the search reports
                hint = self._embed([start.hint])[0]
                if len(hint) == places.vectors.shape[1]:  # else of another embedder
                    likeness = weight * (places.vectors @ hint)

        printed = compute_prior(result, places, self._settings)
        shares = edition_shares(result, index, dict(start.editions))
        return with_editions(printed, index, start.hint, shares, likeness)

    def posterior(self, plan: Plan, answers: Answers) -> Posterior:
        """Return the belief after the answers.

        Args:
            answers: (20,) as `read_answers` of player/game/messages.py returns them.
        """
        return update(
            plan.prior,
            plan.fits,
            plan.questions,
            answers,
            self._mixture,
            is_raw=plan.candidate_places >= plan.places.n_printed,
        )

    def decide(
        self, plan: Plan, answers: Answers, *, asks_writer: bool = True
    ) -> Decision:
        """Make the guess after the answers.

        Args:
            answers: (20,) as in `posterior`.
            asks_writer: let the writer propose words and justifications, if there is one.
        """
        began = time.perf_counter()
        posterior = self.posterior(plan, answers)
        belief = posterior.belief
        opening, best, confidence = best_opening(
            belief, plan.candidate_places, plan.places
        )
        paragraph = replace(plan.as_paragraph(best), opening_sentence=opening)
        support = posterior.support
        evidence = weigh_answers(
            best, paragraph, plan.prior, plan.questions, support, answers
        )

        start = plan.start
        writer = self._writer if asks_writer else None
        proposals = ask_words(start, paragraph, writer.reply) if writer else ()
        associations = associative_words(
            paragraph, start.association_domain, start.hint, self._ideas, proposals
        )
        word = associations[0]
        guess = Guess(
            opening_sentence=opening,
            sentence_justification=justify_sentence(evidence, confidence),
            associative_word=word,
            word_justification=justify_word(evidence, word, start.association_domain),
            confidence=confidence,
        )
        if writer:
            guess = ask_justifications(guess, paragraph, start, evidence, writer.reply)
        return Decision(
            guess=guess,
            belief=belief,
            best=best,
            evidence=evidence,
            associations=associations,
            decide_ms=1000.0 * (time.perf_counter() - began),
        )

    def search(self, start: RoundStart) -> SearchResult:
        """Search, and rank the paragraphs that the belief runs over: the hits, then the rest of the course.

        `game.candidates` is the maximum number of paragraphs; 0 takes only the hits, if there are any. All places of a
        paragraph are candidates, and so are those of the other editions.

        Raises:
            QueryError: the search finds nothing, and the course has no paragraph.
        """
        k = self._settings.candidates or None
        query = Query(start.hint or start.book_name, start.book_name, k)
        result = self.orchestrator.rank_course(query)
        order = result.course_order
        if order is None or not len(order.rows):
            raise QueryError(
                f"the hint {query.hint!r} leads to no paragraph; say it in other words"
            )

        n = k or len(result.hits) or None
        order = replace(order, rows=order.rows[:n], log_odds=order.log_odds[:n])
        return replace(result, course_order=order)


def _limit_time(embed: Embed) -> Embed:
    """Return the function with a timeout of a share of the time until the reply of the calling thread is due.

    It raises `SearchError` if the embedder fails or is late.
    """
    runner = Runner()

    def embed_in_time(texts: Sequence[str]) -> Float32Array:
        deadline = due_after_share(EMBED_SHARE)
        try:
            if deadline == inf:
                return embed(texts)
            call = runner.start("embedder", lambda: embed(texts), deadline)
            return call.result(call.remaining_s)
        except Exception as error:  # a user's own embedder may raise any exception
            raise SearchError("embedder", describe_error(error)) from error

    return embed_in_time


def build_player(course: Course, settings: Settings, seed: int = 0) -> Player:
    """Build a player for the course of a store.

    Args:
        seed: seed of the questions.

    Raises:
        EmbedderError: the store's embedder cannot be loaded.
        SettingsError: a strategy is unknown, or the writer cannot be called.
    """
    find_strategies(settings.search)  # before the embedder is loaded
    embedder = store_embedder(course, settings)
    return Player(
        build_orchestrator(course, settings, embedder),
        settings.game,
        seed=seed,
        embed=embedder.embed_queries,
        writer=make_writer(settings.game),
        log_odds_per_similarity=course_calibration(
            course
        ).dense.log_odds_per_similarity,
    )
