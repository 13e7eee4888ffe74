"""Conversion of replayed games into records."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

import numpy as np

from evaluate.games.labelled import LabelledGame, same_sentence, same_text
from evaluate.referee.scoring import RAW_BANDS, raw_ratio
from evaluate.runs.record import (
    LABEL,
    BookRecord,
    CandidateRecord,
    HitRecord,
    PlayRecord,
    ReplayRecord,
    ScoredRecord,
    SearchRecord,
)
from player.answer import Answers, letter_row
from player.belief.places import rank_of_sentence
from player.game import messages as protocol
from player.game.record import PlayedGame
from player.player import Plan
from player.question import VIEWS
from player.search.results import Hit, SearchResult
from quarry.course.paragraph import Paragraph
from quarry.languages.words import stems

N_CANDIDATES_KEPT = 20
"""Default number of candidates of each play that a record keeps."""
MISLEADING_BITS = 1.0
"""Minimum number of bits by which a misleading answer favours the guess over the labelled paragraph."""
WON_RATIO = RAW_BANDS[-1][0]
"""Minimum similarity of a raw opening sentence that wins; it is that of the lowest band of public referees."""
MIN_FIT = 0.01
"""Minimum probability that an answer fits a candidate, since no answer is impossible."""
FITTING = 0.5
"""Minimum probability at which an answer fits a paragraph."""


def record_game(
    game: LabelledGame,
    paragraph: Paragraph | None,
    result: SearchResult,
    played: Sequence[PlayedGame],
    n_candidates: int = N_CANDIDATES_KEPT,
) -> ReplayRecord:
    """Build the record of a game.

    Args:
        game: the labelled game.
        paragraph: the labelled paragraph as ingested; None if it was not ingested or the game is unanswerable.
        result: the result of the search.
        played: the plays of the game, repeat by repeat.
        n_candidates: number of candidates of each play that are kept, the likeliest after the answers; the labelled one
            is always kept.
    """
    record: dict[str, Any] = {name: getattr(game, name) for name in LABEL}
    record["truth"] = None
    plays: list[PlayRecord] = []
    if paragraph is not None:
        record["truth"] = {
            "paragraph_id": paragraph.paragraph_id,
            "document": paragraph.doc_id,
            "page": paragraph.page,
            "opening_sentence": paragraph.opening_sentence,
            "text": paragraph.text,
        }
        for repeat, one in enumerate(played):
            plays.append(_play(game, paragraph, one, repeat, n_candidates))

    record["search"] = search_record(result, paragraph)
    record |= {"questions": [], "questions_ms": None, "decide_ms": None}
    if played:
        plan = played[0].plan
        record["questions"] = protocol.questions_json(plan.questions)
        record["questions_ms"] = plan.questions_ms
        record["decide_ms"] = played[0].decision.decide_ms
    return cast(ReplayRecord, {**record, "plays": plays})


def search_record(result: SearchResult, paragraph: Paragraph | None) -> SearchRecord:
    """Build the record of a search.

    Args:
        result: the result of the search.
        paragraph: the labelled paragraph; None if there is none.
    """
    position = result.position_of(paragraph) if paragraph is not None else None
    book: BookRecord | None = None
    if result.book:
        book = {
            "document": result.book.doc_id,
            "confidence": result.book.confidence,
            "tier": result.book.tier,
        }

    return {
        "hits": [_fields(HitRecord, hit) for hit in result.hits],
        "book": book,
        "answered_by": result.answered_by,
        "relevant": result.relevant,
        "failures": [*map(str, result.failures)],
        "embed_ms": result.embed_ms,
        "search_ms": result.search_ms,
        "rank": position + 1 if position is not None else None,
    }


def _fields(record: type, hit: Hit) -> Any:
    """Return the values of a hit that a record of this type holds."""
    values = hit.as_dict()
    return {name: values[name] for name in record.__annotations__}


def _play(
    game: LabelledGame,
    paragraph: Paragraph,
    played: PlayedGame,
    repeat: int,
    n_candidates: int,
) -> PlayRecord:
    plan, belief = played.plan, played.decision.belief
    sentence = game.opening_sentence or paragraph.opening_sentence
    row = truth_row(plan, game, paragraph)
    if len(belief) < len(plan.rows):
        row = None  # the guess was made before the search ended
    rows = np.argsort(-belief, kind="stable").tolist()[:n_candidates]
    if row is not None and row not in rows:
        rows.append(row)
    candidates: list[CandidateRecord] = []
    for other in rows:
        scored = _fields(ScoredRecord, plan.hit(other))
        scored["prior"] = round(float(plan.prior[other]), 6)
        scored["belief"] = round(float(belief[other]), 6)
        candidates.append(scored)

    guess = played.decision.guess
    word = stems(game.associative_word)
    play: PlayRecord = {
        "repeat": repeat,
        "n_candidates": len(belief),
        "answers": list(played.answers),
        "misled": [],
        "unfit": None,
        "candidates": candidates,
        "bits": [_bits(plan.prior), _bits(belief)],
        "guess": {**asdict(guess), "confidence": round(float(guess.confidence), 6)},
        "guess_rank": None,
        "prior_rank": None,
        "won": same_sentence(guess.opening_sentence, sentence),
        "sentence_exact": same_text(guess.opening_sentence, sentence),
        "word_exact": stems(guess.associative_word) == word,
        "word_top20": word in map(stems, played.decision.associations[:20]),
        "private_score": played.score.private_score,
        "league_points": played.score.league_points,
        "breakdown": dict(played.score.breakdown),
    }
    best = played.decision.best
    if row is not None:
        if plan.fits.shape[2]:  # they may have been dropped to save memory
            against = answers_against(plan, played.answers, row, best)
            play["misled"], play["unfit"] = against
        play["guess_rank"] = rank_of_sentence(row, belief, plan.keys)
        play["prior_rank"] = rank_of_sentence(row, plan.prior, plan.keys)
    if game.edition:
        play["ratio"] = round(raw_ratio(guess.opening_sentence, sentence), 4)
        play["won"] = play["ratio"] >= WON_RATIO
        play["right_page"] = best >= 0 and is_on_secret_page(plan, best, game)
    return play


def truth_row(plan: Plan, game: LabelledGame, paragraph: Paragraph) -> int | None:
    """Return the row of the first candidate that is the labelled passage or, in another edition, the labelled piece.

    If no piece has the labelled text, the first piece on the page of the secret is taken; None if there is none.
    """
    if not game.edition:
        return plan.find_row(paragraph.opening_sentence)
    on_page = []
    for row in range(len(plan.rows)):
        piece = plan.places.piece(int(plan.rows[row]))
        if (
            piece
            and piece.edition.startswith(game.edition)
            and is_on_secret_page(plan, row, game)
        ):
            if piece.text.strip() == game.paragraph.strip():
                return row
            on_page.append(row)
    return on_page[0] if on_page else None


def is_on_secret_page(plan: Plan, row: int, game: LabelledGame) -> bool:
    """Return whether a candidate is on the page where a raw secret begins."""
    place = int(plan.rows[row])
    piece = plan.places.piece(place)
    if piece is None:
        passage = plan.places.paragraph(place)
        return (passage.doc_id, passage.page) == (game.document, game.page)
    return piece.doc_id == game.document and piece.page <= game.page <= piece.last_page


def _bits(belief: Any) -> float:
    """Return the entropy of a belief in bits, rounded."""
    surprise = -np.log2(np.maximum(belief, 1e-300))
    return round(float((belief * surprise).sum()), 4)


def answers_against(
    plan: Plan, answers: Answers, secret: int, guess: int
) -> tuple[list[int], list[int]]:
    """Find the questions whose answers are against the secret.

    Args:
        plan: the plan of the game.
        answers: (n_questions,) answers.
        secret, guess: rows of their candidates.

    Returns:
        The numbers of the questions whose answers favour the guess over the secret, and of those whose answers do not
        fit the whole secret.
    """
    misled, unfit = [], []
    for number, answer in enumerate(answers):
        letter = letter_row(answer)
        if letter is None:
            continue
        fits = plan.fits[:, number, :, letter]
        likeliest = fits.max(axis=0)
        fit, other = np.maximum(likeliest[[secret, guess]], MIN_FIT)
        if np.log2(other / fit) > MISLEADING_BITS:
            misled.append(number + 1)
        if fits[VIEWS.index("paragraph"), secret] < FITTING:
            unfit.append(number + 1)
    return misled, unfit
