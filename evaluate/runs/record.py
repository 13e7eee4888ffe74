"""The record of a replayed game as JSON, for replay, report and export: hits, questions, answers, belief and guess."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired

import numpy as np
from typing_extensions import TypedDict

from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.text import same_text
from quarry.evaluate.practice.failure_analysis import misleading
from quarry.ingest.paragraph import Paragraph
from quarry.player.game.game import GameReport
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.payloads import Json
from quarry.player.questions.answer import Answer
from quarry.player.questions.belief import rank_of
from quarry.player.search.types import Hit, SearchResult
from quarry.player.words import stems

LostAt = Literal["ingest", "book", "search", "answers"]

LOST = "lost at ingest"
"""Stands for the paragraph_id of a game whose paragraph was not ingested; no ranking holds it."""
N_CANDIDATES_KEPT = 20
"""Candidates of each play that a record keeps, unless told otherwise."""


class TruthRecord(TypedDict):
    """The labelled paragraph as it was ingested."""

    paragraph_id: str
    document: str
    page: int
    opening_sentence: str
    text: str


class FoundRecord(TypedDict):
    """A paragraph that was found, and by whom."""

    paragraph_id: str
    document: str
    page: int
    opening_sentence: str
    slot: str
    strategy: str
    relevance: float


class HitRecord(FoundRecord):
    """A hit of the search, with its provenance."""

    rank: int
    score: float
    why: str


class BookRecord(TypedDict):
    """How the book's name was resolved."""

    document: str
    confidence: float
    tier: str


class SearchRecord(TypedDict):
    """What the search returned, and where the labelled paragraph stands in it."""

    hits: list[HitRecord]
    book: BookRecord | None
    answered_by: str
    relevant: bool
    failures: list[str]
    embed_ms: float
    search_ms: float
    rank: int | None


class CandidateRecord(FoundRecord):
    """A paragraph that the belief ran over, before and after the answers."""

    prior: float
    belief: float


class PlayRecord(TypedDict):
    """One play of a game; guess_rank is the labelled paragraph's place in the belief, None if it is no candidate.

    `misled` holds the numbers of the questions whose answers spoke for the guess and against the labelled paragraph;
    runs of before 2026-11-22 have none.
    """

    repeat: int
    n_candidates: int
    answers: list[Answer]
    misled: NotRequired[list[int]]
    candidates: list[CandidateRecord]
    bits: list[float]
    guess: Json
    guess_rank: int | None
    prior_rank: int | None
    won: bool
    sentence_exact: bool
    word_exact: bool
    word_top20: bool
    private_score: float
    league_points: int
    breakdown: Json


class GameRecord(TypedDict):
    """One game with all its plays; no plays without a referee, or where the paragraph was lost at ingest."""

    game_id: str
    book_name: str
    hint: str
    association_domain: str
    associative_word: str
    opening_sentence: str
    in_text_layer: bool
    answerable: bool
    truth: TruthRecord | None
    search: SearchRecord
    questions: list[Json]
    questions_ms: float | None
    decide_ms: float | None
    plays: list[PlayRecord]


def record_game(
    game: LabelledGame,
    paragraph: Paragraph | None,
    result: SearchResult,
    reports: Sequence[GameReport],
    n_candidates: int = N_CANDIDATES_KEPT,
) -> GameRecord:
    """Return the record of a game.

    Args:
        paragraph: the labelled one as ingested; None where it was not, or where there is none.
        result: of a search as `player search` makes it.
        reports: of its plays, repeat by repeat.
        n_candidates: candidates of each play that are kept, by belief after the answers; the labelled one always.
    """
    return {
        "game_id": game.game_id,
        "book_name": game.book_name,
        "hint": game.hint,
        "association_domain": game.association_domain,
        "associative_word": game.associative_word,
        "opening_sentence": game.opening_sentence,
        "in_text_layer": game.in_text_layer,
        "answerable": game.answerable,
        "truth": _truth(paragraph) if paragraph else None,
        "search": _search(result, paragraph),
        "questions": protocol.questions_json(reports[0].plan.questions) if reports else [],
        "questions_ms": reports[0].plan.questions_ms if reports else None,
        "decide_ms": reports[0].decision.decide_ms if reports else None,
        "plays": [
            _play(game, paragraph, report, repeat, n_candidates)
            for repeat, report in enumerate(reports)
            if paragraph is not None
        ],
    }


def lost_at(record: GameRecord, play: PlayRecord | None) -> LostAt | None:
    """Where the paragraph was lost: at ingest, outside the book that was filtered on, in the search, by the answers.

    Args:
        play: one of the record's; None where there was no referee.
    """
    truth, search = record["truth"], record["search"]
    if truth is None:
        return "ingest"
    found = search["rank"] if play is None else play["guess_rank"]
    if found is None:
        book = search["book"]
        other_book = book is not None and book["tier"] == "filter" and book["document"] != truth["document"]
        return "book" if other_book else "search"
    return "answers" if play is not None and not play["won"] else None


def book_right(record: GameRecord) -> bool:
    """Whether the book was resolved, to filter or to boost, to the document that holds the paragraph."""
    book, truth = record["search"]["book"], record["truth"]
    return book is not None and truth is not None and book["tier"] != "none" and book["document"] == truth["document"]


def sentence_read_right(record: GameRecord) -> bool:
    """Whether the ingested paragraph opens with the labelled sentence."""
    truth = record["truth"]
    return truth is not None and same_text(truth["opening_sentence"], record["opening_sentence"])


def _truth(paragraph: Paragraph) -> TruthRecord:
    return {
        "paragraph_id": paragraph.paragraph_id,
        "document": paragraph.doc_id,
        "page": paragraph.page,
        "opening_sentence": paragraph.opening_sentence,
        "text": paragraph.text,
    }


def _search(result: SearchResult, paragraph: Paragraph | None) -> SearchRecord:
    row = result.row_of(paragraph) if paragraph is not None else None
    # of several books that a name means, the one that holds the paragraph
    holds = [book for book in result.books if paragraph is not None and book.doc_id == paragraph.doc_id]
    book = next(iter(holds), result.book)
    return {
        "hits": [_hit(hit) for hit in result.hits],
        "book": {"document": book.doc_id, "confidence": book.confidence, "tier": book.tier} if book else None,
        "answered_by": result.answered_by,
        "relevant": result.relevant,
        "failures": [str(failure) for failure in result.failures],
        "embed_ms": result.embed_ms,
        "search_ms": result.search_ms,
        "rank": row + 1 if row is not None else None,
    }


def _found(hit: Hit) -> FoundRecord:
    return {
        "paragraph_id": hit.paragraph.paragraph_id,
        "document": hit.paragraph.doc_id,
        "page": hit.paragraph.page,
        "opening_sentence": hit.paragraph.opening_sentence,
        "slot": hit.slot,
        "strategy": hit.strategy,
        "relevance": round(float(hit.relevance), 6),
    }


def _hit(hit: Hit) -> HitRecord:
    return {**_found(hit), "rank": hit.rank, "score": round(float(hit.score), 6), "why": hit.why}


def _play(game: LabelledGame, paragraph: Paragraph, report: GameReport, repeat: int, n_candidates: int) -> PlayRecord:
    hits, prior, belief = report.plan.result.hits, report.plan.prior, report.decision.belief
    row = report.plan.result.row_of(paragraph)
    order = np.argsort(-belief, kind="stable").tolist()
    guess_rank = None if row is None else rank_of(row, belief)
    kept = order[:n_candidates]
    if row is not None and row not in kept:
        kept.append(row)
    guess = report.decision.guess
    word = stems(game.associative_word)
    return {
        "repeat": repeat,
        "n_candidates": len(hits),
        "answers": list(report.answers),
        "misled": [] if row is None else misleading(report, row),
        "candidates": [_candidate(hits[place], prior[place], belief[place]) for place in kept],
        "bits": [_bits(prior), _bits(belief)],
        "guess": {
            "opening_sentence": guess.opening_sentence,
            "sentence_justification": guess.sentence_justification,
            "associative_word": guess.associative_word,
            "word_justification": guess.word_justification,
            "confidence": round(float(guess.confidence), 6),
        },
        "guess_rank": guess_rank,
        "prior_rank": None if row is None else rank_of(row, prior),
        "won": guess_rank == 1,
        "sentence_exact": same_text(guess.opening_sentence, game.opening_sentence or paragraph.opening_sentence),
        "word_exact": stems(guess.associative_word) == word,
        "word_top20": any(stems(candidate) == word for candidate in report.decision.associations[:20]),
        "private_score": report.score.private_score,
        "league_points": report.score.league_points,
        "breakdown": dict(report.score.breakdown),
    }


def _candidate(hit: Hit, prior: Any, belief: Any) -> CandidateRecord:
    return {**_found(hit), "prior": round(float(prior), 6), "belief": round(float(belief), 6)}


def _bits(belief: Any) -> float:
    """Entropy of a belief, rounded."""
    return round(float(-(belief * np.log2(np.maximum(belief, 1e-300))).sum()), 4)
