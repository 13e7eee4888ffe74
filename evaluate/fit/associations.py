"""Word lists, norms and training games -> the words that the player associates with, and what makes one likely."""

from __future__ import annotations

import gzip
import math
import re
from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import optimize

from quarry.evaluate.errors import EvaluateError
from quarry.evaluate.fit.wordnet import SORTS, WordNet
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.referee.scoring import Similarity, score_word
from quarry.ingest.arrays import Float32Array, Float64Array, RowArray
from quarry.player.answer.associations import Associations, Lexicon, Norms
from quarry.player.words import is_stop_word, stems

N_LISTED = 80_000
"""Most frequent words looked at."""
ZIPF = (2.4, 5.8)
"""Least and most, on the Zipf scale: rarer words are seldom thought of, more frequent ones mean little."""
RARE_ZIPF = 3.0
"""Below which only nouns are taken."""
MIDDLE_ZIPF = 4.0
"""Of which frequencies are counted from."""
ENDINGS = (
    ("ly",),
    ("ed",),
    ("ing",),
    ("al", "ic", "ive", "ous", "ful", "able", "ible"),
    ("ity", "ness", "ism", "tion", "sion", "ment", "ance", "ence"),
)
"""Groups of endings that make a word less likely to be a thing one thinks of; each group has a weight."""
DIM = 128
"""To which vectors are reduced."""
PENALTY = 0.003
"""Of the squared weights of standardised columns, in nats a game."""
N_SAMPLED = 3000
"""Words that the first look is fitted on, drawn for each game."""
N_MEANINGS = 4
"""English words that a Hebrew one may mean."""

Encoder = Callable[[Sequence[str]], Float32Array]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that may be named.

    Attributes:
        words: in their base form, the most frequent first.
        zipf: (n_words,) how frequent they are, on the Zipf scale.
        traits: (n_words, n_traits) frequency and its square, how much of a noun it is, what sort of thing, whether it
            is a name, and endings.
    """

    words: tuple[str, ...]
    zipf: Float32Array
    traits: Float32Array


@dataclass(frozen=True, slots=True)
class AssociationScore:
    """How well words do on games.

    Attributes:
        exact: share of the games whose word is the one that is guessed; equality after stemming.
        top20: share of the games whose word is among the first 20.
        score: mean of what the guessed word earns, 0..100.
        domain_score: the same if the domain were guessed.
        half_width: of the 95% interval of `score`.
        n_games: games with a word.
    """

    exact: float
    top20: float
    score: float
    domain_score: float
    half_width: float
    n_games: int


def general_words(wordnet: WordNet, named: Container[str]) -> Vocabulary:
    """English words in their base form: those of WordNet that are said, and others that the norms name.

    Args:
        named: words of the norms.

    Reference:
        van Heuven et al., SUBTLEX-UK: A New and Improved Word Frequency Database for British English, 2014.
    """
    from wordfreq import top_n_list, zipf_frequency

    frequencies: dict[str, float] = {}
    for word in top_n_list("en", N_LISTED):
        zipf = zipf_frequency(word, "en")
        usual = ZIPF[0] <= zipf < ZIPF[1] and re.fullmatch("[a-z]{3,}", word) and not is_stop_word(word)
        if usual and _is_base(word, zipf, wordnet, named):
            frequencies[word] = zipf
    words = tuple(sorted(frequencies, key=lambda word: (-frequencies[word], word)))
    scale = np.array([frequencies[word] for word in words], dtype=np.float32)
    return Vocabulary(words, scale, np.array([_traits(word, frequencies[word], wordnet) for word in words]))


def _is_base(word: str, zipf: float, wordnet: WordNet, named: Container[str]) -> bool:
    entry = wordnet.entries.get(word)
    if entry is None:
        return word in named and wordnet.base(word) == word and not word.endswith(("ed", "ing", "ly"))
    plural = wordnet.base(word) != word and not entry.tagged
    return not plural and not entry.rude and (entry.is_noun or zipf >= RARE_ZIPF)


def _traits(word: str, zipf: float, wordnet: WordNet) -> Float32Array:
    entry = wordnet.entries.get(word)
    far = zipf - MIDDLE_ZIPF
    facts = [far, far**2, entry.noun if entry else 0.0, float(entry is None or entry.name)]
    sorts = [float(entry is not None and entry.sort == sort) for sort in SORTS]
    return np.array([*facts, *sorts, *(float(word.endswith(group)) for group in ENDINGS)], dtype=np.float32)


def read_table(path: Path) -> list[tuple[str, list[tuple[str, float]]]]:
    """Lines of a key, a tab, and words with their probability: "gambling<TAB>casino:.21 dice:.09".

    Raises:
        EvaluateError: the file cannot be read, or a line is no such line.
    """
    table = []
    try:
        data = path.read_bytes()
        lines = (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise EvaluateError(f"{path} must be a readable table of words: {error}; check the path") from error
    for number, line in enumerate(lines, 1):
        try:
            key, rest = line.split("\t")
            pairs = [part.rsplit(":", 1) for part in rest.split()]
            table.append((key, [(word, float(share)) for word, share in pairs]))
        except ValueError as error:
            raise EvaluateError(f"{path} line {number}: must be KEY<TAB>WORD:SHARE ..., got {line[:60]!r}") from error
    return table


def norms_of(table: Sequence[tuple[str, Sequence[tuple[str, float]]]], words: Sequence[str]) -> Norms:
    """The norms of a table over a vocabulary; words outside it are left out."""
    row_of = {word: row for row, word in enumerate(words)}
    domains: list[str] = []
    starts, rows, shares = [0], list[int](), list[float]()
    for domain, named in table:
        known = [(row_of[word], share) for word, share in named if word in row_of]
        if known:
            domains.append(domain)
            rows.extend(row for row, _ in known)
            shares.extend(share for _, share in known)
            starts.append(len(rows))
    return Norms(
        tuple(domains), np.array(starts, np.int32), np.array(rows, np.uint16), np.array(shares, dtype=np.float16)
    )


def lexicon_of(table: Sequence[tuple[str, Sequence[tuple[str, float]]]], words: Sequence[str]) -> Lexicon:
    """The Hebrew lexicon of a table over a vocabulary; meanings outside it are left out."""
    row_of = {word: row for row, word in enumerate(words)}
    kept = [(key, [(row_of[word], share) for word, share in meant if word in row_of]) for key, meant in table]
    kept = [(key, meant[:N_MEANINGS]) for key, meant in kept if meant]
    rows = np.zeros((len(kept), N_MEANINGS), dtype=np.uint16)
    shares = np.zeros((len(kept), N_MEANINGS), dtype=np.float16)
    for place, (_, meant) in enumerate(kept):
        for column, (row, share) in enumerate(meant):
            rows[place, column], shares[place, column] = row, share
    return Lexicon(tuple(key for key, _ in kept), rows, shares)


def reduce_vectors(vectors: Float32Array) -> Float32Array:
    """(n_words, at most DIM) unit vectors without what all words have in common, in the directions they differ most in.

    Reference:
        Mu and Viswanath, All-but-the-Top: Simple and Effective Postprocessing for Word Representations, 2018.
    """
    centred = vectors.astype(np.float64) - vectors.mean(axis=0)
    centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)
    _, basis = np.linalg.eigh(centred.T @ centred)
    reduced = centred @ basis[:, ::-1][:, :DIM]
    lengths = np.maximum(np.linalg.norm(reduced, axis=1, keepdims=True), 1e-9)
    return np.asarray(reduced / lengths, dtype=np.float32)


def fit_associations(
    vocabulary: Vocabulary, vectors: Float32Array, norms: Norms, lexicon: Lexicon, games: Sequence[LabelledGame]
) -> Associations:
    """Associations whose weights make the words of these games likeliest, among all words.

    Two conditional logits: of the first look, over words drawn at random, and of the close one, over those that the
    first look leaves.

    Args:
        vectors: (n_words, dim) of the vocabulary.
        games: that teach.

    Reference:
        McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974.
    """
    n = len(vocabulary.words)
    blank = Associations(
        vocabulary.words,
        reduce_vectors(vectors),
        np.clip(5.5 - vocabulary.zipf, 0.2, 3.0).astype(np.float32),
        np.zeros((2, n), dtype=np.float32),
        norms,
        lexicon,
        (np.zeros(4, dtype=np.float32), np.zeros(7, dtype=np.float32)),
    )
    forms = [stems(word)[0] for word in vocabulary.words]
    taught = Counter(" ".join(stems(game.associative_word)) for game in games)
    cases = []
    for game in games:
        form = " ".join(stems(game.associative_word))
        rows = np.flatnonzero(np.array([other == form for other in forms]))
        if len(rows):
            cases.append((game, rows))

    def columns(game: LabelledGame | None) -> Float32Array:
        """(n_words, n_traits + 1) traits, and how often other games taught the word."""
        own = " ".join(stems(game.associative_word)) if game else ""
        seen = np.array([taught[form] - (form == own) for form in forms], dtype=np.float32)
        return np.column_stack([vocabulary.traits, np.log1p(seen)])

    generator = np.random.default_rng(0)
    first = []
    for game, right in cases:
        drawn = np.union1d(generator.choice(n, size=min(N_SAMPLED, n), replace=False), right)
        far = blank.far(game.association_domain, game.hint, game.paragraph)
        first.append((np.hstack([far, columns(game)])[drawn], np.searchsorted(drawn, right)))
    far_weights = _logit(first, blank.weights[0].size + vocabulary.traits.shape[1] + 1)
    every = columns(None)
    prior = (every @ far_weights[4:]).astype(np.float32)
    looked = replace(blank, weights=(far_weights[:4], blank.weights[1]), prior=np.stack([prior, prior]))
    second = []
    for game, right in cases:
        told = game.association_domain, game.hint, game.paragraph
        near = np.union1d(looked.shortlist(*told), right)
        second.append((np.hstack([blank.close(near, *told), columns(game)[near]]), np.searchsorted(near, right)))
    close_weights = _logit(second, 7 + vocabulary.traits.shape[1] + 1)
    return replace(
        looked,
        weights=(far_weights[:4], close_weights[:7]),
        prior=np.stack([prior, (every @ close_weights[7:]).astype(np.float32)]),
    )


def _logit(cases: Sequence[tuple[Float32Array, RowArray]], n_columns: int) -> Float32Array:
    """(n_columns,) weights that make the right rows of each case likeliest.

    Args:
        cases: (n_rows, n_columns) each, and the rows that are right.
    """
    if not cases:
        return np.zeros(n_columns, dtype=np.float32)
    spread = np.mean([features.std(axis=0) for features, _ in cases], axis=0) + 1e-6
    cases = [(((features - features.mean(axis=0)) / spread).astype(np.float32), right) for features, right in cases]

    def loss(weights: Float64Array) -> tuple[float, Float64Array]:
        total, slope = 0.0, np.zeros(n_columns)
        single = weights.astype(np.float32)
        for features, right in cases:
            scores = (features @ single).astype(np.float64)
            share = np.exp(scores - scores.max())
            share /= share.sum()
            chance = share[right].sum() + 1e-300
            total -= math.log(chance)
            pull = share.copy()
            pull[right] -= share[right] / chance
            slope += features.T @ pull.astype(np.float32)
        n = len(cases)
        return total / n + PENALTY * float(weights @ weights), slope / n + 2.0 * PENALTY * weights

    best = optimize.minimize(loss, np.zeros(n_columns), jac=True, method="L-BFGS-B", options={"maxiter": 100})
    return np.asarray(best.x / spread, dtype=np.float32)


def score_associations(
    choose: Callable[[LabelledGame], Sequence[str]], games: Sequence[LabelledGame], similarity: Similarity
) -> AssociationScore:
    """How well words do on games whose paragraph is known.

    Args:
        choose: the words for a game, best first.
        similarity: that words are scored by where they differ.
    """
    exact, top20, scores, domain_scores = [], [], [], []
    for game in games:
        if not game.associative_word or not game.paragraph:
            continue
        ranked, right = list(choose(game))[:20], " ".join(stems(game.associative_word))
        exact.append(" ".join(stems(ranked[0])) == right)
        top20.append(any(" ".join(stems(word)) == right for word in ranked))
        scores.append(score_word(ranked[0], game.associative_word, similarity))
        domain_scores.append(score_word(game.association_domain, game.associative_word, similarity))
    n = len(scores)
    if not n:
        return AssociationScore(0.0, 0.0, 0.0, 0.0, 0.0, 0)
    half = 1.96 * float(np.std(scores)) / math.sqrt(n)
    return AssociationScore(
        sum(exact) / n, sum(top20) / n, float(np.mean(scores)), float(np.mean(domain_scores)), half, n
    )
