"""What a search of labelled games needs and no setting that is tuned changes, computed once, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from configs.settings import SearchSettings, Settings
from evaluate.errors import TuneError
from evaluate.games import LabelledGame
from ingest.embed import Embedder
from ingest.paragraph import Paragraph
from ingest.store import ParagraphStore
from player.search.build import build_references
from player.search.rules import RuleEvidence
from player.search.strategies.dense import Dense, Sentences
from player.search.threshold import Calibration, calibration_of
from player.search.weighing import book_log_odds

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NO_ROW = -1


@dataclass(frozen=True, slots=True)
class Prepared:
    """Games over a course, ready to be searched again and again.

    Columns are paragraphs by paragraph_id, which is how ties are broken; rows are games.

    Attributes:
        games: as they were given.
        ids: (n_paragraphs,) paragraph_id of each column.
        cosines, best, mean: (n_games, n_paragraphs) similarity of each paragraph, of its best sentence, and the mean of
            its sentences.
        evidence: (n_games, n_paragraphs) log-odds of the game's rule, at weight 1.
        answerable: (n_games,) log-odds that the course holds the paragraph, from the cosines.
        nats: log-odds per unit of similarity.
        text: (n_paragraphs,) equal numbers for paragraphs of the same text.
        twins: whether any two are.
        document: (n_paragraphs,) number of each column's document.
        book: (n_games,) number of the resolved document, -1 for none.
        confidence: (n_games,) of that resolution; 0 for none.
        members: (n_games, most paragraphs of a book) columns of the resolved document, ascending, then padding.
        odds: (n_games,) log-odds by which a paragraph of that document is likelier.
        named, unnamed: log-odds that the course holds the paragraph where a name was resolved, and where it was not.
        has_name: (n_games,) whether a name was given.
        truth: (n_games,) column of the labelled paragraph; -1 where it is lost at ingest or there is none.
        is_answerable: (n_games,) whether the label says that there is one.
    """

    games: tuple[LabelledGame, ...]
    ids: tuple[str, ...]
    cosines: Floats
    best: Floats
    mean: Floats
    evidence: Floats
    answerable: Floats
    nats: float
    text: Ints
    twins: bool
    document: Ints
    book: Ints
    confidence: Doubles
    members: Ints
    odds: Doubles
    named: float
    unnamed: float
    has_name: Bools
    truth: Ints
    is_answerable: Bools

    def only(self, rows: Ints) -> Prepared:
        """Some of the games."""
        per_game = (
            "cosines",
            "best",
            "mean",
            "evidence",
            "answerable",
            "book",
            "confidence",
            "members",
            "odds",
            "has_name",
            "truth",
            "is_answerable",
        )
        values = {name: getattr(self, name) for name in Prepared.__dataclass_fields__}
        values |= {name: np.ascontiguousarray(values[name][rows]) for name in per_game}
        values["games"] = tuple(self.games[row] for row in rows)
        return Prepared(**values)


def prepare(
    games: Sequence[LabelledGame],
    matched: Mapping[str, Paragraph | None],
    store: ParagraphStore,
    settings: Settings,
    embedder: Embedder,
    *,
    progress: bool = True,
) -> Prepared:
    """The arrays of these games over a store.

    Args:
        matched: the ingested paragraph of each answerable game, as `match_games` gives it.
        settings: whose modes hold for the whole study; what is tuned is not read.
        embedder: of the store.
        progress: a bar on standard error.

    Raises:
        TuneError: the settings search in a way that the arrays do not know.
    """
    require_known(settings.search)
    calibration = calibration_of(store.embedder_spec)
    order = sorted(range(len(store.paragraphs)), key=lambda row: store.paragraphs[row].paragraph_id)
    paragraphs = [store.paragraphs[row] for row in order]
    shape = (len(games), len(order))
    cosines, best, mean, evidence = (np.empty(shape, dtype=np.float32) for _ in range(4))
    answerable = np.empty(len(games), dtype=np.float32)
    rules = RuleEvidence(store.paragraphs)
    dense = _Parts(store, embedder, calibration)
    for row, game in enumerate(tqdm(games, desc="preparing", unit="game", disable=not progress)):
        own, sentences_best, sentences_mean = dense.parts(game.hint)
        answerable[row] = calibration.dense.answerable(own)
        for target, values in ((cosines, own), (best, sentences_best), (mean, sentences_mean)):
            target[row] = values[order]
        evidence[row] = rules.log_odds(game.hint)[order]
    doc_ids = sorted({paragraph.doc_id for paragraph in paragraphs})
    document = np.array([doc_ids.index(paragraph.doc_id) for paragraph in paragraphs])
    book, confidence = _books(games, store, settings.search, embedder, calibration, doc_ids)
    counts = np.bincount(document, minlength=len(doc_ids))
    columns = [np.flatnonzero(document == number) for number in range(len(doc_ids))]
    members = np.full((len(games), int(counts.max(initial=1))), NO_ROW, dtype=np.int64)
    for row, number in enumerate(book):
        if number != NO_ROW:
            members[row, : counts[number]] = columns[number]
    column_of = {paragraph.paragraph_id: column for column, paragraph in enumerate(paragraphs)}
    texts: dict[str, int] = {}
    return Prepared(
        games=tuple(games),
        ids=tuple(paragraph.paragraph_id for paragraph in paragraphs),
        cosines=cosines,
        best=best,
        mean=mean,
        evidence=evidence,
        answerable=answerable,
        nats=calibration.dense.nats,
        text=np.array([texts.setdefault(paragraph.text, len(texts)) for paragraph in paragraphs]),
        twins=len(texts) < len(paragraphs),
        document=document,
        book=book,
        confidence=confidence,
        members=members,
        odds=np.array(
            [
                0.0 if number == NO_ROW else book_log_odds(float(sure), int(counts[number]), len(paragraphs))
                for number, sure in zip(book, confidence, strict=True)
            ]
        ),
        named=calibration.named,
        unnamed=calibration.unnamed,
        has_name=np.array([bool(game.book_name.strip()) for game in games]),
        truth=np.array(
            [column_of[found.paragraph_id] if (found := matched.get(game.game_id)) else NO_ROW for game in games]
        ),
        is_answerable=np.array([game.answerable for game in games]),
    )


def require_known(search: SearchSettings) -> None:
    """Pass if the arrays know how these settings search.

    Raises:
        TuneError: they do not.
    """
    known = {
        "strategies": (("dense",),),
        "keywords": ("rule", "off"),
        "rewrite": ("off",),
        "quality_weight": (0.0,),
        "recency_weight": (0.0,),
        "spill_over": ("always",),
    }
    for key, values in known.items():
        if getattr(search, key) not in values:
            wanted = " or ".join(str(value) for value in values)
            raise TuneError(
                f"search.{key} must be {wanted} to be tuned, got {getattr(search, key)}; leave it out of --config"
            )


class _Parts:
    """The three similarities that dense search weighs, each by itself."""

    def __init__(self, store: ParagraphStore, embedder: Embedder, calibration: Calibration) -> None:
        def dense(best: float, mean: float) -> Dense:
            sentences = Sentences(store.sentence_vectors, store.sentence_rows, best, mean)
            return Dense(store.paragraphs, store.vectors, remembering, sentences, None, calibration.dense)

        remembering = RememberingEmbedder(embedder)
        self._own, self._best, self._mean = dense(0.0, 0.0), dense(1.0, 0.0), dense(0.0, 1.0)

    def parts(self, hint: str) -> tuple[Floats, Floats, Floats]:
        """(n_paragraphs,) cosine, best sentence's, mean of the sentences'."""
        return self._own.cosines(hint), self._best.similarities(hint), self._mean.similarities(hint)


class RememberingEmbedder:
    """An embedder that embeds no query twice.

    Args:
        embedder: embeds them.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Floats] = {}

    @property
    def spec(self) -> str:
        """The embedder's."""
        return self._embedder.spec

    @property
    def dim(self) -> int:
        """The embedder's."""
        return self._embedder.dim

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """As the embedder does."""
        return self._embedder.embed_passages(texts)

    def embed_queries(self, texts: Sequence[str]) -> Floats:
        """As the embedder does, one text at a time."""
        for text in texts:
            if text not in self._vectors:
                self._vectors[text] = self._embedder.embed_queries([text])[0]
        return np.stack([self._vectors[text] for text in texts])


def _books(
    games: Sequence[LabelledGame],
    store: ParagraphStore,
    search: SearchSettings,
    embedder: Embedder,
    calibration: Calibration,
    doc_ids: Sequence[str],
) -> tuple[Ints, Doubles]:
    """The best candidate for each game's book, and its confidence."""
    references = build_references(store, search, embedder, calibration.references)
    book, confidence = np.full(len(games), NO_ROW, dtype=np.int64), np.zeros(len(games))
    for row, game in enumerate(games):
        if search.book_match == "off" or not game.book_name.strip():
            continue
        if search.book_match == "stem":
            found = references.by_stem(game.book_name)
        else:
            found = next(iter(references.resolve(game.book_name)), None)
        if found is not None:
            book[row], confidence[row] = doc_ids.index(found.doc_id), found.confidence
    return book, confidence
