"""The search over prepared games, all at once: the same hits in the same order as SearchOrchestrator, in a millisecond.

The loops are compiled by numba. They repeat what the search does operation by operation and in its number types, since
hits that nearly tie change places over the last bit; tests/evaluate/tuning/test_fast.py holds both next to each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numba
import numpy as np

from configs.settings import SearchSettings
from evaluate.tuning.course import NO_ROW, Bools, Doubles, Floats, Ints, Prepared

FARTHEST = 30.0
"""As in player/search/threshold.py: log-odds beyond which nothing is told apart."""

F = TypeVar("F", bound=Callable[..., Any])


def _compiled(function: F) -> F:
    return cast(F, numba.njit(cache=True, nogil=True)(function))


@dataclass(frozen=True, slots=True)
class Found:
    """What a search of every game finds.

    Attributes:
        columns: (n_games, k) column of each hit in order, -1 where there are fewer.
        relevant: (n_games,) whether a step passed its threshold.
    """

    columns: Ints
    relevant: Bools

    def ranks(self, truth: Ints) -> Ints:
        """(n_games,) place of the labelled paragraph from 1; 0 where it is no hit."""
        hit = (self.columns == truth[:, None]) & (truth[:, None] != NO_ROW)
        return np.where(hit.any(axis=1), hit.argmax(axis=1) + 1, 0)


def search_all(prepared: Prepared, settings: SearchSettings) -> Found:
    """What `SearchOrchestrator.search` finds for every game under these settings, without its cache.

    Args:
        prepared: the games.
        settings: within what `require_known` passes.
    """
    known = prepared.book != NO_ROW
    tier = np.zeros(len(known), dtype=np.int64)
    tier[known & (prepared.confidence >= settings.boost_confidence)] = BOOST
    tier[known & (prepared.confidence >= settings.filter_confidence)] = FILTER
    resolved = np.where(tier != 0, prepared.named * prepared.confidence, prepared.unnamed)
    best, mean = settings.sentence_weight, settings.sentence_mean_weight
    columns = np.full((len(known), settings.k), NO_ROW, dtype=np.int64)
    relevant = np.zeros(len(known), dtype=np.bool_)
    _search_games(
        prepared.cosines,
        prepared.best,
        prepared.mean,
        prepared.evidence,
        np.array([1.0 - best - mean, best, mean, settings.rule_weight, prepared.nats], dtype=np.float32),
        bool(best or mean),
        settings.keywords == "rule",
        prepared.answerable,
        prepared.text,
        prepared.members,
        tier,
        settings.boost * prepared.odds,
        np.where(prepared.has_name, resolved, 0.0),
        np.array([settings.k, max(settings.k, settings.global_pool), settings.pdf_k, settings.global_k]),
        settings.merge == "relevance",
        settings.cascade,
        np.array([_odds(settings.threshold), _odds(settings.lowered_threshold)]),
        columns,
        relevant,
    )
    return Found(columns, relevant)


BOOST, FILTER = 1, 2
"""Tiers; 0 is none."""


@_compiled
def _search_games(  # noqa: PLR0915  (one compiled loop; its parts are its own functions)
    cosines: Floats,
    best: Floats,
    mean: Floats,
    evidence: Floats,
    weights: Floats,
    with_sentences: bool,
    with_rule: bool,
    answerable: Floats,
    text: Ints,
    members: Ints,
    tier: Ints,
    lift: Doubles,
    named: Doubles,
    sizes: Ints,
    by_relevance: bool,
    cascade: bool,
    thresholds: Doubles,
    columns: Ints,
    relevant: Bools,
) -> None:
    n_games, n_paragraphs = cosines.shape
    k, pool, pdf_k, global_k = sizes
    scores = np.empty(n_paragraphs, dtype=np.float32)
    course, in_book = np.empty(2 * pool, dtype=np.int64), np.empty(pool, dtype=np.int64)
    odds, book_odds = np.empty(2 * pool), np.empty(pool)
    plain, plain_odds = np.empty(pool, dtype=np.int64), np.empty(pool)
    first, second = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    said = np.zeros(n_paragraphs, dtype=np.int64)
    everything = np.arange(n_paragraphs)
    for game in range(n_games):
        _score(cosines[game], best[game], mean[game], evidence[game], weights, with_sentences, with_rule, scores)
        n_course = _top(scores, everything, pool, course)
        highest = scores[course[0]]
        n_plain = n_course
        plain[:n_plain] = course[:n_plain]
        n_in_book = _top(scores, members[game], pool, in_book) if tier[game] else 0
        if tier[game] == BOOST:
            # what is among the course's best is there already, the rest of the book's best comes after it
            last = course[n_course - 1]
            for place in range(n_in_book):
                column = in_book[place]
                if scores[column] < scores[last] or (scores[column] == scores[last] and column > last):
                    course[n_course] = column
                    n_course += 1
        for place in range(n_course):
            odds[place] = _log_odds(scores[course[place]], highest, weights[4], answerable[game])
        for place in range(n_in_book):
            book_odds[place] = _log_odds(scores[in_book[place]], highest, weights[4], answerable[game])
        before = odds[0]
        if tier[game]:
            said[:] = 0
            for column in members[game]:
                if column != NO_ROW:
                    said[column] = 1
            for place in range(n_course):
                if said[course[place]]:
                    odds[place] += lift[game]
        after = odds[0]
        for place in range(n_course):
            after = max(after, odds[place])
        if tier[game] != FILTER:
            n_in_book = 0
        for place in range(n_in_book):
            book_odds[place] += lift[game]
            after = max(after, book_odds[place])
        shift = named[game] - max(0.0, after - before)
        for place in range(n_course):
            odds[place] = min(max(odds[place] + shift, -FARTHEST), FARTHEST)
        for place in range(n_in_book):
            book_odds[place] = min(max(book_odds[place] + shift, -FARTHEST), FARTHEST)
        _sort(course, odds, n_course, False)
        sure = _merge(
            in_book, book_odds, n_in_book, course, odds, n_course, text, said, k, pdf_k, global_k, by_relevance, first
        )
        chosen = first
        if sure >= thresholds[0]:
            relevant[game] = True
        elif cascade:
            plain_sure = -np.inf
            if tier[game]:
                for place in range(n_plain):
                    plain_odds[place] = _log_odds(scores[plain[place]], highest, weights[4], answerable[game])
                plain_sure = _merge(
                    in_book,
                    book_odds,
                    0,
                    plain,
                    plain_odds,
                    n_plain,
                    text,
                    said,
                    k,
                    pdf_k,
                    global_k,
                    by_relevance,
                    second,
                )
            if tier[game] and plain_sure >= thresholds[0]:
                relevant[game], chosen = True, second
            elif sure >= thresholds[1]:
                relevant[game] = True
            elif tier[game] and plain_sure >= thresholds[1]:
                relevant[game], chosen = True, second
        columns[game] = chosen


@_compiled
def _score(
    cosines: Floats,
    best: Floats,
    mean: Floats,
    evidence: Floats,
    weights: Floats,
    with_sentences: bool,
    with_rule: bool,
    scores: Floats,
) -> None:
    """Fill `scores` as dense search scores paragraphs."""
    own_weight, best_weight, mean_weight, rule_weight, nats = weights
    if with_sentences:
        for column in range(len(scores)):
            scores[column] = own_weight * cosines[column] + best_weight * best[column] + mean_weight * mean[column]
    else:
        scores[:] = cosines
    if with_rule:
        for column in range(len(scores)):
            scores[column] += rule_weight * evidence[column] / nats


@_compiled
def _top(scores: Floats, among: Ints, n: int, found: Ints) -> int:
    """Fill `found` with the n highest of the columns `among`, highest first; how many there are.

    Args:
        among: ascending, then -1.
    """
    count = 0
    least = scores[0]
    for column in among:
        if column < 0:
            break
        score = scores[column]
        if count == n and score <= least:
            continue
        place = count if count < n else n - 1
        # an equal one that stands already has the smaller column
        while place > 0 and scores[found[place - 1]] < score:
            found[place] = found[place - 1]
            place -= 1
        found[place] = column
        if count < n:
            count += 1
        least = scores[found[count - 1]]
    return count


@_compiled
def _log_odds(score: Any, highest: Any, nats: Any, answerable: Any) -> float:
    """Calibrated log-odds of one score, -30..30, in the number type of the scores."""
    behind = nats * (score - highest)
    return min(max(float(answerable + behind), -FARTHEST), FARTHEST)


@_compiled
def _sort(columns: Ints, odds: Doubles, n: int, by_column: bool) -> None:
    """The highest odds first; ties stay as they are, or go to the smaller column."""
    for end in range(1, n):
        column, key = columns[end], odds[end]
        place = end
        while place > 0 and (
            odds[place - 1] < key or (by_column and odds[place - 1] == key and columns[place - 1] > column)
        ):
            columns[place], odds[place] = columns[place - 1], odds[place - 1]
            place -= 1
        columns[place], odds[place] = column, key


@_compiled
def _merge(
    book: Ints,
    book_odds: Doubles,
    n_book: int,
    course: Ints,
    odds: Doubles,
    n_course: int,
    text: Ints,
    said: Ints,
    k: int,
    pdf_k: int,
    global_k: int,
    by_relevance: bool,
    hits: Ints,
) -> float:
    """Fill `hits` as the slots have it, or by relevance; the log-odds of the most relevant one.

    Args:
        said: (n_paragraphs,) room to note which texts have been taken.
    """
    hits[:] = -1
    said[:] = 0
    sure = -np.inf
    if by_relevance:
        both, both_odds = np.empty(n_book + n_course, dtype=np.int64), np.empty(n_book + n_course)
        both[:n_book], both_odds[:n_book] = book[:n_book], book_odds[:n_book]
        both[n_book:], both_odds[n_book:] = course[:n_course], odds[:n_course]
        _sort(both, both_odds, n_book + n_course, True)
        n_hits = 0
        for place in range(n_book + n_course):
            if n_hits < k and not said[text[both[place]]]:
                hits[n_hits] = both[place]
                sure = max(sure, both_odds[place])
                n_hits += 1
            said[text[both[place]]] = 1
        return sure
    # 1: said by a chosen hit of the book, 2: by one of the course, 3: by a hit of the book beyond its slots
    n_hits = 0
    seen_book = 0
    for place in range(n_book):
        if said[text[book[place]]]:
            continue
        said[text[book[place]]] = 1 if seen_book < pdf_k else 3
        if seen_book < pdf_k:
            hits[n_hits] = book[place]
            sure = max(sure, book_odds[place])
            n_hits += 1
        seen_book += 1
    chosen_course = np.empty(global_k + pdf_k, dtype=np.int64)
    n_chosen = 0
    slots = global_k + pdf_k - n_hits
    for place in range(n_course):
        mark = said[text[course[place]]]
        if mark in (1, 2):
            continue
        if n_chosen < slots:
            chosen_course[n_chosen] = course[place]
            sure = max(sure, odds[place])
            n_chosen += 1
            said[text[course[place]]] = 2
    missing = global_k - n_chosen
    if missing > 0:
        seen_book = 0
        for place in range(n_book):
            if missing > 0 and said[text[book[place]]] == 3:
                said[text[book[place]]] = 2
                hits[n_hits] = book[place]
                sure = max(sure, book_odds[place])
                n_hits += 1
                missing -= 1
    for place in range(n_chosen):
        hits[n_hits + place] = chosen_course[place]
    return sure


def _odds(share: float) -> float:
    """Log-odds of a threshold."""
    with np.errstate(divide="ignore"):
        return float(np.log(share) - np.log1p(-share))
