"""One search: strategies asked side by side and brought to the core's columns, step by step until one answers."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.ingest.arrays import AnyFloatArray
from quarry.ingest.paragraph import Paragraph
from quarry.player.deadlines import Call, Runner
from quarry.player.errors import AllStrategiesFailedError, SearchError
from quarry.player.search.cascade_step import CascadeStep
from quarry.player.search.core import (
    NOT_FOUND,
    Columns,
    Named,
    Scored,
    answering,
    book_log_odds,
    can_still_pass,
    columns_of,
    name_evidence,
    score_step,
    slots_of,
    slotted,
    threshold_log_odds,
)
from quarry.player.search.index import SearchIndex
from quarry.player.search.references import confidence_of
from quarry.player.search.strategies.keyword import Keyword
from quarry.player.search.strategies.ranking import Ranked
from quarry.player.search.strategy_scores import StrategyScores, marks_of, scored_of
from quarry.player.search.types import (
    BookCandidate,
    Hit,
    Query,
    Ranking,
    SearchResult,
    Step,
)

TAIL = 5
"""One in so many slots is kept for rare words that nothing else has found, where keywords are the fallback."""
FUSED_POOL = 200
"""Hits of each strategy that makes hits, at least, that go into a fusion."""
NOT_FOUND_BY_SEARCH = "not found by the search, kept in the belief"
NOTHING_WAS_FOUND = "nothing was found, so every paragraph may be it"
"""Why a hit is returned to a game that asked for every paragraph."""


class Cascade:
    """One search over one state of a store.

    Args:
        query: with its mode settled.
        started: of `time.perf_counter()`, when it was asked.
    """

    def __init__(
        self, searched: SearchIndex, settings: SearchSettings, runner: Runner, query: Query, started: float
    ) -> None:
        self._searched = searched
        self._settings = settings
        self._slots = slots_of(settings, query.k)
        self._runner = runner
        self._query = query
        self._started = started
        self._deadline = time.monotonic() + settings.deadline_s
        self._calls: dict[tuple[str, str], Call[StrategyScores]] = {}
        self._marked: dict[tuple[str, str], StrategyScores] = {}
        self._failures: dict[str, SearchError] = {}
        self._naming: Call[tuple[BookCandidate, ...]] | None = None

    def result(self, *, everything: bool = False) -> SearchResult:
        """What the step that answers found; of the first step where none does.

        Args:
            everything: the hits are every paragraph of the course, up to the query's k: those that were found in their
                order, then the others; also where every strategy failed, and for a query without a hint.

        Raises:
            AllStrategiesFailedError: no strategy answered.
        """
        settings = self._settings
        lowered = settings.lowered_threshold if settings.cascade else settings.threshold
        steps = self._steps() if self._query.hint.strip() else []
        if not steps:
            failures = tuple(self._failures.values())
            if not everything:
                raise AllStrategiesFailedError(failures)
            nothing = SearchResult(self._query, self._all(None, 0.0), self.books, failures, "course", relevant=False)
            return replace(nothing, search_ms=self._elapsed_ms)
        answer = int(answering([np.array([step.best]) for step in steps], settings.threshold, lowered)[0])
        step = steps[max(answer, 0)]
        passed = answer >= 0 and step.best >= threshold_log_odds(settings.threshold)
        threshold = settings.threshold if passed else lowered
        level = threshold_log_odds(threshold)
        answered_by: Step = "" if answer < 0 else step.name if passed else "lowered"
        if everything and not len(step.chosen):
            answered_by = "course"
        hits: Sequence[Hit]
        hits = self._all(step, level) if everything else step.hits(level)
        if self._query.keywords == "fallback" and not everything:
            hits, by_name = self._with_rare_words(hits, level)
            if by_name:
                answered_by = "fallback"
        embed_ms = max((one.embed_ms for one in self._marked.values()), default=0.0)
        return SearchResult(
            query=self._query,
            hits=hits,
            books=self.books,
            failures=tuple(self._failures.values()),
            answered_by=answered_by,
            relevant=answer >= 0 or any(hit.relevant for hit in hits[: self._slots.k if not everything else 0]),
            rewritten=step.hint if step.hint != self._query.hint else "",
            boost=step.lift,
            threshold=threshold,
            embed_ms=embed_ms,
            search_ms=max(0.0, self._elapsed_ms - embed_ms),
        )

    @property
    def _elapsed_ms(self) -> float:
        return 1000.0 * (time.perf_counter() - self._started)

    @functools.cached_property
    def books(self) -> tuple[BookCandidate, ...]:
        """The documents that the query's book name means."""
        if self._naming is None:
            return ()
        found = self._naming.value()
        if self._naming.failure is not None:
            self._failures["book name"] = self._naming.failure
        return found or ()

    def _steps(self) -> list[CascadeStep]:
        """The steps that were taken: until one passes the threshold, or all of them."""
        query, settings = self._query, self._settings
        if settings.book_match != "off":
            self._name_books()
        if settings.cascade and query.keywords == "fallback" and "keyword" in self._searched.strategies:
            # beside the others: where all of them are late, it is what there is
            self._load(("keyword",))
            self._start("keyword", query, len(self._names))
        first = self._step("original", query, self._names)
        steps = [first] if first is not None else []
        for further in (self._rewritten, self._original, self._fallback) if settings.cascade else ():
            if steps and steps[-1].best >= threshold_log_odds(settings.threshold):
                break
            found = further(first)
            if found is not None:
                steps.append(found)
        return steps

    def _name_books(self) -> None:
        """Begin to find out what the book's name means, beside the strategies, which begin first: they take longest."""
        query, settings, searched = self._query, self._settings, self._searched
        known = searched.references.known(query.book_name) if settings.book_match == "resolved" else None
        if known is not None:
            self.books = known
            return
        self._load(self._names)
        self._naming = Call("book name", self._deadline)
        for name in self._names:
            self._start(name, query, len(self._names))
        self._runner.begin(self._naming, lambda _: searched.books(query.book_name, settings, query.hint))

    @property
    def _names(self) -> tuple[str, ...]:
        """The strategies that the query asks, in declared order."""
        names = self._settings.strategies
        if self._query.keywords == "fused" and "keyword" in self._searched.strategies and "keyword" not in names:
            return (*names, "keyword")
        return names

    def _rewritten(self, first: CascadeStep | None) -> CascadeStep | None:
        """The step that says the hint in other words; None without a rewriter, or where it has nothing to say."""
        rewriter, query = self._searched.rewriter, self._query
        if rewriter is None or first is None:
            return None
        hits = first.hits(0.0)
        call = self._runner.start("rewriter", lambda _: _said(rewriter.rewrite(query, hits)), self._deadline)
        hint = call.value()
        if call.failure is not None:
            self._failures["rewriter"] = call.failure
        if not hint or hint == query.hint:
            return None
        return self._step("rewritten", replace(query, hint=hint, said=query.hint), self._names)

    def _original(self, first: CascadeStep | None) -> CascadeStep | None:
        """The step that searches the whole course as if no book had been named; None if the first step did so."""
        if not self._taken or (first is not None and not self._worth_asking(first)):
            return None
        return self._step("original", self._query, self._names, forget=True)

    def _worth_asking(self, first: CascadeStep) -> bool:
        highest = np.max([item.log_odds.max(initial=NOT_FOUND) for item in first.scored])
        settings = self._settings
        return bool(can_still_pass(np.array(first.best), highest, settings.threshold, settings.lowered_threshold))

    def _fallback(self, first: CascadeStep | None) -> CascadeStep | None:
        """The step that takes keywords, since nothing else was found; None in the other modes."""
        if self._query.keywords != "fallback" or "keyword" not in self._searched.strategies:
            return None
        return self._step("fallback", self._query, ("keyword",), why=", as a fallback")

    def _with_rare_words(self, hits: Sequence[Hit], level: float) -> tuple[Sequence[Hit], bool]:
        """The hits with what keywords find for the rare words of the hint that none of them holds.

        Vectors know of a rare word next to nothing: whatever else of a sentence they have found, about that word they
        have found nothing. What is found for a name stands first; for other words it has the last slots.

        Returns:
            The hits, and whether they are a name's first of all.
        """
        keyword = self._searched.strategies.get("keyword")
        if not isinstance(keyword, Keyword):
            return hits, False
        held = {self._searched.rows.get(hit.paragraph.paragraph_id) for hit in hits}
        rare = keyword.rare(self._query.hint)
        missing = {word: rows for word, rows in rare.items() if not rows & held}
        names = [word for word, rows in missing.items() if keyword.is_name(word, rows)]
        if not missing:
            return hits, False
        query = replace(self._query, hint=" ".join(names or missing), said=self._query.hint)
        step = self._step("fallback", query, ("keyword",), why=", as a fallback")
        if step is None:
            return hits, False
        # of these words alone, and in the order of keywords; a part of a word stands in no order and goes last
        rows = frozenset().union(*(missing[word] for word in names or missing))
        columns = np.flatnonzero(np.isin(step.columns.rows, list(rows)))
        columns = columns[np.argsort(-step.log_odds[columns], kind="stable")]
        filters = bool(self._taken) and self._taken[0].tier == "filter"
        fresh = list(replace(step, chosen=columns, of_book=step.inside[columns] & filters).hits(level))
        k = self._slots.k
        if names:
            known = {hit.paragraph.paragraph_id for hit in fresh}
            both = [*fresh, *(hit for hit in hits if hit.paragraph.paragraph_id not in known)][:k]
        else:
            fresh = fresh[: k // TAIL]
            kept = frozenset().union(*rare.values())
            rest = [hit for hit in hits if self._searched.rows.get(hit.paragraph.paragraph_id) not in kept]
            dropped = rest[len(rest) - max(0, len(hits) + len(fresh) - k) :]
            both = [*(hit for hit in hits if hit not in dropped), *fresh]
        return tuple(sorted(both, key=lambda hit: hit.slot != "book")), bool(names)

    @property
    def _taken(self) -> tuple[BookCandidate, ...]:
        """The books that filter or are boosted."""
        return tuple(book for book in self.books if book.tier != "none")

    def _step(
        self, name: Step, query: Query, strategies: Sequence[str], *, forget: bool = False, why: str = ""
    ) -> CascadeStep | None:
        """One pass: ask the strategies, fuse what they found, weigh the documents, fold twins, fill the slots.

        None where all of them fail.

        Args:
            name: of the step; "original" becomes the tier of the book whose hits it has.
            forget: as if no book had been named.
        """
        marked = self._asked(query, strategies)
        if not marked:
            return None
        paragraphs, columns, scored = self._aligned(marked)
        if self._settings.fusion == "first":
            scored = [item for item in scored if (item.log_odds > NOT_FOUND).any()][:1] or scored[:1]
        books = () if forget else self._taken
        inside = columns.inside([book.doc_id for book in books])
        lift = self._settings.boost * self._lift(books)
        named = Named(inside[None, :], np.array([lift]), np.array([0.0 if forget else self._evidence]))
        filters = any(book.tier == "filter" for book in books)
        weights = self._searched.calibration.fused.weights
        weighed, merged = score_step(
            scored, named, self._priors(columns), columns, np.array([filters]), self._settings, weights
        )
        log_odds = merged[0]
        chosen, of_book = slotted(log_odds, inside if filters else None, self._slots)
        if name == "original" and books and inside[chosen].any():
            name = "filter" if filters else "boost"
        return CascadeStep(
            name,
            query.hint,
            paragraphs,
            columns,
            log_odds,
            chosen,
            of_book,
            inside,
            filters,
            weighed,
            scored,
            lift,
            why,
        )

    @property
    def _evidence(self) -> float:
        """Log-odds that the course holds the paragraph, for a book's name that was, or was not, resolved."""
        if self._settings.book_match != "resolved":
            return 0.0
        calibration = self._searched.calibration
        confidence, taken = np.array([confidence_of(self._taken)]), np.array([bool(self._taken)])
        has_name = np.array([bool(self._query.book_name.strip())])
        return float(name_evidence(confidence, taken, has_name, calibration.named, calibration.unnamed)[0])

    def _lift(self, books: Sequence[BookCandidate]) -> float:
        sizes = self._searched.sizes
        n_inside = sum(sizes.get(book.doc_id, 0) for book in books)
        return book_log_odds(confidence_of(books), n_inside, sum(sizes.values())) if books else 0.0

    def _priors(self, columns: Columns) -> AnyFloatArray | None:
        of_documents, of_passages = self._searched.priors, self._searched.passage_priors
        if not any(of_documents.values()) and not of_passages.any():
            return None
        priors = np.array([of_documents.get(doc_id, 0.0) for doc_id in columns.doc_ids])[columns.document]
        ours = columns.rows < len(of_passages)  # the others are paragraphs that the course lacks
        priors[ours] += of_passages[columns.rows[ours]]
        return priors

    def _asked(self, query: Query, names: Sequence[str]) -> list[StrategyScores]:
        """What each strategy that has not failed makes of the hint, in order; none is asked twice for the same one."""
        missing = [name for name in names if name not in self._failures and (name, query.hint) not in self._marked]
        self._load(missing)
        for name in missing:
            self._start(name, query, len(names))
        for name in missing:
            call = self._calls[name, query.hint]
            marked = call.value()
            if call.failure is not None:
                self._failures[name] = call.failure
            if marked is not None:
                self._marked[name, query.hint] = marked
        return [self._marked[name, query.hint] for name in names if (name, query.hint) in self._marked]

    def _load(self, names: Sequence[str]) -> None:
        """Let strategies load what they need; what is loaded once is not late."""
        started = time.monotonic()
        for name in names:
            strategy = self._searched.strategies[name]
            if isinstance(strategy, Ranked):
                strategy.load()
        self._deadline += time.monotonic() - started

    def _start(self, name: str, query: Query, n_names: int) -> None:
        """Begin to ask a strategy, unless that was begun before."""
        if (name, query.hint) not in self._calls:
            work = self._work(name, query, n_names)
            self._calls[name, query.hint] = self._runner.start(name, work, self._deadline)

    def _work(self, name: str, query: Query, n_strategies: int) -> Callable[[Call[StrategyScores]], StrategyScores]:
        """What asks one strategy, in a thread of its own."""
        strategy = self._searched.strategies[name]
        pool = max(self._slots.k, self._settings.global_pool, FUSED_POOL if n_strategies > 1 else 0)

        def work(call: Call[StrategyScores]) -> StrategyScores:
            started = time.perf_counter()
            strategy.prepare(query)
            embed_ms = 1000.0 * (time.perf_counter() - started)
            doc_ids = tuple(book.doc_id for book in self._taken)
            found = marks_of(self._searched, name, query, pool, doc_ids, deadline=self._deadline, call=call)
            return StrategyScores(found.strategy, found.marks, found.foreign, embed_ms)

        return work

    def _aligned(self, marked: Sequence[StrategyScores]) -> tuple[Sequence[Paragraph], Columns, list[Scored]]:
        """The paragraphs that were found, the columns over them, and the marks in these columns."""
        course = self._searched.paragraphs
        if not any(one.foreign for one in marked):
            columns = self._searched.columns
            if all(one.marks.rows is not None for one in marked):
                columns = columns.of(np.concatenate([one.marks.rows for one in marked]))
            return course, columns, [scored_of(one, columns) for one in marked]
        paragraphs, moved = list(course), []
        known: dict[str, int] = {}
        for one in marked:
            rows = np.arange(len(course)) if one.marks.rows is None else one.marks.rows
            row_of = [*range(len(course))]
            for paragraph in one.foreign:
                if paragraph.paragraph_id not in known:
                    known[paragraph.paragraph_id] = len(paragraphs)
                    paragraphs.append(paragraph)
                row_of.append(known[paragraph.paragraph_id])
            moved.append(replace(one.marks, rows=np.array([row_of[row] for row in rows.tolist()], dtype=np.int64)))
        found = sorted({int(row) for marks in moved if marks.rows is not None for row in marks.rows})
        columns = columns_of(paragraphs, found)
        return (
            paragraphs,
            columns,
            [scored_of(one, columns, marks) for one, marks in zip(marked, moved, strict=True)],
        )

    def _all(self, step: CascadeStep | None, level: float) -> Ranking:
        """The hits of a step, then the rest of the course, as many as the query asks for."""
        course = self._searched.paragraphs
        paragraphs = course if step is None else step.paragraphs
        found = np.empty(0, dtype=np.int64) if step is None else step.columns.rows[step.chosen]
        left = np.ones(len(course), dtype=np.bool_)
        left[found[found < len(course)]] = False
        rest = np.flatnonzero(left)[: max(0, self._slots.k - len(found))]
        why = NOT_FOUND_BY_SEARCH if len(found) else NOTHING_WAS_FOUND

        def hits(places: range) -> Sequence[Hit]:
            n_found = len(range(len(found))[places.start : places.stop])
            known = () if step is None else step.hits(level, places[:n_found])
            return *known, *(
                Hit(
                    course[int(rest[place - len(found)])],
                    0.0,
                    0.0,
                    place - len(found) + 1,
                    "course",
                    "global",
                    why,
                    relevant=False,
                )
                for place in places[n_found:]
            )

        known = np.empty(0) if step is None else step.log_odds[step.chosen]
        return Ranking(
            paragraphs,
            np.concatenate([found, rest]),
            np.concatenate([known, np.full(len(rest), NOT_FOUND)]),
            hits,
            lambda: self._shown(step, level) if step is not None else (),
        )

    def _shown(self, step: CascadeStep, level: float) -> tuple[Hit, ...]:
        """The first `search.k` of a step in their slots."""
        slots = slots_of(self._settings)
        chosen, of_book = slotted(step.log_odds, step.inside if step.filters else None, slots)
        return replace(step, chosen=chosen, of_book=of_book).hits(level)


def _said(hint: object) -> str:
    if not isinstance(hint, str):
        raise SearchError("rewriter", f"it must return text, got {hint!r}")
    return hint.strip()
