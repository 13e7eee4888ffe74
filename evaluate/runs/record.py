"""Schema of the records of replayed games: hits, questions, answers, belief and guess."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from player.answer import Answer
from player.round import Json

LostAt = Literal["ingest", "book", "search", "label", "answers"]
"""Steps at which a game may be lost."""
LOST_ID = "lost at ingest"
"""The paragraph_id of a game whose paragraph was lost at ingest; no ranking holds this id."""


class ParagraphRecord(TypedDict):
    """A paragraph of the store."""

    paragraph_id: str
    document: str
    page: int
    opening_sentence: str


class SecretRecord(ParagraphRecord):
    """The secret paragraph as it was ingested."""

    text: str


class ScoredRecord(ParagraphRecord):
    """A paragraph with its relevance, and the strategy that scored it."""

    slot: str
    strategy: str
    relevance: float


class HitRecord(ScoredRecord):
    """A hit of the search, with its provenance.

    Attributes:
        rank: 1-based, within its strategy, as in `Hit`; the overall rank is the position in `SearchRecord.hits`.
    """

    rank: int
    score: float
    why: str


class BookRecord(TypedDict):
    """The document that the book's name was resolved to."""

    document: str
    confidence: float
    tier: str


class SearchRecord(TypedDict):
    """The result of the search, and the rank of the secret paragraph in it.

    Attributes:
        rank: 1-based position of the secret paragraph in `hits`, its overall rank; None if it is not a hit.
    """

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
        misled: numbers of the questions whose answers favour the guess over the secret paragraph.
        unfit: numbers of the questions whose answers do not fit the secret paragraph; None if it is not a candidate,
            absent in older records.
        bits: entropy of the belief before and after the answers, in bits.
        word_exact, word_top20: whether the associative word was sent, and is among the 20 likeliest; None if the game
            has none.
        prior_rank: rank of the secret paragraph in the belief before the answers; None if it is not a candidate.
        guess_rank: rank of the secret paragraph in the belief after the answers; None if it is not a candidate.
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
    word_exact: bool | None
    word_top20: bool | None
    private_score: float
    league_points: int
    breakdown: Json


class ReplayRecord(TypedDict):
    """One game with its plays; it has none without a referee, or if the paragraph was lost at ingest."""

    game_id: str
    book_name: str
    hint: str
    association_domain: str
    associative_word: str
    opening_sentence: str
    in_text_layer: bool
    answerable: bool
    edition: NotRequired[str]
    truth: SecretRecord | None
    search: SearchRecord
    questions: list[QuestionRecord]
    questions_ms: float | None
    decide_ms: float | None
    plays: list[PlayRecord]


def get_play(record: ReplayRecord, repeat: int) -> PlayRecord | None:
    """Return the play of a repeat; None if it was not played."""
    return record["plays"][repeat] if repeat < len(record["plays"]) else None


def get_secret_id(record: ReplayRecord) -> str:
    """Return the paragraph_id of the secret paragraph, that of its hit if the hit is a duplicate; LOST_ID if lost."""
    if record["truth"] is None:
        return LOST_ID
    search = record["search"]
    item = search["hits"][search["rank"] - 1] if search["rank"] else record["truth"]
    return item["paragraph_id"]
