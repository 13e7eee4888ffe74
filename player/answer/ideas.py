"""Norms with ideas: the words of a domain with what they stand for, compared with hint and paragraph by a network."""

from __future__ import annotations

import contextlib
import functools
import gzip
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ingest.arrays import Float32Array, RowArray
from ingest.paragraphs.sentence import sentences
from player.answer.associations import PER_UNIT, Associations, load_associations
from player.words import stems, words

IDEAS_FILE = Path(__file__).with_name("ideas.txt.gz")
"""For each domain a line "# name<TAB>Hebrew names", and lines "word<TAB>Hebrew word<TAB>idea", most typical first;
data/associations/README.md says how it was made."""

N_DOMAINS = 3
"""Number of the nearest domains whose words are taken."""
LEAST_COSINE = 0.3
"""Domains further away than this are not taken."""
HEAD = 5.0
"""A word's typicality is 1 / (HEAD + its place in the domain), up to a factor."""
TYPICAL_LOG = -7.0
"""Log probability by the associations from which others are counted, that of a word that they do not know."""
PHRASES_KEPT = 64
"""The vectors of the ideas of so many domains are kept."""

Embed = Callable[[Sequence[str]], Float32Array]
"""Returns (n, dim) unit vectors of texts."""


class Idea(NamedTuple):
    """A word of a domain.

    Attributes:
        idea: the word and the phrase of what it stands for.
        place: 0 for the most typical word of its domain.
        nearness: cosine of its domain with the domain of the game, 1 for the domain itself.
    """

    word: str
    hebrew: str
    idea: str
    place: int
    nearness: float = 1.0


@functools.cache
def load_ideas() -> tuple[dict[str, tuple[Idea, ...]], dict[str, str]]:
    """Load the bundled file: words by domain, and domains by name: stems in English, and Hebrew."""
    domains: dict[str, list[Idea]] = {}
    names: dict[str, str] = {}
    own: list[Idea] = []
    with gzip.open(IDEAS_FILE, "rt", encoding="utf-8") as lines:
        for line in lines:
            first, *rest = line.rstrip("\n").split("\t")
            if first.startswith("# "):
                own = domains.setdefault(first[2:], [])
                for name in (first[2:], *rest[0].split(",")):
                    names.setdefault(_name(name), first[2:])
            elif len(words(first)) == 1:
                own.append(Idea(first, rest[0], f"{first}: {rest[1]}", len(own)))
    return {name: tuple(ideas) for name, ideas in domains.items()}, names


@functools.lru_cache(PHRASES_KEPT)
def near_ideas(domain: str) -> tuple[Idea, ...]:
    """Return the words of the nearest domains, the nearest domain first; none if no domain is near."""
    domains, names = load_ideas()
    known = load_associations()
    cosines = _domain_vectors() @ known.mean(known.rows_of(domain))
    for row, name in enumerate(domains):
        if name == names.get(_name(domain)):
            cosines = _domain_vectors() @ _domain_vectors()[row]
            cosines[row] = 1.0
    nearest = np.argsort(-cosines, kind="stable")[:N_DOMAINS].tolist()
    return tuple(
        idea._replace(nearness=float(cosines[row]))
        for row in nearest
        if cosines[row] >= LEAST_COSINE
        for idea in list(domains.values())[row]
    )


@functools.cache
def _domain_vectors() -> Float32Array:
    known = load_associations()
    return np.stack([known.mean(known.rows_of(name)) for name in load_ideas()[0]])


def _name(domain: str) -> str:
    return " ".join(stems(domain))


class Meanings:
    """Compares ideas with hint and paragraph; thread-safe.

    Args:
        embed: embeds texts, as the course's network embeds queries.
    """

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self.read = functools.lru_cache(PHRASES_KEPT)(self._read)

    def _read(self, domain: str) -> Float32Array:
        """Return (n, dim) unit vectors of `near_ideas`, which are kept."""
        phrases = [idea.idea for idea in near_ideas(domain)]
        return self._embed(phrases) if phrases else np.zeros((0, 1), dtype=np.float32)

    def compare(self, domain: str, hint: str, text: str) -> Float32Array:
        """Return the (n, 3) similarity of `near_ideas` to the hint, the paragraph and the nearest of its sentences."""
        texts = self._embed([hint or text, text, *(sentences(text) or [text])])
        found = PER_UNIT * self.read(domain) @ texts.T
        return np.column_stack([found[:, :2], found[:, 2:].max(axis=1)])


WEIGHTS = np.array([2.07, 0.28, 1.23, 0.5, 0.23, 0.55, 0.68], dtype=np.float32)
"""Weights of the columns of `columns_of`.

A conditional logit (McFadden, 1974) over words with and without ideas, fitted on our 282 training games that have a
paragraph (picks too; English with minilm, Hebrew with e5), chosen among variants by cross-validation and on the 105
games of validation."""
WEIGHT_OUTSIDE = 1.18
"""Weight of the log probability by the associations for words without an idea, fitted with the others."""


def columns_of(
    ideas: Sequence[Idea], similarity: Float32Array | None, logs: Float32Array
) -> Float32Array:
    """Return the (n, 7) columns of the ranking.

    They are 1, log typicality, nearness of the domain, similarity to hint, paragraph and best sentence, each against
    the mean of the words, and log probability by the associations.

    Args:
        similarity: (n, 3) as `Meanings.compare` returns it; None without a network.
        logs: (n,) log probabilities by the associations.
    """
    places = np.array([idea.place for idea in ideas])
    nearness = np.array([idea.nearness for idea in ideas])
    if similarity is None:
        similarity = np.zeros((len(ideas), 3), dtype=np.float32)
    return np.column_stack(
        [
            np.ones(len(ideas)),
            -np.log1p(places / HEAD),
            nearness - nearness.max(initial=0.0),
            similarity - similarity.mean(axis=0) if len(ideas) else similarity,
            logs - TYPICAL_LOG,
        ]
    ).astype(np.float32)


class Joined(NamedTuple):
    """One distribution over words with an idea and other words.

    Attributes:
        ideas: words with an idea; a word may be there for several domains.
        idea_shares: (n_ideas,) their probabilities.
        rows: other words of the associations.
        row_shares: (n_rows,) their probabilities.
    """

    ideas: tuple[Idea, ...]
    idea_shares: Float32Array
    rows: RowArray
    row_shares: Float32Array


def join(
    known: Associations,
    domain: str,
    hint: str,
    text: str,
    allowed: Callable[[Idea], bool],
    meanings: Meanings | None,
) -> Joined:
    """Join the norms with ideas and the associations.

    Args:
        allowed: whether a word may be guessed.
        meanings: compares ideas with hint and paragraph; None ranks by typicality.
    """
    everything = near_ideas(domain)
    kept = np.array([n for n, idea in enumerate(everything) if allowed(idea)], np.intp)
    ideas = tuple(everything[n] for n in kept)
    similarity = None
    if meanings is not None and len(kept):
        with contextlib.suppress(Exception):  # without a network, typicality decides
            similarity = meanings.compare(domain, hint, text)[kept]

    own = [known.row_of(idea.word) for idea in ideas]
    rows, shares = known.rank(
        domain, hint, text, [row for row in own if row is not None]
    )
    share_of = dict(zip(rows.tolist(), shares.tolist(), strict=True))
    olds = [share_of.get(row, 0.0) if row is not None else 0.0 for row in own]
    logs = np.array([np.log(old) if old else TYPICAL_LOG for old in olds])
    outside = ~np.isin(rows, [row for row in own if row is not None]) & (shares > 0.0)
    rows = rows[outside]
    scores = np.concatenate(
        [
            columns_of(ideas, similarity, logs) @ WEIGHTS,
            WEIGHT_OUTSIDE * (np.log(shares[outside]) - TYPICAL_LOG),
        ]
    )
    joined = np.exp(scores - scores.max(initial=-np.inf)).astype(np.float32)
    joined /= max(float(joined.sum()), 1e-9)
    return Joined(ideas, joined[: len(ideas)], rows, joined[len(ideas) :])
