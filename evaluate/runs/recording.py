"""Conversion of replayed games into records."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from evaluate.games.labelled import LabelledGame, same_text
from evaluate.referee.scoring import compute_raw_ratio, has_won
from evaluate.runs.record import (
    BookRecord,
    CandidateRecord,
    HitRecord,
    PlayRecord,
    ReplayRecord,
    ScoredRecord,
    SearchRecord,
    SecretRecord,
)
from player.answer import Answers, letter_rows
from player.belief.places import rank_of_sentence
from player.game import messages
from player.game.record import PlayedGame
from player.player import Plan
from player.question import VIEWS
from player.search.results import Hit, SearchResult
from quarry.arrays import Float64Array
from quarry.course.paragraph import Paragraph
from quarry.languages.words import stems

N_CANDIDATES_KEPT = 20
"""Number of candidates of the first play that a record keeps, the likeliest after the answers."""
MISLEADING_BITS = 1.0
"""Minimum number of bits by which a misleading answer favours the guess over the secret paragraph."""
MIN_FIT = 0.01
"""Minimum probability that an answer fits a candidate, since no answer is impossible."""
FITTING = 0.5
"""Minimum probability at which an answer fits a paragraph."""


def record_game(
    game: LabelledGame,
    paragraph: Paragraph | None,
    result: SearchResult,
    played_games: Sequence[PlayedGame],
) -> ReplayRecord:
    """Build the record of a game; every play keeps the secret candidate, and the first one others for the report.

    Args:
        game: the labelled game.
        paragraph: the secret paragraph as ingested; None if it was not ingested or the game is unanswerable.
        result: the result of the search.
        played_games: the plays of the game, repeat by repeat.
    """
    secret_record: SecretRecord | None = None
    plays = []
    if paragraph is not None:
        secret_record = SecretRecord(
            paragraph_id=paragraph.paragraph_id,
            document=paragraph.doc_id,
            page=paragraph.page,
            opening_sentence=paragraph.opening_sentence,
            text=paragraph.text,
        )
        for repeat, played_game in enumerate(played_games):
            plays.append(_record_play(game, paragraph, played_game, repeat))

    first = played_games[0] if played_games else None
    questions: Any = messages.questions_json(first.plan.questions) if first else []
    return ReplayRecord(
        game_id=game.game_id,
        book_name=game.book_name,
        hint=game.hint,
        association_domain=game.association_domain,
        associative_word=game.associative_word,
        opening_sentence=game.opening_sentence,
        in_text_layer=game.in_text_layer,
        answerable=game.answerable,
        edition=game.edition,
        truth=secret_record,
        search=record_search(result, paragraph),
        questions=questions,
        questions_ms=first.plan.questions_ms if first else None,
        decide_ms=first.decision.decide_ms if first else None,
        plays=plays,
    )


def record_search(result: SearchResult, paragraph: Paragraph | None) -> SearchRecord:
    """Build the record of a search.

    Args:
        result: the result of the search.
        paragraph: the secret paragraph; None if there is none.
    """
    position = result.position_of(paragraph) if paragraph is not None else None
    book: BookRecord | None = None
    if result.book:
        book = BookRecord(
            document=result.book.doc_id,
            confidence=result.book.confidence,
            tier=result.book.tier,
        )

    return SearchRecord(
        hits=[_take(HitRecord, hit) for hit in result.hits],
        book=book,
        answered_by=result.answered_by,
        relevant=result.relevant,
        failures=[*map(str, result.failures)],
        embed_ms=result.embed_ms,
        search_ms=result.search_ms,
        rank=position + 1 if position is not None else None,
    )


def _take(kind: Any, hit: Hit) -> Any:
    """Return the values of a hit that a kind of record holds."""
    values = hit.as_dict()
    return {key: values[key] for key in kind.__annotations__}


def _record_candidate(
    plan: Plan, belief: Float64Array, candidate: int
) -> CandidateRecord:
    record: CandidateRecord = _take(ScoredRecord, plan.hit(candidate)) | {
        "prior": round(float(plan.prior[candidate]), 6),
        "belief": round(float(belief[candidate]), 6),
    }
    return record


def _record_play(
    game: LabelledGame,
    paragraph: Paragraph,
    played_game: PlayedGame,
    repeat: int,
) -> PlayRecord:
    """Build the record of a play."""
    plan, decision, score = played_game.plan, played_game.decision, played_game.score
    guess, best, belief = decision.guess, decision.best, decision.belief
    sentence = game.opening_sentence or paragraph.opening_sentence

    secret_candidate = find_secret_candidate(plan, game, paragraph)
    if len(belief) < len(plan.prior):
        secret_candidate = None  # the guess was made before the search ended
    n_kept = 0 if repeat else N_CANDIDATES_KEPT
    candidates = np.argsort(-belief, kind="stable").tolist()[:n_kept]
    if secret_candidate is not None and secret_candidate not in candidates:
        candidates.append(secret_candidate)
    play = PlayRecord(
        repeat=repeat,
        n_candidates=len(belief),
        answers=list(played_game.answers),
        misled=[],
        unfit=None,
        candidates=[
            _record_candidate(plan, belief, candidate) for candidate in candidates
        ],
        bits=[_entropy(plan.prior), _entropy(belief)],
        guess={**asdict(guess), "confidence": round(float(guess.confidence), 6)},
        guess_rank=_find_rank(plan, belief, secret_candidate),
        prior_rank=_find_rank(plan, plan.prior, secret_candidate),
        won=has_won(guess.opening_sentence, sentence, is_raw=bool(game.edition)),
        sentence_exact=same_text(guess.opening_sentence, sentence),
        word_exact=_is_among(game.associative_word, [guess.associative_word]),
        word_top20=_is_among(game.associative_word, decision.associations[:20]),
        private_score=score.private_score,
        league_points=score.league_points,
        breakdown=dict(score.breakdown),
    )
    # the fits may have been dropped to save memory
    if secret_candidate is not None and plan.fits.shape[2]:
        against = find_answers_against(
            plan, played_game.answers, secret_candidate, best
        )
        play["misled"], play["unfit"] = against
    if game.edition:
        ratio = compute_raw_ratio(guess.opening_sentence, sentence)
        play["ratio"] = round(ratio, 4)
        play["right_page"] = best >= 0 and is_on_secret_page(plan, best, paragraph)
    return play


def _is_among(word: str, others: Sequence[str]) -> bool | None:
    """Return whether a word is among others, by their stems; None if it is empty."""
    stems_of_word = stems(word)
    return stems_of_word in map(stems, others) if stems_of_word else None


def _find_rank(plan: Plan, belief: Float64Array, candidate: int | None) -> int | None:
    """Return the rank of the sentence of a candidate; None if there is no candidate."""
    if candidate is None:
        return None
    return rank_of_sentence(candidate, belief, plan.sentence_ids)


def find_secret_candidate(
    plan: Plan, game: LabelledGame, paragraph: Paragraph
) -> int | None:
    """Return the first candidate that is the secret paragraph or, in another edition, the secret piece.

    If no piece has the labelled text, the first piece on the page of the secret is taken; None if there is none.
    """
    if not game.edition:
        return plan.find_candidate(paragraph.opening_sentence)
    on_page = []
    for candidate in range(len(plan.prior)):
        piece = plan.piece(candidate)
        if (
            piece
            and f"{piece.edition}:".startswith(f"{game.edition}:")
            and is_on_secret_page(plan, candidate, paragraph)
        ):
            if piece.text.strip() == game.paragraph.strip():
                return candidate
            on_page.append(candidate)
    return on_page[0] if on_page else None


def is_on_secret_page(plan: Plan, candidate: int, paragraph: Paragraph) -> bool:
    """Return whether a candidate is on the page where the secret paragraph begins."""
    piece = plan.piece(candidate)
    if piece is None:
        other = plan.as_paragraph(candidate)
        return (other.doc_id, other.page) == (paragraph.doc_id, paragraph.page)
    return piece.doc_id == paragraph.doc_id and (
        piece.page <= paragraph.page <= piece.last_page
    )


def _entropy(belief: Float64Array) -> float:
    """Return the entropy of a belief in bits, rounded."""
    surprise = -np.log2(np.maximum(belief, 1e-300))
    return round(float((belief * surprise).sum()), 4)


def find_answers_against(
    plan: Plan, answers: Answers, secret_candidate: int, guessed_candidate: int
) -> tuple[list[int], list[int]]:
    """Find the questions whose answers are against the secret candidate.

    Args:
        plan: the plan of the game.
        answers: (n_questions,) answers.
        secret_candidate: candidate that is the secret paragraph.
        guessed_candidate: candidate that was guessed.

    Returns:
        The numbers of the questions whose answers favour the guess over the secret, and of those whose answers do not
        fit the whole secret.
    """
    misled, unfit = [], []
    for row, option in letter_rows(answers).items():
        fits = plan.fits[:, row, :, option]
        likeliest = fits.max(axis=0)
        fit, other = np.maximum(
            likeliest[[secret_candidate, guessed_candidate]], MIN_FIT
        )
        if np.log2(other / fit) > MISLEADING_BITS:
            misled.append(row + 1)
        if fits[VIEWS.index("paragraph"), secret_candidate] < FITTING:
            unfit.append(row + 1)
    return misled, unfit
