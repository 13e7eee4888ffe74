"""The belief over editions: which program's text the referee holds, and which piece of it."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from ingest.arrays import Float32Array, Float64Array, RowArray
from ingest.editions.piece import Piece
from ingest.languages.hebrew import HEBREW
from ingest.languages.registry import LANGUAGES
from ingest.store.records import unpacked
from ingest.text import canonical
from player.questions.places import PRINTED, Places
from player.questions.word_index import WordIndex
from player.search.types import SearchResult

CUT_SHARES: Mapping[str, Mapping[str, float]] = {
    "Hebrew stem": {"page": 0.2, "window": 0.02},
    "stem": {"page": 0.18, "window": 0.02},
    "title": {"page": 0.02, "window": 0.03},
    "invented": {"page": 0.05, "window": 0.1},
}
"""Probabilities of the other editions by their cut, and by the form of the book's name: programs that draw pages name
the file's stem, most often of a Hebrew course; programs that draw windows let a model invent a title. The rest is
printed."""
UNKNOWN_CUT = 0.01
"""Probability of all editions of any other cut."""
EVEN = 0.15
"""Share of a piece's probability that does not depend on its passages: some pieces hold none, such as code."""
RULE = 0.05
"""Weight of a piece that holds a word of the hint in its exact form, against the rule of the game."""

Shares = Mapping[str, float]
"""Maps the names of editions, PRINTED among them, to their probabilities."""


def edition_shares(
    result: SearchResult, index: WordIndex, seen: Shares
) -> dict[str, float]:
    """Return the probability of each edition before the answers, from the form of the book's name and the script.

    It is the mean of a Dirichlet posterior: the form counts as much as one game of the opponent.

    Args:
        index: words of the course.
        seen: games by the edition that the opponent held in them, as far as we know.
    """
    by_cut = CUT_SHARES[_form(result, index)]
    cuts = {piece.edition: piece.cut for piece in index.places.pieces}
    n_editions = Counter(cuts.values())
    others = {}
    for name, cut in sorted(cuts.items()):
        share = by_cut.get(cut, UNKNOWN_CUT)
        others[name] = share / n_editions[cut]
    printed = 1.0 - sum(others.values())
    usual = {PRINTED: printed, **others}

    games = {}
    for name, share in usual.items():
        games[name] = share + seen.get(name, 0.0)
    total = sum(games.values())
    return {name: n / total for name, n in games.items()}


def _form(result: SearchResult, index: WordIndex) -> str:
    """Return the form of the book's name: a file's stem, a title that was resolved, or an invented one."""
    if result.book is None or result.tier == "none":
        return "invented"
    name = result.query.book_name.casefold().removesuffix(".pdf")
    if canonical(name) != canonical(result.book.doc_id):
        return "title"
    n_places = np.bincount(index.languages[: index.places.n_printed])
    is_hebrew = LANGUAGES[int(n_places.argmax())] is HEBREW
    return "Hebrew stem" if is_hebrew else "stem"


def with_editions(
    printed: Float64Array,
    index: WordIndex,
    hint: str,
    shares: Shares,
    likeness: Mapping[int, float],
) -> Float64Array:
    """Return the (n_places,) probabilities of all places, those of pieces included, summing to 1.

    A piece is as likely as the passages that it holds together, within its edition; a share is spread evenly over the
    pieces of each document.

    Args:
        printed: (n_printed,) probabilities of the places of passages, summing to 1.
        index: words of the course.
        hint: the rule forbids its words in the text that the referee holds.
        shares: probabilities of the editions.
        likeness: log-odds that the hint means a piece without passages rather than a usual one, by number.
    """
    places = index.places
    n_printed = places.n_printed
    n_passages = len(places.paragraphs)
    passages = places.rows[:n_printed]
    by_passage = np.bincount(passages, printed, minlength=n_passages)

    # of the passages that each piece holds; by the vectors for pieces without passages
    by_piece = places.links @ by_passage
    logs = np.log(by_piece[by_piece > 0.0])
    usual = np.exp(logs.mean()) if len(logs) else 1.0
    for number, log_odds in likeness.items():
        by_piece[number] = usual * np.exp(log_odds)

    doc_ids = [paragraph.doc_id for paragraph in places.paragraphs]
    doc_ids += [piece.doc_id for piece in places.pieces]
    _, documents = np.unique(np.array(doc_ids), return_inverse=True)
    n_documents = int(documents.max()) + 1
    by_document = np.bincount(documents[:n_passages], by_passage, minlength=n_documents)

    hinted = index.raw[:, index.ids_of(hint)]
    n_hinted = hinted.sum(axis=1)
    lawful = np.where(n_hinted > 0.0, RULE, 1.0)

    prior = np.zeros(len(places))
    prior[:n_printed] = shares.get(PRINTED, 0.0) * printed
    for number, name in enumerate(places.edition_names[1:], 1):
        rows = np.flatnonzero(places.editions == number)
        pieces = rows - n_printed
        document = documents[n_passages + pieces]
        n_pieces = np.bincount(document)[document]
        even = EVEN * _share(by_document[document] / n_pieces)
        mixed = (1.0 - EVEN) * _share(by_piece[pieces]) + even
        share = shares.get(name, 0.0)
        prior[rows] = share * _share(mixed * lawful[pieces])
    return np.asarray(prior / prior.sum())


def likeness_of(
    pieces: Sequence[Piece],
    hint: Float32Array,
    nats: float,
) -> dict[int, float]:
    """Return the log-odds that the hint means each piece without passages, rather than a usual one, by its number.

    Args:
        hint: (dim,) unit vector.
        nats: log-odds of a cosine of 1.
    """
    likeness = {}
    for number, piece in enumerate(pieces):
        if piece.vector:
            vector = unpacked(piece.vector, np.float32)[0]
            likeness[number] = nats * float(vector @ hint)
    return likeness


def editions_of(
    belief: Float64Array,
    places: Places,
    rows: RowArray,
) -> Shares:
    """Return the probability of each edition in a belief.

    Args:
        belief: (n_candidates,) probabilities.
        rows: (n_candidates,) their places.
    """
    names = places.edition_names
    editions = places.editions[rows]
    masses = np.bincount(editions, belief, minlength=len(names))
    return dict(zip(names, masses.tolist(), strict=True))


def _share(weights: Float64Array) -> Float64Array:
    """Return weights that sum to 1; even ones if all are 0."""
    total = weights.sum()
    if total > 0.0:
        return np.asarray(weights / total)
    return np.full(len(weights), 1.0 / len(weights))
