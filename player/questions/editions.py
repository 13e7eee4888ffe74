"""The belief over editions: which program's text the referee holds, and which piece of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ingest.arrays import Float32Array, Float64Array, RowArray
from ingest.editions.piece import Piece
from ingest.store.records import unpacked
from ingest.text import canonical
from player.questions.places import Places
from player.questions.word_index import WordIndex
from player.search.types import SearchResult
from player.words import words

PRINTED = "printed"
"""Name of our own edition: passages as they are printed."""
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
CAUTION = 1.0
"""Weight of these probabilities, in games, against what an opponent did before."""
EVEN = 0.15
"""Share of a piece's probability that does not depend on its passages: some pieces hold none, such as code."""
RULE = 0.05
"""Weight of a piece that holds a word of the hint in its exact form, against the rule of the game."""

Shares = Mapping[str, float]
"""Maps the names of editions, PRINTED among them, to their probabilities."""


def edition_shares(
    result: SearchResult, index: WordIndex, seen: Shares | None = None
) -> dict[str, float]:
    """Return the probability of each edition before the answers, from the form of the book's name and the script.

    Args:
        index: words of the course.
        seen: games by the edition that the opponent held in them, as far as we know.
    """
    by_cut: dict[str, set[str]] = {}
    for piece in index.places.pieces:
        by_cut.setdefault(piece.cut, set()).add(piece.edition)

    form = _form(result)
    languages = index.languages[: index.places.n_printed]
    if form == "stem" and 2 * languages.count("he") > len(languages):
        form = "Hebrew stem"
    shares = {}
    usual = CUT_SHARES[form]
    for cut, editions in by_cut.items():
        for edition in sorted(editions):
            shares[edition] = usual.get(cut, UNKNOWN_CUT) / len(editions)
    usual_shares = {PRINTED: 1.0 - sum(shares.values()), **shares}
    return _learned(usual_shares, seen or {})


def _learned(usual: Shares, seen: Shares) -> dict[str, float]:
    """Return the shares of editions after games with the same opponent (the mean of a Dirichlet posterior)."""
    shares = {
        name: CAUTION * share + seen.get(name, 0.0) for name, share in usual.items()
    }
    total = sum(shares.values())
    return {name: share / total for name, share in shares.items()}


def _form(result: SearchResult) -> str:
    """Return the form of the book's name: a file's stem, a title that was resolved, or an invented one."""
    if result.book is None or result.tier == "none":
        return "invented"
    name = result.query.book_name.casefold().removesuffix(".pdf")
    return "stem" if canonical(name) == canonical(result.book.doc_id) else "title"


def with_editions(
    printed: Float64Array,
    index: WordIndex,
    hint: str,
    shares: Shares,
    likeness: Mapping[int, float] | None = None,
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
    prior = np.zeros(len(places))
    prior[: places.n_printed] = shares.get(PRINTED, 0.0) * printed
    if not places.pieces:
        return np.asarray(prior / prior.sum())

    rows = places.rows[: places.n_printed]
    by_passage = np.bincount(rows, printed, minlength=len(places.paragraphs))
    by_document: dict[str, float] = {}
    for paragraph, mass in zip(places.paragraphs, by_passage.tolist(), strict=True):
        by_document[paragraph.doc_id] = by_document.get(paragraph.doc_id, 0.0) + mass

    held = places.links @ by_passage
    even = np.array([by_document.get(piece.doc_id, 0.0) for piece in places.pieces])
    usual = _usual(held)
    for number, log_odds in (likeness or {}).items():
        held[number] = usual * np.exp(log_odds)
    lawful = _lawful(index, hint)
    names = np.array([piece.edition for piece in places.pieces])
    for name, share in shares.items():
        own = np.flatnonzero(names == name)
        if len(own):
            n_own = _per_document(places.pieces, own)
            mixed = (1.0 - EVEN) * _share(held[own]) + EVEN * _share(even[own] / n_own)
            prior[places.n_printed + own] = share * _share(mixed * lawful[own])
    return np.asarray(prior / prior.sum())


def likeness_of(
    pieces: Sequence[Piece], hint: Float32Array, nats: float
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


def editions_of(belief: Float64Array, places: Places, rows: RowArray) -> Shares:
    """Return the probability of each edition in a belief.

    Args:
        belief: (n_candidates,) probabilities.
        rows: (n_candidates,) their places.
    """
    shares: dict[str, float] = {}
    for row, mass in zip(rows, belief.tolist(), strict=True):
        number = int(row) - places.n_printed
        name = PRINTED if number < 0 else places.pieces[number].edition
        shares[name] = shares.get(name, 0.0) + mass
    return shares


def _usual(held: Float64Array) -> float:
    """Return the geometric mean of the probabilities of the pieces that hold passages."""
    positive = held[held > 0.0]
    return float(np.exp(np.log(positive).mean())) if len(positive) else 1.0


def _lawful(index: WordIndex, hint: str) -> Float64Array:
    """Return (n_pieces,) weights: RULE for a piece that holds a word of the hint letter by letter."""
    hinted = sorted({index.ids[word] for word in words(hint) if word in index.ids})
    n_held = index.raw[:, hinted].sum(axis=1)
    return np.where(n_held > 0.0, RULE, 1.0)


def _per_document(pieces: Sequence[Piece], rows: RowArray) -> Float64Array:
    """Return (n_rows,) number of the pieces among `rows` that are of the same document."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[pieces[row].doc_id] = counts.get(pieces[row].doc_id, 0) + 1
    return np.array([counts[pieces[row].doc_id] for row in rows], dtype=np.float64)


def _share(weights: Float64Array) -> Float64Array:
    """Return weights that sum to 1; even ones if all are 0."""
    total = weights.sum()
    if total > 0.0:
        return np.asarray(weights / total)
    return np.full(len(weights), 1.0 / len(weights))
