"""The belief over editions: the program whose text the referee holds, and the piece of that text."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from player.belief.places import PRINTED, Places
from player.belief.word_index import WordIndex
from player.search.results import SearchResult
from quarry.arrays import Float64Array, RowArray
from quarry.course.text import canonical

CUT_SHARES: Mapping[str, Mapping[str, float]] = {
    "stem": {"page": 0.5, "page:2000": 0.05},
    "title": {"page": 0.03, "page:2000": 0.05},
    "invented": {"page": 0.05, "page:2000": 0.4},
}
"""Probabilities of the other editions by the form of the book's name and by their cut; the rest is PRINTED. Programs
that draw whole pages name the stem of the file; programs that draw pieces of pages let a model invent a title."""
UNKNOWN_CUT = 0.01
"""Probability of all editions of any other cut."""
LIKENESS_WEIGHT = 0.8
"""Weight of the log-odds of a piece from its vector; 1 is the calibration on paragraphs."""
PARAGRAPHS_EXPONENT = 0.2
"""Exponent of the probability of a piece's paragraphs; it is small, since the vector of a page tells more."""
UNIFORM_SHARE = 0.1
"""Share of a piece's probability that depends on its document alone."""
MIN_PIECE_PROBABILITY = 1e-6
"""Minimum probability of a piece's paragraphs."""
RULE_FACTOR = 0.05
"""Factor for a piece that holds a word of the hint in its exact form, which the rule of the game forbids."""

EditionShares = Mapping[str, float]
"""Maps the names of editions, PRINTED among them, to their probabilities."""


def edition_shares(
    result: SearchResult, index: WordIndex, earlier_games: Mapping[str, float]
) -> dict[str, float]:
    """Compute the probability of each edition before the answers, from the form of the book's name and earlier games.

    It is the mean of a Dirichlet posterior, in which the form counts as much as one earlier game.

    Args:
        index: words of the course.
        earlier_games: number of earlier games by edition, as `Journal.editions` returns them.
    """
    by_cut = CUT_SHARES[_form(result)]
    cuts = {piece.edition: piece.cut for piece in index.places.pieces}
    n_editions = Counter(cuts.values())
    shares = {}
    for name, cut in sorted(cuts.items()):
        shares[name] = by_cut.get(cut, UNKNOWN_CUT) / n_editions[cut]
    shares[PRINTED] = 1.0 - sum(shares.values())

    for name in shares:
        shares[name] += earlier_games.get(name, 0.0)
    total = sum(shares.values())
    return {name: share / total for name, share in shares.items()}


def _form(result: SearchResult) -> str:
    """Return the form of the book's name: the stem of a file, a title that was resolved, or an invented one."""
    if result.book is None or result.tier == "none":
        return "invented"
    name = result.query.book_name.casefold().removesuffix(".pdf")
    is_stem = canonical(name) == canonical(result.book.doc_id)
    return "stem" if is_stem else "title"


def with_editions(
    printed: Float64Array,
    index: WordIndex,
    hint: str,
    shares: EditionShares,
    likeness: Float64Array,
) -> Float64Array:
    """Compute the (n_places,) probabilities of all places, including those of pieces, summing to 1.

    Within an edition, the probability of a document is spread evenly over its pieces, and multiplied by factors for the
    vector and the paragraphs of each piece.

    Args:
        printed: (n_printed,) probabilities of the places of paragraphs, summing to 1.
        index: words of the course.
        hint: the hint; the rule of the game forbids its words in the text that the referee holds.
        shares: probabilities of the editions.
        likeness: (n_pieces,) log-odds of each piece from its vector, up to a constant.
    """
    places = index.places
    by_piece = _weigh_pieces(printed, index, hint, shares, likeness)
    openings = np.exp(places.log_odds[places.n_printed :])
    of_pieces = by_piece[places.piece_rows] * openings
    return _normalise(np.append(shares.get(PRINTED, 0.0) * printed, of_pieces))


def _weigh_pieces(
    printed: Float64Array,
    index: WordIndex,
    hint: str,
    shares: EditionShares,
    likeness: Float64Array,
) -> Float64Array:
    """Compute the (n_pieces,) probabilities of pieces; those of an edition sum to its share.

    Args: as in `with_editions`.
    """
    places = index.places
    n_paragraphs = len(places.paragraphs)
    by_paragraph = np.bincount(places.paragraph_rows, printed, minlength=n_paragraphs)
    doc_ids = [paragraph.doc_id for paragraph in places.paragraphs]
    doc_ids += [piece.doc_id for piece in places.pieces]
    _, documents = np.unique(np.array(doc_ids), return_inverse=True)
    by_document = np.bincount(
        documents[:n_paragraphs], by_paragraph, documents.max() + 1
    )

    by_piece = (
        places.links @ by_paragraph + MIN_PIECE_PROBABILITY
    ) ** PARAGRAPHS_EXPONENT
    n_hinted = index.raw[:, index.word_ids(hint)].sum(axis=1)
    rule_factors = np.where(n_hinted > 0.0, RULE_FACTOR, 1.0)

    editions = np.array([piece.edition for piece in places.pieces])
    probabilities = np.zeros(len(places.pieces))
    for name in np.unique(editions).tolist():
        pieces = np.flatnonzero(editions == name)
        document = documents[n_paragraphs:][pieces]
        n_pieces = np.bincount(document)[document]
        uniform = _normalise(by_document[document] / n_pieces)
        alike = np.exp(likeness[pieces] - likeness[pieces].max())
        by_content = _normalise(uniform * by_piece[pieces] * alike)

        weights = (1.0 - UNIFORM_SHARE) * by_content + UNIFORM_SHARE * uniform
        lawful = _normalise(weights * rule_factors[pieces])
        probabilities[pieces] = shares.get(name, 0.0) * lawful
    return probabilities


def edition_masses(
    belief: Float64Array,
    candidate_places: RowArray,
    places: Places,
) -> EditionShares:
    """Sum the belief in the places of each edition.

    Args:
        belief: (n_candidates,) probabilities.
        candidate_places: (n_candidates,) the place of each candidate.
    """
    masses: dict[str, float] = {PRINTED: 0.0}
    for place, mass in zip(candidate_places.tolist(), belief.tolist(), strict=True):
        piece = places.piece(place)
        name = piece.edition if piece else PRINTED
        masses[name] = masses.get(name, 0.0) + mass
    return masses


def _normalise(weights: Float64Array) -> Float64Array:
    """Divide weights by their sum; return uniform ones if all are 0."""
    total = weights.sum()
    if total > 0.0:
        return np.asarray(weights / total)
    return np.full(len(weights), 1.0 / len(weights))
