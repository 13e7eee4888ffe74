"""Norms with ideas: the words of a domain with what they stand for, compared with hint and paragraph by a network."""

import contextlib
import functools
import gzip
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from player.associations import PER_UNIT, load_associations
from quarry.arrays import Float32Array, Float64Array
from quarry.course.sentences import sentences
from quarry.languages.words import stems, words

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

WEIGHTS = np.array([2.07, 0.28, 1.23, 0.5, 0.23, 0.55, 0.68], dtype=np.float32)
"""Weights of the columns of `_columns_of`.

A conditional logit (McFadden, 1974) over words with and without ideas, fitted on our 282 training games that have a
paragraph (picks too; English with minilm, Hebrew with e5), chosen among variants by cross-validation and on the 105
games of validation."""
WEIGHT_OUTSIDE = 1.18
"""Weight of the log probability by the associations for words without an idea, fitted with the others."""

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
def load_ideas() -> tuple[dict[str, list[Idea]], dict[str, str]]:
    """Load the bundled file: words by domain, and domains by name: stems in English, and Hebrew."""
    domains: dict[str, list[Idea]] = {}
    names: dict[str, str] = {}
    domain = ""

    with gzip.open(IDEAS_FILE, "rt", encoding="utf-8") as lines:
        for line in lines:
            first, *rest = line.rstrip("\n").split("\t")
            if first.startswith("# "):
                domain = first.removeprefix("# ")
                domains[domain] = []
                for name in (domain, *rest[0].split(",")):
                    names.setdefault(_name(name), domain)
            elif len(words(first)) == 1:
                place = len(domains[domain])
                idea = Idea(
                    first,
                    rest[0],
                    f"{first}: {rest[1]}",
                    place,
                )
                domains[domain].append(idea)
    return domains, names


@functools.lru_cache(PHRASES_KEPT)
def near_ideas(domain: str) -> tuple[Idea, ...]:
    """Return the words of the nearest domains, the nearest domain first; none if no domain is near."""
    domains, names = load_ideas()
    name = names.get(_name(domain))
    vectors = _domain_vectors()
    listed = [*domains]
    if name is None:
        associations = load_associations()
        cosines = vectors @ associations.mean(associations.rows_of(domain))
    else:
        row = listed.index(name)
        cosines = vectors @ vectors[row]
        cosines[row] = 1.0

    ideas = []
    nearest = np.argsort(-cosines, kind="stable")[:N_DOMAINS]
    for row in nearest.tolist():
        nearness = float(cosines[row])
        if nearness >= LEAST_COSINE:
            for idea in domains[listed[row]]:
                ideas.append(idea._replace(nearness=nearness))
    return tuple(ideas)


@functools.cache
def _domain_vectors() -> Float32Array:
    associations = load_associations()
    vectors = []
    for name in load_ideas()[0]:
        vectors.append(associations.mean(associations.rows_of(name)))
    return np.stack(vectors)


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
        if not phrases:
            return np.zeros((0, 1), dtype=np.float32)
        return self._embed(phrases)

    def compare(
        self,
        domain: str,
        hint: str,
        text: str,
    ) -> Float32Array:
        """Return the (n, 3) similarity of `near_ideas` to the hint, the paragraph and the nearest of its sentences."""
        parts = sentences(text) or [text]
        texts = self._embed([hint or text, text, *parts])
        cosines = PER_UNIT * self.read(domain) @ texts.T
        nearest = cosines[:, 2:].max(axis=1)
        return np.column_stack([cosines[:, :2], nearest])


def word_shares(
    domain: str,
    hint: str,
    text: str,
    allowed: Callable[[str], bool],
    meanings: Meanings | None,
    *,
    in_hebrew: bool = False,
) -> dict[str, float]:
    """Return the probability of each word by the norms with ideas and the associations joined.

    Args:
        allowed: whether a word with an idea may be guessed.
        meanings: compares ideas with hint and paragraph; None ranks by typicality.
        in_hebrew: return Hebrew words, whose probabilities need not sum to 1.
    """
    associations = load_associations()
    ideas, idea_rows, places = [], [], []
    for place, idea in enumerate(near_ideas(domain)):
        if allowed(idea.hebrew if in_hebrew else idea.word):
            ideas.append(idea)
            idea_rows.append(associations.row_of(idea.word))
            places.append(place)
    shape = (len(ideas), 3)
    similarity = np.zeros(shape, dtype=np.float32)
    if meanings and ideas:
        with contextlib.suppress(Exception):  # without a network, typicality decides
            similarity = meanings.compare(domain, hint, text)[places]

    of_ideas = [row for row in idea_rows if row is not None]
    rows, shares = associations.rank(domain, hint, text, of_ideas)
    outside = ~np.isin(rows, of_ideas) & (shares > 0.0)
    rows_outside = rows[outside]
    share_of = dict(zip(rows.tolist(), shares.tolist(), strict=True))
    unknown = np.exp(TYPICAL_LOG)
    logs = np.log([share_of.get(row) or unknown for row in idea_rows])

    by_idea = _columns_of(ideas, similarity, logs) @ WEIGHTS
    by_association = WEIGHT_OUTSIDE * (np.log(shares[outside]) - TYPICAL_LOG)
    scores = np.concatenate([by_idea, by_association])
    best = scores.max(initial=-np.inf)
    joined = np.exp(scores - best).astype(np.float32)
    joined /= max(float(joined.sum()), 1e-9)

    of_words = joined[len(ideas) :]
    if in_hebrew:
        by_word = associations.in_hebrew(rows_outside, of_words)
    else:
        english = [associations.words[row] for row in rows_outside]
        by_word = dict(zip(english, of_words.tolist(), strict=True))
    for idea, share in zip(ideas, joined.tolist(), strict=False):
        word = idea.hebrew if in_hebrew else associations.base_form(idea.word)
        by_word[word] = by_word.get(word, 0.0) + share
    return by_word


def _columns_of(
    ideas: list[Idea], similarity: Float32Array, logs: Float64Array
) -> Float32Array:
    """Return the (n, 7) columns of the ranking.

    They are 1, log typicality, nearness of the domain, similarity to hint, paragraph and best sentence, each against
    the mean of the words, and log probability by the associations.

    Args:
        similarity: (n, 3) as `Meanings.compare` returns it.
        logs: (n,) log probabilities by the associations.
    """
    if not ideas:
        return np.empty((0, len(WEIGHTS)), dtype=np.float32)
    places = np.array([idea.place for idea in ideas])
    nearness = np.array([idea.nearness for idea in ideas])
    columns = [
        np.ones(len(ideas)),
        -np.log1p(places / HEAD),
        nearness - nearness.max(),
        similarity - similarity.mean(axis=0),
        logs - TYPICAL_LOG,
    ]
    return np.column_stack(columns).astype(np.float32)
