"""The cascade of one search: run strategies in parallel and fuse their scores, step by step until a step answers."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from concurrent.futures import wait
from dataclasses import dataclass, replace

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.ingest.arrays import AnyFloatArray, BoolArray, IntArray
from quarry.player.deadlines import Call, Runner
from quarry.player.errors import AllStrategiesFailedError, SearchError
from quarry.player.search.core import (
    FARTHEST,
    NOT_FOUND,
    Named,
    Scored,
    answering,
    book_log_odds,
    name_evidence,
    probabilities,
    score_step,
    threshold_log_odds,
)
from quarry.player.search.index import SearchIndex, ask
from quarry.player.search.slots import n_slots, slotted, slotted_with_rare_words
from quarry.player.search.strategies.keyword import Keyword
from quarry.player.search.types import BookCandidate, Hit, Query, Ranking, SearchResult, Step

NAME_FIRST_S = 0.01
"""Strategies wait so long for the book's name: two threads of Python code at once slow both down."""
KEYWORDS_S = 1.0
"""Keyword search has this timeout in seconds after all other strategies were late; it takes a millisecond."""
AS_FALLBACK = ", as a fallback"
IN_BOOK, IN_COURSE = "in the resolved book", "over the whole course"
NOT_FOUND_BY_SEARCH = "not found by the search, kept in the belief"
NOTHING_WAS_FOUND = "nothing was found, so every paragraph may be it"
"""These are reasons of hits that a game gets because it asks for every paragraph."""


@dataclass(frozen=True, eq=False)
class CascadeStep:
    """Result of one step of the cascade.

    Attributes:
        index: the index that was searched.
        log_odds: (n_columns,) final log-odds, with duplicates merged.
        chosen: (n_chosen,) columns that are returned, in order.
        in_book: (n_chosen,) whether each takes a slot of the book.
        inside: (n_columns,) whether each paragraph is in the named book.
        filters: whether the named book filters.
        fused: scores of all strategies, fused.
        scored: scores of each strategy.
        lift: log-odds that were added to the named book's paragraphs.
        why: end of the reason of every hit.
    """

    name: Step
    index: SearchIndex
    log_odds: AnyFloatArray
    chosen: IntArray
    in_book: BoolArray
    inside: BoolArray
    filters: bool
    fused: Scored
    scored: Sequence[Scored]
    lift: float
    why: str = ""

    @property
    def best(self) -> float:
        """Log-odds of the best returned paragraph."""
        return float(self.log_odds[self.chosen].max(initial=NOT_FOUND))

    @property
    def rows(self) -> IntArray:
        """(n_chosen,) rows of the returned paragraphs in the course."""
        rows: IntArray = self.index.columns.rows[self.chosen]
        return rows

    def hits(self, level: float, place: int | None = None) -> tuple[Hit, ...]:
        """Make the hit at one place of `chosen`, or the hits at all of them.

        Args:
            level: log-odds from which a hit is relevant.
        """
        chosen = slice(None) if place is None else slice(place, place + 1)
        columns, in_book = self.chosen[chosen], self.in_book[chosen]
        log_odds = self.log_odds[columns]
        found = [
            [f"rank {rank} by {item.strategy}" if there else "" for rank, there in zip(ranks, known, strict=True)]
            for item, (course, book) in zip(self.scored, self._ranks, strict=False)
            for ranks in [np.where(in_book, book[columns], course[columns]).tolist()]
            for known in [(item.log_odds[0, columns] > NOT_FOUND).tolist()]
        ]
        course, book = self._ranks[-1]
        return tuple(
            Hit(
                self.index.paragraphs[row],
                score,
                relevance,
                rank,
                self.fused.strategy,
                "book" if is_book else "global",
                ", ".join([*filter(None, who), IN_BOOK if is_book else IN_COURSE]) + self.why,
                relevant,
                self.index.copies.get(column, ()),
            )
            for column, row, score, relevance, rank, is_book, relevant, *who in zip(
                columns.tolist(),
                self.index.columns.rows[columns].tolist(),
                self.fused.scores[0, columns].tolist(),
                probabilities(log_odds).tolist(),
                np.where(in_book, book[columns], course[columns]).tolist(),
                in_book.tolist(),
                (log_odds >= level).tolist(),
                *found,
                strict=True,
            )
        )

    @functools.cached_property
    def _ranks(self) -> list[tuple[IntArray, IntArray]]:
        fused = [self.fused] if len(self.scored) > 1 else []
        return [self._ranks_of(item) for item in (*self.scored, *fused)]  # the fused ones last

    def _ranks_of(self, item: Scored) -> tuple[IntArray, IntArray]:
        """Return (n_columns,) a strategy's ranks from 1, in the course and in the named book."""
        order = np.argsort(np.where(item.log_odds[0] > NOT_FOUND, -item.scores[0], np.inf), kind="stable")
        course, book = np.empty((2, len(order)), dtype=np.int64)
        course[order] = np.arange(1, len(order) + 1)
        book[order] = np.cumsum(self.inside[order])
        return course, book


class Cascade:
    """One search over one state of a store.

    Args:
        query: a query whose `keywords` is not None.
        started: `time.perf_counter()` at the start of the search.
        everything: also rank every paragraph of the course, up to the query's k: first those found in the book, then
            the others found, by relevance, then the rest. No error is raised if every strategy fails or the hint is
            empty.
    """

    def __init__(
        self,
        index: SearchIndex,
        settings: SearchSettings,
        runner: Runner,
        query: Query,
        started: float,
        *,
        everything: bool = False,
    ) -> None:
        self._index = index
        self._settings = settings
        self._k = n_slots(settings, query.k if not everything else None)
        self._everything = everything
        self._runner = runner
        self._query = query
        self._started = started
        self._deadline = time.monotonic() + settings.deadline_s - (time.perf_counter() - started)
        self._calls: dict[tuple[str, str], Call[Scored]] = {}
        self._scored: dict[tuple[str, str], Scored] = {}
        self._embed_ms: list[float] = [0.0]
        self._failures: dict[str, SearchError] = {}
        self._naming: Call[BookCandidate | None] | None = None

    def result(self) -> SearchResult:
        """Return the result of the step that answers, or of the first step if no step answers.

        Raises:
            AllStrategiesFailedError: no strategy answered.
        """
        settings = self._settings
        lowered = settings.lowered_threshold if settings.cascade else settings.threshold
        steps = self._steps() if self._query.hint.strip() else []
        if not steps:
            failures = tuple(self._failures.values())
            if not self._everything:
                raise AllStrategiesFailedError(failures)
            return SearchResult(
                self._query,
                (),
                self.book,
                failures,
                "course",
                False,
                ranking=self._ranking(None, 0.0),
                search_ms=self._elapsed_ms,
            )
        answer = int(answering([np.array([step.best]) for step in steps], settings.threshold, lowered)[0])
        step = steps[max(answer, 0)]
        passed = answer >= 0 and step.best >= threshold_log_odds(settings.threshold)
        threshold = settings.threshold if passed else lowered
        level = threshold_log_odds(threshold)
        answered_by: Step = "" if answer < 0 else step.name if passed else "lowered"
        if self._everything and not len(step.chosen):
            answered_by = "course"
        if not self._everything and settings.cascade and self._query.keywords in ("fallback", "fused"):
            hits = self._with_rare_words(step, level)
            if any(hit.relevant for hit in hits) and (answer < 0 or hits[0].why.endswith(AS_FALLBACK)):
                answered_by = "fallback"
        else:
            hits = step.hits(level)
        embed_ms = max(self._embed_ms)
        return SearchResult(
            query=self._query,
            hits=hits,
            book=self.book,
            failures=tuple(self._failures.values()),
            answered_by=answered_by,
            relevant=bool(answered_by not in ("", "course")),
            boost=step.lift,
            threshold=threshold,
            calibrated=self._index.calibrated,
            ranking=self._ranking(step, level) if self._everything else None,
            embed_ms=embed_ms,
            search_ms=max(0.0, self._elapsed_ms - embed_ms),
        )

    @property
    def _elapsed_ms(self) -> float:
        return 1000.0 * (time.perf_counter() - self._started)

    @functools.cached_property
    def book(self) -> BookCandidate | None:
        """The document that the query's book name refers to."""
        if self._naming is None:
            return None
        found = self._naming.value()
        if self._naming.failure is not None:
            self._failures["book name"] = self._naming.failure
        return found

    @property
    def _taken(self) -> BookCandidate | None:
        """The book, if it filters or is boosted."""
        return self.book if self.book is not None and self.book.tier != "none" else None

    def _steps(self) -> list[CascadeStep]:
        """Run the step of all strategies, and the fallback if that step does not pass the threshold."""
        settings = self._settings
        if settings.book_match != "off":
            self._name_book()
        step = self._step("original", self._query, self._names)
        if step is None and not self._everything:
            return [found] if (found := self._instead()) else []
        if step is not None and (not settings.cascade or step.best >= threshold_log_odds(settings.threshold)):
            return [step]
        fallback = None
        if settings.cascade and self._query.keywords == "fallback" and "keyword" in self._index.strategies:
            fallback = self._step("fallback", self._query, ("keyword",), why=AS_FALLBACK)
        return [found for found in (step, fallback) if found is not None]

    def _name_book(self) -> None:
        """Start to resolve the book's name; the strategies start when it is resolved, or after a moment."""
        query, settings, index = self._query, self._settings, self._index
        self._load(self._names)
        resolve = functools.partial(index.book, query.book_name, settings, query.hint)
        self._naming = self._runner.start("book name", resolve, self._deadline)
        wait([self._naming], NAME_FIRST_S)
        for name in self._names:
            self._start(name, query)

    @property
    def _names(self) -> tuple[str, ...]:
        """Names of the strategies to run for the query, in declared order."""
        names = self._settings.strategies
        if self._query.keywords == "fused" and "keyword" in self._index.strategies and "keyword" not in names:
            return (*names, "keyword")
        return names

    def _instead(self) -> CascadeStep | None:
        """Search by keywords because every strategy has failed; return None if keyword search was one of them."""
        if "keyword" not in self._index.strategies or "keyword" in self._failures:
            return None
        self._deadline = max(self._deadline, time.monotonic() + KEYWORDS_S)
        return self._step("fallback", self._query, ("keyword",), why=", since all other strategies failed")

    def _with_rare_words(self, step: CascadeStep, level: float) -> tuple[Hit, ...]:
        """Return the hits of a step, with paragraphs that hold rare words of the hint which no hit holds.

        Names come first: if a missing word is a name, only names are searched for.
        """
        keyword, hint = self._index.strategies.get("keyword"), self._query.hint
        if not isinstance(keyword, Keyword):
            return step.hits(level)
        held, is_fallback = frozenset(step.rows.tolist()), self._query.keywords == "fallback"
        missing = {word: rows for word, rows in keyword.rare(hint, parts=is_fallback).items() if not rows & held}
        names = [word for word, rows in missing.items() if is_fallback and keyword.is_name(word, rows)]
        query = replace(self._query, hint=" ".join(names) or hint)
        found = self._step("fallback", query, ("keyword",), why=AS_FALLBACK) if missing else None
        if found is None:
            return step.hits(level)
        columns = self._index.columns
        rare = np.isin(columns.rows, list(frozenset().union(*(missing[word] for word in names or missing))))
        log_odds, chosen, in_book, added = slotted_with_rare_words(
            step.log_odds,
            found.log_odds,
            rare,
            step.inside if step.filters else None,
            columns,
            self._settings,
            self._k,
            step.lift,
            names=bool(names),
        )
        merged = replace(step, log_odds=log_odds, chosen=chosen, in_book=in_book)
        others = replace(found, log_odds=log_odds, chosen=chosen, in_book=in_book)
        return tuple(
            other if column in added else hit
            for column, hit, other in zip(chosen, merged.hits(level), others.hits(level), strict=True)
        )

    def _step(self, name: Step, query: Query, strategies: Sequence[str], *, why: str = "") -> CascadeStep | None:
        """Run the strategies, fuse scores, add the priors of kinds, merge duplicates, and fill the slots.

        Return None if all strategies fail.

        Args:
            name: name of the step; "original" becomes the tier of the book if a hit is in the book.
        """
        scored = self._asked(query, strategies)
        if not scored:
            return None
        settings, index, book = self._settings, self._index, self._taken
        inside = index.columns.inside(book.doc_id if book else "")
        lift = settings.boost * book_log_odds(book.confidence, int(inside.sum()), len(inside)) if book else 0.0
        named = Named(inside[None, :], np.array([lift]), np.array([self._evidence]))
        filters = book is not None and book.tier == "filter"
        weights = index.calibration.fused
        fused, merged = score_step(
            scored, named, index.kind_priors, index.columns, np.array([filters]), settings, weights
        )
        chosen, in_book = slotted(merged[0], inside if filters else None, settings, self._k, lift)
        if name == "original" and inside[chosen].any():
            name = "filter" if filters else "boost"
        return CascadeStep(name, index, merged[0], chosen, in_book, inside, filters, fused, scored, lift, why)

    @property
    def _evidence(self) -> float:
        """Log-odds that the course holds the paragraph, from whether the book's name was resolved."""
        if self._settings.book_match != "resolved":
            return 0.0
        calibration, book = self._index.calibration, self._taken
        confidence, taken = np.array([book.confidence if book else 0.0]), np.array([book is not None])
        has_name = np.array([bool(self._query.book_name.strip())])
        return float(name_evidence(confidence, taken, has_name, calibration.named, calibration.unnamed)[0])

    def _asked(self, query: Query, names: Sequence[str]) -> list[Scored]:
        """Return the scores of each strategy that has not failed, in order; run each once for the same hint."""
        missing = [name for name in names if name not in self._failures and (name, query.hint) not in self._scored]
        self._load(missing)
        for name in missing:
            self._start(name, query)
        for name in missing:
            call = self._calls[name, query.hint]
            scored = call.value()
            if call.failure is not None:
                self._failures[name] = call.failure
            if scored is not None:
                self._scored[name, query.hint] = scored
        return [self._scored[name, query.hint] for name in names if (name, query.hint) in self._scored]

    def _load(self, names: Sequence[str]) -> None:
        """Load the indexes of strategies, and move the deadline by the time that this takes."""
        started = time.monotonic()
        for name in names:
            self._index.strategies[name].load()
        self._deadline += time.monotonic() - started

    def _start(self, name: str, query: Query) -> None:
        """Start a strategy in a new thread, unless it has run for this hint."""
        if (name, query.hint) in self._calls:
            return

        def work() -> Scored:
            started = time.perf_counter()
            self._index.strategies[name].prepare(query)
            self._embed_ms.append(1000.0 * (time.perf_counter() - started))
            return ask(self._index, name, query, self._taken.doc_id if self._taken else "")

        self._calls[name, query.hint] = self._runner.start(name, work, self._deadline)

    def _ranking(self, step: CascadeStep | None, level: float) -> Ranking:
        """Rank every paragraph, up to the query's k: those found in the book that filters, others found, the rest."""
        course, whole = self._index.paragraphs, None
        found = np.empty(0, dtype=np.int64)
        log_odds = np.full(len(course), -FARTHEST)
        if step is not None:
            in_book = step.inside & step.filters
            order = np.lexsort((-step.log_odds, ~in_book))
            order = order[step.log_odds[order] > NOT_FOUND]
            whole = replace(step, chosen=order, in_book=in_book[order])
            found = whole.rows
            priors = self._index.kind_priors
            by_hint = step.log_odds if priors is None else step.log_odds - priors
            log_odds[: len(found)] = np.maximum(by_hint[order], -FARTHEST)
        left = np.ones(len(course), dtype=np.bool_)
        left[found] = False
        rows = np.concatenate([found, np.flatnonzero(left)])[: self._query.k]
        why = NOT_FOUND_BY_SEARCH if len(found) else NOTHING_WAS_FOUND

        def hit(place: int) -> Hit:
            if whole is not None and place < len(found):
                return whole.hits(level, place)[0]
            rank = place - len(found) + 1
            return Hit(course[rows[place]], 0.0, 0.0, rank, "course", "global", why, relevant=False)

        return Ranking(course, rows, log_odds[: len(rows)], hit)
