"""Records of replayed games: hits, questions, answers, belief and guess; and what became of a secret, in words."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Literal, NotRequired, cast

import numpy as np
from typing_extensions import TypedDict

from evaluate.games.labelled import LabelledGame, same_sentence, same_text
from evaluate.games.locating import begins_with
from evaluate.referee.scoring import RAW_BANDS, raw_ratio
from player.answer import Answer, Answers, letter_row
from player.belief.places import rank_of_sentence
from player.game import messages as protocol
from player.game.record import Label, PlayedGame
from player.player import Plan
from player.question import VIEWS
from player.round import Json
from player.search.results import Hit, SearchResult
from quarry.course.paragraph import Paragraph
from quarry.languages.words import stems

LostAt = Literal["ingest", "book", "search", "label", "answers"]

LABEL = (
    "game_id",
    "book_name",
    "hint",
    "association_domain",
    "associative_word",
    "opening_sentence",
    "in_text_layer",
    "answerable",
    "edition",
)
"""The fields of a labelled game that its record keeps under the same names."""
LOST = "lost at ingest"
"""The paragraph_id of a game that has lost its paragraph at ingest; no ranking holds this id."""
N_CANDIDATES_KEPT = 20
"""Default number of candidates of each play that a record keeps."""
MISLEADING_BITS = 1.0
"""An answer that speaks for the guess and against the labelled paragraph by more than this is misleading."""
WON_RATIO = RAW_BANDS[-1][0]
"""Minimum similarity of a raw opening sentence that is won; from it on, public referees give points of a band."""
MIN_FIT = 0.01
"""Minimum probability that an answer fits a candidate: no answer is wholly impossible."""
FITTING = 0.5
"""An answer fits a paragraph from this probability on."""


class ParagraphRecord(TypedDict):
    """A paragraph of the store."""

    paragraph_id: str
    document: str
    page: int
    opening_sentence: str


class TruthRecord(ParagraphRecord):
    """The labelled paragraph as it was ingested."""

    text: str


class ScoredRecord(ParagraphRecord):
    """A paragraph with its relevance, and the strategy that scored it."""

    slot: str
    strategy: str
    relevance: float


class HitRecord(ScoredRecord):
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
    """The result of the search, and the rank of the labelled paragraph in it."""

    hits: list[HitRecord]
    book: BookRecord | None
    answered_by: str
    relevant: bool
    failures: list[str]
    embed_ms: float
    search_ms: float
    rank: int | None


class QuestionRecord(TypedDict):
    """A question as it is sent."""

    question_number: int
    question_text: str
    options: dict[str, str]


class CandidateRecord(ScoredRecord):
    """A candidate, with its probability before and after the answers."""

    prior: float
    belief: float


class PlayRecord(TypedDict):
    """One play of a game.

    Attributes:
        misled: numbers of the questions that were answered for the guess and against the labelled paragraph.
        unfit: numbers of the questions with an answer that does not fit the labelled paragraph; None if it is not a
            candidate, absent in older records.
        bits: entropy of the belief before and after the answers.
        prior_rank: rank of the labelled paragraph in the belief before the answers, None if it is not a candidate.
        guess_rank: the same after the answers.
        win_ideal: probability that ideal questions win with the same prior and errors; None if the errors are unknown.
        ratio: similarity of the guess and the raw opening sentence, 0..1; only in games of another edition.
        right_page: whether the guess begins on a page of the secret; only in games of another edition.
    """

    repeat: int
    n_candidates: int
    answers: list[Answer]
    misled: list[int]
    unfit: NotRequired[list[int] | None]
    candidates: list[CandidateRecord]
    bits: list[float]
    guess: Json
    guess_rank: int | None
    prior_rank: int | None
    won: bool
    win_ideal: NotRequired[float | None]
    ratio: NotRequired[float]
    right_page: NotRequired[bool]
    sentence_exact: bool
    word_exact: bool
    word_top20: bool
    private_score: float
    league_points: int
    breakdown: Json


class ReplayRecord(TypedDict):
    """One game with all its plays; no plays without a referee, or where the paragraph was lost at ingest."""

    game_id: str
    book_name: str
    hint: str
    association_domain: str
    associative_word: str
    opening_sentence: str
    in_text_layer: bool
    answerable: bool
    edition: NotRequired[str]
    truth: TruthRecord | None
    search: SearchRecord
    questions: list[QuestionRecord]
    questions_ms: float | None
    decide_ms: float | None
    plays: list[PlayRecord]


def record_game(
    game: LabelledGame,
    paragraph: Paragraph | None,
    result: SearchResult,
    played: Sequence[PlayedGame],
    n_candidates: int = N_CANDIDATES_KEPT,
) -> ReplayRecord:
    """Return the record of a game.

    Args:
        paragraph: the labelled one as ingested; None if it was not ingested or the game is unanswerable.
        result: the result of a search as `player search` makes it.
        played: its plays, repeat by repeat.
        n_candidates: the number of candidates of each play that are kept, the likeliest after the answers; the labelled
            one is kept too.
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


def play_of(record: ReplayRecord, repeat: int) -> PlayRecord | None:
    """Return the record's play of a repeat, None if it was not played."""
    return record["plays"][repeat] if repeat < len(record["plays"]) else None


def lost_at(record: ReplayRecord, play: PlayRecord | None) -> LostAt | None:
    """Return where the paragraph was lost: at ingest, by a filter on another book, in the search, or by the answers.

    A game whose paragraph does not begin with the label's opening sentence is lost by its label.

    Args:
        play: one of the record's; None where there was no referee.
    """
    truth, search = record["truth"], record["search"]
    if truth is None:
        return "ingest"
    if play is not None and play["won"]:
        return None

    rank = search["rank"] if play is None else play["guess_rank"]
    if rank is None:
        book = search["book"]
        other_book = (
            book is not None
            and book["tier"] == "filter"
            and book["document"] != truth["document"]
        )
        return "book" if other_book else "search"
    if play is None:
        return None
    is_printed = record["in_text_layer"] and not record.get("edition")
    is_quoted = begins_with(truth["text"], record["opening_sentence"])
    return "label" if is_printed and not is_quoted else "answers"


def outcome_in_words(record: ReplayRecord, play: PlayRecord | None) -> str:
    """Return one sentence: where the paragraph was found or lost, and why.

    Args:
        play: one of the record's; None where there was no referee.
    """
    truth, search = record["truth"], record["search"]
    lost, rank, book = lost_at(record, play), search["rank"], search["book"]
    if truth is None:
        return "lost at ingest: the store holds no such paragraph"
    if lost == "book" and book is not None:
        return (
            f"lost at the book: {record['book_name']!r} was taken for {book['document']} "
            f"(confidence {book['confidence']:.2f}), but the paragraph is in {truth['document']}"
        )

    if lost == "search":
        n_searched = f"{len(search['hits'])} hits"
        if play is not None:
            n_searched = f"{play['n_candidates']} candidates"
        return f"lost in the search: not among the {n_searched}, {_book_in_words(record, truth)}"

    outcome = f"not among the first {len(search['hits'])} hits"
    if rank:
        hit = search["hits"][rank - 1]
        slot = {
            "book": " in the book's slots",
            "global": " in the slots of the whole course",
        }.get(hit["slot"], "")
        outcome = f"found at rank {rank}{slot} by {hit['strategy']}"
    if play is None:
        return outcome
    if play["prior_rank"] is None:
        return f"won: {outcome}"

    if lost == "label":
        quoted = truth["opening_sentence"]
        return f"lost by its label: the paragraph begins with {quoted!r}, correct the opening sentence"
    outcome += f"; place {play['prior_rank']} of {play['n_candidates']} before"
    if lost == "answers":
        return f"lost by the answers: {outcome} them, {play['guess_rank']} after"
    return f"won: {outcome} the answers, 1 after"


def _book_in_words(record: ReplayRecord, truth: TruthRecord) -> str:
    """Say how the book's name was resolved in a game that was lost in the search."""
    book = record["search"]["book"]
    if book is None or book["tier"] == "none":
        verb = "resolved" if record["book_name"].strip() else "named"
        return f"and no book was {verb}"
    if book["document"] != truth["document"]:
        return f"and {book['document']} was preferred to {truth['document']}"
    return "although the book was resolved rightly"


def explain(record: ReplayRecord, play: PlayRecord | None) -> Iterator[str]:
    """Yield what became of a game: the secret, where it was found or lost, its probability, and answers against it.

    Args:
        play: one of the record's; None where there was no referee.
    """
    truth = record["truth"]
    if truth is not None:
        yield f"the secret: {_quoted(truth)}"
    yield outcome_in_words(record, play)
    if truth is None or play is None:
        return

    for item in play["candidates"]:
        if item["paragraph_id"] == truth["paragraph_id"]:
            yield f"its probability: {_beliefs(item)}"
            break
    if not play["won"] and play["candidates"]:
        guess = play["candidates"][0]
        yield f"guessed instead: {_quoted(guess)} (probability {_beliefs(guess)})"
    yield from _answers_in_words(record, play)


def _answers_in_words(record: ReplayRecord, play: PlayRecord) -> Iterator[str]:
    """Yield the answers that do not fit the secret, and those that misled, with their options."""
    misled, unfit = [], []
    unfit_numbers = play.get("unfit") or ()
    pairs = zip(record["questions"], play["answers"], strict=False)
    for number, (question, letter) in enumerate(pairs, 1):
        answer = f"{number} {letter}"
        if number in unfit_numbers:
            unfit.append(answer)
        if number in play["misled"]:
            misled.append(f"{answer} {question['options'].get(str(letter), '')}")
    if unfit:
        yield f"answers that do not fit the secret: {', '.join(unfit)}"
    if misled:
        yield f"answers that misled: {'; '.join(misled)}"


def label_of(game: LabelledGame, paragraph: Paragraph, played: PlayedGame) -> Label:
    """Return the label of a game that was played, and what became of its secret.

    Args:
        paragraph: the labelled one as ingested.
    """
    record = record_game(game, paragraph, played.plan.result, [played])
    play = record["plays"][0]
    return Label(
        paragraph_id=paragraph.paragraph_id,
        opening_sentence=game.opening_sentence or paragraph.opening_sentence,
        associative_word=game.associative_word,
        won=play["won"],
        explanation=tuple(explain(record, play)),
    )


def _quoted(item: ParagraphRecord) -> str:
    return f'{item["document"]} p{item["page"]}: "{item["opening_sentence"]}"'


def _beliefs(item: CandidateRecord) -> str:
    return f"{item['prior']:.3f} before the answers, {item['belief']:.3f} after"


def search_record(result: SearchResult, paragraph: Paragraph | None) -> SearchRecord:
    """Return the record of a search.

    Args:
        paragraph: the labelled one, None without one.
    """
    row = result.row_of(paragraph) if paragraph is not None else None
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
        "rank": row + 1 if row is not None else None,
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
        row = None  # the guess was made before the search had ended
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
    if row is not None:
        best = played.decision.best
        if plan.fits.shape[2]:  # a game among hundreds may have dropped them
            against = answers_against(plan, played.answers, row, best)
            play["misled"], play["unfit"] = against
        play["guess_rank"] = rank_of_sentence(row, belief, plan.keys)
        play["prior_rank"] = rank_of_sentence(row, plan.prior, plan.keys)
    if game.edition:
        play["ratio"] = round(raw_ratio(guess.opening_sentence, sentence), 4)
        play["won"] = play["ratio"] >= WON_RATIO
        best = played.decision.best
        play["right_page"] = best >= 0 and is_on_secret_page(plan, best, game)
    return play


def truth_row(plan: Plan, game: LabelledGame, paragraph: Paragraph) -> int | None:
    """Return the first candidate that is the labelled passage, or the piece of its edition; None without any.

    A piece with another text is taken if no piece has the text: the first one on the page of the secret.
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
    """Return whether a candidate is on the page on which a raw secret begins."""
    place = int(plan.rows[row])
    piece = plan.places.piece(place)
    if piece is None:
        passage = plan.places.paragraph(place)
        return (passage.doc_id, passage.page) == (game.document, game.page)
    return piece.doc_id == game.document and piece.page <= game.page <= piece.last_page


def _bits(belief: Any) -> float:
    """Return the entropy of a belief, rounded."""
    surprise = -np.log2(np.maximum(belief, 1e-300))
    return round(float((belief * surprise).sum()), 4)


def answers_against(
    plan: Plan, answers: Answers, secret: int, guess: int
) -> tuple[list[int], list[int]]:
    """Return the numbers of the questions with an answer against the secret.

    Args:
        secret, guess: rows of their candidates.

    Returns:
        Those answered for the guess and against the secret, and those whose answer does not fit the whole secret.
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
